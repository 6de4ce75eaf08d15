# `make install` fills .venv from the lock; the other targets need nothing else.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS_VENV := .venv-docs
DOCS_STAMP := $(DOCS_VENV)/.installed

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: install demo test suite style types test-slow test-hostile test-postgres test-page check bench lock lock-docs format build smoke image clean page client-typescript docs

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml lab/pyproject.toml
	@test -n "$(PYTHON)" || { echo "goalmem needs Python 3.11 or newer; none was found"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable . --editable lab
	@touch $@

demo: install
	$(BIN)/goalmem demo

# The types are looked at, on one core, while the tests run.
test: style
	$(MAKE) --jobs 2 types suite

suite: install
	$(BIN)/python -m pytest

# All cases of which `make test` tries some, ten times as many examples of each law, more forged proofs and mentions: for a night.
test-slow: check
	$(BIN)/python -m pytest --hypothesis-profile=thorough -m ""
	$(BIN)/python -m tests.proof mutants
	$(BIN)/python -m tests.proof forgeries
	$(BIN)/python -m tests.metamorphosis
	$(BIN)/python -m tests.metamorphosis --chats

# What an adversary tries, with ten times as many examples; `make test` runs a part of it.
test-hostile: install
	$(BIN)/python -m pytest --hypothesis-profile=thorough -m "" tests/hostile

# On a real PostgreSQL, which comes with the development packages; `make test` runs these, too.
test-postgres: install
	$(BIN)/python -m pytest tests/store/postgres tests/store/test_moving.py

# In a real browser: takes a Chromium, and `pip install playwright`.
test-page: install
	$(BIN)/python -m pytest tests/page

# The page's bundle, made again from its sources: takes Node.
page:
	cd src/goalmem/serve/web && npm ci && npm run build

# The TypeScript client, its types made again from the server's description: takes Node.
client-typescript: install
	cd clients/typescript && npm ci --ignore-scripts
	$(BIN)/python scripts/typescript_client.py
	cd clients/typescript && npm run build

check: style types

style: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: install
	$(BIN)/mypy

bench: install
	$(BIN)/python benchmarks/speed.py

format: install
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

lock:
	@test -x $(BIN)/pip-compile || $(MAKE) install
	$(BIN)/pip-compile --quiet --extra dev --allow-unsafe --generate-hashes --strip-extras --no-header \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
		--output-file requirements.lock pyproject.toml

# The documentation as a site, in site/: takes a virtual environment of its own.
docs: $(DOCS_STAMP)
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build --strict

$(DOCS_STAMP): docs/requirements.lock
	@test -n "$(PYTHON)" || { echo "the site needs Python 3.11 or newer; none was found"; exit 1; }
	@test -x $(DOCS_VENV)/bin/python || $(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --require-hashes --requirement docs/requirements.lock
	@touch $@

lock-docs:
	@test -x $(BIN)/pip-compile || $(MAKE) install
	$(BIN)/pip-compile --quiet --generate-hashes --strip-extras --no-header \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
		--output-file docs/requirements.lock docs/requirements.in

build: install
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m build --no-isolation --outdir dist lab

# The wheel in fresh environments, used as the README says: PYTHONS names those to try; one that is not there is left out.
PYTHONS ?= python3.11 python3.13
smoke: install
	$(BIN)/python scripts/first_answer.py --build $(addprefix --python ,$(PYTHONS))

# A container image: takes a builder that runs (docker with its daemon, podman or buildah).
BUILDER ?= $(firstword $(foreach program,docker podman buildah,$(shell $(program) info >/dev/null 2>&1 && echo $(program))))
image:
	@test -n "$(BUILDER)" || { echo "an image needs docker, podman or buildah; none of them runs here"; exit 1; }
	$(BUILDER) build --tag goalmem .

clean:
	rm -rf $(VENV) $(DOCS_VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
