# Each command works from a clean clone with nothing but Python 3.11+ and make; `make` alone lists
# them. What belongs to one wing lies beside it: benchmarks/Makefile, book/Makefile, tests/Makefile.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# what the pages need, where not all is there; the book is not built anew when the rest comes
PAGES_INSTALLED := $(or $(wildcard $(INSTALLED)),$(VENV)/.pages)
BOOK := _build/html/index.html
WORKERS ?= 2

# one thread a process: runs are alike on every machine, and workers do not fight
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export PYTHON

PACKAGE := $(shell find ppdm ppdm_book ppdm_survey -name '*.py')
TEXTS := $(wildcard notebooks/$(CHAPTER)*.md)
EXECUTED := $(TEXTS:notebooks/%.md=_build/executed/%)
PAGES := _config.yml _toc.yml $(shell find book -type f) $(wildcard notebooks/*.ipynb ppdm_survey/static/ppdm*.js)

# $(call step,what,command,what to do when it fails)
step = @printf '\n== %s\n' "$(1)"; $(2) || { printf '\n*** %s: failed. %s\n' "$(1)" "$(3)" >&2; exit 1; }

# Marks lie in courses/. Where an older version kept them in _build, they are moved before anything else.
ifneq ($(wildcard _build/assignments/*/gradebook.db),)
  MOVED := $(shell mkdir -p courses && for c in _build/assignments/*/; do [ -e courses/$$(basename $$c) ] || mv $$c courses/; done)
  ifneq ($(wildcard _build/assignments/*/gradebook.db),)
    $(error Marks in _build/assignments and in courses: move them by hand, nothing was touched)
  endif
endif

.DELETE_ON_ERROR:
.PHONY: release help book test test-all lint notebooks lab survey bench assignments grade experiments clean others notebooks-beside unit nbval

help:
	@echo "make book         build the book into _build/html; EDITION=student: without solutions, _build/student"
	@echo "make test         what a change must pass (nine minutes): ruff, mypy, the book, pytest, every notebook"
	@echo "make test-all     all that CI runs, the long parts too (41 minutes); .ci/run PART ... runs some of it"
	@echo "make lint         ruff and mypy alone"
	@echo "make notebooks    put changed texts into their notebooks, execute changed code; CHAPTER=11: one"
	@echo "make lab          open the notebooks in JupyterLab; ARGS=--ip=0.0.0.0 from a container"
	@echo "make survey       serve the survey on this machine; ARGS=--help lists its options"
	@echo "make bench        times and memory against peers, a table of the book (fifteen minutes); SIZE=small: one"
	@echo "make assignments  the course's assignments, with data of their own: SEED=2027, other verdicts than AVOID=2026"
	@echo "make grade        grade what was handed in: SUBMISSIONS=folder-or-zip SEED=2027; without it, enter marks"
	@echo "make experiments  compute the tables of ppdm_book.experiments anew (an hour)"
	@echo "make clean        remove the environments and everything built"

$(INSTALLED): requirements.txt pyproject.toml
	$(call step,environment,.ci/environment $(VENV) -r requirements.txt && .ci/environment $(VENV) --no-deps --no-build-isolation -e .,The line above says why. Run make again; what is installed stays.)
	@touch $@

$(VENV)/.pages: requirements.txt pyproject.toml
	$(call step,environment of the book,.ci/environment $(VENV) -c requirements.txt hatchling editables && .ci/environment $(VENV) -c requirements.txt --no-build-isolation -e '.[book]',The line above says why. Run make again; what is installed stays.)
	@touch $@

ifeq ($(EDITION),student)
book: _build/student/index.html
	@echo "The student edition is built. Open it: file://$(CURDIR)/_build/student/index.html"
else
book: $(BOOK)
	@echo "The book is built. Open it: file://$(CURDIR)/_build/html/index.html"
endif

# A warning that is not seen again on the second run would hide: start anew after a failure.
$(BOOK): requirements.txt $(PAGES) $(PACKAGE) | $(PAGES_INSTALLED)
	$(call step,book,$(BIN)/jupyter-book build -q -W -n --keep-going . || { rm -rf _build; false; },Each warning above names its file and line.)
	@touch $@

