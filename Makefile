# `make` alone prints the targets. The first target that needs $(VENV) makes it from
# requirements.lock, which takes a minute or two on a fresh machine.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .venv-bench
WORKERS ?= 2
SCHEDULER ?=
SEED ?= 1
NAME ?=
PARAMS ?=
OPTIONS ?=
WITH ?=
# The shell expands these variables, not make: a quote in a value stays a quote, and $(shell ...)
# stays a text.
override NAME := $(value NAME)
override PARAMS := $(value PARAMS)
override SCHEDULER := $(value SCHEDULER)
override SEED := $(value SEED)
override WORKERS := $(value WORKERS)
override OPTIONS := $(value OPTIONS)
override WITH := $(value WITH)
RUN := $(BIN)/python -m compendium.execute --workers "$$WORKERS" --scheduler "$$SCHEDULER"
# Go on if all ran or if a notebook has failed (3), which its page shows. Any other end stops make.
UNLESS_STOPPED := ran=$$?; case $$ran in 0|3) ;; *) exit $$ran;; esac
export NAME PARAMS SCHEDULER SEED WORKERS OPTIONS WITH
# Python stores compiled files. Otherwise every notebook compiles its imports, for 3 seconds.
unexport PYTHONDONTWRITEBYTECODE

ifneq ($(words $(VENV)),1)
$(error VENV is a path without spaces, got '$(VENV)')
endif

# An environment computes with the code of the folder that made it.
MINE := test ! -e $(READY) || test "$$(cat $(READY))" = "$$(pwd)" || { \
	echo "$(VENV) was made for $$(cat $(READY)) and would compute with what is there: remove it," \
	"or name another one with VENV=..."; exit 2; }

.DEFAULT_GOAL := help
.PHONY: help book quick site notebooks notebook pair seed ledger verify reference archive test train dist release bench peers lock clean ready

help:  ## Print the targets.
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	@$(MINE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "Python 3.10 or newer is needed, and $(PYTHON) is $$($(PYTHON) --version 2>&1): name one with PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@pwd > $@

ready: $(READY)  ## Make the environment of this folder if it is missing.
	@$(MINE)

book: ready  ## Run every notebook at full fidelity, check the ledger and build the site.
	@$(RUN); $(UNLESS_STOPPED); \
	$(BIN)/python -m compendium.book && exit $$ran

quick: ready  ## Build the book with few replicates: a look, not a result.
	@$(RUN) --quick; $(UNLESS_STOPPED); \
	$(BIN)/python -m compendium.book --quick && exit $$ran

site: ready  ## Build the pages alone, from the reference run and earlier runs: a preview while writing.
	$(BIN)/python -m compendium.book --preview $$OPTIONS

notebooks: ready  ## Run the notebooks whose inputs changed. SCHEDULER=tcp://... uses a Dask cluster.
	$(RUN)

notebook: ready  ## Run one notebook: make notebook NAME=lam-coverage PARAMS="confidence_level=0.9"
	@test -n "$$NAME" || { echo "name the notebook: make notebook NAME=lam-coverage"; exit 2; }; \
	$(RUN) --params="$$PARAMS" -- "$$NAME"

pair: ready  ## Write each notebook's .ipynb from its .py.
	$(BIN)/python -m compendium.pairs

seed: ready  ## Run notebooks with another root seed and compare the verdicts. SEED=8 OPTIONS=--quick
	@rm -rf _build/seed; $(RUN) --into seed --params="seed=$$SEED" $$OPTIONS; $(UNLESS_STOPPED); \
	$(BIN)/python -m compendium.verdicts --seed && exit $$ran

ledger: ready  ## Compare the notebooks' numbers with every published number.
	$(BIN)/python -m compendium.verdicts

verify: ready  ## Run everything again, compare each number with the reference run, and print a certificate.
	@$(RUN) --force; $(UNLESS_STOPPED); \
	$(BIN)/python -m compendium.deposit verify

reference: ready  ## Run the notebooks whose inputs changed and make this run the reference run.
	$(RUN)
	$(BIN)/python -m compendium.deposit reference
	$(BIN)/python -m compendium.pairs

archive:  ## Write one archive of the repository, the site and all results, to deposit (Git, GNU tar).
	@test "$$(git rev-parse --show-toplevel 2>&1)" = "$$(pwd -P)" || { \
		echo "an archive needs a clone of the repository, since Git says which files belong to it"; exit 2; }
	@$(MAKE) --no-print-directory book
	{ git ls-files -z; find _build/html _build/executed _build/results _build/ledger -type f -print0; } \
		| tar --null --files-from=- --sort=name --mtime=1980-01-01 --owner=0 --group=0 --numeric-owner \
		--mode=644 --transform 's,^,f1ci/,' --create --file - | gzip -n > _build/f1ci.tar.gz
	sha256sum _build/f1ci.tar.gz

test: ready  ## Run every check: format, lint, types, tests.
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	@$(BIN)/mypy & types=$$!; \
	$(BIN)/python -m pytest --numprocesses "$$WORKERS" --dist loadfile --no-loadscope-reorder; \
	tests=$$?; wait $$types && exit $$tests

train: ready  ## Train wangli-tag-sets' segmenters and, in R, Yuan's rules again, search their seeds, and compare (1 hour); OPTIONS=--write replaces.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target _build/train \
		$$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['train'])")
	PYTHONPATH=_build/train $(BIN)/python notebooks/data/train_tag_sets.py $$OPTIONS
	$(BIN)/python notebooks/data/make_yuan.py $$OPTIONS
	$(BIN)/python notebooks/data/make_yuan_searches.py $$OPTIONS

dist: ready  ## Build f1ci's wheel and test it without the compendium. WITH="numpy==1.26.0" adds requirements.
	rm -rf dist _build/wheel
	$(BIN)/python -m hatchling build
	$(PYTHON) -m venv _build/wheel
	sed -n 's/^\([a-z0-9].*\) \\$$/\1/p' requirements.lock > _build/constraints.txt
	_build/wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl \
		$${WITH:--c _build/constraints.txt} hypothesis matplotlib mpmath pandas pytest scikit-learn statsmodels
	_build/wheel/bin/pytest -q -m "not slow" -o pythonpath= -o testpaths= tests/package

release: dist  ## Build and test what a release uploads, and print the steps that only a person can do.
	$(BIN)/python -m twine check --strict dist/*
	@sed -n '/^## Release/,$$p' CONTRIBUTING.md

bench: $(BENCH)/.ready  ## Time f1ci beside other packages, for the page that compares them (2 minutes).
	OMP_NUM_THREADS=1 PYTHONPATH=book $(BENCH)/bin/python -m benchmarks.speed

peers: $(BENCH)/.ready  ## Ask the other packages again (20 minutes).
	PYTHONPATH=book $(BENCH)/bin/python -m benchmarks.peers

$(BENCH)/.ready: pyproject.toml | ready
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check \
		$$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['bench'])") -e .
	@touch $@

lock:  ## Write requirements.lock from pyproject.toml (needs uv). OPTIONS="--upgrade-package numpy" raises versions.
	@command -v uv > /dev/null || { echo "uv is needed: pip install uv, or https://docs.astral.sh/uv/"; exit 2; }
	uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-annotate --no-header \
		--group release --group book --group test pyproject.toml --output-file requirements.lock $$OPTIONS

clean:  ## Remove built files; keep the environments.
	rm -rf _build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
