# Every target works on a machine that has only Python 3.11 or newer, git and make. README.md says what each is for.

VENV := .venv
PYTHON := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
PYTEST_ARGS ?= -n auto
MIRROR ?=

# The first interpreter that really runs and is new enough; version managers put names on PATH that do not.
FIND_PYTHON = for name in $(BASE_PYTHON) python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$name"; break; }; done

AGENTS := tests/agents/node_modules/.installed

.PHONY: help setup demo test test-agents lint format bench clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | expand -t 14

setup: $(INSTALLED)  ## make .venv and install everything that is needed to run, test and measure

demo: setup  ## show a claim go stale and stand again, in a small repository made for it
	@$(PYTHON) -m sample_repos.demo

test: setup  ## run every check: tests, types, style, import contracts, the repository's own rules
	$(PYTHON) -m pytest $(PYTEST_ARGS)

test-agents: setup $(AGENTS)  ## run agents' programs for real, offline, and the protocol's own tools; npm brings them (1.3 GB)
	$(PYTHON) -m pytest tests/agents

lint: setup  ## run only types, style, import contracts and the repository's own rules
	$(PYTHON) -m pytest tests/unit/test_contracts.py tests/unit/test_tidy.py

format: setup  ## lay out the Python files
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

bench: setup  ## measure; MIRROR=DIR takes the bare repositories DIR/owner+name/repo
	@for file in $$(grep -l __main__ benchmarks/*.py); do echo "== $$file"; $(PYTHON) "$$file" $(if $(MIRROR),--mirror "$(MIRROR)") || exit 1; done

clean:  ## remove .venv and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(AGENTS): tests/agents/package.json
	cd tests/agents && npm install --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error
	@touch $@

# The stamp is older than pyproject.toml when a dependency may have changed. The build tool is installed beside the rest, so that
# a second run needs no network as long as what is installed satisfies pyproject.toml.
$(INSTALLED): pyproject.toml
	@base=$$($(FIND_PYTHON)); \
	test -n "$$base" || { echo "Python 3.11 or newer is needed and none is on PATH; name one: make setup BASE_PYTHON=/path/to/python3" >&2; exit 1; }; \
	echo "making $(VENV) with $$("$$base" --version)"; \
	"$$base" -m venv $(VENV) || { echo "$$base cannot make a virtual environment (on Debian: apt-get install python3-venv)" >&2; exit 1; }
	@export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_INPUT=1; \
	$(PYTHON) -m pip install -qq 'hatchling>=1.27' editables && \
	$(PYTHON) -m pip install -qq --no-build-isolation --editable '.[dev]'
	@touch $@
