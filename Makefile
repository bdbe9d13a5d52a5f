# make book | test | notebooks | lab | survey | bench | clean: each works from a clean clone
# with nothing but Python 3.11+ and make. `make` alone lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
BOOK := _build/.book
RESOLUTION = $(if $(filter lowest,$(VERSIONS)),lowest-direct,highest)
UV := $(shell command -v uv 2>/dev/null)
WORKERS ?= 2
SHIFT ?= 1000
# pinned: requirements.txt; lowest, newest: what pyproject.toml allows, with uv
VERSIONS ?= pinned

# one thread a process: runs are alike on every machine, and workers do not fight
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

PACKAGE := $(shell find ppdm ppdm_book ppdm_survey -name '*.py')
TEXTS := $(wildcard notebooks/*.md)
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
EXECUTED := $(TEXTS:notebooks/%.md=_build/executed/%)
PAGES := _config.yml _toc.yml $(shell find book -type f) $(wildcard ppdm_survey/static/ppdm*.js)

# $(call step,what,command,what to do when it fails)
step = @printf '\n== %s\n' "$(1)"; $(2) || { printf '\n*** %s: failed. %s\n' "$(1)" "$(3)" >&2; exit 1; }

.DELETE_ON_ERROR:
.PHONY: help book epub pdf slides test lint unit unit-quick unit-shifted unit-lowest unit-newest nbval types survey-tests large-tests large notebooks ties lab survey bench mutants experiments pictures assignments grade assignment-tests lock clean

help:
	@echo "make book       build the book into _build/html; EDITION=student: without solutions, _build/student"
	@echo "make epub       the book for a reader, _build/ppdm.epub; make pdf for paper (need Chromium)"
	@echo "make slides     a deck for each paper, _build/slides"
	@echo "make test       ruff, mypy, the book, pytest with doctests, nbval on every notebook"
	@echo "make lint       ruff and mypy alone"
	@echo "make types      are the public types complete? (pyright, in .venv-types)"
	@echo "make unit       pytest with doctests alone; the browser tests read the book that is built"
	@echo "make unit-quick    pytest without book, notebooks and browser, in VENV with PYTHON"
	@echo "make unit-shifted  the same with SHIFT (1000) added to each integer seed"
	@echo "make unit-lowest   the same in .venv-lowest with the oldest versions (needs uv); unit-newest"
	@echo "make nbval      every notebook again, in an empty folder; each output compared"
	@echo "make notebooks  execute the notebooks whose text or package changed, store the outputs"
	@echo "make ties CHAPTER=11  tie the numbers of a chapter's prose to the cells that print them"
	@echo "make survey     serve the survey on this machine; ARGS=--help lists its options"
	@echo "make survey-tests  kill, flood and fuzz the survey's server (minutes)"
	@echo "make large-tests  count on a cluster of worker processes, of which some are killed"
	@echo "make large      learning from chunks, growth and memory up to SIZE=1e8 records"
	@echo "make lab        open the notebooks in JupyterLab; ARGS=--ip=0.0.0.0 from a container"
	@echo "make bench      times and memory against peers, a table of the book (ten minutes); SIZE=small: one"
	@echo "make mutants    how many of N=150 mutants drawn by SEED= the tests kill (twenty minutes)"
	@echo "make experiments  compute the tables of ppdm_book.experiments anew (an hour)"
	@echo "make pictures   draw and photograph anew what the pages show (needs Chromium)"
	@echo "make assignments  the course's assignments, with data of their own: SEED=2027"
	@echo "make grade      grade the notebooks that students handed in: SUBMISSIONS=dir SEED=2027"
	@echo "make assignment-tests  every assignment through nbgrader, and what may go wrong (minutes)"
	@echo "make lock       pin requirements.txt anew from pyproject.toml (needs uv)"
	@echo "make clean      remove the environment and everything built"

$(INSTALLED): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "*** ppdm needs Python 3.11 or newer: name one, make PYTHON=python3.12 ..." >&2; exit 1; }
ifneq ($(VERSIONS),pinned)
	@test -n "$(UV)" || { echo "*** the $(VERSIONS) versions need uv: pip install uv" >&2; exit 1; }
	$(call step,environment (uv),test -x $(BIN)/python || $(UV) venv -q --python $(PYTHON) $(VENV),Is $(PYTHON) installed?)
	$(call step,packages ($(VERSIONS)),$(UV) pip install -q --upgrade --python $(BIN)/python --resolution $(RESOLUTION) -r pyproject.toml --extra data --extra plots --extra survey --extra test 'hatchling>=1.27' 'editables>=0.5' && $(UV) pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .,Is the package index reachable? Run make again; what is installed stays.)
else ifneq ($(UV),)
	$(call step,environment (uv),test -x $(BIN)/python || $(UV) venv -q --python $(PYTHON) $(VENV),Is $(PYTHON) installed?)
	$(call step,packages (uv),$(UV) pip install -q --python $(BIN)/python -r requirements.txt && $(UV) pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .,Is the package index reachable? Run make again; what is installed stays.)
else
	$(call step,environment,test -x $(BIN)/python || $(PYTHON) -m venv $(VENV),Debian and Ubuntu: apt install python3-venv.)
	$(call step,packages (a minute or two),$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt && $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .,Is the package index reachable? Run make again; what is installed stays.)
endif
	@touch $@

ifeq ($(EDITION),student)
book: _build/.book-student
	@echo "The student edition is built. Open it: file://$(CURDIR)/_build/student/index.html"
else
book: $(BOOK)
	@echo "The book is built. Open it: file://$(CURDIR)/_build/html/index.html"
endif

# A warning that is not seen again on the second run would hide: start anew after a failure.
$(BOOK): $(INSTALLED) $(PAGES) $(NOTEBOOKS) $(PACKAGE)
	$(call step,book,$(BIN)/jupyter-book build -q -W -n --keep-going . || { rm -rf _build; false; },Each warning above names its file and line.)
	@touch $@

_build/.book-student: $(INSTALLED) $(PAGES) $(NOTEBOOKS) $(PACKAGE)
	$(call step,student edition,$(BIN)/python book/_course/student_edition.py,Each warning above names its file and line. A solution that was found must not be handed out.)
	@touch $@

epub pdf: $(INSTALLED) $(BOOK)
	$(call step,$@,$(BIN)/python book/_course/take_along.py $@,It needs Chromium. Debian and Ubuntu: apt install chromium.)

slides: $(INSTALLED)
	$(call step,slides,$(BIN)/python book/_course/slides.py,A figure or a claim that decks.toml names is gone from its chapter.)
	@echo "A deck for each paper: file://$(CURDIR)/_build/slides/index.html"

test: lint $(BOOK) unit nbval
	@printf '\nAll tests passed.\n'

lint: $(INSTALLED)
	$(call step,ruff,$(BIN)/ruff check -q .,Mend the lines above; ruff check --fix mends some.)
	$(call step,mypy,$(BIN)/mypy,Mend the types above.)

# In an environment of its own: pyright brings a node along. It reads the packages of VENV.
TYPES := .venv-types
types: $(INSTALLED)
	$(call step,environment of the types,test -x $(TYPES)/bin/pyright || { $(PYTHON) -m venv $(TYPES) && $(TYPES)/bin/python -m pip install -q --disable-pip-version-check 'pyright[nodejs]==1.1.414'; },Is the package index reachable?)
	$(call step,pyright,PYTHONPATH="$(CURDIR)" PATH="$(CURDIR)/$(BIN):$$PATH" $(TYPES)/bin/pyright --verifytypes ppdm --ignoreexternal,A symbol above lacks a type.)

unit: $(INSTALLED)
	$(call step,pytest,$(BIN)/python -m pytest -q -n $(WORKERS),Run one alone: $(BIN)/python -m pytest -k NAME.)

# The fast tests, for another Python (make unit-quick VENV=.venv-3.13 PYTHON=python3.13), other
# versions, other seeds. What they leave out hardly depends on these, and takes longest.
QUICK := -m "not browser" --ignore=tests/test_book.py --ignore=tests/test_notebooks.py --ignore=tests/test_prose_numbers.py --ignore=tests/tie_numbers.py

unit-quick: $(INSTALLED)
	$(call step,pytest in $(VENV),$(BIN)/python -m pytest -q -n $(WORKERS) $(QUICK),Run one alone: $(BIN)/python -m pytest -k NAME.)

unit-shifted: $(INSTALLED)
	$(call step,pytest with seeds + $(SHIFT),$(BIN)/python -m pytest -q -n $(WORKERS) $(QUICK) --shift-seeds=$(SHIFT),A test that holds by luck: derive its bound. Run it alone: $(BIN)/python -m pytest --shift-seeds=$(SHIFT) -k NAME.)

unit-lowest unit-newest: unit-%:
	@$(MAKE) --no-print-directory unit-quick VENV=.venv-$* VERSIONS=$*

# A named folder is collected although norecursedirs leaves it out of make test.
survey-tests: $(INSTALLED)
	$(call step,the survey under fire,$(BIN)/python -m pytest -q -n $(WORKERS) tests/ppdm_survey/long,Run one alone: $(BIN)/python -m pytest tests/ppdm_survey/long -k NAME.)

large-tests: $(INSTALLED)
	$(call step,a cluster of which workers are killed,$(BIN)/python -m pytest -q tests/large,Run one alone: $(BIN)/python -m pytest tests/large -k NAME.)

large: $(INSTALLED)
	$(call step,growth up to $(or $(SIZE),1e8) records,$(BIN)/python benchmarks/large.py $(SIZE),A run took a gigabyte or more.)

# As a reader has them who downloaded them: in an empty folder outside of this tree, with what
# ppdm[chapters] installs and nothing else, and ppdm from its wheel.
CHAPTERS := .venv-chapters
WHEEL = $(BIN)/python -m hatchling build -t wheel -d _build/wheel >/dev/null 2>&1 && wheel=$$(ls -t _build/wheel/*.whl | head -1)
ifneq ($(UV),)
CHAPTERS_PIP := $(UV) pip install -q --python $(CHAPTERS)/bin/python
else
CHAPTERS_PIP := $(CHAPTERS)/bin/python -m pip install -q --disable-pip-version-check
endif

nbval: $(CHAPTERS)/.installed
	$(call step,nbval,$(WHEEL) && $(CHAPTERS_PIP) --no-deps --force-reinstall "$$wheel" && tests/run_elsewhere.sh $(CHAPTERS) $(WORKERS),An output differs from the stored one: mend the code or run make notebooks and read the difference.)

$(CHAPTERS)/.installed: requirements.txt pyproject.toml | $(INSTALLED)
	$(call step,environment of the chapters,test -x $(CHAPTERS)/bin/python || $(if $(UV),$(UV) venv -q --python $(PYTHON),$(PYTHON) -m venv) $(CHAPTERS),Is $(PYTHON) installed?)
	$(call step,packages of the chapters,$(WHEEL) && $(CHAPTERS_PIP) -c requirements.txt "$$wheel[chapters]" nbval pytest pytest-xdist,Is the package index reachable?)
	@touch $@

notebooks: $(EXECUTED)
	@echo "The notebooks are executed and in step with their texts."

# The text is the source: cells come from the .md, outputs from a fresh kernel, its time is stored.
_build/executed/%: notebooks/%.md $(PACKAGE) | $(INSTALLED)
	$(call step,notebooks/$*,$(BIN)/jupytext --quiet --from md:myst --to ipynb --output notebooks/$*.ipynb $< && $(BIN)/python benchmarks/notebook_times.py notebooks/$*.ipynb,The cell and its error stand above.)
	@mkdir -p $(@D) && touch $@

# What it wrote is a proposal: read the difference.
ties: $(INSTALLED)
	$(BIN)/python tests/tie_numbers.py $(CHAPTER)

# .jupyter: a text opens as a notebook. A container's root may; ARGS="--ip=0.0.0.0" lets others in.
lab: $(INSTALLED)
	JUPYTER_CONFIG_PATH="$(CURDIR)/.jupyter" $(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS) notebooks

survey: $(INSTALLED)
	$(BIN)/python -m ppdm_survey $(ARGS)

# The whole table needs the peers that install beside each other only; SIZE=small does without them.
PEERS := .venv-peers-ldp .venv-peers-diffprivlib
bench: $(INSTALLED) $(if $(filter small,$(SIZE)),,$(PEERS:=/.installed))
	$(call step,bench,$(BIN)/python benchmarks/bench.py $(if $(filter small,$(SIZE)),--small) $(ARGS),A target was missed or a peer failed: the row says which.)

.venv-peers-%/.installed: benchmarks/peers-%.txt | $(INSTALLED)
	$(call step,environment of the peers ($*),test -x .venv-peers-$*/bin/python || $(if $(UV),$(UV) venv -q --python $(PYTHON),$(PYTHON) -m venv) .venv-peers-$*,Is $(PYTHON) installed?)
	$(call step,packages of the peers ($*),$(if $(UV),$(UV) pip install -q --python .venv-peers-$*/bin/python,.venv-peers-$*/bin/python -m pip install -q --disable-pip-version-check) -r $<,Is the package index reachable?)
	@touch $@

