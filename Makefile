# hoofbeat: `make run` and `make test` each work alone on a fresh clone.
# They need Python 3.11 or newer with its venv module; PYTHON=python3.12 chooses another one.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .stamps
COVERAGE := $(STAMPS)/coverage
WORKERS ?= 2
# Every step of `make test` is bounded; `timeout` is missing on some systems, and then nothing is.
BOUND := $(if $(shell command -v timeout 2>/dev/null),timeout 600,)
PYTEST := $(BOUND) $(BIN)/python -m pytest -n $(WORKERS)

# One thread a process: pytest-xdist already uses the cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help run test lint long bench clean check-python
.DEFAULT_GOAL := help

help:
	@echo 'make run     install into $(VENV) and ride a horse (examples/01_ride.py)'
	@echo 'make test    install into $(VENV), then lint, types, tests and coverage'
	@echo 'make lint    ruff and pyright only'
	@echo 'make long    the slow tests: soaks and many seeds'
	@echo 'make bench   the benchmarks'
	@echo 'make clean   remove $(VENV), stamps and caches of this folder'

run: $(STAMPS)/run
	$(BIN)/python examples/01_ride.py

lint: $(STAMPS)/test
	$(BOUND) $(BIN)/ruff check .
	$(BOUND) $(BIN)/pyright --pythonpath $(BIN)/python

# The whole suite comes last, so that its closing line and the coverage report end the output. Before it the
# `kernels` subset runs twice: compiled with bounds checks (an index out of range is otherwise read in
# silence; its own cache, because the machine code differs) and as plain Python (compiled lines
# cannot be traced, so coverage needs this run).
test: lint
	@rm -rf $(COVERAGE)
	@mkdir -p $(COVERAGE)
	@if [ -f src/hoofbeat/warm.py ]; then echo 'warming kernels'; $(BOUND) $(BIN)/python -m hoofbeat.warm; fi
	NUMBA_BOUNDSCHECK=1 HOOFBEAT_CACHE_DIR=$(CURDIR)/$(STAMPS)/boundscheck \
	    $(PYTEST) -m 'kernels and not slow'
	NUMBA_DISABLE_JIT=1 COVERAGE_FILE=$(CURDIR)/$(COVERAGE)/plain \
	    $(PYTEST) -m 'kernels and not slow' --cov --cov-report=
	COVERAGE_FILE=$(CURDIR)/$(COVERAGE)/compiled \
	    $(PYTEST) -m 'not slow' --cov --cov-report= --durations=5
	@$(BIN)/coverage combine -q --keep --data-file=$(COVERAGE)/all $(COVERAGE)/plain $(COVERAGE)/compiled
	@$(BIN)/coverage report --data-file=$(COVERAGE)/all --fail-under=90

long: $(STAMPS)/test
	$(BIN)/python -m pytest -n $(WORKERS) -m slow

bench: $(STAMPS)/test
	@if [ -f benchmarks/__main__.py ]; then $(BIN)/python -m benchmarks; else $(BIN)/python benchmarks/run.py; fi

clean:
	rm -rf $(VENV) $(STAMPS) .pytest_cache .ruff_cache .hypothesis .coverage build dist

check-python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	    echo "hoofbeat needs Python 3.11 or newer and found no $(PYTHON): apt-get install python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "hoofbeat needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) -V 2>&1); choose another: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo "hoofbeat needs python3-venv: apt-get install python3-venv" >&2; exit 1; }

# pyvenv.cfg is the only file of a virtual environment that is always as new as the environment
# itself (bin/python is a link), so it stands for it. A half-made one is removed at once.
$(VENV)/pyvenv.cfg:
	@$(MAKE) --no-print-directory check-python
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(STAMPS)/run: pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install -q -e .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/test: pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install -q -e '.[test]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/run
