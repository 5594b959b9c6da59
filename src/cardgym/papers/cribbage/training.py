"""Train experts at cribbage, eight strategies weighted by both scores and who deals: `cardgym train experts`.

docs/papers/cribbage/results.md says how experts learn and what the paper leaves open. Their weight files
`<games>.safetensors` are players.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal

import numpy as np
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from cardgym.arena.match import EVALUATION_SEED
from cardgym.engine.contract import Options
from cardgym.engine.rules import derive
from cardgym.errors import CardgymError
from cardgym.files.tensors import SUFFIX
from cardgym.games.cribbage.experts import Experts, ExpertsPlayer, Weights, load_experts, new_pegging, save_experts
from cardgym.learn import tags
from cardgym.learn.config import EvaluationConfig, Games, Items, Share
from cardgym.learn.tags import Metrics
from cardgym.learn.training import Training
from cardgym.papers.cribbage.games import (
    DEALS,
    GAMES,
    GRADIENT,
    PAPER,
    WINS,
    Learner,
    Settings,
    seed_pegging,
    train_games,
)
from cardgym.papers.cribbage.matches import BY_KEEP, OPPONENTS, OWN_CRIB, WEIGHTS, Side, match, records, side
from cardgym.papers.cribbage.updates import EVENTS, FLOOR, intrinsic_values, value_positions
from cardgym.papers.cribbage.weights import named_weights
from cardgym.players import Player
from cardgym.statistics import Interval

ENV: Final = "Cribbage-v0"


class ExpertsConfig(EvaluationConfig):
    """Experts at cribbage: how much each of eight strategies counts, by both scores and who deals."""

    length: ClassVar[str] = "total_games"

    env_id: Literal["Cribbage-v0"] = ENV
    total_games: Annotated[Games, Field(ge=1)] = 1_000_000
    """Number of games."""
    init: Annotated[Items[str], Field(min_length=1, max_length=2)] = ("uniform",)
    """Initial weights: a name, or the path of a weight file. One expert plays itself; two learn against each other."""
    update: Literal["gradient", "paper"] = "gradient"
    """How experts learn: by the gradient of the chance to win, or by the paper's update."""
    reward: Literal["win", "spread", "intrinsic"] = "win"
    """The gradient's reward for a keep: win (the chance to win, computed from the end of the board), spread (the
    round's point spread), or intrinsic (values of positions set by hand)."""
    init_noise: NonNegativeFloat = 0.05
    """Standard deviation of the noise on the logarithms of named weights; the paper's update needs some."""
    own_crib: bool = False
    """Let `crib_min_avg` maximize the own crib as dealer, which none of the paper's eight strategies does."""
    seed_deals: Games = 200_000
    """Deals with random keeps before training, for the first pegging statistics."""

    learning_rate: NonNegativeFloat = 0.1
    """Initial step size of the gradient; it falls linearly to 0."""
    temperature: PositiveFloat = 0.005
    """Temperature of the softmax over the keeps, in units of P = w S, whose mean is 1 / 15."""
    reach: Annotated[int, Field(ge=0, le=60)] = 16
    """An update also changes positions up to this many points away."""
    exploring_starts: Share = 0.5
    """Share of games that begin at two random scores."""
    value_every: PositiveInt = 20_000
    """Games between valuations of all positions."""
    buffer_size: Annotated[int, Field(ge=1, le=10_000_000)] = 4096
    """Number of recent deals kept for valuing positions."""
    gamma: Share = 1.0
    """The paper's update: a position n deals before the last counts gamma^n; with 1 all positions count the same."""

    save_every: PositiveInt = 200_000
    """Games between weight files, each saved with the state to resume from, independent of `value_every`."""
    eval_opponents: Items[str] = ("greedy", "uniform")
    """Opponents of the first expert in evaluations."""
    eval_every: NonNegativeInt = 200_000
    """Games between evaluations; 0 for the final one only."""
    eval_games: Annotated[Games, Field(ge=4)] = 20_000
    """Games against each opponent in an evaluation, with each deal played from both seats; an interval needs 4."""
    final_games: Games = 20_000

    algorithm_name: ClassVar[str] = "experts"


