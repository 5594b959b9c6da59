# `make train` and `make test` do all their own set-up, in .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: train test setup lint bench clean

.venv/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

setup: .venv/.installed

train: setup  ## Train double DQN on CorellianSpike-v0, about two minutes on two cores.
	$(BIN)/python train/dqn.py --config configs/corellian_spike/double_dqn.toml

test: setup  ## The test suite, in two processes.
	$(BIN)/python -m pytest -n 2 --dist loadscope

lint: setup  ## The linters that CI runs.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup  ## Speed, side by side with what you would use instead.
	$(BIN)/python benchmarks/compare.py

clean:
	rm -rf .venv runs
