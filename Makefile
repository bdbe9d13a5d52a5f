# make book | test | notebooks | lab | survey | bench | clean: each works from a clean clone
# with nothing but Python 3.11+ and make. `make` alone lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
BOOK := _build/.book
UV := $(shell command -v uv 2>/dev/null)
WORKERS ?= 2

# one thread a process: runs are alike on every machine, and workers do not fight
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

PACKAGE := $(shell find ppdm -name '*.py')
TEXTS := $(wildcard notebooks/*.md)
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
EXECUTED := $(TEXTS:notebooks/%.md=_build/executed/%)
PAGES := _config.yml _toc.yml $(shell find book -type f) ppdm/survey/static/ppdm.js

# $(call step,what,command,what to do when it fails)
step = @printf '\n== %s\n' "$(1)"; $(2) || { printf '\n*** %s: failed. %s\n' "$(1)" "$(3)" >&2; exit 1; }

.DELETE_ON_ERROR:
.PHONY: help book test lint unit nbval survey-tests notebooks lab survey bench experiments pictures lock clean

help:
	@echo "make book       build the book into _build/html"
	@echo "make test       ruff, mypy, the book, pytest with doctests, nbval on every notebook"
	@echo "make lint       ruff and mypy alone"
	@echo "make unit       pytest with doctests alone; the browser tests read the book that is built"
	@echo "make nbval      every notebook again, each output compared with the stored one"
	@echo "make notebooks  execute the notebooks whose text or package changed, store the outputs"
	@echo "make survey     serve the survey on this machine; ARGS=--help lists its options"
	@echo "make survey-tests  kill, flood and fuzz the survey's server (minutes)"
	@echo "make lab        open the notebooks in JupyterLab"
	@echo "make bench      print the speed ratios against peers"
	@echo "make experiments  compute the tables of ppdm.experiments anew (an hour)"
	@echo "make pictures   draw and photograph anew what the pages show (needs Chromium)"
	@echo "make lock       pin requirements.txt anew from pyproject.toml (needs uv)"
	@echo "make clean      remove the environment and everything built"

$(INSTALLED): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "*** ppdm needs Python 3.11 or newer: name one, make PYTHON=python3.12 ..." >&2; exit 1; }
ifneq ($(UV),)
	$(call step,environment (uv),test -x $(BIN)/python || $(UV) venv -q --python $(PYTHON) $(VENV),Is $(PYTHON) installed?)
	$(call step,packages (uv),$(UV) pip install -q --python $(BIN)/python -r requirements.txt && $(UV) pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .,Is the package index reachable? Run make again; what is installed stays.)
else
	$(call step,environment,test -x $(BIN)/python || $(PYTHON) -m venv $(VENV),Debian and Ubuntu: apt install python3-venv.)
	$(call step,packages (a minute or two),$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt && $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .,Is the package index reachable? Run make again; what is installed stays.)
endif
	@touch $@

book: $(BOOK)
	@echo "The book is built. Open it: file://$(CURDIR)/_build/html/index.html"

# A warning that is not seen again on the second run would hide: start anew after a failure.
$(BOOK): $(INSTALLED) $(PAGES) $(NOTEBOOKS) $(PACKAGE)
	$(call step,book,$(BIN)/jupyter-book build -q -W -n --keep-going . || { rm -rf _build; false; },Each warning above names its file and line.)
	@touch $@

test: lint $(BOOK) unit nbval
	@printf '\nAll tests passed.\n'

lint: $(INSTALLED)
	$(call step,ruff,$(BIN)/ruff check -q .,Mend the lines above; ruff check --fix mends some.)
	$(call step,mypy,$(BIN)/mypy,Mend the types above.)

unit: $(INSTALLED)
	$(call step,pytest,$(BIN)/python -m pytest -q -n $(WORKERS),Run one alone: $(BIN)/python -m pytest -k NAME.)

# A named folder is collected although norecursedirs leaves it out of make test.
survey-tests: $(INSTALLED)
	$(call step,the survey under fire,$(BIN)/python -m pytest -q -n $(WORKERS) tests/survey/long,Run one alone: $(BIN)/python -m pytest tests/survey/long -k NAME.)

nbval: $(INSTALLED)
	$(call step,nbval,$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -o addopts= -o filterwarnings=default --nbval --nbval-sanitize-with tests/nbval_sanitize.cfg notebooks,An output differs from the stored one: mend the code or run make notebooks and read the difference.)

notebooks: $(EXECUTED)
	@echo "The notebooks are executed and in step with their texts."

# The text is the source: cells come from the .md, outputs from a fresh kernel.
_build/executed/%: notebooks/%.md $(PACKAGE) | $(INSTALLED)
	$(call step,notebooks/$*,$(BIN)/jupytext --quiet --from md:myst --to ipynb --output notebooks/$*.ipynb $< && $(BIN)/jupyter nbconvert --log-level ERROR --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False --ExecutePreprocessor.timeout=120 notebooks/$*.ipynb,The cell and its error stand above.)
	@mkdir -p $(@D) && touch $@

lab: $(INSTALLED)
	$(BIN)/jupyter lab notebooks

survey: $(INSTALLED)
	$(BIN)/python -m ppdm.survey $(ARGS)

bench: $(INSTALLED)
	@for f in benchmarks/bench_*.py; do $(BIN)/python $$f || exit 1; done

# A table that was stopped half-way is continued.
experiments: $(INSTALLED)
	@for f in as00 frontier guidance guidance_votes lx14; do printf '\n== %s\n' $$f; $(BIN)/python -m ppdm.experiments.$$f || exit 1; done

pictures: $(INSTALLED)
	@for f in book/_make/*.py; do printf '\n== %s\n' $$f; $(BIN)/python $$f || exit 1; done

lock:
	@test -n "$(UV)" || { echo "*** make lock needs uv: pip install uv" >&2; exit 1; }
	$(UV) pip compile -q --universal --fork-strategy fewest --python-version 3.11 --extra dev --no-annotate --custom-compile-command "make lock" pyproject.toml -o requirements.txt

clean:
	rm -rf $(VENV) _build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
