"""A run of experts that learn: started, carried on a few thousand games at a time, saved and taken up again."""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.arena.match import EVALUATION_SEED
from cardgym.arena.statistics import Interval
from cardgym.engine.generator import derive
from cardgym.errors import CardgymError
from cardgym.games.cribbage.experts.config import ExpertsConfig
from cardgym.games.cribbage.experts.deals import OWN_CRIB, WEIGHTS
from cardgym.games.cribbage.experts.matches import OPPONENTS, Side, match, records, side
from cardgym.games.cribbage.experts.player import SUFFIX, Weights, load_experts, named_weights, save_experts
from cardgym.games.cribbage.experts.training import GRADIENT, PAPER, Learner, Settings, seed_knowledge, train_games
from cardgym.games.cribbage.experts.updates import FLOOR
from cardgym.games.cribbage.experts.values import EVENTS, value_positions
from cardgym.games.cribbage.statistics_tables import build_tables
from cardgym.games.cribbage.strategies import new_knowledge


class Trainer:
    """Experts that learn as their config says.

    Weights with a name start with noise, weight files exactly as they are. What is known of pegging is one for both
    experts: that of the first weight file, or where there is none of `seed_deals` deals of random keeps.

    Attributes:
        config: the hyper-parameters.
        learner: all that changes.
    """

    def __init__(self, config: ExpertsConfig) -> None:
        self.config = config
        self._states = records(3)
        self._tables = build_tables()
        key = np.uint64(config.seed)
        first, noise, knowledge = [], [], None
        for name in config.init:
            if name.endswith(SUFFIX):
                experts = load_experts(Path(name))
                if experts.own_crib != config.own_crib:
                    raise CardgymError(
                        f"weight file {name}: learned with own_crib={experts.own_crib}; set own_crib so, or its "
                        "weights mean something else"
                    )
                first.append(experts.weights)
                noise.append(0.0)
                knowledge = knowledge or experts.knowledge
            else:
                first.append(named_weights(name, config.seed))
                noise.append(config.noise)
        logs = np.log(np.maximum(np.stack(first).astype(np.float64), np.exp(FLOOR)))
        drawn = np.random.default_rng([config.seed, 7]).standard_normal(logs.shape)
        logs += np.array(noise).reshape(-1, 1, 1, 1, 1) * drawn
        if knowledge is None:
            knowledge = new_knowledge()
            if config.seed_deals:
                chance = np.array([derive(key, np.uint64(1)), 0], np.uint64)
                seed_knowledge(self._states, knowledge, chance, config.seed_deals)
        self.learner = Learner(
            logs,
            knowledge,
            np.full((*logs.shape[1:3], 2), 0.5),
            np.zeros((config.deals_kept, EVENTS), np.int8),
            np.zeros(4, np.int64),
            np.array([derive(key, np.uint64(2)), 0], np.uint64),
        )
        if config.update == "gradient":
            self._first_values(derive(key, np.uint64(3)))

    def _first_values(self, key: np.uint64) -> None:
        """Value positions by some games of the first weights before anything is learned."""
        trial = self.learner._replace(
            logs=self.learner.logs.copy(),
            knowledge=copy.deepcopy(self.learner.knowledge),
            counters=np.zeros(4, np.int64),
            generator=np.array([key, 0], np.uint64),
        )
        still = Settings(GRADIENT, 0.0, 1.0, 0, 1.0, 0.5, self.config.own_crib)
        train_games(self._tables, self._states, trial, still, max(self.config.deals_kept // 4, 16))
        value_positions(trial.deals[: max(int(trial.counters[1]), 1)], trial.values)

    @property
    def games(self) -> int:
        """Games played so far."""
        return int(self.learner.counters[0])

    @property
    def share(self) -> float:
        """The share of the games played so far that expert 0 won: in self-play about a half."""
        return int(self.learner.counters[2]) / max(self.games, 1)

    def advance(self) -> None:
        """Play on to the next multiple of `value_every` or `checkpoint_every`, or the end.

        Positions are valued anew, and the step size changes, at multiples of `value_every` and at the end alone:
        checkpoints in between change nothing of what is learned.
        """
        config, learner = self.config, self.learner
        valued = self.games - self.games % config.value_every
        valuation = min(valued + config.value_every, config.games)
        checkpoint = self.games - self.games % config.checkpoint_every + config.checkpoint_every
        settings = Settings(
            GRADIENT if config.update == "gradient" else PAPER,
            config.rate * (1.0 - valued / config.games),
            config.temperature,
            config.reach,
            config.credit,
            config.anywhere,
            config.own_crib,
        )
        train_games(self._tables, self._states, learner, settings, min(valuation, checkpoint) - self.games)
        kept = min(int(learner.counters[1]), len(learner.deals))
        if config.update == "gradient" and kept and self.games == valuation:
            value_positions(learner.deals[:kept], learner.values)

    def weights(self, expert: int = 0) -> Weights:
        """The weights of an expert, (121, 121, 2, 8), float32, adding up to 1 at each position."""
        logs = self.learner.logs[expert]
        found = np.exp(logs - logs.max(-1, keepdims=True))
        return np.ascontiguousarray(found / found.sum(-1, keepdims=True), np.float32)

    def side(self) -> Side:
        """Expert 0 as it plays now."""
        kind = OWN_CRIB if self.config.own_crib else WEIGHTS
        return Side("expert", self.weights(), copy.deepcopy(self.learner.knowledge), kind)

    def evaluate(self, opponents: tuple[str, ...], games: int) -> dict[str, tuple[float, Interval]]:
        """Expert 0's share of games against each, with its interval."""
        one = self.side()
        return {name: match(one, side(name, self.learner.knowledge), games, EVALUATION_SEED) for name in opponents}

    def check_opponents(self) -> None:
        """Tell of a wrong name before games are played."""
        for name in self.config.eval_opponents:
            if name not in OPPONENTS:
                side(name, self.learner.knowledge)

    def save_weights(self, folder: Path) -> list[Path]:
        """Write each expert's weight file, named by the games played."""
        paths = []
        for expert in range(len(self.learner.logs)):
            path = folder / f"{'' if expert == 0 else 'second-'}{self.games:09d}{SUFFIX}"
            about = {
                "games": self.games,
                "expert": expert,
                "own_crib": self.config.own_crib,
                "config": dataclasses.asdict(self.config),
            }
            save_experts(path, self.weights(expert), self.learner.knowledge, about)
            paths.append(path)
        return paths

    def state(self) -> dict[str, Any]:
        """Everything that the run depends on from here, as plain arrays by name."""
        learner = self.learner
        plain = {f"knowledge_{name}": array for name, array in learner.knowledge._asdict().items()}
        names = ("logs", "values", "deals", "counters", "generator")
        return {**plain, **{name: getattr(learner, name) for name in names}}

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave.

        Raises:
            CardgymError: where an array is missing or of another size.
        """
        for name, array in self.state().items():
            found = np.asarray(state.get(name))
            if found.shape != array.shape or found.dtype != array.dtype:
                raise CardgymError(f"the state to resume from has no {name} of {array.shape}; train from the start")
            array[...] = found
