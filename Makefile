# Everything runs in a virtual environment of the project's own.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup check lint types test bench figures demo clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $(STAMP)

check: lint types test

lint: setup
	$(BIN)/ruff check compiler runtime tests

types: setup
	$(BIN)/mypy compiler/pplc runtime/pplc_runtime tests

test: setup
	$(BIN)/python -m pytest -n 2

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .pplc_cache dist build
