"""The parts of the paper's experiments: batch Q-learning of each case, matches, and tabular Q-learning on top."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cardgym.arena import evaluate
from cardgym.engine.registry import find
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.papers.corellian_spike.batch_q import ENV, BatchQ, BatchQConfig, Exploration
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
        deep_seeds: matches of a deep agent with each opponent, on other deals.
        information_seeds: tabular trainings with each state model.
        budgets: decisions of a tabular training.
        processes: how many processes to use.
    """

    seeds: int = 5
    iterations: int = 50
    training_games: int = 2000
    games: int = 10_000
    base_seed: int = 0
    deep_seeds: int = 3
    information_seeds: int = 3
    budgets: tuple[int, ...] = (2_000_000, 10_000_000)
    processes: int = 2


# -- batch Q-learning -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A game and an exploration that batch Q-learning is run with."""

    players: int = 2
    reward: str = "credits"
    exploration: Exploration = "published"
    betting: str = "flat"

    @property
    def options(self) -> CorellianSpikeOptions:
        """The game's options."""
        return CorellianSpikeOptions(num_players=self.players, reward=self.reward, betting=self.betting)


CREDITS, WEIGHTED, FOUR = Case(), Case(reward="weighted"), Case(players=4, reward="weighted")
PAPER_CASES = (CREDITS, WEIGHTED, FOUR)


def legal(case: Case) -> Case:
    """The same case with legal exploration."""
    return Case(case.players, case.reward, "legal", case.betting)


def matched(case: Case) -> Case:
    """The same case with matched betting."""
    return Case(case.players, case.reward, case.exploration, "matched")


CASES = (*PAPER_CASES, *map(legal, PAPER_CASES), matched(CREDITS), matched(legal(CREDITS)))


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A run of batch Q-learning.

    Attributes:
        policies: the policies by iteration: every fifth, and the last; each is (states,) int8 actions by state index.
        met: whether each state was met, (states,) bool.
        seconds: its processor time.
    """

    policies: dict[int, npt.NDArray[np.int8]]
    met: npt.NDArray[np.bool_]
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
        num_iterations=scale.iterations,
        games_per_iteration=scale.training_games,
    )
    run = BatchQ(case.options, config)
    policies = {0: run.actions.copy()}
    while run.iteration < scale.iterations:
        run.iterate()
        if run.iteration % 5 == 0 or run.iteration == scale.iterations:
            policies[run.iteration] = run.actions.copy()
    return TrainingRun(policies, run.met, time.process_time() - start)


# -- matches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Match:
    """A match to be played; see `evaluate`."""

    options: CorellianSpikeOptions
    players: Sequence[PlayerSpec]
    games: int
    seed: int

    @property
    def compiled(self) -> bool:
        """Whether all players are played by compiled code: names and tables."""
        return all(isinstance(player, str | TablePlayer) for player in self.players)


@dataclass(frozen=True)
class Score:
    """One player's credits a game, share of hands won, busts in 2,000 games, and the 95 % interval of the credits."""

    credits: float
    hands: float
    bust: float
    interval: tuple[float, float]


def play(match: Match) -> list[Score]:
    """Play a match for credits, whatever reward the players learned from; a score for each player."""
    options = replace(match.options, reward="net")
    report = evaluate(ENV, options, match.players, games=match.games, seed=match.seed)
    return [
        Score(one.mean_return, one.win_rate, one.metrics["bust_games"] / report.games * 2000, one.mean_return_ci95)
        for one in report.players
    ]


# -- tabular Q-learning against a fixed policy ------------------------------------------------------------------------


@dataclass(frozen=True)
class TabularResult:
    """How many states a tabular training met, and its scores against its opponent, `initial` and `heuristic`."""

    states: int
    scores: list[Score]


def train_tabular(decisions: int, observation: str, seed: int, opponent: TablePlayer, games: int) -> TabularResult:
    """Run tabular Q-learning against a fixed policy, then match the learner with it and with players of the game.

    Args:
        decisions: how long it learns.
        observation: what the learner sees; empty for the paper's code.
        seed: decides the training and the matches.
        opponent: the policy.
        games: games of each match.
    """
    options = CorellianSpikeOptions(reward="credits")
    config = TabularConfig(
        env_id=ENV, observation=observation, seed=seed, total_steps=decisions,
        table_size=min(decisions, 6_000_000),  # A decision adds one pair at most.
        terminal_on_deal_end=True, learning_rate=0.1, learning_rate_final=0.005, exploration_initial_eps=0.9,
        exploration_final_eps=0.05, exploration_fraction=0.8,
    )  # fmt: skip
    learner = TabularLearner(find(ENV), options, config, opponents={opponent: 1.0})
    learner.advance(decisions)
    judges: tuple[PlayerSpec, ...] = (opponent, "initial", "heuristic")
    matches = [Match(options, [learner.player(), judge], games, seed) for judge in judges]
    return TabularResult(learner.states, [play(match)[0] for match in matches])
