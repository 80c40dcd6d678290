# Everything runs in a virtual environment of the project's own: `make demo` and `make test` need nothing but
# Python 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := benchmarks/peers_env
BENCH := $(PEERS)/.installed
NUTS := benchmarks/nuts_env
SOURCES := compiler runtime tests benchmarks

.PHONY: exactness fuzz load setup check lint format types test test-all demo bench bench-ess performance bench-peers figures genealogy docs clean

setup: $(STAMP)

# constraints.txt has the versions that are known to pass.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pplc needs Python 3.11 or later; make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --build-constraint constraints.txt --editable ".[dev]"
	touch $(STAMP)

check: lint format types test-all

lint: setup
	$(BIN)/ruff check $(SOURCES)

# The layout is that of `ruff format`; white space and blank lines also where it is told to leave lines alone.
format: setup
	$(BIN)/ruff check --preview --select W,E1,E2,E3 $(SOURCES)
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy compiler/pplc runtime/pplc_runtime tests

# A share of every area, in less than three minutes of CPU time. What else takes long stands in tests/long_tests.txt, which
# `python -m pytest -m "not slow" --note-long` writes from the times that it measures.
test: setup
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: setup
	$(BIN)/python -m pytest -n 2

# Whether every method is exact on every program and on random ones, with a new seed each time. It takes hours; --seconds ends it.
exactness: setup
	$(BIN)/python -m tests.exactness

# Coverage-guided fuzzing for an hour: readers, compiler, engines beside each other. What is found is in build/fuzz.
fuzz: setup
	$(BIN)/python -m pip install --quiet --editable ".[fuzz]"
	$(BIN)/python -m tests.fuzz

# How long and how much memory large runs take.
load: setup
	$(BIN)/python -m benchmarks.load
	$(BIN)/python -m benchmarks.cluster

demo: setup
	$(BIN)/pplc infer programs/kalman.clj --method 'pgas + rw*20' --chains 4 --sweeps 150 --seed 1 \
		--known omega=0.11476 --known q=0.0861 --plot kalman.png
	@echo "the picture is in $(CURDIR)/kalman.png"

# The packages that are compared with want an older numpy, so they have an environment to themselves.
$(BENCH): $(STAMP)
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --editable ".[bench]"
	touch $(BENCH)

bench: $(BENCH)
	$(BIN)/python -m benchmarks

# The same, and what it gives as docs/performance.md with its chart; the rows themselves are kept in build/bench.json.
performance: $(BENCH)
	@mkdir -p build
	$(BIN)/python -m benchmarks --json build/bench.json --chart docs/figures/performance.png --page

# Effective draws a CPU second of parameters, beside NUTS of numpyro in the same run.
bench-ess: $(NUTS)/.installed
	$(BIN)/python -m benchmarks.effective

# numpyro wants a newer numpy than the others.
$(NUTS)/.installed: $(STAMP)
	$(PYTHON) -m venv $(NUTS)
	$(NUTS)/bin/python -m pip install --quiet numpyro
	touch $@

# WebPPL, for the rows of the benchmark that compare with it; they say "missing" without it.
bench-peers:
	@command -v npm >/dev/null || { echo "bench-peers needs node and npm"; exit 1; }
	npm install --prefix benchmarks webppl

# The paper's experiment and the infinite mixture: figures and their numbers in docs/figures, tables in docs/paper.md;
# what is done is kept in build/figures.
figures: setup
	$(BIN)/python -m benchmarks.figures

# The picture of icsmc and pgas in docs/methods.md.
genealogy: setup
	$(BIN)/python -m benchmarks.genealogy

# The site, in build/site; it needs the extra `docs`, and no network to be built or read.
docs: setup
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	$(BIN)/python docs/site/make.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --config-file docs/site/mkdocs.yml
	@echo "the site is in $(CURDIR)/build/site/index.html"

clean:
	rm -rf $(VENV) $(PEERS) $(NUTS) .mypy_cache .ruff_cache .pytest_cache .hypothesis .pplc_cache dist build
