"""Train and measure the learned players of docs/papers/corellian_spike/results.md.

Run `python research/spike_answers.py [PART ...]`. Finished runs are kept and interrupted runs are resumed. All parts
take about 40 minutes of processor time.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

import cardgym
from cardgym.arena import evaluate
from cardgym.engine.contract import Game, Options
from cardgym.engine.declarations import offsets
from cardgym.games.corellian_spike.state import BETTING, EMPTY
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.saved_state import STATE_FILE
from cardgym.players import Player, resolve
from cardgym.players.checkpoints import CheckpointPlayer, load_player
from cardgym.statistics import half_widths

ROOT = Path(__file__).resolve().parents[1]
GAME = "CorellianSpike-v0"
KNOWLEDGE = "spike_knowledge:SpikeKnowledge-v0"
TRAINING = shlex.split(
    "--config configs/corellian_spike/ppo.toml --average-tau 0.04 "
    "--eval-opponents initial --eval-every 0 --final-games 0 --save-every 1000000"
)
"""The training of the shipped `ppo`; the weights are averaged over the same share of fewer decisions."""
SEEDS = (1, 2)
PAIRS = ((1, 2), (2, 1))
"""Pairs of training seeds: players of the same run do not play each other."""
OBSERVATIONS = ("full", "belief", "cards_up", "three_cards", "code")
CHEAT = {"cheat": 0}


class Measurement:
    """The folder of the runs, and how many games a match has."""

    def __init__(self, runs: Path, games: int, seed: int, steps: int) -> None:
        self.runs, self.games, self.seed, self.steps = runs, games, seed, steps

    def train(self, name: str, seed: int, *words: str) -> Path:
        """Find the checkpoint of a run, which is trained if it is missing."""
        folder = self.runs / f"{name}_{seed}"
        checkpoint = folder / "model.safetensors"
        if not (folder / "results.json").exists():
            command = [sys.executable, "train/ppo.py", *TRAINING, "--total-steps", str(self.steps), *words]
            command += ["--seed", str(seed), "--out", str(folder)]
            if (folder / STATE_FILE).exists():
                command.append("--resume")
            here = str(Path(__file__).resolve().parent)
            path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
            subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": path})
        return checkpoint

    def match(self, game: Game, options: Options, players: tuple[Player, Player], seats: Any = "rotate") -> str:
        """What the first player wins from the second, in credits and hands."""
        report = evaluate(game, options, list(players), games=self.games, seed=self.seed, seats=seats)
        first = report.players[0]
        credits, (low, high) = first.mean_return, first.mean_return_ci95
        hands, (least, most) = first.win_rate, first.win_rate_ci95
        return (
            f"{credits:+.2f} [{low:+.2f}, {high:+.2f}] credits, {100 * hands:.1f} % [{100 * least:.1f}, "
            f"{100 * most:.1f}] of hands"
        )


def player(path: Path, game: Game, options: Options, name: str) -> CheckpointPlayer:
    """The sampling player of a checkpoint."""
    policy = load_player(path, game, options)
    assert isinstance(policy, CheckpointPlayer)
    policy.name = name
    return policy


class Shortsighted(Player):
    """A player that reads the features of a longer observation up to `stop`, which are those it was trained on."""

    def __init__(self, name: str, policy: Player, observation_name: str, stop: int) -> None:
        self.name, self.observation_name, self.samples = name, observation_name, True
        self._policy, self._stop = policy, stop

    def act(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        draws: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.int64]:
        """An action for each row."""
        return self._policy.act(np.ascontiguousarray(observations[:, : self._stop]), masks, draws)


def unaware_of_cheats(policy: CheckpointPlayer) -> Shortsighted:
    """A player that was trained without a cheat, and does not see it."""
    return Shortsighted(f"unaware {policy.name}", policy, "full", -2)


# -- what a fourth card is worth --------------------------------------------------------------------------------------


def cheat(measurement: Measurement) -> None:
    """A cheat in seat 0 against players that know of it and players that do not."""
    game = cardgym.find(GAME)
    plain, cheating = game.parse_options(), game.parse_options(CHEAT)
    honest = {s: player(measurement.train("full", s), game, plain, f"honest {s}") for s in SEEDS}
    cheats = {s: measurement.train("cheat", s, "--env-options", "cheat=0") for s in SEEDS}
    own = {s: player(cheats[s], game, cheating, f"cheat {s}") for s in SEEDS}
    for one, two in PAIRS:
        print(f"nobody cheats, {one} at seat 0, {two} at seat 1:", fixed(measurement, plain, honest[one], honest[two]))
    for one, two in PAIRS:
        unaware_cheat, unaware = unaware_of_cheats(honest[one]), unaware_of_cheats(honest[two])
        print(
            f"bets as if it had three cards {one}, unaware {two}:", fixed(measurement, cheating, unaware_cheat, unaware)
        )
        print(f"cheat {one}, unaware {two}:", fixed(measurement, cheating, own[one], unaware))
        print(f"cheat {one}, knows of it and learned with it {two}:", fixed(measurement, cheating, own[one], own[two]))
    for seed in SEEDS:
        heuristic = fixed(measurement, cheating, own[seed], resolve("heuristic", game, cheating))
        print(f"cheat {seed}, heuristic:", heuristic)


def fixed(measurement: Measurement, options: Options, first: Any, second: Any) -> str:
    """What seat 0 wins from seat 1."""
    return measurement.match(cardgym.find(GAME), options, (first, second), "fixed")


# -- how much the belief knows ------------------------------------------------------------------------------------


def posterior(measurement: Measurement) -> None:
    """How well the belief predicts the |sum| of opponents that act like its model, and of others."""
    torch.set_num_threads(1)
    game = cardgym.find(GAME)
    options = game.parse_options()
    at = offsets(game.observation("belief").features(options))
    plain_size = game.observation("full").size(options)
    for name in ("ppo", "double_dqn", "heuristic"):
        ppo = resolve("ppo", game, options)
        policy = Shortsighted(ppo.name, ppo, "belief", plain_size)
        rollout = SelfPlayRollout(game, options, 512, OpponentPool.parse([f"{name}=1"]), policy, seed=measurement.seed)
        generator = np.random.default_rng(measurement.seed)
        losses: dict[int, list[npt.NDArray[np.float64]]] = {number: [] for number in range(4)}
        while rollout.decisions < 100_000:
            turns, states = rollout.turns, rollout.states
            seats = turns.streams % 2
            theirs = states["cards"][np.arange(len(states)), 1 - seats].astype(np.int64)
            dealt = theirs[:, 2] != EMPTY
            sizes = np.minimum(np.abs(theirs[:, :2].sum(axis=1) + np.where(dealt, theirs[:, 2], 0)), 11)
            believed = turns.observations[:, at["opponent_1_size"] :][np.arange(len(sizes)), sizes]
            unseen = np.rint(3 * turns.observations[:, at["unseen"] : at["unseen"] + 21]).astype(np.int64)
            by_cards = chance_of_sizes(unseen, np.where(dealt, theirs[:, 2], 0))[np.arange(len(sizes)), sizes]
            betting = states["phase"] == BETTING
            for number in range(4):
                rows = betting & (states["round_number"] == number)
                losses[number].append(np.stack([-np.log(believed[rows]), -np.log(by_cards[rows])]))
            rollout.step(policy.act(turns.observations, turns.masks, generator.random(len(turns.masks))))
        for number, parts in losses.items():
            loss = np.concatenate(parts, axis=1)
            half = half_widths(loss.T)
            print(
                f"{name}, round {number}: {loss[0].mean():.3f} ± {half[0]:.3f} nats with its actions, "
                f"{loss[1].mean():.3f} ± {half[1]:.3f} from the cards alone, {loss.shape[1]:,} decisions"
            )


def chance_of_sizes(unseen: npt.NDArray[np.int64], spikes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The probability of each |sum| from 0 to 11 or more for two random unseen cards, (rows, 12)."""
    result = np.zeros((len(unseen), 12))
    rows = np.arange(len(unseen))
    for low in range(21):
        for high in range(low, 21):
            ways = unseen[:, low] * (unseen[:, low] - 1) / 2 if low == high else unseen[:, low] * unseen[:, high]
            result[rows, np.minimum(np.abs(low + high - 20 + spikes), 11)] += ways
    result /= result.sum(axis=1, keepdims=True)
    return result