# In an environment of its own: what the tool needs is none of the package's business.
MUTANTS := .venv-mutants
LEFT_OUT ?= survey experiments plots
mutants: $(MUTANTS)/.installed
	@SEED=$(SEED) N=$(N) WORKERS=$(WORKERS) LEFT_OUT="$(LEFT_OUT)" $(MUTANTS)/bin/python benchmarks/mutants.py

$(MUTANTS)/.installed: requirements.txt pyproject.toml
ifneq ($(UV),)
	$(call step,environment of the mutants (uv),test -x $(MUTANTS)/bin/python || $(UV) venv -q --python $(PYTHON) $(MUTANTS),Is $(PYTHON) installed?)
	$(call step,packages (uv),$(UV) pip install -q --python $(MUTANTS)/bin/python -r requirements.txt && $(UV) pip install -q --python $(MUTANTS)/bin/python --no-build-isolation -c requirements.txt -e .[mutants],Is the package index reachable?)
else
	$(call step,environment of the mutants,test -x $(MUTANTS)/bin/python || $(PYTHON) -m venv $(MUTANTS),Debian and Ubuntu: apt install python3-venv.)
	$(call step,packages (a minute or two),$(MUTANTS)/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt && $(MUTANTS)/bin/python -m pip install -q --disable-pip-version-check --no-build-isolation -c requirements.txt -e .[mutants],Is the package index reachable?)
