"""A GPU's games compared with the processor's, and timed: `python benchmarks/gpu_envs.py [--games ID:OPPONENT ...]`.

First the same seeds and actions on both, bit for bit: observations, masks, rewards, ends. Then steps a second of
wall-clock time with random legal actions. At last PPO: decisions a second, and what it then wins from `random`, with
all on the processor, with its networks on the GPU, and with its games there, too. It takes some minutes, most of them
to compile.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch

import cardgym
from cardgym.experiments.trainers import TRAINERS
from cardgym.learn.ppo import PPOConfig
from timing import print_table

GAMES = (
    *("OnePlayPoker-v0:random", "CorellianSpike-v0:random", "CorellianSpike-v0:heuristic", "Coda-v0:random"),
    *("Cribbage-v0:random", "Cribbage-v0:expert"),
)
ROWS = (512, 4_096, 32_768, 262_144)


def made(game: str, num_envs: int, device: str) -> Any:
    """A vector env on a device."""
    game_id, _, opponent = game.partition(":")
    alone = cardgym.find(game_id).max_players == 1
    return gymnasium.make_vec(game_id, num_envs, device=device, **({} if alone else {"opponent": opponent}))


def given(actions: Any, device: str) -> Any:
    """Actions as an env on a device takes them."""
    actions = torch.as_tensor(actions)
    return actions.numpy() if device == "cpu" else actions.to(device)


def compared(game: str, device: str, num_envs: int, steps: int) -> str:
    """Whether the games on the device are the processor's: `equal`, or the first difference."""
    here, there = made(game, num_envs, "cpu"), made(game, num_envs, device)
    generator = np.random.default_rng(1)
    ours, theirs = here.reset(seed=1), there.reset(seed=1)
    for step in range(steps + 1):
        names = ("observations", "rewards", "terminated", "truncated")
        pairs = dict(zip(names, zip(ours[:-1], theirs[:-1], strict=True), strict=False))
        pairs |= {name: (ours[-1][name], theirs[-1][name]) for name in theirs[-1]}
        for name, (one, two) in pairs.items():
            if np.asarray(one).tobytes() != torch.as_tensor(two).cpu().numpy().tobytes():
                return f"{name} differ at step {step}"
        noise = generator.random(ours[-1]["action_mask"].shape) * ours[-1]["action_mask"]
        actions = noise.argmax(1)
        ours, theirs = here.step(actions), there.step(given(actions, device))
    return "equal"


def speed(game: str, device: str, num_envs: int, seconds: float) -> float:
    """Steps of rows a second, with the choice of random legal actions on the device."""
    env = made(game, num_envs, device)
    _, infos = env.reset(seed=1)

    def steps(seconds: float) -> float:
        nonlocal infos
        start, count = time.perf_counter(), 0
        while not count or time.perf_counter() - start < seconds:
            for _ in range(10):
                mask = torch.as_tensor(infos["action_mask"])
                actions = (torch.rand(mask.shape, device=mask.device) * mask).argmax(1)
                infos = env.step(given(actions, device))[-1]
            if device != "cpu":
                torch.cuda.synchronize()
            count += 10
        return count * num_envs / (time.perf_counter() - start)

    steps(0)  # The first steps load and allocate.
    return steps(seconds)


def trained(game: str, decisions: int, num_envs: int, **where: Any) -> tuple[str, str]:
    """PPO's decisions a second, and its mean return against `random` with the 95 % interval."""
    config = PPOConfig(
        env_id=game, total_steps=decisions, num_envs=num_envs, eval_opponents=("random",), eval_every=0,
        final_games=2_000, **where,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        TRAINERS["ppo"]().train(config, Path(folder), False)
        found = json.loads(Path(folder, "results.json").read_text())
    mean, (low, high) = found["results"]["random"]["mean_return"]
    return f"{found['decisions_per_second']:,.0f}", f"{mean:.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    """Compare, time and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="ID:OPPONENT", help="games and opponents")
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS), metavar="N", help="numbers of rows")
    parser.add_argument("--steps", type=int, default=300, metavar="N", help="steps to compare (300)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="seconds of each measurement (2)")
    parser.add_argument("--decisions", type=int, default=1_000_000, metavar="N", help="of PPO (1,000,000)")
    parser.add_argument("--device", default="cuda", help="the device in PyTorch (cuda)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args()
    table = []
    for game in arguments.games:
        bits = compared(game, arguments.device, min(4_096, max(arguments.rows)), arguments.steps)
        for num_rows in arguments.rows:
            there, here = (speed(game, device, num_rows, arguments.seconds) for device in (arguments.device, "cpu"))
            table.append((game, bits, f"{num_rows:,}", f"{there:,.0f}", f"{here:,.0f}", f"{there / here:.2f}"))
    head = ("game", "bits", "rows", f"{arguments.device}, steps/s", "one core, steps/s", "ratio")
    print_table(head, table, arguments.json)

    game, num_envs = arguments.games[1 % len(arguments.games)].partition(":")[0], min(512, max(arguments.rows))
    ways: dict[str, dict[str, Any]] = {
        "PPO on the processor": {"device": "cpu"},
        f"networks on {arguments.device}": {"device": arguments.device},
        f"games on {arguments.device}, too": {"device": arguments.device, "device_games": True},
    }
    learned = [
        (f"{game}, {way}", *trained(game, arguments.decisions, num_envs, **where)) for way, where in ways.items()
    ]
    print_table(("training", "decisions/s", "against random"), learned)


if __name__ == "__main__":
    main()
