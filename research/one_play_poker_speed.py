"""The time that solving One Play Poker takes: enumeration and exact fractions. One process, one core.

The paper reports fifteen to twenty minutes for value iteration (section 5), with four full sweeps.

    python research/one_play_poker_speed.py [--repeats N] [--json]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.rules import OnePlayPokerOptions
from cardgym.solvers.backward_induction import backward_induction
from cardgym.solvers.optimum import Solver
from cardgym.solvers.tree import enumerate_tree

PAPER_SECONDS = 15 * 60
LIMITS_MS = {"exact fractions, every state": 5_000.0}


def best_ms(work: Callable[[], object], repeats: int) -> float:
    """The shortest of several runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return 1000 * min(times)


def measure(decisions: int, repeats: int) -> dict[str, float]:
    """Milliseconds of each part of the work, compiled code loaded."""
    options = OnePlayPokerOptions(decisions=decisions)
    known = Solver(GAME, options)
    return {
        "enumeration, every state": best_ms(
            lambda: enumerate_tree(GAME, options, whole_state=True, symmetric=False), repeats
        ),
        "exact fractions, every state": best_ms(lambda: backward_induction(known.tree), repeats),
        "exact fractions, up to symmetry": best_ms(lambda: backward_induction(known.small), repeats),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The time that solving One Play Poker takes.")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    results = {f"decisions={decisions}": measure(decisions, max(arguments.repeats, 1)) for decisions in (3, 4)}
    if arguments.json:
        print(json.dumps(results, indent=2))
        return
    for name, times in results.items():
        print(name)
        for what, ms in times.items():
            limit = f"  (at most {LIMITS_MS[what]:,.0f})" if what in LIMITS_MS else ""
            print(f"  {what:<44} {ms:>10.3f} ms{limit}")
        ratio = PAPER_SECONDS * 1000 / times["exact fractions, up to symmetry"]
        print(f"  {'the paper, 15 minutes / exact fractions':<44} {ratio:>10,.0f}")


if __name__ == "__main__":
    main()
