"""The player `equilibrium`: tosses like `expert`, with an eye to the play, and plays the cards by the solved policy."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Options, rule
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.pegging.inference import choose_rank
from cardgym.games.cribbage.pegging.policy import PeggingPolicy, load_policy
from cardgym.games.cribbage.plain_observation import AT
from cardgym.games.cribbage.state import NUM_TOSSES
from cardgym.games.cribbage.strategies import kept_set
from cardgym.games.cribbage.toss_model import points_to_go_out, toss_worths

_PLAYING, _DEALER, _TO_GO, _HAND, _TOSSED = AT["playing"], AT["dealer"], AT["to_go"], AT["hand"], AT["tossed"]
_STARTER, _OPPONENT_CARDS, _OPPONENT_FLOOR = AT["starter"], AT["opponent_cards"], AT["opponent_floor"]
_COUNT, _PLAYED, _PLAYED_BY = AT["count"], AT["played"], AT["played_by"]


class EquilibriumPlayer:
    """A batch policy over the observation `plain`; it draws its cards at random where the policy does.

    Attributes:
        name: its name in reports.
        observation_name: the observation it reads.
        samples: whether it draws; without draws it plays the most probable card.
    """

    name = "equilibrium"
    observation_name: str | None = "plain"
    samples = True

    def __init__(self, policy: PeggingPolicy) -> None:
        self._policy = policy

    def act(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        draws: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.int64]:
        """An action for each row, (rows,) int64, drawn with its draw from [0, 1), the most probable one without."""
        actions = np.empty(len(observations), np.int64)
        greedy = np.full(len(observations), -1.0) if draws is None else np.asarray(draws)
        _act(np.ascontiguousarray(observations), greedy, self._policy, new_buffers(), actions)
        return actions


def make_player(options: Options) -> EquilibriumPlayer:
    """The player, with the policy that comes with the game."""
    return EquilibriumPlayer(_shipped())


@functools.cache
def _shipped() -> PeggingPolicy:
    return load_policy()


class Buffers(NamedTuple):
    """Memory that a decision overwrites."""

    ranks: npt.NDArray[np.int8]
    played: npt.NDArray[np.int8]
    played_by: npt.NDArray[np.int8]
    known: npt.NDArray[np.int8]
    cards: npt.NDArray[np.int8]
    values: npt.NDArray[np.float64]
    worths: npt.NDArray[np.float32]


def new_buffers() -> Buffers:
    """Memory for `decide`."""
    return Buffers(
        np.empty(4, np.int8),
        np.empty(8, np.int8),
        np.empty(8, np.int8),
        np.empty(13, np.int8),
        np.empty(6, np.int8),
        np.empty(13),
        np.empty(NUM_TOSSES, np.float32),
    )


@compiled
def _act(
    observations: npt.NDArray[np.float32], draws: npt.NDArray[np.float64], policy: PeggingPolicy, buffers: Buffers,
    actions: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    for row in range(observations.shape[0]):
        actions[row] = decide(observations[row], policy, draws[row], buffers)


@rule
def decide(seen: npt.NDArray[np.float32], policy: PeggingPolicy, draw: float, buffers: Buffers) -> int:
    """The action of `equilibrium`.

    Args:
        seen: the observation `plain`.
        policy: the solved play.
        draw: uniform in [0, 1), to choose by; -1 for the most probable card.
        buffers: what `new_buffers` returns.
    """
    cards, ranks = buffers.cards, buffers.ranks
    for place in range(6):
        cards[place] = np.int8(seen[_HAND + place])
    if seen[_PLAYING] == 0.0:
        return CARDS + _toss(seen, cards, policy, buffers.worths)
    size = 0
    while size < 4 and cards[size] >= 0:
        ranks[size] = cards[size] % 13
        size += 1
    rank = _play(seen, size, policy, draw, buffers)
    action = int(cards[0])
    for place in range(size):
        if ranks[place] == rank:
            action = int(cards[place])
    return action


@rule
def _toss(
    seen: npt.NDArray[np.float32], cards: npt.NDArray[np.int8], policy: PeggingPolicy, worths: npt.NDArray[np.float32]
) -> int:
    """The toss of the greatest worth: by the toss model, and by what the hand kept wins in the play."""
    dealer = int(seen[_DEALER])
    toss_worths(cards, dealer, points_to_go_out(dealer, int(seen[_TO_GO]), int(seen[_TO_GO + 1])), worths)
    best = 0
    for toss in range(NUM_TOSSES):
        worths[toss] = float(worths[toss]) + policy.worths[dealer, kept_set(cards, toss)]
        if worths[toss] > worths[best]:
            best = toss
    return best


@rule
def _play(seen: npt.NDArray[np.float32], size: int, policy: PeggingPolicy, draw: float, buffers: Buffers) -> int:
    dealer = int(seen[_DEALER])
    ranks, played, played_by, known = buffers.ranks, buffers.played, buffers.played_by, buffers.known
    for rank in range(13):
        known[rank] = 0
        buffers.values[rank] = 0.0
    for place in range(size):
        known[ranks[place]] += 1
    for place in range(2):
        known[int(seen[_TOSSED + place]) % 13] += 1
    known[int(seen[_STARTER]) % 13] += 1
    num_played = 0
    while num_played < 8 and seen[_PLAYED + num_played] >= 0.0:
        rank = int(seen[_PLAYED + num_played]) % 13
        mine = seen[_PLAYED_BY + num_played] == 1.0
        played[num_played] = rank
        played_by[num_played] = dealer if mine else 1 - dealer
        known[rank] += 1 if mine else 0
        num_played += 1
    count, theirs, floor = int(seen[_COUNT]), int(seen[_OPPONENT_CARDS]), int(seen[_OPPONENT_FLOOR])
    return choose_rank(
        policy, ranks, size, theirs, floor, dealer, count, played, played_by, num_played, known, draw, buffers.values
    )
