"""The player `equilibrium`: tosses like `expert`, and plays the cards by the solved policy."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Options, rule
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.pegging.inference import choose_rank
from cardgym.games.cribbage.pegging.policy import PeggingPolicy, load_policy
from cardgym.games.cribbage.plain_observation import AT
from cardgym.games.cribbage.state import NUM_TOSSES
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
        _act(np.ascontiguousarray(observations), greedy, self._policy, actions)
        return actions


def make_player(options: Options) -> EquilibriumPlayer:
    """The player, with the policy that comes with the game."""
    return EquilibriumPlayer(_shipped())


@functools.cache
def _shipped() -> PeggingPolicy:
    return load_policy()


@compiled
def _act(
    observations: npt.NDArray[np.float32], draws: npt.NDArray[np.float64], policy: PeggingPolicy,
    actions: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    ranks = np.empty(4, np.int8)
    played = np.empty(8, np.int8)
    played_by = np.empty(8, np.int8)
    known = np.empty(13, np.int8)
    values = np.empty(13)
    worths = np.empty(NUM_TOSSES, np.float32)
    cards = np.empty(6, np.int8)
    for row in range(observations.shape[0]):
        seen = observations[row]
        for place in range(6):
            cards[place] = np.int8(seen[_HAND + place])
        if seen[_PLAYING] == 0.0:
            actions[row] = CARDS + _toss(seen, cards, worths)
            continue
        size = 0
        while size < 4 and cards[size] >= 0:
            ranks[size] = cards[size] % 13
            size += 1
        rank = _play(seen, ranks, size, policy, draws[row], played, played_by, known, values)
        actions[row] = cards[0]
        for place in range(size):
            if ranks[place] == rank:
                actions[row] = cards[place]


@rule
def _toss(seen: npt.NDArray[np.float32], cards: npt.NDArray[np.int8], worths: npt.NDArray[np.float32]) -> int:
    dealer = int(seen[_DEALER])
    toss_worths(cards, dealer, points_to_go_out(dealer, int(seen[_TO_GO]), int(seen[_TO_GO + 1])), worths)
    best = 0
    for toss in range(1, NUM_TOSSES):
        if worths[toss] > worths[best]:
            best = toss
    return best


@rule
def _play(
    seen: npt.NDArray[np.float32], ranks: npt.NDArray[np.int8], size: int, policy: PeggingPolicy, draw: float,
    played: npt.NDArray[np.int8], played_by: npt.NDArray[np.int8], known: npt.NDArray[np.int8],
    values: npt.NDArray[np.float64],
) -> int:  # fmt: skip
    dealer = int(seen[_DEALER])
    for rank in range(13):
        known[rank] = 0
        values[rank] = 0.0
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
    return choose_rank(
        policy, ranks, size, int(seen[_OPPONENT_CARDS]), int(seen[_OPPONENT_FLOOR]), dealer, int(seen[_COUNT]),
        played, played_by, num_played, known, draw, values,
    )  # fmt: skip