endif
	@touch $@

# A table that was stopped half-way is continued.
experiments: $(INSTALLED)
	@for f in as00 frontier guidance guidance_votes lx14 lx14_others mended mixture private survey_check; do printf '\n== %s\n' $$f; $(BIN)/python -m ppdm_book.experiments.$$f || exit 1; done

pictures: $(INSTALLED)
	@for f in book/_make/*.py; do printf '\n== %s\n' $$f; $(BIN)/python $$f || exit 1; done

assignments: $(INSTALLED)
	$(call step,assignments,$(BIN)/python notebooks/assignments/release.py $(if $(SEED),--seed $(SEED)),An error names the assignment and the cell.)

grade: $(INSTALLED)
	@test -n "$(SUBMISSIONS)" || { echo "*** which? make grade SUBMISSIONS=dir" >&2; exit 1; }
	$(call step,grade,$(BIN)/python notebooks/assignments/grade.py "$(SUBMISSIONS)" $(if $(SEED),--seed $(SEED)),Were the assignments of this seed made?)

assignment-tests: $(INSTALLED)
	$(call step,the assignments through nbgrader,$(BIN)/python -m pytest -q -n $(WORKERS) tests/assignments/long,Run one alone: $(BIN)/python -m pytest tests/assignments/long -k NAME.)

lock:
	@test -n "$(UV)" || { echo "*** make lock needs uv: pip install uv" >&2; exit 1; }
	$(UV) pip compile -q --universal --fork-strategy fewest --python-version 3.11 --extra dev --no-annotate --custom-compile-command "make lock" pyproject.toml -o requirements.txt

clean:
	rm -rf $(VENV) .venv-* _build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
