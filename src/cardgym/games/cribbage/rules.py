"""The rules of cribbage for two players, card by card.

Source: the American Cribbage Congress rules, as Lang, "Machine Learning Strategies in Cribbage" (2017), section 1.1.1
and appendix A, sums them up. A card is 13 x suit + rank (`cards.py`). A player's cards are kept sorted by rank, then
suit, so that the first is the one most easily played.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Options, Record, choice, number, rule
from cardgym.games.cribbage.cards import CARDS, JACK
from cardgym.games.cribbage.ranks import EMPTY, rank_of, sort_six, worth
from cardgym.games.cribbage.scoring import points_of_next, score_crib, score_hand

NUM_TOSSES = 15
NUM_ACTIONS = CARDS + NUM_TOSSES  # Card `action` is played; or, from 52 on, toss number action - 52 is made.
TOSSES = np.array(list(combinations(range(6), 2)), np.uint8)
"""(15, 2): the places of the two cards of each toss among the six, (0, 1), (0, 2), .. (4, 5)."""

# Phases. At TOSSING and PLAYING a player decides; at CUTTING, DEALING and STARTER chance does.
CUTTING, DEALING, TOSSING, STARTER, PLAYING, OVER = range(6)

WIN, POINTS = range(2)  # Option `reward`.

# What points were scored for, in the tally of each seat. Tossing to the own crib is the dealer's, PONE_* the other's.
PONE_PEGGING, PONE_HAND, DEALER_PEGGING, DEALER_HAND, CRIB, HEELS = range(6)

STATE = np.dtype(
    [
        # Options, written once.
        ("num_players", np.int32),
        ("target", np.int16),
        ("deals", np.int16),
        ("reward_model", np.int8),
        # The game.
        ("dealer", np.int8),  # EMPTY until the cut has found one.
        ("deal_number", np.int16),  # Deals finished.
        ("scores", np.int16, (2,)),
        ("tally", np.int16, (2, 6)),  # The same points by what they were scored for.
        ("cuts", np.int8, (2,)),  # The cards cut for the first deal.
        # The deal.
        ("phase", np.int8),
        ("turn", np.int8),  # The seat to decide, to cut or to be dealt a card.
        ("starter", np.int8),
        ("hand_size", np.int8, (2,)),
        ("hand", np.int8, (2, 6)),  # Cards in hand, sorted; EMPTY behind them.
        ("kept", np.int8, (2, 4)),  # The four kept, sorted: what the show counts ...
        ("shows", np.int8, (2,)),  # ... and what it will count for them, once the starter is known.
        ("crib", np.int8, (4,)),  # Seat 0's two tosses, then seat 1's.
        ("num_played", np.int8),
        ("played", np.int8, (8,)),  # All cards played, in order ...
        ("played_by", np.int8, (8,)),  # ... and the seats that played them.
        ("count", np.int8),
        ("pile_size", np.int8),
        ("pile", np.int8, (8,)),  # The ranks played since the last restart, in order.
        ("next_points", np.int64),  # For pairs or a run, if a rank is played next: four bits a rank.
        ("said_go", np.int8, (2,)),  # 1 if the seat could not play on this pile.
        ("floor", np.int8, (2,)),  # The least worth (1 .. 10) that the seat's cards can have, by its go's.
        ("deck_size", np.int8),
        ("deck", np.int8, (CARDS,)),
        ("reward", np.float32, (2,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class CribbageOptions(Options):
    """The options of cribbage."""

    target: int = number(121, 1, 1000, help="points that win the game")
    deals: int = number(0, 0, 1000, help="deals a game has at most, 0 for as many as it takes to reach the target")
    reward: str = choice("win", "points", help="1 or -1 at the end, or the points scored minus the opponent's")

    def write(self, state: Record) -> None:
        """Write the options; the reward model goes by another name than the reward itself."""
        state.num_players = self.num_players
        state.target = self.target
        state.deals = self.deals
        state.reward_model = WIN if self.reward == "win" else POINTS


# -- the contract -----------------------------------------------------------------------------------------------------


@rule
def setup(state: Record) -> None:
    """Nobody has a point, and both are to cut for the deal."""
    state.deal_number = 0
    state.dealer = EMPTY
    for seat in range(2):
        state.scores[seat] = 0
        state.cuts[seat] = EMPTY
        state.reward[seat] = 0.0
        for kind in range(6):
            state.tally[seat, kind] = 0
    _clear_table(state)
    state.phase = CUTTING
    state.turn = 0


@rule
def num_chance_outcomes(state: Record) -> int:
    """Cards left to cut or to deal; 0 at a decision or at the end."""
    phase = state.phase
    if phase == TOSSING or phase == PLAYING or phase == OVER:
        return 0
    return int(state.deck_size)


@rule
def current_player(state: Record) -> int:
    """The seat to decide; -1 at the end."""
    return -1 if state.phase == OVER else int(state.turn)


@rule
def legal_action_mask(state: Record, mask: npt.NDArray[np.int8]) -> None:
    """Any two of six cards to toss, or any card in hand that the count has room for."""
    for action in range(CARDS):
        mask[action] = 0
    tossing = 1 if state.phase == TOSSING else 0
    for action in range(CARDS, NUM_ACTIONS):
        mask[action] = tossing
    if state.phase == PLAYING:
        seat = int(state.turn)
        room = 31 - int(state.count)
        for place in range(4):
            card = int(state.hand[seat, place])
            # No toss is legal now: the place of one takes what an empty place writes.
            mask[card & 63 if card != EMPTY else CARDS] = 1 if worth(card) <= room else 0


@rule
def apply_action(state: Record, move: int) -> None:
    """Play an action, or a chance outcome: a place in the pack."""
    state.reward[0] = 0.0
    state.reward[1] = 0.0
    phase = state.phase
    if phase == PLAYING:
        _play(state, move)
    elif phase == DEALING:
        _deal_card(state, _draw(state, move))
    elif phase == TOSSING:
        _toss(state, move - CARDS)
    elif phase == STARTER:
        _turn_starter(state, _draw(state, move))
    elif phase == CUTTING:
        _cut(state, _draw(state, move))


@rule
def deal(state: Record) -> int:
    """The pack is shuffled for every deal; the cut for the first deal belongs to that deal."""
    return int(state.deal_number)


@rule
def forfeit(state: Record, seat: int) -> float:
    """Who gives up loses; where points count, the opponent is given all that were left to the target."""
    if state.reward_model == POINTS:
        return -float(state.target - state.scores[1 - seat])
    return -1.0


@rule
def score(state: Record, seat: int) -> float:
    """1 for the player with more points at the end, a half each if they have as many."""
    if state.scores[seat] == state.scores[1 - seat]:
        return 0.5
    return 1.0 if state.scores[seat] > state.scores[1 - seat] else 0.0


@rule
def max_score(state: Record) -> float:
    """One game."""
    return 1.0


# -- figures for the arena's report -----------------------------------------------------------------------------------


@rule
def points(state: Record, seat: int) -> float:
    """The points of the seat at the end."""
    return float(state.scores[seat])


@rule
def pegging_points(state: Record, seat: int) -> float:
    """The points the seat has scored in the play."""
    return float(int(state.tally[seat, PONE_PEGGING]) + int(state.tally[seat, DEALER_PEGGING]))


@rule
def hand_points(state: Record, seat: int) -> float:
    """The points of the seat's hands."""
    return float(int(state.tally[seat, PONE_HAND]) + int(state.tally[seat, DEALER_HAND]))


