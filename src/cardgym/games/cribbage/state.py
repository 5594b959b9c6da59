"""The state of a game of cribbage, its options, and the numbers of actions, phases and kinds of points.

A card is 13 x suit + rank (`cards.py`). A player's cards are kept sorted by rank, then suit, so the first card is the
one that most easily fits the count.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from cardgym.engine.contract import Int8s, Options, State, choice, number
from cardgym.games.cribbage.cards import CARDS, EMPTY, RANKS

NUM_TOSSES = 15
NUM_ACTIONS = CARDS + NUM_TOSSES
"""Actions 0 .. 51 play that card; action 52 + t makes discard number t."""

TOSSES = np.array(list(combinations(range(6), 2)), np.uint8)
"""(15, 2), uint8: the places of the two cards of each discard among the six: (0, 1), (0, 2), .. (4, 5)."""
KEPT = np.array([[place for place in range(6) if place not in toss] for toss in TOSSES.tolist()], np.uint8)
"""(15, 4), uint8: the places of the four cards that each discard keeps."""


class Pack(NamedTuple):
    """A pack of cards, and how many of them a seat is dealt and keeps.

    Attributes:
        ranks: the ranks of the pack.
        suits: the number of its suits.
        dealt: cards dealt to a seat, at most six.
        kept: cards kept of them; one or two others go to the crib.
    """

    ranks: str
    suits: int
    dealt: int
    kept: int


FULL, MINI = range(2)
PACKS = (Pack(RANKS, 4, 6, 4), Pack("69TJ", 2, 3, 2))
"""The packs by their numbers, `FULL` and `MINI`."""


def _pack_cards() -> Int8s:
    cards = np.full((len(PACKS), CARDS), EMPTY, np.int8)
    for row, pack in zip(cards, PACKS, strict=True):
        numbers = [13 * suit + RANKS.index(rank) for suit in range(pack.suits) for rank in pack.ranks]
        row[: len(numbers)] = numbers
    return cards


def _toss_places() -> Int8s:
    places = np.full((len(PACKS), NUM_TOSSES, 6), 5, np.int8)
    places[FULL] = np.concatenate([TOSSES, KEPT], axis=1)
    for tossed in range(PACKS[MINI].dealt):
        kept = [place for place in range(PACKS[MINI].dealt) if place != tossed]
        places[MINI, tossed, [0, 2, 3]] = tossed, *kept
    return places


PACK_CARDS = _pack_cards()
"""(packs, 52), int8: the cards of each pack, then EMPTY."""
PACK_SIZE = np.count_nonzero(PACK_CARDS != EMPTY, axis=1).astype(np.int8)
PACK_RANKS = np.array([sum(pack.suits << 4 * RANKS.index(rank) for rank in pack.ranks) for pack in PACKS], np.int64)
"""(packs,), int64: the number of cards of each rank, four bits per rank, the ace's lowest."""
PACK_DEALT = np.array([pack.dealt for pack in PACKS], np.int8)
PACK_KEPT = np.array([pack.kept for pack in PACKS], np.int8)
PACK_TOSSES = np.array([NUM_TOSSES, PACKS[MINI].dealt], np.int8)
"""The number of ways to discard; the first ones are legal."""
TOSS_PLACES = _toss_places()
"""(packs, 15, 6), int8: by discard, the places of two cards discarded and of four kept; 5, which is empty, for none."""

CUTS = 46
"""Cards that can be turned up, for a player who has seen six."""

CUTTING, DEALING, TOSSING, STARTER, PLAYING, OVER = range(6)
"""Phases. A player decides at TOSSING and PLAYING, chance at CUTTING, DEALING and STARTER."""

WIN, POINTS, GAMES = range(3)
"""Values of `reward`."""

SKUNK, DOUBLE_SKUNK = 31, 61
"""A loser who still needs this many points is skunked, or doubly skunked: at 90 and 60 of 121."""


def games_lost(target: int, lacks: int) -> int:
    """Return the games that a loser who still needs `lacks` points loses: 2 for a skunk, 4 for a double skunk, else 1.

    Source: Bicycle, "How to play cribbage". Below 62 points nobody is skunked.
    """
    if target <= DOUBLE_SKUNK or lacks < SKUNK:
        return 1
    return 2 if lacks < DOUBLE_SKUNK else 4


PONE_PEGGING, PONE_HAND, DEALER_PEGGING, DEALER_HAND, CRIB, HEELS = range(6)
"""The kinds of points: the columns of `tally`. The crib and the heels are always the dealer's."""

STATE = np.dtype(
    [
        # The options, written once.
        ("num_players", np.int32),
        ("target", np.int16),
        ("deals", np.int16),
        ("reward", np.int8),
        ("pack", np.int8),
        # The game.
        ("dealer", np.int8),  # EMPTY until the cut decides.
        ("deal_number", np.int16),  # Deals finished.
        ("scores", np.int16, (2,)),
        ("tally", np.int16, (2, 6)),  # The same points by kind.
        ("cuts", np.int8, (2,)),  # The cards cut for the first deal.
        # The deal.
        ("phase", np.int8),
        ("turn", np.int8),  # The seat that decides, cuts or is dealt a card next.
        ("starter", np.int8),
        ("hand_size", np.int8, (2,)),
        ("hand", np.int8, (2, 6)),  # Cards in hand, sorted, then EMPTY.
        ("kept", np.int8, (2, 4)),  # The four cards kept, sorted, for the show ...
        ("shows", np.int8, (2,)),  # ... and their points, set when the starter is turned up.
        ("crib", np.int8, (4,)),  # Two places for seat 0's discard, then two for seat 1's.
        ("num_played", np.int8),
        ("played", np.int8, (8,)),  # All cards played, in order ...
        ("played_by", np.int8, (8,)),  # ... and the seats that played them.
        ("count", np.int8),
        ("pile_size", np.int8),
        ("pile", np.int8, (8,)),  # The ranks played since the last restart, in order.
        ("next_points", np.int64),  # Points for pairs or a run by the rank played next: four bits per rank.
        ("said_go", np.int8, (2,)),  # 1 if the seat said go on this pile.
        ("floor", np.int8, (2,)),  # The lowest possible worth (1 .. 10) of the seat's cards, by its goes.
        ("deck_size", np.int8),
        ("deck", np.int8, (CARDS,)),
        ("paid", np.float32, (2,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class CribbageOptions(Options):
    target: int = number(121, 1, 1000, help="points that win the game")
    deals: int = number(0, 0, 1000, help="most deals in a game; 0 for as many as it takes to reach the target")
    reward: str = choice(
        "win", "points", "games",
        help="1 or -1 at the end; the points scored minus the opponent's; or games won: 2 for a skunk, 4 for a double",
    )  # fmt: skip

    pack: ClassVar[int] = FULL
    """The number of the pack in `PACKS`."""

    def write(self, state: State) -> None:
        super().write(state)
        state.pack = self.pack


class CribbageMiniOptions(CribbageOptions):
    pack = MINI


def invariants(state: State) -> tuple[int, ...]:
    """Get the number, sum and sum of squares of all cards, and each seat's points that are missing from its tally."""
    places = (*state.deck[: state.deck_size], *state.hand.flat, *state.crib, *state.played, state.starter)
    cards = [int(card) for card in places if card != EMPTY]
    if state.phase == CUTTING and state.turn == 1:
        cards.append(int(state.cuts[0]))
    first, second = (int(score) for score in state.scores - state.tally.sum(axis=1))
    return len(cards), sum(cards), sum(card**2 for card in cards), first, second
