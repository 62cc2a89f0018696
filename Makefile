# hoofbeat: `make run` and `make test` each work alone on a fresh clone.
# They need Python 3.11 or newer with its venv module (PYTHON=python3.12 chooses another one) and, for the
# studio's page, Node 20.19 or newer with npm.

PYTHON ?= python3
# Blender's module has wheels for some Pythons only (3.11, 3.13); BPY_PYTHON=python3.11 chooses another one.
BPY_PYTHON ?= $(PYTHON)
VENV := .venv
BPY_VENV := .venv-bpy
BIN := $(VENV)/bin
STAMPS := .stamps
COVERAGE := $(STAMPS)/coverage
# The built front end, and all that it is built from.
PAGE := src/hoofbeat/studio/static/index.html
WEB := $(shell find web/src web/public -type f 2>/dev/null) $(wildcard web/*.html web/*.json web/*.ts)
WORKERS ?= 2
# What `make run` installs; the core library is linked by a C compiler, and ziglang is one where there is none.
RUN_EXTRAS := studio,neural
ifeq ($(shell command -v cc || command -v gcc || command -v clang),)
RUN_EXTRAS := studio,neural,core
endif
# What networks are trained with in the tests; a build without graphics cards is enough and much smaller.
TORCH ?= torch==2.13.0
# How long `make long` rides the studio at random.
SOAK_MINUTES ?= 30
# Every step of `make test` is bounded; `timeout` is missing on some systems, and then nothing is.
BOUND := $(if $(shell command -v timeout 2>/dev/null),timeout 600,)
BOUND_LONG := $(if $(BOUND),timeout 1500,)
PYTEST := $(BOUND_LONG) $(BIN)/python -m pytest -n $(WORKERS)

# One thread a process: pytest-xdist already uses the cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help run example web core docs test lint clients long bench clean check-python check-node npm-tests npm-clients
.DEFAULT_GOAL := help

help:
	@echo 'make run     install into $(VENV), build the page and open the studio: ride in the browser'
	@echo 'make example install into $(VENV) and ride a horse without a browser (examples/01_ride.py)'
	@echo 'make web     build the studio page (needs Node)'
	@echo 'make core    compile the kernels ahead, so that nothing is compiled at the first use'
	@echo 'make test    install into $(VENV), then lint, types, tests and coverage'
	@echo 'make docs    build the documentation as a site in out/site'
	@echo 'make lint    ruff and pyright only'
	@echo 'make clients read our files with Blender, three.js in Chromium, assimp and USD (docs/clients.md)'
	@echo 'make long    the slow tests: soaks and many seeds'
	@echo 'make bench   the benchmarks'
	@echo 'make clean   remove $(VENV), $(BPY_VENV), Node packages, stamps and caches of this folder'

run: $(STAMPS)/run $(PAGE) core
	$(BIN)/hoofbeat studio

example: $(STAMPS)/run core
	$(BIN)/python examples/01_ride.py

web: $(PAGE)

# Kernels compiled ahead; nothing to do where they have not changed. Without a library Numba compiles them.
core: $(STAMPS)/run
	@$(BIN)/python -m hoofbeat.offline.core.build || true

$(PAGE): $(WEB)
	@$(MAKE) --no-print-directory check-node
	@if ! [ web/node_modules/.stamp -nt web/package-lock.json ]; then echo 'npm ci in web'; \
	    cd web && $(BOUND) npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.stamp; fi
	@echo 'building the studio page'
	@cd web && $(BOUND) npm run --silent build
	@touch $@

# Strict: a broken link, a page outside the navigation or a name that is not there fails. Search in the pages
# needs a server, which any is: python3 -m http.server -d out/site.
docs: $(STAMPS)/docs
	@rm -rf out/site
	@NO_MKDOCS_2_WARNING=1 $(BOUND) $(BIN)/mkdocs build -q
	@echo 'out/site/index.html'

lint: $(STAMPS)/test
	$(BOUND) $(BIN)/ruff check .
	$(BOUND) $(BIN)/pyright --pythonpath $(BIN)/python

# The whole suite comes last, so that its closing line and the coverage report end the output. Before it the
# `kernels` subset runs twice: compiled with bounds checks (an index out of range is otherwise read in
# silence; its own cache, because the machine code differs) and as plain Python (compiled lines
# cannot be traced, so coverage needs this run).
test: lint npm-tests $(PAGE)
	@rm -rf $(COVERAGE)
	@mkdir -p $(COVERAGE)
	$(BOUND) $(BIN)/python -m hoofbeat.offline.core.build
	NUMBA_BOUNDSCHECK=1 HOOFBEAT_CACHE_DIR=$(CURDIR)/$(STAMPS)/boundscheck \
	    $(PYTEST) -m 'kernels and not slow'
	NUMBA_DISABLE_JIT=1 COVERAGE_FILE=$(CURDIR)/$(COVERAGE)/plain \
	    $(PYTEST) -m 'kernels and not slow' --cov --cov-report=
	COVERAGE_FILE=$(CURDIR)/$(COVERAGE)/compiled \
	    $(PYTEST) -m 'not slow' --cov --cov-report= --durations=5
	@$(BIN)/coverage combine -q --keep --data-file=$(COVERAGE)/all $(COVERAGE)/plain $(COVERAGE)/compiled
	@$(BIN)/coverage report --data-file=$(COVERAGE)/all --fail-under=90

# Other people's programs read our files. A client that is missing and cannot be had is named; in CI it fails.
clients: $(STAMPS)/test core $(BPY_VENV)/.stamp npm-clients
	$(BOUND) $(BIN)/python tests/clients/run.py --bpy $(BPY_VENV)/bin/python

long: $(STAMPS)/test $(PAGE)
	HOOFBEAT_SOAK_MINUTES=$(SOAK_MINUTES) $(BIN)/python -m pytest -n $(WORKERS) -m slow

bench: $(STAMPS)/test
	$(BIN)/python -m hoofbeat bench --compare benchmarks/baseline.json

clean:
	rm -rf $(VENV) $(BPY_VENV) $(STAMPS) .pytest_cache .ruff_cache .hypothesis .coverage build dist
	rm -rf tests/node/node_modules tests/clients/node_modules web/node_modules src/hoofbeat/studio/static
	rm -rf src/hoofbeat/core/core.json src/hoofbeat/core/libhoofbeat* src/hoofbeat/core/build-*

check-python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	    echo "hoofbeat needs Python 3.11 or newer and found no $(PYTHON): apt-get install python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "hoofbeat needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) -V 2>&1); choose another: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo "hoofbeat needs python3-venv: apt-get install python3-venv" >&2; exit 1; }

check-node:
	@command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || { \
	    echo "the studio's page needs Node 20.19 or newer with npm: apt-get install nodejs npm" >&2; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || { \
	    echo "the studio's page needs Node 20.19 or newer, this is $$(node --version)" >&2; exit 1; }

# pyvenv.cfg is the only file of a virtual environment that is always as new as the environment
# itself (bin/python is a link), so it stands for it. A half-made one is removed at once.
$(VENV)/pyvenv.cfg:
	@$(MAKE) --no-print-directory check-python
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(STAMPS)/run: pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install -q -e '.[$(RUN_EXTRAS)]'
	@mkdir -p $(STAMPS) && touch $@

# usd-core and moderngl have no wheel for some machines; the tests that need them skip there.
$(STAMPS)/test: pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install -q -e '.[test]'
	@$(BIN)/python -m pip install -q -e '.[usd]' || \
	    echo 'usd-core could not be installed: the tests of USD are skipped' >&2
	@$(BIN)/python -m pip install -q -e '.[render]' || \
	    echo 'moderngl could not be installed: the tests of skinned pictures are skipped' >&2
	@$(BIN)/python -m pip install -q '$(TORCH)' -e '.[train]' || \
	    echo 'torch could not be installed: the tests of training are skipped' >&2
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/run

$(STAMPS)/docs: pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install -q -e '.[docs]'
	@mkdir -p $(STAMPS) && touch $@

# Blender's module pins an old NumPy, so it has an environment of its own and is driven through files. The
# environment hides itself from git. Where there is no wheel, nothing is left, and the clients name it.
$(BPY_VENV)/.stamp: tests/clients/requirements-bpy.txt
	@rm -rf $(BPY_VENV)
	@$(MAKE) --no-print-directory check-python PYTHON=$(BPY_PYTHON)
	@echo 'installing Blender (bpy, 370 MB) into $(BPY_VENV)'
	@if $(BPY_PYTHON) -m venv $(BPY_VENV) && echo '*' > $(BPY_VENV)/.gitignore && \
	    $(BOUND_LONG) $(BPY_VENV)/bin/python -m pip install -q -r $<; \
	then touch $@; \
	else rm -rf $(BPY_VENV); \
	    echo "no bpy for $$($(BPY_PYTHON) -V 2>&1), or it could not be fetched: choose a Python that it has a" \
	        "wheel for, as make clients BPY_PYTHON=python3.11" >&2; \
	fi

npm-tests:
	@$(call npm_ci,tests/node,the tests that need the glTF validator are skipped)

npm-clients:
	@$(call npm_ci,tests/clients,three.js is left out of the clients)

# npm_ci(folder, what is lost without npm): its packages as locked, once for each lock file.
define npm_ci
if [ ! -f $(1)/package-lock.json ] || [ $(1)/node_modules/.stamp -nt $(1)/package-lock.json ]; then :; \
elif ! command -v npm >/dev/null 2>&1; then \
    echo 'npm is not installed (apt-get install nodejs npm): $(2)' >&2; \
else echo 'npm ci in $(1)'; cd $(1) && $(BOUND) npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.stamp; fi
endef