@rule
def crib_points(state: Record, seat: int) -> float:
    """The points of the seat's cribs."""
    return float(state.tally[seat, CRIB])


@rule
def heels_points(state: Record, seat: int) -> float:
    """The points the seat has had for jacks turned up."""
    return float(state.tally[seat, HEELS])


# -- the cut and the deal ---------------------------------------------------------------------------------------------


@rule
def _cut(state: Record, card: int) -> None:
    """Each cuts a card; the lower rank deals, and equal ranks cut again from the whole pack."""
    state.cuts[state.turn] = card
    if state.turn == 0:
        state.turn = 1
        return
    _fill_deck(state)
    first = rank_of(state.cuts[0])
    second = rank_of(state.cuts[1])
    if first == second:
        state.turn = 0
        return
    state.dealer = 0 if first < second else 1
    state.phase = DEALING
    state.turn = 1 - state.dealer


@rule
def _fill_deck(state: Record) -> None:
    for card in range(CARDS):
        state.deck[card] = card
    state.deck_size = CARDS


@rule
def _clear_table(state: Record) -> None:
    _fill_deck(state)
    state.starter = EMPTY
    state.num_played = 0
    for seat in range(2):
        state.shows[seat] = 0
        state.hand_size[seat] = 0
        state.floor[seat] = 1
        for place in range(6):
            state.hand[seat, place] = EMPTY
        for place in range(4):
            state.kept[seat, place] = EMPTY
    for place in range(4):
        state.crib[place] = EMPTY
    for place in range(8):
        state.played[place] = EMPTY
        state.played_by[place] = EMPTY
    _clear_pile(state)


@rule
def _clear_pile(state: Record) -> None:
    state.count = 0
    state.pile_size = 0
    state.next_points = 0
    for place in range(8):
        state.pile[place] = EMPTY
    state.said_go[0] = 0
    state.said_go[1] = 0


@rule
def _draw(state: Record, place: int) -> int:
    card = state.deck[place]
    state.deck_size -= 1
    state.deck[place] = state.deck[state.deck_size]
    return int(card)


@rule
def _deal_card(state: Record, card: int) -> None:
    """Cards go to the pone and the dealer in turn, six each; they are sorted when all are dealt."""
    seat = int(state.turn)
    state.hand[seat, state.hand_size[seat]] = card
    state.hand_size[seat] += 1
    state.turn = 1 - seat
    if state.hand_size[0] + state.hand_size[1] == 12:
        sort_six(state.hand[0])
        sort_six(state.hand[1])
        state.phase = TOSSING
        state.turn = 0


