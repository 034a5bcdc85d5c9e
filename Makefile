PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
NEWEST := .venv-newest
PIP := -m pip --disable-pip-version-check --quiet
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-annotate \
  --custom-compile-command 'make constraints'
SHELL := /bin/bash
# without these, glibc keeps the memory of every upload; with lower values, it maps every array of scores again
MEMORY := MALLOC_MMAP_THRESHOLD_=4194304 MALLOC_TRIM_THRESHOLD_=16777216
# with it, every process that a test starts would compile the package again
unexport PYTHONDONTWRITEBYTECODE
WORKERS ?= 3
QRELS ?= sample_data/qrels.txt.gz
RUNS ?= sample_data/runs

.PHONY: address run test test-unit test-lowest test-newest check build stranger docs pictures constraints bench bench-pages sample browser

run: $(VENV)/run ## the dashboard, on the sample data
	$(MEMORY) $(BIN)/streamlit run app.py

test: $(VENV)/test browser ## every test: WORKERS processes, then tests in a browser, which fail on a busy machine
	$(BIN)/pytest -n $(WORKERS) --dist worksteal --ignore=tests/browser
	$(BIN)/pytest -n 2 --dist worksteal tests/browser

test-unit: WORKERS = 2 # one per processor: these tests never wait
test-unit: $(VENV)/test ## tests of the package alone: no page, no server, no browser
	$(BIN)/pytest -n $(WORKERS) --dist worksteal tests/unit

test-newest: $(NEWEST)/test ## the tests of the dashboard on the newest Streamlit, which requirements.txt does not allow yet
	$(NEWEST)/bin/pytest -n $(WORKERS) --dist worksteal tests/pages

test-lowest: $(LOWEST)/test ## tests of the package and of pages on the lowest allowed versions of the dependencies
	$(LOWEST)/bin/pytest -n $(WORKERS) --dist worksteal tests/unit tests/pages

check: $(VENV)/test ## style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(VENV)/test ## the documentation, into docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx -b html -E -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

pictures: $(VENV)/test browser ## take the pictures of the documentation again
	$(BIN)/python -m docs.screenshots

build: $(VENV)/test ## the wheel and the source, into dist
	$(BIN)/python -m hatchling build

stranger: ## what the README tells, in a fresh clone with an empty home
	.ci/stranger $(PYTHON)

address: ## where the repository is, URL=https://HOST/OWNER/irmeval, in all files that say so
	.ci/address $(URL)

constraints: $(VENV)/test ## the newest version of everything that is installed here and in the image, with hashes
	$(BIN)/python $(PIP) install uv
	$(LOCK) --upgrade requirements-test.txt -o constraints.txt
	$(LOCK) requirements.txt -c constraints.txt -o .ci/image.txt

bench: $(VENV)/test ## against pytrec_eval; QRELS, RUNS and MATRIX (a score matrix) choose the data
	$(BIN)/python benchmarks/reading.py $(QRELS) $(RUNS)
	$(BIN)/python benchmarks/evaluation.py $(QRELS) $(RUNS)
	$(BIN)/python benchmarks/peers.py $(QRELS) $(RUNS)
	$(BIN)/python benchmarks/significance.py $(MATRIX)
	$(BIN)/python benchmarks/stability.py $(MATRIX)

bench-pages: $(VENV)/test browser ## time that a visitor waits for pages
	$(BIN)/python benchmarks/pages.py $(QRELS) $(RUNS)

sample: $(VENV)/run ## write the sample collection again
	$(BIN)/python sample_data/generate.py

browser:
	@command -v chromium >/dev/null || .ci/install chromium fonts-dejavu-core || \
	  echo "Going on without chromium: the tests in a browser will be skipped." >&2

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; } # half a venv would stand in the way of the next try

$(VENV)/run: requirements.txt | $(BIN)/python
	$(BIN)/python $(PIP) install -r $<
	$(BIN)/python $(PIP) install --no-deps -e . # the command irmeval, which follows the code
	@touch $@

$(VENV)/test: constraints.txt | $(BIN)/python
	$(BIN)/python $(PIP) install --no-deps --require-hashes -r $<
	@touch $@ $(VENV)/run

$(NEWEST)/test: requirements-test.txt requirements.txt
	$(PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/bin/python $(PIP) install -r $<
	$(NEWEST)/bin/python $(PIP) install --upgrade streamlit
	@touch $@

$(LOWEST)/test: requirements-test.txt requirements.txt
	$(PYTHON) -m venv --clear $(LOWEST)
	sed 's/>=\([^,]*\).*/==\1/' requirements.txt >$(LOWEST)/lowest.txt
	$(LOWEST)/bin/python $(PIP) install -r $< -c $(LOWEST)/lowest.txt
	@touch $@
