"""The numbers of the page: means over training runs with their intervals, and the shares of actions in policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.games.corellian_spike.state import (
    BUY,
    DISCARD,
    DONT_BUY,
    FOLD,
    MATCH,
    RAISE,
    SWAP_HIGH,
    SWAP_LOW,
    SWAP_SPIKE,
    CorellianSpikeOptions,
)
from cardgym.games.corellian_spike.state_index import digits_of, info_state_keys
from cardgym.papers.corellian_spike.experiments import Results
from cardgym.papers.corellian_spike.runs import SHOWN, Case, Scale, Score, TrainingRun, in_way
from cardgym.statistics import Estimate, mean_estimate

BETTING, BUYING, PLACING = 1, 2, 3
"""Decisions, numbered as in the paper's code."""

DECISIONS = {
    BETTING: ("betting", {RAISE: "raise", MATCH: "match", FOLD: "fold"}),
    BUYING: ("buying", {BUY: "buy", DONT_BUY: "don't buy"}),
    PLACING: ("placing", {DISCARD: "discard", SWAP_SPIKE: "swap spike", SWAP_LOW: "swap low", SWAP_HIGH: "swap high"}),
}


class EnumeratedStates(NamedTuple):
    """The states of the paper's enumeration, by index.

    Attributes:
        decisions: the decision in each state, (states,) int64; 0 at the end.
        rounds: its round, (states,) int64.
        reachable: whether play can reach it, (states,) bool. A seat places a bought card at once, so the codes of
            betting and buying with a bought card are never met.
    """

    decisions: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    reachable: npt.NDArray[np.bool_]


@cache
def enumerated_states(players: int) -> EnumeratedStates:
    """Return the states with so many players."""
    digits = digits_of(info_state_keys(CorellianSpikeOptions(num_players=players)))
    return EnumeratedStates(digits.decision, digits.round, (digits.decision == PLACING) | (digits.extra == 0))


@cache
def _places(players: int, decision: int, round: int | None) -> npt.NDArray[np.int64]:
    states = enumerated_states(players)
    return np.flatnonzero((states.decisions == decision) & ((states.rounds == round) | (round is None)))


def share(
    run: TrainingRun, decision: int, action: int, round: int | None = None, iteration: int | None = None, *,
    met: bool = False,
) -> float:  # fmt: skip
    """Percent of the states of a decision in which a run's policy takes an action.

    Args:
        run: the run.
        decision: the decision.
        action: the action.
        round: the round of the states; all rounds if None.
        iteration: the policy's iteration; the last if None.
        met: only of the states that the run has met, instead of all states of the enumeration.
    """
    places = _places(run.case.players, decision, round)
    places = places[run.met[places]] if met else places
    actions = run.policies[run.last if iteration is None else iteration][places]
    return 100 * float((actions == action).mean()) if len(actions) else np.nan


def mixed(scores: list[Score], read: Callable[[Score], float], player: int) -> float:
    """Return what the paper's program reports for a player of a match in which the seats are drawn.

    It gives policy number `order[seat]` to each seat, but credits policy p with what seat `order[p]` won, which has
    policy `order[order[p]]`. That is p itself in 2 of n permutations of n seats, else each other policy equally often.
    """
    values, n = [read(score) for score in scores], len(scores)
    return 2 / n * values[player] + (1 - 2 / n) * (sum(values) - values[player]) / (n - 1)


@dataclass(frozen=True)
class Numbers:
    """What the sections of the page read from the results.

    Attributes:
        results: the results of all experiments.
        scale: how much was done.
    """

    results: Results
    scale: Scale

    def of(self, key: tuple[object, ...], read: Callable[[list[Score]], float]) -> Estimate:
        """Return the estimate of what `read` returns for the scores of a match."""
        return mean_estimate([read(scores) for scores in self.results.scores[key]])

    def matches(self, key: tuple[object, ...], read: Callable[[list[Score]], float]) -> list[Estimate]:
        """Return the same in each way that is shown, which ends the match's key."""
        return [self.of((*key, way), read) for way in SHOWN]

    def runs(self, read: Callable[..., float], *cases: Case) -> list[Estimate]:
        """Return the estimate, in each way that is shown, of what `read` returns for a training run of each case."""
        runs = self.results.runs
        return [mean_estimate([*map(read, *(runs[in_way(case, way)] for case in cases))]) for way in SHOWN]
