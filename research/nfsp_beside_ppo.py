"""Neural fictitious self-play compared with PPO in self-play, for the same processor time.

    python research/nfsp_beside_ppo.py --game leduc --seconds 300 --seeds 3
    python research/nfsp_beside_ppo.py --game coda --seconds 300 --seeds 3

Two short runs measure the rate, which sets the number of decisions so that each run takes about `--seconds` of
processor time. On Leduc poker the result is exact exploitability, elsewhere a match with each opponent, 10,000 games
with swapped seats. On Coda both learn by self-play from the same observation, with hidden layers of the same size.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cardgym import find
from cardgym.arena import evaluate
from cardgym.players import resolve
from cardgym.solvers.exact import tree_exploitability

ROOT = Path(__file__).parents[1]
_CODA = ["--env-id", "CodaOfficial-v0", "--observation", "odds", "--hidden-sizes", "128", "--opponents", "self"]
CONTESTS: dict[str, tuple[str, dict[str, list[str]], tuple[str, ...]]] = {
    "leduc": (
        "LeducPoker-v0",
        {
            "nfsp": ["--config", "examples/leduc_poker/configs/nfsp.toml"],
            "ppo": ["--config", "examples/leduc_poker/configs/ppo.toml"],
        },
        ("random", "honest"),
    ),
    "coda": (
        "CodaOfficial-v0",
        {"nfsp": ["--config", "configs/coda/official_nfsp.toml"], "ppo": _CODA},
        ("random", "bayes"),
    ),
}
"""By name: the game, the words of each script, and the opponents."""
GAMES, SEED, TRIAL = 10_000, 1, 100_000
TRIAL_OVERHEAD_STEPS = 20_000


def train(script: str, flags: list[str], steps: int, seed: int, folder: Path) -> float:
    """Train without evaluations; the processor seconds that it took."""
    words = [sys.executable, str(ROOT / "train" / f"{script}.py"), *flags, "--total-steps", str(steps)]
    words += ["--seed", str(seed), "--out", str(folder), "--eval-every", "0", "--final-games", "0"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=ROOT, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def steps_for(script: str, flags: list[str], seconds: float, folder: Path) -> int:
    """The decisions that fit into `seconds` of processor time, estimated from two short runs with equal start-up."""
    short, longer = (
        train(script, flags, steps, 0, folder / f"{script}-{steps}") for steps in (TRIAL_OVERHEAD_STEPS, TRIAL)
    )
    return int(seconds * (TRIAL - TRIAL_OVERHEAD_STEPS) / max(longer - short, 1e-3))


def figures(game_id: str, path: Path, opponents: tuple[str, ...]) -> dict[str, Any]:
    """Exact exploitability if the tree can be enumerated, and the match with each opponent."""
    game = find(game_id)
    options = game.parse_options()
    exact = tree_exploitability(game, options, resolve(path, game, options))
    found: dict[str, Any] = {"exploitability": exact[0] if exact else None}
    for opponent in opponents:
        player = evaluate(game, options, [path, opponent], games=GAMES, seed=SEED).players[0]
        found[opponent] = {"win_rate": player.win_rate, "ci95": player.win_rate_ci95, "mean_return": player.mean_return}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=CONTESTS, default="leduc")
    parser.add_argument("--seconds", type=float, default=300.0, help="processor seconds of a run (300)")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    game_id, trainings, opponents = CONTESTS[arguments.game]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for script, flags in trainings.items():
            steps = steps_for(script, flags, arguments.seconds, folder)
            for seed in range(1, arguments.seeds + 1):
                run = folder / f"{script}-{seed}"
                seconds = train(script, flags, steps, seed, run)
                found = figures(game_id, run / "model.safetensors", opponents)
                row = {"script": script, "seed": seed, "steps": steps, "seconds": round(seconds, 1), **found}
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
