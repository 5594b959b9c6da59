"""The parts of the paper's experiments: batch Q-learning of each case, matches, and tabular Q-learning on top."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena import evaluate
from cardgym.engine.contract import Options
from cardgym.engine.registry import find
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.papers.corellian_spike.batch_q import ENV, BatchQ, BatchQConfig, Exploration, Recording
from cardgym.players import PlayerSpec, TablePlayer


@dataclass(frozen=True)
class Scale:
    """How much is done for the page.

    Attributes:
        seeds: training runs of each case.
        iterations: iterations of batch Q-learning.
        training_games: games in each iteration.
        games: games of each match.
        base_seed: the first seed.
        tabular_seeds: tabular trainings of each kind.
        decisions: decisions of a tabular training.
    """

    seeds: int = 3
    iterations: int = 50
    training_games: int = 2000
    games: int = 2000
    base_seed: int = 0
    tabular_seeds: int = 2
    decisions: int = 1_000_000


# -- batch Q-learning -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A game that batch Q-learning is run with, how it explores and what it records."""

    players: int = 2
    reward: str = "credits"
    exploration: Exploration = "published"
    zeros: int = 2
    recording: Recording = "complete"

    @property
    def options(self) -> CorellianSpikeOptions:
        """The game's options."""
        return CorellianSpikeOptions(num_players=self.players, reward=self.reward, zeros=self.zeros)


CREDITS, WEIGHTED, FOUR = Case(), Case(reward="weighted"), Case(players=4, reward="weighted")
PAPER_CASES = {"2 players, credits": CREDITS, "2 players, weighted": WEIGHTED, "4 players, weighted": FOUR}
WAYS: dict[str, dict[str, Any]] = {
    "published": {},
    "65 cards": {"zeros": 5},
    "program": {"zeros": 5, "recording": "published"},
    "legal": {"exploration": "legal"},
}
"""In what the cases differ from the paper's rules with the program's exploration."""
SHOWN = ("published", "program", "legal")
"""The columns of the page's tables. `65 cards` parts the two changes of `program`, and is shown by what it explains."""


def in_way(case: Case, way: str) -> Case:
    """Return a case of the paper in one of `WAYS`."""
    return replace(case, **WAYS[way])


CONNECTED = replace(CREDITS, recording="connected")
CASES = (*(in_way(case, way) for way in WAYS for case in PAPER_CASES.values()), CONNECTED)


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A run of batch Q-learning.

    Attributes:
        case: the case.
        policies: the policies by iteration: every fifth, and the last; each is (states,) int8 actions by state index.
        met: whether each state was met, (states,) bool.
        visited: how many states each iteration visited.
        transitions: how many transitions all iterations learned from.
        seconds: its processor time.
    """

    case: Case
    policies: dict[int, npt.NDArray[np.int8]]
    met: npt.NDArray[np.bool_]
    visited: list[int]
    transitions: int
    seconds: float

    @property
    def last(self) -> int:
        """The last iteration."""
        return max(self.policies)

    @property
    def final(self) -> TablePlayer:
        """The policy of the last iteration."""
        return self._player(self.last)

    @property
    def intermediate(self) -> TablePlayer:
        """The paper's intermediate policy, of half the iterations."""
        return self._player(min(self.policies, key=lambda iteration: abs(iteration - self.last / 2)))

    def _player(self, iteration: int) -> TablePlayer:
        return TablePlayer(f"iteration {iteration}", self.policies[iteration])


def train_case(case: Case, seed: int, scale: Scale) -> TrainingRun:
    """Run batch Q-learning."""
    start = time.process_time()
    config = BatchQConfig(
        seed=seed,
        exploration=case.exploration,
        recording=case.recording,
        num_iterations=scale.iterations,
        games_per_iteration=scale.training_games,
    )
    run = BatchQ(case.options, config)
    policies, visited, transitions = {0: run.actions.copy()}, [], 0
    while run.iteration < scale.iterations:
        run.iterate()
        visited.append(run.visited)
        transitions += run.transitions
        if run.iteration % 5 == 0 or run.iteration == scale.iterations:
            policies[run.iteration] = run.actions.copy()
    return TrainingRun(case, policies, run.met, visited, transitions, time.process_time() - start)


# -- matches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """One player's credits a game, percent of the hands (in other games, of the games), and busts in 2,000 games."""

    credits: float
    hands: float
    busts: float


def play(options: Options, players: Sequence[PlayerSpec], games: int, seed: int, env_id: str = ENV) -> list[Score]:
    """Play a match for credits, whatever reward the players learned from; a score for each player."""
    if isinstance(options, CorellianSpikeOptions):
        options = replace(options, reward="net")
    report = evaluate(env_id, options, players, games=games, seed=seed)
    return [
        Score(one.mean_return, 100 * one.win_rate, one.metrics.get("bust_games", 0.0) / report.games * 2000)
        for one in report.players
    ]


# -- tabular Q-learning -----------------------------------------------------------------------------------------------

STATE_MODELS = {
    "": "the paper's code",
    "cards": "three cards for their sum",
    "spikes": "code and the opponent's spike",
    "odds": "code and a belief over the opponent's hand",
}
"""Observations of the tabular trainings, and what the page calls them; the first is the game's own numbering."""

BEST_HAND = CorellianSpikeOptions(betting="no", hands=1, credits=48)
"""One hand without the credit aspect: nobody bets, cards are free, and the best hand wins."""

LEDUC = "LeducPoker-v0"


@dataclass(frozen=True)
class TabularResult:
    """How many states a tabular training met, and its scores against its judges."""

    states: int
    scores: list[Score]


def train_tabular(
    scale: Scale,
    seed: int,
    observation: str,
    opponent: PlayerSpec,
    judges: Sequence[PlayerSpec],
    options: Options,
    env_id: str = ENV,
) -> TabularResult:
    """Run tabular Q-learning against a fixed player, then match the learner with others.

    Args:
        scale: how long it learns, and the games of each match.
        seed: decides the training and the matches.
        observation: what the learner sees; empty for the game's own numbering of states.
        opponent: whom it learns to beat.
        judges: whom it is matched with.
        options: the game's options.
        env_id: the game.
    """
    config = TabularConfig(
        env_id=env_id, observation=observation, seed=seed, total_steps=scale.decisions,
        table_size=min(scale.decisions, 6_000_000),  # A decision adds one pair at most.
        terminal_on_deal_end=True, learning_rate=0.1, learning_rate_final=0.005, exploration_initial_eps=0.9,
        exploration_final_eps=0.05, exploration_fraction=0.8,
    )  # fmt: skip
    learner = TabularLearner(find(env_id), options, config, opponents={opponent: 1.0})
    learner.advance(scale.decisions)
    scores = [play(options, [learner.player(), judge], scale.games, seed, env_id)[0] for judge in judges]
    return TabularResult(learner.states, scores)
