"""Check that another checkout's envs play the same games, bit for bit: `... same_results.py --old PATH`.

Both sides play the same actions, some of them illegal, with every option, observation, autoreset mode and treatment of
illegal actions. The script compares digests of all states, random streams, observations, masks, rewards, ends and
infos. It prints a line for each case and fails if one differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from timing import checkout_python

PROGRAM = """
import hashlib, itertools, json
import gymnasium, numpy as np
import cardgym
from gymnasium.vector import AutoresetMode

OPTIONS = {
    "CorellianSpike-v0": [
        {}, {"num_players": 5, "hands": 7, "betting": "matched"}, {"reward": "weighted", "credits": 20},
        {"num_players": 8, "hands": 2, "reward": "weighted", "betting": "matched"},
    ],
    "OnePlayPoker-v0": [{}, {"decisions": 4}, {"ranking": "pair_first"}],
    "Cribbage-v0": [{}, {"target": 61, "reward": "points"}, {"deals": 2}],
    "CribbageDeal-v0": [{}, {"reward": "win"}],
    "Coda-v0": [
        {}, {"n": 12, "n_start": 3, "feasible": "all", "first": "random"},
        {"feasible": "consistent", "empty": "play_on"},
        {"continuation": "optional", "color_visible": "no", "reward": "paper"},
    ],
    "CodaOfficial-v0": [{}, {"reward": "paper", "n_start": 6}],
}
OPPONENTS = {
    "CorellianSpike-v0": ["heuristic", "initial"], "Cribbage-v0": ["greedy"], "CribbageDeal-v0": ["greedy"],
    "Coda-v0": ["heuristic", "random-consistent"], "CodaOfficial-v0": ["heuristic"],
}
EARLIER = {"color_visible": "colour_visible"}  # Options by their names in an older checkout.
OBSERVATIONS = {"CorellianSpike-v0": ["paper", "cards", "spikes"], "OnePlayPoker-v0": ["paper"], "Coda-v0": ["paper"]}

def batch_of(env):
    core = getattr(env, "_core", None) or env._setting
    return (core.seated if hasattr(core, "seated") else core.tables).batch

class Digest:
    def __init__(self):
        self.hash = hashlib.sha256()
    def add(self, value):
        if isinstance(value, dict):
            # The entry's earlier name.
            value = {name.replace("state_code", "info_state_key"): part for name, part in value.items()}
            for name, part in sorted(value.items()):
                self.hash.update(name.encode())
                self.add(part)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            for part in value:
                self.add(part)
        elif value is None:
            self.hash.update(b"none")
        else:
            array = np.asarray(value)
            self.hash.update(f"{array.dtype} {array.shape}".encode())
            self.hash.update(np.ascontiguousarray(array).tobytes())
    def add_games(self, env):
        batch = batch_of(env.unwrapped)
        self.hash.update(batch.plain_states.tobytes())
        for name in ("chance", "choice", "key", "games", "decisions", "paid", "seat", "forfeited"):
            self.hash.update(np.ascontiguousarray(batch.plain_rows[name]).tobytes())

def actions_for(generator, masks, share_illegal):
    weights = generator.random(masks.shape) * masks
    chosen = weights.argmax(-1)
    wild = generator.random(chosen.shape) < share_illegal
    return np.where(wild, generator.integers(-2, masks.shape[-1] + 2, chosen.shape), chosen)

def vector(game, steps, mode, settings, seed):
    digest, generator = Digest(), np.random.default_rng(seed)
    env = gymnasium.make_vec(game, num_envs=48, autoreset_mode=mode, **settings)
    observations, info = env.reset(seed=seed)
    digest.add(observations); digest.add(info); digest.add_games(env)
    masks = info["action_mask"]
    for _ in range(steps):
        actions = actions_for(generator, masks, 0.0 if settings.get("illegal_action") == "raise" else 0.01)
        result = env.step(actions)
        for part in result:
            digest.add(part)
        digest.add_games(env)
        over, masks = result[2], result[4]["action_mask"]
        if mode == "Disabled" and over.any():
            observations, info = env.reset(options={"reset_mask": over})
            digest.add(observations); digest.add(info); digest.add_games(env)
            masks = info["action_mask"]
    return digest.hash.hexdigest()

def single(game, steps, settings, seed):
    digest, generator = Digest(), np.random.default_rng(seed)
    env = gymnasium.make(game, disable_env_checker=True, **settings)
    observation, info = env.reset(seed=seed)
    for _ in range(steps):
        digest.add(observation); digest.add(info); digest.add_games(env)
        action = actions_for(generator, info["action_mask"][None], 0.01)[0]
        observation, reward, over, _, info = env.step([int(action), np.int64(action), np.int32(action)][_ % 3])
        digest.add(reward); digest.add(over); digest.add(type(reward).__name__.encode() == b"float")
        if over:
            digest.add(observation); digest.add(info); digest.add_games(env)
            observation, info = env.reset()
    return digest.hash.hexdigest()

def settings_of(game):
    for options in OPTIONS[game]:
        known = cardgym.find(game).options
        options = {name if hasattr(known, name) else EARLIER.get(name, name): options[name] for name in options}
        alone = game.startswith("OnePlay")
        yield {**options} if alone else {**options, "seat": "all"}
        yield {**options, "illegal_action": "random", "obs_mode": "dict"}
        yield {**options, "seat": "random" if not alone else 0}
        for opponent in OPPONENTS.get(game, []):
            yield {**options, "opponent": opponent, "seat": "random"}
    for name in OBSERVATIONS.get(game, []):
        yield {"obs": name}

for game in GAMES:
    for settings in settings_of(game):
        for seed in SEEDS:
            digests = {mode: vector(game, STEPS, mode, settings, seed) for mode in ("NextStep", "SameStep", "Disabled")}
            digests["single env"] = single(game, STEPS, settings, seed)
            for env, digest in digests.items():
                print(json.dumps([f"{game}, {env}, seed {seed}, {settings}", digest]), flush=True)
"""
GAMES = ("OnePlayPoker-v0", "CorellianSpike-v0", "CribbageDeal-v0", "Cribbage-v0", "Coda-v0", "CodaOfficial-v0")


def start(checkout: Path, program: str) -> subprocess.Popen[str]:
    """A process that runs a program with a checkout's code."""
    python, environment = checkout_python(checkout)
    return subprocess.Popen([python, "-c", program], env=os.environ | environment, stdout=subprocess.PIPE, text=True)


def main() -> None:
    """Play on both sides and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--old", type=Path, required=True, metavar="PATH", help="the other checkout")
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="ID", help=f"the games ({', '.join(GAMES)})")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], metavar="N", help="seeds of the games (0 1)")
    parser.add_argument("--steps", type=int, default=300, metavar="N", help="steps of each case (300)")
    arguments = parser.parse_args()
    games, seeds = tuple(arguments.games), tuple(arguments.seeds)
    program = f"GAMES, SEEDS, STEPS = {games!r}, {seeds!r}, {arguments.steps}\n{PROGRAM}"
    here = Path(__file__).parents[1]
    old, new = (start(checkout, program) for checkout in (arguments.old.resolve(), here))
    different = compared = 0
    assert old.stdout is not None
    assert new.stdout is not None
    for one, other in zip(old.stdout, new.stdout, strict=False):
        (name, digest), (_, other_digest) = json.loads(one), json.loads(other)
        compared += 1
        different += digest != other_digest
        print("same     " if digest == other_digest else "DIFFERENT", name, flush=True)
    if old.wait() or new.wait():
        sys.exit("one side stopped early")
    print(f"{compared} cases compared, {different} differ")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
