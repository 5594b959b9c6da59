"""A race of learners on one game: how many seconds of processor time each needs to win a share of the hands.

Usage:
    python research/race.py --out race.json [--only NAME ...] [--seeds N] [--budget SECONDS]
    python research/race.py --show race.json [--picture race.png]

Every contestant is a training script with a config; all have the same opponents. Each run is a process that stops after
`--budget` seconds of training. During training its greedy (or sampling) player plays matches against the rivals on the
same deals; their time does not count. `--only` replaces or adds contestants in an existing file.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cardgym.scaling.local import machine
from race_report import show

HERE = Path(__file__).parents[1]
GAME = "CorellianSpike-v0"
OPPONENTS = ("heuristic=0.5", "initial=0.35", "random=0.15")
RIVALS = ("random", "heuristic")
"""Opponents in the matches during training."""

_CONFIGS = "configs/corellian_spike"
_SPRINT = (
    "--total-steps", "250000", "--exploration-fraction", "0.2", "--target-update-interval", "20",
    "--learning-starts", "1000",
)  # fmt: skip
"""A short schedule for all value learners; the configs' own schedules aim at strength after a long training."""
_DQN = ("dqn.py", "--config", f"{_CONFIGS}/double_dqn.toml", *_SPRINT)
_SB3_DQN = (
    "sb3.py", "--config", f"{_CONFIGS}/sb3_maskable_double_dqn.toml", *_SPRINT,
    "--num-envs", "128", "--train-frequency", "64",  # As in double_dqn.toml.
)  # fmt: skip
_ALONE = ("--magnet", "none", "--num-envs", "128", "--total-steps", "1000000")
"""PPO needs no magnet against fixed opponents; its schedule is as short as the race."""
CONTESTANTS: dict[str, tuple[str, ...]] = {
    "double DQN": _DQN,
    "DQN": (*_DQN, "--no-double"),
    "PPO": ("ppo.py", "--config", f"{_CONFIGS}/ppo.toml", *_ALONE),
    "MaskableDQN of cardgym.interop.sb3, double": _SB3_DQN,
    "DQN of Stable-Baselines3": (*_SB3_DQN, "--algorithm", "dqn"),
    "MaskablePPO of sb3-contrib": ("sb3.py", "--config", f"{_CONFIGS}/sb3_maskable_ppo.toml"),
}
"""Contestants: a script of train/ and its flags. The race adds the opponents, the seed and the folder."""


class OutOfTimeError(Exception):
    """The run's budget of training time is used up."""


class Clock:
    """Processor time of this process, without evaluations.

    Attributes:
        startup: seconds from the start of the process to the start of the training loop.
        paused: seconds that evaluations took.
    """

    def __init__(self) -> None:
        self.startup = 0.0
        self.paused = 0.0

    def start(self) -> None:
        """Mark the start of the training loop."""
        self.startup = time.process_time()

    @property
    def seconds(self) -> float:
        """Seconds of training so far."""
        return time.process_time() - self.startup - self.paused


def run(words: Sequence[str], seed: int, budget: float, games: int) -> dict[str, Any]:
    """Train once in this process.

    Returns:
        `startup`, and `points`: seconds of training, steps, and the win rate against each rival.
    """
    sys.path.insert(0, str(HERE / "train"))
    script: Any = importlib.import_module(words[0].removesuffix(".py"))
    from cardgym import find
    from cardgym.learn.evaluation import match
    from cardgym.learn.training import Training

    game = find(GAME)
    options = game.parse_options()
    clock, points, next_look = Clock(), [], 0.1
    begin: Any = Training.begin

    def begun(*arguments: Any, **named: Any) -> None:
        begin(*arguments, **named)
        clock.start()

    def evaluate(training: Any) -> None:
        nonlocal next_look
        seconds = clock.seconds
        if seconds >= next_look:
            before = time.process_time()
            player = training._player()
            rates = [match(game, options, player, rival, games=games)["win_rate"][0] for rival in RIVALS]
            points.append([seconds, training.step, *rates])
            next_look = 1.12 * seconds
            clock.paused += time.process_time() - before
        if seconds > budget:
            raise OutOfTimeError

    # Every script begins its training so, and evaluates every `--eval-every` steps.
    replaced: Any = Training
    replaced.begin, replaced.evaluate = begun, evaluate
    flags = ["--opponents", *OPPONENTS, "--eval-opponents", RIVALS[0], "--eval-every", "256", "--final-games", "0"]
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.suppress(OutOfTimeError),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        script.main([*words[1:], *flags, "--save-every", str(2**40), "--seed", str(seed), "--out", f"{folder}/run"])
    return {"seed": seed, "startup": clock.startup, "points": points}


def race(arguments: argparse.Namespace) -> None:
    """Run the contestants and write their results."""
    written: dict[str, Any] = {
        "game": GAME, "opponents": OPPONENTS, "rivals": RIVALS, "games": arguments.games, "budget": arguments.budget,
        "machine": machine(), "contestants": {},
    }  # fmt: skip
    if arguments.out.exists():
        written["contestants"] = json.loads(arguments.out.read_text())["contestants"]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # The runs inherit this, so all of them use one core.
    for seed, name in schedule(arguments.seeds, arguments.only or list(CONTESTANTS)):
        command = [sys.executable, __file__, "--run", name, "--seed", str(seed)]
        command += ["--budget", str(arguments.budget), "--games", str(arguments.games)]
        result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        runs = written["contestants"].get(name, {}).get("runs", []) if seed > 1 else []
        written["contestants"][name] = {"command": " ".join(CONTESTANTS[name]), "runs": [*runs, result]}
        arguments.out.write_text(json.dumps(written) + "\n")
        last = result["points"][-1] if result["points"] else "no point"
        print(f"{name}, seed {seed}: started in {result['startup']:.1f} s, at the end {last}", file=sys.stderr)


def schedule(seeds: int, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Contestants take turns, so that other load on the machine slows all of them equally."""
    for seed in range(1, seeds + 1):
        for name in names:
            yield seed, name


def main() -> None:
    """Run a race, or show one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON file for the results")
    parser.add_argument("--only", nargs="+", choices=CONTESTANTS, metavar="NAME", help="the contestants (all)")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="seeds 1 to N of each contestant (5)")
    parser.add_argument("--budget", type=float, default=15.0, metavar="S", help="seconds of training for each run (15)")
    parser.add_argument("--games", type=int, default=500, metavar="N", help="games of each match during training (500)")
    parser.add_argument("--show", type=Path, metavar="FILE", help="print the table of a race")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="also draw its curves as PNG")
    parser.add_argument("--run", choices=CONTESTANTS, help=argparse.SUPPRESS)  # One run, in this process.
    parser.add_argument("--seed", type=int, default=1, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.chdir(HERE)
    if arguments.run:
        result = run(CONTESTANTS[arguments.run], arguments.seed, arguments.budget, arguments.games)
        print(json.dumps(result))
    elif arguments.show:
        show(json.loads(arguments.show.read_text()), arguments.picture)
    elif arguments.out:
        race(arguments)
    else:
        parser.error("name a file with --out to race, or with --show to print a race")


if __name__ == "__main__":
    main()
