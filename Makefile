# Every verb of the project. CI runs the same ones.

.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/sh
BIN := .venv/bin
DEPLOY := manifests/deploy
export PYTHON

# Sampling tests draw from this seed; a failure is repeated with `make test PATCHWRIGHT_SEED=...`.
ifndef PATCHWRIGHT_SEED
PATCHWRIGHT_SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
endif
export PATCHWRIGHT_SEED

# Docker's SDK does not know contexts: without a socket in the usual place, take the current one's.
ifeq ($(DOCKER_HOST)$(wildcard /var/run/docker.sock),)
CONTEXT_HOST := $(shell docker context inspect --format '{{.Endpoints.docker.Host}}' 2>/dev/null)
ifneq ($(CONTEXT_HOST),)
export DOCKER_HOST := $(CONTEXT_HOST)
endif
endif

.PHONY: help setup engine image browser demo test test-all lint bench lock clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## make the virtual environment .venv from requirements.lock
	@$(DEPLOY)/setup.sh

engine: setup ## make sure that a Docker engine answers (as root on Debian: install and start one)
	@$(DEPLOY)/engine.sh

image: setup engine ## make sure of the Python sandbox image (pull its base, else build it)
	@$(DEPLOY)/image.sh

browser: ## make sure of Chromium for the tests of the pages, where it can be had
	@$(DEPLOY)/browser.sh

demo: setup engine image ## show a labelled issue become a pull request (ARGS=--exit ends by itself)
	@$(BIN)/patchwright demo $(ARGS)

test: setup engine image browser lint ## lint, types, import contracts and all tests but the long ones
	@echo "Tests, PATCHWRIGHT_SEED=$(PATCHWRIGHT_SEED)"
	@$(BIN)/pytest -n 2 -m "not long" $(ARGS)

test-all: setup engine image browser lint ## the same with the long tests (nightly)
	@echo "All tests, PATCHWRIGHT_SEED=$(PATCHWRIGHT_SEED)"
	@PATCHWRIGHT_LONG=1 $(BIN)/pytest -n 2 $(ARGS)

lint: setup ## style, format, types and import contracts
	@echo "Style and format (ruff)"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@echo "Types (mypy, up to a minute the first time)"
	@$(BIN)/mypy
	@echo "Import contracts (import-linter)"
	@$(BIN)/lint-imports

bench: setup engine image ## run the benches (ARGS="NAME ..." for some, ARGS=--list to see them)
	@$(BIN)/python -m tests.bench $(ARGS)

lock: setup ## work out requirements.lock anew from pyproject.toml
	@echo "Resolving every dependency for all platforms"
	@$(BIN)/uv pip compile pyproject.toml --group dev --universal --no-strip-extras \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q \
		-o requirements.lock
	@if grep -n '://' requirements.lock; then \
		echo "requirements.lock names an address: no mirror could serve it" >&2; exit 1; fi

clean: ## remove what the verbs made in this directory (images and the engine stay)
	rm -rf .venv dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find app handlers sandbox manifests tests -name __pycache__ -type d -prune -exec rm -rf {} +
