"""The envs of another checkout of cardgym against those of this one: `python benchmarks/old_and_new.py --old PATH`.

Both sides step in processes of their own, in turns. A figure is decisions a second of processor time, the median of
all turns [lowest, highest]; the ratio is the median of the ratios of the turns. What is drawn at random is part of the
time on both sides. PATH is a checkout with a `.venv` of its own, or one that this interpreter can run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from timing import Spread, Worker, checkout_python, in_turns, machine, one_core, print_table, ratio

HERE = Path(__file__).parents[1]
GAMES = ("CorellianSpike-v0", "Cribbage-v0", "CribbageDeal-v0", "OnePlayPoker-v0", "Coda-v0", "CodaOfficial-v0")

_COMMON = """
import time
import gymnasium, numpy as np
import cardgym
clock = time.process_time
def rate(step):
    decisions, start = 0, clock()
    while clock() - start < {seconds}:
        decisions += step()
    return decisions / (clock() - start)
"""

_VECTOR = """
try:
    from cardgym.engine.sampling import LegalSampler
except ImportError:
    from cardgym.sampling import LegalSampler
env = gymnasium.make_vec("{game}", num_envs={rows}, seat="all")
sampler = LegalSampler(0)
_, info = env.reset(seed=0)
def step():
    global info
    acting = info["seat"] >= 0  # The other rows start their next game in this step, which is no decision.
    info = env.step(sampler(info["action_mask"]))[4]
    return int(np.count_nonzero(acting))
for _ in range(50):
    step()
def measure():
    return rate(step)
"""

_SINGLE = """
env = gymnasium.make("{game}", seat="all", illegal_action="random")  # An illegal action becomes a legal one.
actions = np.random.default_rng(0).integers(0, env.action_space.n, 1 << 12).tolist()
env.reset(seed=0)
def step():
    for action in actions:
        if env.step(action)[2]:
            env.reset()
    return len(actions)
step()
def measure():
    return rate(step)
"""


def worker(checkout: Path, program: str) -> Worker:
    """A process of a checkout that runs a program."""
    python, environment = checkout_python(checkout)
    # A process that has compiled a kernel runs it slower than one that has loaded it: compile in another one first.
    first = Worker(program, python=python, environment=environment)
    first()
    first.close()
    return Worker(program, python=python, environment=environment)


def lines(arguments: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """Measure, a line of the table for each game and env."""
    for game in arguments.games:
        for env, program in ((f"vector env, {arguments.rows} rows", _VECTOR), ("single env", _SINGLE)):
            text = _COMMON + program
            for name in ("game", "rows", "seconds"):
                text = text.replace(f"{{{name}}}", str({**vars(arguments), "game": game}[name]))
            sides = [worker(checkout, text) for checkout in (arguments.old, HERE)]
            old, new = in_turns(sides, arguments.turns)
            for side in sides:
                side.close()
            yield game, env, Spread.of(old).text(), Spread.of(new).text(), ratio(new, old).text(2)


def main() -> None:
    """Measure both sides and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--old", type=Path, required=True, metavar="PATH", help="the other checkout")
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="ID", help=f"the games ({', '.join(GAMES)})")
    parser.add_argument("--rows", type=int, default=4096, metavar="N", help="rows of the vector env (4096)")
    parser.add_argument("--turns", type=int, default=9, metavar="N", help="how often to measure each side (9)")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="how long to step each time (1)")
    arguments = parser.parse_args()
    arguments.old = arguments.old.resolve()
    described = machine()  # Before this process is bound to one core.
    one_core()
    print(f"{described}, one of them used; {arguments.turns} turns, median [lowest, highest]\n")
    print_table(("game", "env", "old, decisions/s", "new, decisions/s", "ratio"), lines(arguments))


if __name__ == "__main__":
    main()
