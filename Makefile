# Every target works first, alone, on a fresh Debian 12 with python3, git and make:
# what is missing is installed by scripts/setup, which costs nothing the second time.

PYTHON ?= python3
export PYTHON
# What is compiled once is read by the other worker and by the next run.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
# Three workers for two cores, as one of them usually waits for a process it has started; each
# takes over what the others have left.
PYTEST := scripts/in_scratch $(BIN)/python -m pytest -n 3 --dist worksteal
# What the total hides: each of the rooms that are trusted must be covered by itself.
FLOORS := $(BIN)/python scripts/coverage_floors.py
# The slice stops *starting* tests after SLICE_SECONDS and gives the last one LONG_TEST_SECONDS: 20 minutes at most.
SLICE_SECONDS ?= 900
LONG_TEST_SECONDS := 280
# How many changes of a package are tried (`all`, or `again`: those that lived), and which by chance.
PACKAGE ?= gates
MUTANTS ?= 200
SEED ?= 1
WORKERS ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test quick install model ready format lint types layers static property conformance cov \
	test-all test-slice mutants cassette picture docs wheel all bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: ready ## one instruction through the whole product: no key, no network
	@$(BIN)/pm-orchestrator demo

# The code is checked beside the tests: either keeps one core busy while the other waits.
test: install ## static checks and all tests but the long ones
	@$(MAKE) --no-print-directory --jobs=2 quick static

quick: install
	$(PYTEST) -m "not long"

ready:
	@scripts/setup run

install: ## install the product and its development tools into .venv
	@scripts/setup dev

model: install ## a tiny real model for the longest tests (200 MB)
	@scripts/setup model

format: install ## rewrite the code in the common style
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lint: install ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install ## basedpyright, strict
	$(BIN)/basedpyright

layers: install ## import-linter: the direction of imports
	$(BIN)/lint-imports

static: lint layers types

property: install ## the property tests alone
	$(PYTEST) tests/properties

conformance: install ## every adapter against the contract of its port
	$(PYTEST) tests/conformance

# Measuring costs as much again as testing. Every call of the program is a process of its own here.
cov: install ## the same tests with branch coverage, its floors, and more cases: htmlcov/index.html
	PROPERTY_CASES=200 $(PYTEST) -m "not long" --cov --cov-report=term --cov-report=html
	@$(FLOORS)

test-all: static model ## static checks and every test, the long ones included
	PROPERTY_CASES=200 $(PYTEST) --timeout $(LONG_TEST_SECONDS) --cov --cov-report=term
	@$(FLOORS)

# Exit code 5 is pytest's "nothing was selected", which is no failure of the slice.
test-slice: install model ## the long tests, in random order, for at most 20 minutes
	@code=0; $(PYTEST) -p scripts.time_budget --time-budget $(SLICE_SECONDS) \
		--timeout $(LONG_TEST_SECONDS) -m long || code=$$?; \
	if [ $$code -eq 5 ]; then echo "There are no long tests."; else exit $$code; fi

# The first run notes which tests reach which lines, in about a quarter of an hour.
mutants: install ## break a package in small ways, count what no test sees (PACKAGE= MUTANTS= SEED= WORKERS=)
	@scripts/in_scratch $(BIN)/python -m scripts.mutants $(PACKAGE) --mutants $(MUTANTS) --seed $(SEED) \
		--workers $(WORKERS)

cassette: install ## record the demo's cassette anew, after a change of prompts or tools
	$(BIN)/python scripts/record_demo_cassette.py

picture: install ## draw docs/conversation.svg from a real conversation
	$(BIN)/python -m scripts.picture

docs: install ## write docs/reference from the code
	$(BIN)/python scripts/reference.py

wheel: ready ## build the package that people install, into dist
	@rm -rf dist
	@$(BIN)/uv build --wheel --offline --no-build-isolation --quiet --out-dir dist
	@ls dist/*.whl

all: test-all bench demo ## everything there is

bench: install ## measure start-up, evidence, the Runner, the REPL and checks against their limits (needs node)
	@$(BIN)/pm-orchestrator bench

lock: install ## resolve requirements/*.lock anew (LOCK=--upgrade for newer versions)
	scripts/lock $(LOCK)

clean: ## remove everything the other targets made
	rm -rf .venv .hypothesis .pytest_cache .ruff_cache .import_linter_cache .coverage .coverage.* .mutants htmlcov dist
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