class Trainer:
    """Experts that learn as their config says.

    Named weights start with noise, weight files without. Both experts share the pegging statistics: those of the first
    weight file, or of `seed_deals` deals with random keeps if there is none.

    Attributes:
        config: the hyper-parameters.
        learner: the state of the experts.
    """

    saved: ClassVar[tuple[str, ...]] = ("learner",)

    def __init__(self, config: ExpertsConfig, *, by_keep: bool = False) -> None:
        """Start the experts.

        Args:
            config: the hyper-parameters.
            by_keep: scale the scores of each keep over the strategies, instead of those of each strategy over the
                keeps; no player of the game reads such weights.

        Raises:
            CardgymError: for unknown weights, a bad weight file, or one learned with another `own_crib`.
        """
        self.config, self._by_keep = config, by_keep
        self._states = records(2)
        key = np.uint64(config.seed)
        first, noise, pegging = [], [], None
        for name in config.init:
            if name.endswith(SUFFIX):
                experts = load_experts(Path(name))
                if experts.own_crib != config.own_crib:
                    raise CardgymError(
                        f"weight file {name}: learned with own_crib={experts.own_crib}, which gives its weights "
                        "another meaning; set own_crib to the same"
                    )
                first.append(experts.weights)
                noise.append(0.0)
                pegging = pegging or experts.pegging
            else:
                first.append(named_weights(name, config.seed))
                noise.append(config.init_noise)
        logs = np.log(np.maximum(np.stack(first).astype(np.float64), np.exp(FLOOR)))
        normal = np.random.default_rng([config.seed, 7]).standard_normal(logs.shape)
        logs += np.array(noise).reshape(-1, 1, 1, 1, 1) * normal
        if pegging is None:
            pegging = new_pegging()
            if config.seed_deals:
                chance = np.array([derive(key, np.uint64(1)), 0], np.uint64)
                seed_pegging(self._states, pegging, chance, config.seed_deals)
        self.learner = Learner(
            logs,
            pegging,
            intrinsic_values(),
            np.zeros((config.buffer_size, EVENTS), np.int8),
            np.zeros(4, np.int64),
            np.array([derive(key, np.uint64(2)), 0], np.uint64),
        )
        if config.update == "gradient" and config.reward == "win":
            self._first_values(derive(key, np.uint64(3)))

    def _first_values(self, key: np.uint64) -> None:
        """Value positions by some games between the initial weights, without learning."""
        trial = self.learner._replace(
            logs=self.learner.logs.copy(),
            pegging=copy.deepcopy(self.learner.pegging),
            counters=np.zeros(4, np.int64),
            generator=np.array([key, 0], np.uint64),
        )
        no_learning = Settings(
            update=GRADIENT, learning_rate=0.0, temperature=1.0, reach=0, gamma=1.0, exploring_starts=0.5,
            own_crib=self.config.own_crib, by_keep=self._by_keep, spread=False,
        )  # fmt: skip
        train_games(self._states, trial, no_learning, max(self.config.buffer_size // 4, 16))
        value_positions(trial.deals[: max(int(trial.counters[DEALS]), 1)], trial.values)

    @property
    def games(self) -> int:
        """Games played so far."""
        return int(self.learner.counters[GAMES])

    def statistics(self) -> dict[str, float]:
        """Statistics of the games so far, by tag. The last deal of a game counts, though its end cuts it short."""
        games = max(self.games, 1)
        found = {"charts/deals_per_game": 1.0 + int(self.learner.counters[DEALS]) / games}
        if len(self.config.init) == 2:
            found["train/win_rate_against_second_expert"] = int(self.learner.counters[WINS]) / games
        return found

    def advance(self) -> None:
        """Play to the next multiple of `value_every` or `save_every`, or to the end.

        Positions are valued and the step size changes only at multiples of `value_every` and at the end, so
        `save_every` does not change what is learned.
        """
        config, learner = self.config, self.learner
        valued = self.games - self.games % config.value_every
        valuation = min(valued + config.value_every, config.total_games)
        save = self.games - self.games % config.save_every + config.save_every
        settings = Settings(
            GRADIENT if config.update == "gradient" else PAPER,
            config.learning_rate * (1.0 - valued / config.total_games),
            config.temperature,
            config.reach,
            config.gamma,
            config.exploring_starts,
            config.own_crib,
            self._by_keep,
            config.reward == "spread",
        )
        train_games(self._states, learner, settings, min(valuation, save) - self.games)
        kept = min(int(learner.counters[DEALS]), len(learner.deals))
        if config.reward == "win" and config.update == "gradient" and kept and self.games == valuation:
            value_positions(learner.deals[:kept], learner.values)

    def weights(self, expert: int = 0) -> Weights:
        """Return the weights of an expert, (121, 121, 2, 8) float32; those of each position add up to 1."""
        logs = self.learner.logs[expert]
        powers = np.exp(logs - logs.max(-1, keepdims=True))
        return np.ascontiguousarray(powers / powers.sum(-1, keepdims=True), np.float32)

    def side(self) -> Side:
        """Expert 0 with its current weights."""
        kind = BY_KEEP if self._by_keep else OWN_CRIB if self.config.own_crib else WEIGHTS
        return Side(self.weights(), copy.deepcopy(self.learner.pegging), kind)

    def evaluate(self, opponents: tuple[str, ...], games: int) -> dict[str, tuple[float, Interval]]:
        """Expert 0's share of games against each opponent, with its 95 % interval."""
        one = self.side()
        return {name: match(one, side(name, self.learner.pegging), games, EVALUATION_SEED) for name in opponents}

    def player(self, options: Options) -> Player:
        """Return expert 0 with its current weights as a player of the game."""
        experts = Experts(self.weights(), self.learner.pegging, self.config.own_crib, {})
        return ExpertsPlayer("learner", experts, options)

    def save_weights(self, folder: Path) -> None:
        """Write a weight file for each expert, named by the games played."""
        for expert in range(len(self.learner.logs)):
            path = folder / f"{'' if expert == 0 else 'second-'}{self.games:09d}{SUFFIX}"
            about = {
                "games": self.games,
                "expert": expert,
                "own_crib": self.config.own_crib,
                "config": self.config.model_dump(),
            }
            save_experts(path, self.weights(expert), self.learner.pegging, about)


# -- the training -----------------------------------------------------------------------------------------------------


class ExpertsTraining(Training):
    """The training of experts: the first one is evaluated, in compiled matches against named weights too."""

    trainer: Trainer

    def _resolved(self, names: Sequence[str]) -> list[Player]:
        for name in names:
            if name not in OPPONENTS:
                side(name, new_pegging())
        return []

    def _play(self, games: int) -> dict[str, Metrics]:
        rates = self.trainer.evaluate(self._opponents, games)
        return {name: {tags.WIN_RATE: rate} for name, rate in rates.items()}


def train(config: ExpertsConfig, training: ExpertsTraining) -> None:
    """Learn until the last game."""
    training.trainer = trainer = Trainer(config)

    def save(folder: Path) -> None:
        if trainer.games % config.save_every == 0 or trainer.games == config.total_games:
            trainer.save_weights(folder)

    training.begin(
        lambda: trainer.games, lambda: trainer.player(training.options), save, {"trainer": trainer},
        checkpoint="", log_every=config.save_every,
    )  # fmt: skip
    if not trainer.games:
        training.evaluate()
        training.save()
    while trainer.games < config.total_games:
        trainer.advance()
        training.report(trainer.statistics)