_build/student/index.html: requirements.txt $(PAGES) $(PACKAGE) | $(PAGES_INSTALLED)
	$(call step,student edition,$(BIN)/python book/_course/student_edition.py,Each warning above names its file and line. A solution that was found must not be handed out.)
	@touch $@

# Two lanes: the notebooks, which take the longest, fill what the rest leaves of the processor.
test: $(INSTALLED)
	@log=$$(mktemp); trap 'rm -f $$log' EXIT; \
	$(MAKE) --no-print-directory -k -j2 notebooks-beside others LOG=$$log; failed=$$?; cat $$log; exit $$failed
	@printf '\nAll tests passed.\n'

notebooks-beside:
	@nice $(MAKE) --no-print-directory nbval >$(LOG) 2>&1

others:
	@failed=0; for step in lint $(BOOK) unit; do $(MAKE) --no-print-directory $$step || failed=1; done; exit $$failed

test-all:
	.ci/run

lint: $(INSTALLED)
	$(call step,ruff,$(BIN)/ruff check -q .,Mend the lines above; ruff check --fix mends some.)
	$(call step,mypy,$(BIN)/mypy,Mend the types above.)

unit: $(INSTALLED)
	$(call step,pytest,$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal,Run one alone: $(BIN)/python -m pytest -k NAME.)

nbval: $(INSTALLED)
	$(call step,nbval,WORKERS=$(WORKERS) tests/run_elsewhere.sh,An output differs from the stored one: mend the code or run make notebooks and read the difference.)

notebooks: $(EXECUTED)
	@[ -n "$(EXECUTED)" ] || { echo "*** no chapter begins with $(CHAPTER)" >&2; exit 1; }
	@echo "The notebooks are executed and in step with their texts."

# The text is the source: cells come from the .md; the script executes what code or package has changed.
_build/executed/%: notebooks/%.md $(PACKAGE) | $(INSTALLED)
	$(call step,notebooks/$*,$(BIN)/python book/_make/notebooks.py $<,The cell and its error stand above.)

# .jupyter: a text opens as a notebook, and nothing of nbgrader. A container's root may; ARGS="--ip=0.0.0.0" lets others in.
lab: $(INSTALLED)
	JUPYTER_CONFIG_PATH="$(CURDIR)/.jupyter" $(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) --log-level=WARN $(ARGS) notebooks

# What ARGS says comes last and holds; a command on a stored survey, and check, get no defaults.
SURVEY := --people 400 $(if $(filter --epsilon% --odds%,$(ARGS)),,--epsilon 2)
survey: $(INSTALLED)
	$(BIN)/python -m ppdm_survey $(if $(filter check export close delete backup invite,$(firstword $(ARGS))),,$(SURVEY)) $(ARGS)

bench: $(INSTALLED)
	@$(MAKE) --no-print-directory -C benchmarks bench

# A table that was stopped half-way is continued.
experiments: $(INSTALLED)
	@for f in as00 explains frontier guidance guidance_votes lx14 lx14_others mixture private survey_check; do printf '\n== %s\n' $$f; $(BIN)/python -m ppdm_book.experiments $$f || exit 1; done

assignments: $(INSTALLED)
	$(call step,assignments,$(BIN)/python notebooks/assignments/release.py $(if $(SEED),--seed $(SEED)) $(if $(AVOID),--avoid $(AVOID)),An error names the assignment and the cell.)

grade: $(INSTALLED)
	$(call step,grade,$(BIN)/python notebooks/assignments/grade.py $(if $(SUBMISSIONS),"$(SUBMISSIONS)") $(if $(SEED),--seed $(SEED)) $(if $(SANDBOX),--sandbox $(SANDBOX)) $(if $(ROSTER),--roster "$(ROSTER)") $(if $(DUE),--due "$(DUE)") $(if $(DATES),--dates $(DATES)),The line above says what is wrong. Nothing that was entered before is lost.)

# Not for every day: CONTRIBUTING.md says when.
release:
	.ci/release $(VERSION)

clean:
	rm -rf $(VENV) .venv-* _build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