# -- what knowing more brings -----------------------------------------------------------------------------------------


def knowledge(measurement: Measurement) -> None:
    """Agents by observation against `full`, `three_cards` against `code`, and all against named players."""
    research = cardgym.find(KNOWLEDGE)
    game = cardgym.find(GAME)
    options, research_options = game.parse_options(), research.parse_options()
    players: dict[str, list[Player]] = {}
    for name in OBSERVATIONS:
        words = () if name == "full" else ("--env-id", KNOWLEDGE, "--observation", name)
        where = (game, options) if name == "full" else (research, research_options)
        players[name] = [player(measurement.train(name, s, *words), *where, f"{name} {s}") for s in SEEDS]
    pairs = [*((name, "full") for name in OBSERVATIONS if name != "full"), ("three_cards", "code")]
    for one, two in pairs:
        for first, second in product(players[one], players[two]):
            result = measurement.match(research, research_options, (first, second))
            print(f"{first.name} against {second.name}:", result)
    shipped = player(ROOT / "checkpoints" / "corellian_spike" / "ppo.safetensors", game, options, "ppo")
    known = [shipped, *(resolve(name, research, research_options) for name in ("heuristic", "initial"))]
    for opponent, name in product(known, OBSERVATIONS):
        for policy in players[name]:
            result = measurement.match(research, research_options, (policy, opponent))
            print(f"{policy.name} against {opponent.name}:", result)


PARTS = {"cheat": cheat, "posterior": posterior, "knowledge": knowledge}


def main() -> None:
    """Measure the named parts, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "answers")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5_000_000, help="decisions of a run")
    arguments = parser.parse_args()
    measurement = Measurement(arguments.runs.absolute(), arguments.games, arguments.seed, arguments.steps)
    for part in arguments.parts:
        PARTS[part](measurement)


if __name__ == "__main__":
    main()
