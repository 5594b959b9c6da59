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
)
from cardgym.games.corellian_spike.state_index import digits_of, info_state_keys
from cardgym.papers.corellian_spike.experiments import Results
from cardgym.papers.corellian_spike.runs import Case, Scale, Score, TrainingRun
from cardgym.statistics import Estimate, mean_over_runs

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
def enumerated_states(case: Case) -> EnumeratedStates:
    """The states of a case."""
    digits = digits_of(info_state_keys(case.options))
    return EnumeratedStates(digits.decision, digits.round, (digits.decision == PLACING) | (digits.extra == 0))


def action_shares(
    case: Case, run: TrainingRun, decision: int, round: int | None, iteration: int, among: npt.NDArray[np.bool_]
) -> dict[int, float]:
    """The share of each action over the states of a decision in a round (None for all rounds), among some states."""
    states = enumerated_states(case)
    chosen = (states.decisions == decision) & among
    if round is not None:
        chosen &= states.rounds == round
    actions = run.policies[iteration][chosen]
    return {action: float((actions == action).mean()) if len(actions) else np.nan for action in DECISIONS[decision][1]}


def mixed(scores: list[Score], read: Callable[[Score], float], player: int) -> float:
    """What the paper's program reports for a player of a match in which the seats are drawn.

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
        """The estimate of what `read` returns for the scores of a match."""
        return mean_over_runs([read(scores) for scores in self.results.scores[key]])

    def credits(self, *key: object) -> Estimate:
        """Credits that the first player of a match won a game."""
        return self.of(key, lambda scores: scores[0].credits)

    def hands(self, *key: object) -> Estimate:
        """Percent of the hands that the first player of a match won."""
        return self.of(key, lambda scores: scores[0].hands)

    def share(
        self, case: Case, decision: int, action: int, among: str = "all", *, round: int | None = None,
        iteration: int | None = None,
    ) -> Estimate:  # fmt: skip
        """Percent of the states in which policies take an action; the final ones unless an iteration is named.

        Args:
            case: whose policies.
            decision: the decision of the states.
            action: the action.
            among: `all` states of the enumeration, or those `met` in training.
            round: their round; all rounds if None.
            iteration: the iteration of the policies.
        """
        return self.over_runs(case, lambda run: self.run_share(case, run, decision, action, among, round, iteration))

    def over_runs(self, case: Case, read: Callable[[TrainingRun], float]) -> Estimate:
        """The estimate of what `read` returns for a training run."""
        return mean_over_runs([read(run) for run in self.results.runs[case]])

    @staticmethod
    def run_share(
        case: Case, run: TrainingRun, decision: int, action: int, among: str = "all", round: int | None = None,
        iteration: int | None = None,
    ) -> float:  # fmt: skip
        """`share` of one run."""
        rows = np.ones(len(run.met), np.bool_) if among == "all" else run.met
        return (
            100 * action_shares(case, run, decision, round, run.last if iteration is None else iteration, rows)[action]
        )
