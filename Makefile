# `make` alone prints the targets. The first one that needs it sets up $(VENV) from
# requirements.lock, which takes a minute or two on a fresh machine.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .venv-bench
WORKERS ?= 2
SCHEDULER ?=
NAME ?=
PARAMS ?=
OPTIONS ?=
RUN := $(BIN)/python -m compendium.execute --workers "$(WORKERS)" $(if $(SCHEDULER),--scheduler "$(SCHEDULER)")
export PARAMS

ifneq ($(words $(VENV)),1)
$(error VENV is a path without spaces, got '$(VENV)')
endif

.DEFAULT_GOAL := help
.PHONY: help book quick notebooks notebook pair ledger test bench peers lock clean ready

help:  ## Print the targets.
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
		echo "Python 3.10 or newer is needed, and $(PYTHON) is $$($(PYTHON) --version 2>&1): name one with PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@pwd > $@

ready: $(READY)  ## Set up the environment, if it is not; it serves this folder alone.
	@test "$$(cat $(READY))" = "$$(pwd)" || { echo "$(VENV) was made for $$(cat $(READY)) and would \
	compute with what is there: remove it, or name another one with VENV=..."; exit 2; }

book: ready  ## Run every notebook at full fidelity, check the ledger and build the site.
	@$(RUN); ran=$$?; if test $$ran -gt 1; then exit $$ran; fi; \
	$(BIN)/python -m compendium.book && exit $$ran

quick: ready  ## The same with small numbers of replicates: a look, not a result.
	@$(RUN) --quick; ran=$$?; if test $$ran -gt 1; then exit $$ran; fi; \
	$(BIN)/python -m compendium.book --quick && exit $$ran

notebooks: ready  ## Run the notebooks whose inputs changed. SCHEDULER=tcp://... uses a Dask cluster.
	$(RUN)

notebook: ready  ## Run one: make notebook NAME=lam-coverage PARAMS="confidence_level=0.9"
	@$(if $(NAME),,echo "name the notebook: make notebook NAME=lam-coverage"; exit 2;) \
	$(RUN) $(NAME) --params "$$PARAMS"

pair: ready  ## Write each notebook's .ipynb from its .py.
	$(BIN)/python -m compendium.sources pair

ledger: ready  ## Compare what the notebooks computed with every published number.
	$(BIN)/python -m compendium.verdicts

test: ready  ## Every check: format, lint, types, tests with coverage.
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --cov --cov-report=term-missing

bench: ready $(BENCH)/.ready  ## Time f1ci against other packages. OPTIONS="--big --record" for the book.
	OMP_NUM_THREADS=1 $(BENCH)/bin/python -m benchmarks.bench $(OPTIONS)

peers: ready $(BENCH)/.ready  ## Ask the other packages the validation page's questions anew (20 minutes).
	$(BIN)/python -m benchmarks.probes $(BENCH)/bin/python

$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check \
		$$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['bench'])") -e .
	@touch $@

lock: ready  ## Resolve requirements.lock and environment.yml anew from pyproject.toml (needs uv).
	uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-annotate --no-header \
		--group book --group test pyproject.toml --output-file requirements.lock
	$(BIN)/python -m compendium.pins

clean:  ## Remove what was built; keep the environments.
	rm -rf _build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