@rule
def _toss(state: Record, toss: int) -> None:
    """Two cards go face down into the crib. Seat 0 is asked first, but neither sees what the other tosses."""
    seat = state.turn
    first = TOSSES[toss, 0]
    second = TOSSES[toss, 1]
    state.crib[2 * seat] = state.hand[seat, first]
    state.crib[2 * seat + 1] = state.hand[seat, second]
    size = 0
    for place in range(6):
        if place != first and place != second:
            state.kept[seat, size] = state.hand[seat, place]
            size += 1
    for place in range(4):
        state.hand[seat, place] = state.kept[seat, place]
    state.hand[seat, 4] = EMPTY
    state.hand[seat, 5] = EMPTY
    state.hand_size[seat] = 4
    if seat == 0:
        state.turn = 1
    else:
        state.phase = STARTER
        state.turn = 1 - state.dealer


@rule
def _turn_starter(state: Record, card: int) -> None:
    state.starter = card
    for seat in range(2):
        state.shows[seat] = score_hand(state.kept[seat], card)
    state.phase = PLAYING
    if rank_of(card) == JACK:
        _score(state, state.dealer, HEELS, 2)


# -- the play ---------------------------------------------------------------------------------------------------------


@rule
def _play(state: Record, card: int) -> None:
    """A card is played and scored at once, together with 31, go or last card if it comes to that."""
    seat = int(state.turn)
    other = 1 - seat
    points = points_for(state, card)
    _take_from_hand(state, seat, card)
    state.played[state.num_played] = card
    state.played_by[state.num_played] = seat
    state.num_played += 1
    state.pile[state.pile_size] = rank_of(card)
    state.pile_size += 1
    state.count += worth(card)
    ends = True
    if state.count == 31:
        pass
    elif can_play(state, other):
        state.turn = other
        ends = False
    else:
        _say_go(state, other)
        if can_play(state, seat):
            ends = False
        else:
            points += 1
            _say_go(state, seat)
    _score(state, seat, PONE_PEGGING if seat != state.dealer else DEALER_PEGGING, points)
    if state.phase == OVER:
        return
    if not ends:
        state.next_points = points_of_next(state.pile, state.pile_size)
        return
    if state.num_played == 8:
        _show(state)
        return
    _clear_pile(state)
    state.turn = other if state.hand_size[other] > 0 else seat


@rule
def _say_go(state: Record, seat: int) -> None:
    """Who has cards but none that fits shows thereby that all are worth more than the room left."""
    if state.hand_size[seat] > 0:
        state.said_go[seat] = 1
        state.floor[seat] = max(int(state.floor[seat]), 32 - int(state.count))


@rule
def _take_from_hand(state: Record, seat: int, card: int) -> None:
    found = 0
    for place in range(3):
        found |= 1 if state.hand[seat, place] == card else 0
        state.hand[seat, place] = state.hand[seat, place + found]
    state.hand[seat, 3] = EMPTY
    state.hand_size[seat] -= 1


@rule
def can_play(state: Record, seat: int) -> bool:
    """Whether the seat has a card that the count has room for: its lowest is the first to look at."""
    return bool(state.hand_size[seat] > 0 and worth(state.hand[seat, 0]) <= 31 - state.count)


# -- the show and the end ---------------------------------------------------------------------------------------------


@rule
def _show(state: Record) -> None:
    """Count the pone's hand, the dealer's hand and the crib, in this order, until someone is out."""
    dealer = state.dealer
    pone = 1 - dealer
    _score(state, pone, PONE_HAND, state.shows[pone])
    if state.phase != OVER:
        _score(state, dealer, DEALER_HAND, state.shows[dealer])
    if state.phase != OVER:
        _score(state, dealer, CRIB, score_crib(state.crib, state.starter))
    if state.phase == OVER:
        return
    state.deal_number += 1
    if state.deals > 0 and state.deal_number == state.deals:
        _finish(state)
        return
    _clear_table(state)
    state.dealer = pone
    state.phase = DEALING
    state.turn = dealer


@rule
def _score(state: Record, seat: int, kind: int, points: int) -> None:
    """Move the seat's peg. It stops in the last hole: points beyond the target are not counted."""
    points = min(int(points), int(state.target - state.scores[seat]))
    state.scores[seat] += points
    state.tally[seat, kind] += points
    if state.reward_model == POINTS:
        state.reward[seat] += points
        state.reward[1 - seat] -= points
    if state.scores[seat] >= state.target:
        _finish(state)


@rule
def _finish(state: Record) -> None:
    state.phase = OVER
    if state.reward_model == WIN and state.scores[0] != state.scores[1]:
        leader = 0 if state.scores[0] > state.scores[1] else 1
        state.reward[leader] = 1.0
        state.reward[1 - leader] = -1.0


@rule
def points_for(state: Record, card: int) -> int:
    """What playing `card` scores at once: fifteen, pairs, runs and 31, but no go or last card."""
    return points_of(int(state.next_points), int(state.count), card)


@rule
def points_of(next_points: int, count: int, card: int) -> int:
    """`points_for` a card on a pile of which this much is known: see `points_of_next`."""
    after = count + worth(card)
    points = next_points >> 4 * rank_of(card) & 15
    return points + (2 if after == 15 else 0) + (2 if after == 31 else 0)
