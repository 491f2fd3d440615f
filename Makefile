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
RUN := $(BIN)/python -m compendium.notebooks run --workers $(WORKERS) $(if $(SCHEDULER),--scheduler $(SCHEDULER))

.DEFAULT_GOAL := help
.PHONY: help book quick notebooks notebook pair ledger test bench peers lock clean

help:  ## Print the targets.
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

book: $(READY)  ## Run every notebook at full fidelity, check the ledger and build the site.
	-$(RUN)
	$(BIN)/python -m compendium.site build

quick: $(READY)  ## The same with small numbers of replicates: a look, not a result.
	-$(RUN) --quick
	$(BIN)/python -m compendium.site build --quick

notebooks: $(READY)  ## Run the notebooks whose inputs changed. SCHEDULER=tcp://... uses a Dask cluster.
	$(RUN)

notebook: $(READY)  ## Run one: make notebook NAME=lam-coverage PARAMS="confidence_level=0.9"
	$(RUN) $(NAME) $(if $(PARAMS),--params "$(PARAMS)")

pair: $(READY)  ## Write each notebook's .ipynb from its .py.
	$(BIN)/python -m compendium.notebooks pair

ledger: $(READY)  ## Compare what the notebooks computed with every published number.
	$(BIN)/python -m compendium.ledger

test: $(READY)  ## Every check: format, lint, types, tests with coverage.
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --cov --cov-report=term-missing

bench: $(READY) $(BENCH)/.ready  ## Time f1ci against other packages. OPTIONS="--big --record" for the book.
	OMP_NUM_THREADS=1 $(BENCH)/bin/python -m benchmarks.bench $(OPTIONS)

peers: $(READY) $(BENCH)/.ready  ## Ask the other packages the validation page's questions anew (20 minutes).
	$(BIN)/python -m benchmarks.probes $(BENCH)/bin/python

$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check \
		$$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['bench'])") -e .
	@touch $@

lock: $(READY)  ## Resolve requirements.lock and environment.yml anew from pyproject.toml (needs uv).
	uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-annotate --no-header \
		--group book --group test pyproject.toml --output-file requirements.lock
	$(BIN)/python -m compendium.pins

clean:  ## Remove what was built; keep the environments.
	rm -rf _build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
