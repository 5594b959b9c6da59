"""The speed of the tabular learners; with `--poker`, the exact values of four learned players of One Play Poker.

Usage:
    python benchmarks/bench_tabular.py [--iterations N] [--decisions N] [--poker]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from cardgym import find
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.papers.corellian_spike.batch_q import BatchQ, BatchQConfig
from cardgym.solvers.optimum import policy_of, solver
from timing import Spread, machine, print_table

ROOT = Path(__file__).parents[1]
TURNS = 5


def batch_q(iterations: int) -> Iterator[list[str]]:
    """The paper's batch Q-learning: transitions a second of processor time."""
    game = find("CorellianSpike-v0")
    for players, reward, exploration in (
        (2, "credits", "published"),
        (2, "credits", "legal"),
        (4, "weighted", "published"),
    ):
        options = game.parse_options({"num_players": players, "reward": reward})
        BatchQ(options, BatchQConfig(exploration=exploration, games_per_iteration=2)).iterate()  # Compiles.
        run, rates = BatchQ(options, BatchQConfig(exploration=exploration)), []
        for _ in range(iterations):
            before = time.process_time()
            run.iterate()
            rates.append(run.transitions / (time.process_time() - before))
        yield [f"batch Q, {players} players, {reward}, {exploration}: transitions/s", Spread.of(rates).text()]


def online(decisions: int) -> Iterator[list[str]]:
    """Online Q-learning: decisions a second of processor time."""
    for env, observation, opponents in (
        ("OnePlayPoker-v0", "", ("random",)),
        ("CorellianSpike-v0", "", ("self",)),
        ("CorellianSpike-v0", "cards", ("self",)),
    ):
        game = find(env)
        config = TabularConfig(env_id=env, observation=observation, opponents=opponents, table_size=6_000_000)
        learner = TabularLearner(game, game.parse_options(), config)
        learner.advance(1000)
        done, rates = 1000, []
        for _ in range(TURNS):
            done += decisions // TURNS
            before = time.process_time()
            learner.advance(done)
            rates.append(decisions // TURNS / (time.process_time() - before))
        yield [f"Q-learning, {env}, {observation or 'index'}: decisions/s", Spread.of(rates).text()]


def poker() -> Iterator[list[str]]:
    """One Play Poker by Q-learning, Sarsa, DQN and double DQN: exact values as shares of the optimum."""
    game = find("OnePlayPoker-v0")
    known = solver(game, game.parse_options())
    best = known.solve(1).value
    with tempfile.TemporaryDirectory() as folder:
        for name, config, flags in (
            ("q_learning", "q_learning", []),
            ("sarsa", "sarsa", []),
            ("dqn", "double_dqn", ["--no-double"]),
            ("double_dqn", "double_dqn", []),
        ):
            script = "dqn.py" if "dqn" in name else "tabular.py"
            for seed in (1, 2, 3):
                out = Path(folder) / f"{name}-{seed}"
                file = ROOT / "configs" / "one_play_poker" / f"{config}.toml"
                words = ["--config", str(file), *flags, "--seed", str(seed), "--out", str(out)]
                start = time.perf_counter()
                subprocess.run([sys.executable, str(ROOT / "train" / script), *words], check=True, capture_output=True)
                wall = time.perf_counter() - start
                path = next(path for path in (out / "policy.json", out / "model.safetensors") if path.exists())
                value = known.value(policy_of(known.tree, path)).mean
                yield [f"{name}, seed {seed}", f"{float(value / best):.2%} of the optimum, {wall:.0f} s with start-up"]


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--iterations", type=int, default=50, metavar="N", help="iterations of batch Q-learning (50)")
    parser.add_argument(
        "--decisions", type=int, default=5_000_000, metavar="N", help="decisions of online Q-learning (5,000,000)"
    )
    parser.add_argument("--poker", action="store_true", help="value four learners of One Play Poker instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args()
    print(f"{machine()}; median [lowest, highest]\n")
    rows = poker() if arguments.poker else chain(batch_q(arguments.iterations), online(arguments.decisions))
    print_table(("", "figure"), rows, arguments.json)


if __name__ == "__main__":
    main()
