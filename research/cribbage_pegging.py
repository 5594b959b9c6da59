"""Solve the play of the cards by CFR+, and write the policy that the player `equilibrium` plays by.

Pone and dealer each hold four cards that `expert` keeps, and play for the difference of their points, regardless of the
score; suits do not matter. In a share of deals the opponent always plays the card of most points; --takers 0 leaves
these opponents out. Exploitability is exact: the points a deal that a best responder wins from the policy as written.
Needs 2.9 GB of memory. Example:

    python research/cribbage_pegging.py --iterations 60 --out policy.safetensors
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from cardgym.console.arguments import whole
from cardgym.console.progress import Progress
from cardgym.games.cribbage.pegging.policy import save_policy
from cribbage_pegging_solver import (
    PeggingSolver,
    kept_shares,
    pack,
    pair_weights,
    rounded,
    whole_strategy,
)
from cribbage_pegging_tree import build_tree


def main() -> None:
    """Solve, write the policy and print the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--iterations", type=whole(1), default=60, metavar="N", help="iterations of CFR+ (60)")
    parser.add_argument(
        "--takers", type=float, default=0.1, metavar="SHARE",
        help="share of deals in which the opponent plays for the most points now, 0 to 0.9 (0.1)",
    )  # fmt: skip
    parser.add_argument("--threads", type=whole(1), default=2, metavar="N", help="threads (2)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the policy to this file (.safetensors)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if not 0.0 <= arguments.takers <= 0.9:
        parser.error(f"--takers {arguments.takers}: allowed is a share from 0 to 0.9")
    if arguments.out is not None and arguments.out.suffix != ".safetensors":
        parser.error(f"--out {arguments.out}: the name of a policy of the play ends in .safetensors")
    start, clock = time.process_time(), time.monotonic()
    kept, tree = kept_shares(), build_tree()
    solver = PeggingSolver(tree, pair_weights(kept), arguments.threads, arguments.takers)
    with Progress("iterations of CFR+", total=arguments.iterations) as progress:
        for done in range(arguments.iterations):
            solver.run(1)
            progress(done + 1)
    steps = rounded(tree, solver.sums)
    strategy = whole_strategy(solver, steps)
    report = {
        "iterations": arguments.iterations,
        "takers": arguments.takers,
        "nodes": len(tree.nodes),
        "choices": tree.num_choices,
        "exploitability_of_average": solver.exploitability(solver.sums),
        "exploitability": solver.exploitability(strategy),
        "value_of_pone": solver.value(strategy),
        "won_from_takers": sum(solver.value(strategy, seat, 1.0) for seat in range(2)) / 2.0,
        "per": "points a deal",
        "cpu_seconds": time.process_time() - start,
        "seconds": time.monotonic() - clock,
    }
    if arguments.out is not None:
        policy = pack(tree, steps, kept, solver.hand_values(strategy), arguments.takers)
        save_policy(arguments.out, policy, iterations=arguments.iterations, exploitability=report["exploitability"])
        report["bytes"] = arguments.out.stat().st_size
    if arguments.json:
        print(json.dumps(report, indent=2, allow_nan=False))
        return
    for name, value in report.items():
        print(f"{name.replace('_', ' '):<26}  {f'{value:,.6g}' if isinstance(value, float) else value}")


if __name__ == "__main__":
    main()
