# `make train` and `make test` do all their own set-up, in .venv.
PYTHON ?= python3
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif

# Every program of a run keeps its bytecode for the next: hundreds of them start, and importing PyTorch takes seconds.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: train test test-slow test-interop test-lowest test-plain wheel-test docs site docs-commands setup lint coverage hooks bench soak audit clean

.venv/.installed: pyproject.toml constraints.txt examples/kuhn_poker.py examples/kuhn_poker/pyproject.toml examples/leduc_poker/pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]' -e examples/kuhn_poker -e examples/leduc_poker
	touch $@

setup: .venv/.installed

train: setup  ## Train double DQN on CorellianSpike-v0, less than a minute on an idle core.
	$(BIN)/python train/dqn.py --config configs/corellian_spike/double_dqn.toml
	@echo "For an agent that is harder to exploit: python train/ppo.py --config configs/corellian_spike/ppo.toml"

test: setup  ## The test suite, in two processes that share one cache of compiled code.
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=25

test-slow: export CARDGYM_SLOW := 1
test-slow: setup  ## The tests that take long, some minutes: killed trainings, clusters, wide compilations.
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

test-interop:  ## TorchRL, RLlib, Tianshou, trl, OpenEnv and verifiers, each in an environment of its own, some minutes; see docs/interop/README.md.
	$(PYTHON) tests/interop/foreign/run.py

wheel-test: setup  ## Build the wheel, install it in new environments and use it there, without extras and with each.
	$(BIN)/python tests/wheel.py --borrow $(WHEEL)

test-lowest: setup  ## The wheel with the oldest versions that pyproject.toml allows, for each extra. Needs the network.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/python tests/wheel.py --versions lowest $(WHEEL)

test-plain: export CARDGYM_PLAIN_NUMBA := 1
test-plain: setup  ## The engine's tests without Numba's private parts, as with a Numba that has changed them.
	$(BIN)/python -m pytest -n 2 --dist worksteal tests/engine -k 'not plain_numba'

lint: setup  ## The linters that CI runs.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: setup  ## The site, in docs/_build: every page of docs, and the API; a warning is an error.
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build

site: docs  ## The site with games to play and to watch, and puzzles, many minutes; CI publishes it.
	$(BIN)/python docs/watch/recorded_games.py docs/_build/watch
	$(BIN)/python docs/play/build_page.py docs/_build/play

docs-commands: setup  ## Run every command of README and docs, those that take long too, each cut short.
	CARDGYM_DOCS_COMMANDS=1 $(BIN)/python -m pytest -n 0 tests/docs

coverage: export NUMBA_DISABLE_JIT := 1
coverage: setup  ## The lines that the tests run. The JIT is off: coverage cannot see compiled lines.
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term --cov-report=html

hooks: setup  ## Run the checks before each commit.
	$(BIN)/pre-commit install

bench: setup  ## Speed, side by side with what you would use instead.
	$(BIN)/python benchmarks/compare.py

soak: setup  ## The long checks, hours of them; docs/reliability.md has their figures.
	$(BIN)/python tests/soak.py

audit:  ## Compare the pinned versions with known vulnerabilities. Needs the network.
	$(PYTHON) -m venv .venv-audit
	.venv-audit/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check pip-audit
	.venv-audit/$(notdir $(BIN))/pip-audit --no-deps --disable-pip --requirement constraints.txt

clean:
	rm -rf docs/_build docs/api docs/project .venv .venv-audit .interop runs htmlcov .coverage
