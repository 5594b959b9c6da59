"""What a seat at cribbage knows, as numbers, and resampling what it does not know."""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import Feature, Float32s, Generator, Int64s, State, places, rule, uniform, write_zeros
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage.cards import CARDS, EMPTY, ONE_OF_RANK, rank_of, sort_in, sort_six, worth
from cardgym.games.cribbage.rules import can_play
from cardgym.games.cribbage.scoring import points_of, score_hand
from cardgym.games.cribbage.state import CribbageOptions
from cardgym.games.cribbage.tosses import crib_mean, hand_totals, small_means


def features(options: CribbageOptions) -> tuple[Feature, ...]:
    """Return the features of the observation `full`: ranks from the ace to the king, cards as 13 x suit + rank."""
    return (
        Feature("phase", "one-hot: discarding, playing", 2),
        Feature("dealer", "1 if this seat deals, so that the crib is its own"),
        Feature("scores", "score / target: own, the opponent's", 2),
        Feature("to_go", "points to the target / 30, at most 1: own, the opponent's", 2),
        Feature("deals_left", "deals not yet finished / deals; 0 where only the target ends the game"),
        Feature("cards_left", "cards in hand / 6: own, the opponent's", 2),
        Feature("opponent_tossed", "1 once the opponent has discarded"),
        Feature("first_dealer", "1 if this seat cut the lower card and dealt first"),
        Feature("hand", "1 for each card in the own hand", CARDS),
        Feature(
            "seen", "cards out of hand: starter 0.25, opponent's played 0.5, own played 0.75, own discards 1", CARDS
        ),
        Feature("hand_ranks", "own cards in hand of each rank / 4", 13),
        Feature("tossed_ranks", "own discards of each rank / 2", 13),
        Feature("starter_rank", "one-hot: the rank of the starter", 13),
        Feature("own_ranks", "own cards played of each rank / 4", 13),
        Feature("opponent_ranks", "the opponent's cards played of each rank / 4", 13),
        Feature("unseen_ranks", "cards of each rank not seen / 4", 13),
        Feature("pile", "cards since the restart, last one first: rank 1 .. 13 / 13, minus for the opponent's", 8, -1),
        Feature("count", "one-hot: the count, 0 .. 31", 32),
        Feature("said_go", "1 for a go on this pile: own, the opponent's", 2),
        Feature("opponent_floor", "each card of the opponent is worth more than 10 x this, by its goes"),
        Feature("points_now", "when playing: points / 14 for each rank now, with 31 but without go and last card", 13),
        Feature(
            "keep_mean",
            "when discarding: mean hand points / 10 of each discard over the cuts",
            cribbage.NUM_TOSSES,
            0,
            2.9,
        ),
        Feature(
            "crib_mean",
            "when discarding: mean crib points / 10 of each discard, minus if not own",
            cribbage.NUM_TOSSES,
            -1,
        ),
        Feature("own_show", "in the play: points / 10 of the own hand with the starter", 1, 0, 2.9),
    )


_AT = places(features(CribbageOptions()))
_SPARE = _AT.phase
"""Values of empty places are written here; it is overwritten last."""

# Multiplying is several times faster than dividing.
_SIXTH, _TENTH, _THIRTEENTH, _FOURTEENTH, _THIRTIETH = 1 / 6, 1 / 10, 1 / 13, 1 / 14, 1 / 30


@rule
def observe(state: State, seat: int, out: Float32s) -> None:
    """Write the observation `full` of `seat` to `out`, float32, as `features` lists it.

    No branch depends on a card: cards are random, so half of such branches would be mispredicted, which costs more than
    all the rest. Loops have a fixed length, and empty places write to `_SPARE`.
    """
    write_zeros(out, 0, out.shape[0])
    _write_cards(state, seat, out)
    _write_pile(state, seat, out)
    discards = state.phase == cribbage.TOSSING and state.turn == seat
    if discards and state.hand_size[seat] == cribbage.PACK_DEALT[state.pack]:
        _hint_tosses(state, seat, out)
    _write_standing(state, seat, out)


@rule
def _write_cards(state: State, seat: int, out: Float32s) -> None:
    """Write the cards that the seat has seen, also counted by rank in words with four bits for each."""
    hand = tossed = own = played = 0
    for place in range(6):
        card = int(state.hand[seat, place])
        out[_AT.hand + (card & 63) if card != EMPTY else _SPARE] = 1.0
        hand += int(ONE_OF_RANK[card & 63])
    for place in range(2):
        card = int(state.crib[2 * seat + place])
        out[_AT.seen + (card & 63) if card != EMPTY else _SPARE] = 1.0
        tossed += int(ONE_OF_RANK[card & 63])
    card = int(state.starter)
    begun = card != EMPTY
    starter = int(ONE_OF_RANK[card & 63])
    out[_AT.seen + (card & 63) if begun else _SPARE] = 0.25
    out[_AT.starter_rank + rank_of(card) if begun else _SPARE] = 1.0
    for place in range(8):
        card = int(state.played[place])
        mine = state.played_by[place] == seat
        card_of_rank = int(ONE_OF_RANK[card & 63])
        out[_AT.seen + (card & 63) if card != EMPTY else _SPARE] = 0.75 if mine else 0.5
        own += card_of_rank if mine else 0
        played += card_of_rank
    unseen = int(cribbage.PACK_RANKS[state.pack]) - hand - tossed - starter - played
    for rank in range(13):
        out[_AT.hand_ranks + rank] = 0.25 * (hand >> 4 * rank & 15)
        out[_AT.tossed_ranks + rank] = 0.5 * (tossed >> 4 * rank & 15)
        out[_AT.own_ranks + rank] = 0.25 * (own >> 4 * rank & 15)
        out[_AT.opponent_ranks + rank] = 0.25 * (played - own >> 4 * rank & 15)
        out[_AT.unseen_ranks + rank] = 0.25 * (unseen >> 4 * rank & 15)


@rule
def _write_pile(state: State, seat: int, out: Float32s) -> None:
    """Write the pile, and what the own cards would score on it."""
    size = int(state.pile_size)
    newest = int(state.num_played) - 1
    for back in range(8):
        there = back < size
        rank = 1 + int(state.pile[size - 1 - back & 7])
        mine = state.played_by[newest - back & 7] == seat
        out[_AT.pile + back] = ((rank if mine else -rank) if there else 0) * _THIRTEENTH
    count = int(state.count)
    out[_AT.count + (count & 31) if state.starter != EMPTY else _SPARE] = 1.0
    next_points = int(state.next_points)
    room = 31 - count if state.phase == cribbage.PLAYING and state.turn == seat else 0
    for place in range(4):
        card = int(state.hand[seat, place])
        fits = (card != EMPTY) & (worth(card) <= room)
        out[_AT.points_now + rank_of(card) if fits else _SPARE] = points_of(next_points, count, card) * _FOURTEENTH


@rule
def _write_standing(state: State, seat: int, out: Float32s) -> None:
    """Write the scores, the deal, and what the goes say."""
    other = 1 - seat
    out[_AT.said_go] = state.said_go[seat]
    out[_AT.said_go + 1] = state.said_go[other]
    out[_AT.opponent_floor] = (state.floor[other] - 1) * _TENTH
    out[_AT.own_show] = state.shows[seat] * _TENTH
    per_point = 1.0 / state.target
    out[_AT.phase] = 1.0 if state.phase == cribbage.TOSSING else 0.0
    out[_AT.phase + 1] = 1.0 if state.phase == cribbage.PLAYING else 0.0
    out[_AT.dealer] = 1.0 if state.dealer == seat else 0.0
    out[_AT.scores] = state.scores[seat] * per_point
    out[_AT.scores + 1] = state.scores[other] * per_point
    out[_AT.to_go] = min(int(state.target - state.scores[seat]), 30) * _THIRTIETH
    out[_AT.to_go + 1] = min(int(state.target - state.scores[other]), 30) * _THIRTIETH
    if state.deals > 0:
        out[_AT.deals_left] = (state.deals - state.deal_number) / float(state.deals)
    out[_AT.cards_left] = state.hand_size[seat] * _SIXTH
    out[_AT.cards_left + 1] = state.hand_size[other] * _SIXTH
    out[_AT.opponent_tossed] = 1.0 if state.crib[2 * other] != EMPTY else 0.0
    cut = (state.cuts[0] != EMPTY) & (state.cuts[1] != EMPTY)
    out[_AT.first_dealer] = 1.0 if cut & (rank_of(state.cuts[seat]) < rank_of(state.cuts[other])) else 0.0


@rule
def _hint_tosses(state: State, seat: int, out: Float32s) -> None:
    """Write the mean hand and the mean crib of each discard."""
    cards = state.hand[seat]
    own = 1 if state.dealer == seat else 0
    if state.pack != cribbage.FULL:
        hands = out[_AT.keep_mean : _AT.keep_mean + cribbage.NUM_TOSSES]
        cribs = out[_AT.crib_mean : _AT.crib_mean + cribbage.NUM_TOSSES]
        small_means(cards, state.pack, own, 0.1, hands, cribs)
        return
    hand_totals(cards, out[_AT.keep_mean : _AT.keep_mean + cribbage.NUM_TOSSES], 0.1 / cribbage.CUTS)
    scale = 0.1 if own else -0.1
    for toss in range(cribbage.NUM_TOSSES):
        out[_AT.crib_mean + toss] = crib_mean(cards, toss, own) * scale


# -- what a seat does not know ----------------------------------------------------------------------------------------


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Shuffle the pack and the opponent's hidden cards together and deal them again.

    The opponent's hand gets only cards that its goes allow; any others may be its discard.
    """
    other = 1 - seat
    # Sort the hidden cards first: the draw must not depend on where they are.
    unseen = np.zeros(CARDS, np.bool_)
    for place in range(state.deck_size):
        unseen[state.deck[place]] = True
    for place in range(state.hand_size[other]):
        unseen[state.hand[other, place]] = True
    for place in range(2 * other, 2 * other + 2):
        if state.crib[place] != EMPTY:
            unseen[state.crib[place]] = True
    hidden = np.flatnonzero(unseen)
    size = len(hidden)
    while True:
        size = _draw_hand(state, other, hidden, size, generator)
        if state.phase != cribbage.PLAYING or state.turn != other or can_play(state, other):
            break
        # On its turn the opponent must be able to play a card: draw again.
        for place in range(state.hand_size[other]):
            hidden[size] = state.hand[other, place]
            size += 1
    for last in range(size - 1, 0, -1):
        at = uniform(generator, last + 1)
        card = hidden[at]
        hidden[at] = hidden[last]
        hidden[last] = card
    if state.crib[2 * other] != EMPTY:
        for place in (2 * other + 1, 2 * other):
            if state.crib[place] != EMPTY:
                size -= 1
                state.crib[place] = hidden[size]
        kept = 0
        for place in range(state.hand_size[other]):
            sort_in(state.kept[other], kept, state.hand[other, place])
            kept += 1
        for place in range(state.num_played):
            if state.played_by[place] == other:
                sort_in(state.kept[other], kept, state.played[place])
                kept += 1
        if state.starter != EMPTY:
            state.shows[other] = score_hand(state.kept[other], state.starter)
    for place in range(state.deck_size):
        state.deck[place] = hidden[place]


@rule
def _draw_hand(state: State, other: int, hidden: Int64s, size: int, generator: Generator) -> int:
    """Draw the opponent's hand from the first `size` hidden cards; return how many are left."""
    for place in range(state.hand_size[other]):
        allowed = 0
        for at in range(size):
            if worth(hidden[at]) >= state.floor[other]:
                allowed += 1
        skip = uniform(generator, allowed)
        at = 0
        while worth(hidden[at]) < state.floor[other] or skip > 0:
            if worth(hidden[at]) >= state.floor[other]:
                skip -= 1
            at += 1
        sort_in(state.hand[other], place, hidden[at])
        size -= 1
        hidden[at] = hidden[size]
    return int(size)


@rule
def canonical(state: State) -> None:
    """Sort the pack, whose order is unknown to both seats, and hands that are still being dealt."""
    for place in range(1, state.deck_size):
        sort_in(state.deck, place, state.deck[place])
    for place in range(state.deck_size, CARDS):
        state.deck[place] = EMPTY
    if state.phase == cribbage.DEALING:
        sort_six(state.hand[0])
        sort_six(state.hand[1])


def plain_features(options: CribbageOptions) -> tuple[Feature, ...]:
    """Return the features of the observation `plain`: cards as 13 x suit + rank, -1 for none."""
    last = CARDS - 1
    return (
        Feature("playing", "1 in the play of the cards, 0 before it"),
        Feature("dealer", "1 if this seat deals, so that the crib is its own"),
        Feature("to_go", "points to the target: own, the opponent's", 2, 0, 1000),
        Feature("hand", "the cards in hand, sorted by rank", 6, EMPTY, last),
        Feature("tossed", "the own discards", 2, EMPTY, last),
        Feature("starter", "the starter", 1, EMPTY, last),
        Feature("opponent_cards", "the number of cards that the opponent holds", 1, 0, 6),
        Feature("opponent_floor", "the lowest possible worth of the opponent's cards, by its goes", 1, 1, 10),
        Feature("opponent_go", "1 if the opponent has said go on this pile"),
        Feature("count", "the count", 1, 0, 31),
        Feature("played", "all cards played, in order", 8, EMPTY, last),
        Feature("played_by", "who played them: 1 this seat, 0 the opponent", 8, EMPTY, 1),
    )


PLAIN = places(plain_features(CribbageOptions()))
PLAIN_SIZE = sum(feature.size for feature in plain_features(CribbageOptions()))


@rule
def observe_plain(state: State, seat: int, out: Float32s) -> None:
    """Write the observation `plain` of `seat` to `out`, float32: whole numbers, with the order of the cards played."""
    other = 1 - seat
    out[PLAIN.playing] = 1.0 if state.phase == cribbage.PLAYING else 0.0
    out[PLAIN.dealer] = 1.0 if state.dealer == seat else 0.0
    out[PLAIN.to_go] = state.target - state.scores[seat]
    out[PLAIN.to_go + 1] = state.target - state.scores[other]
    for place in range(6):
        out[PLAIN.hand + place] = state.hand[seat, place]
    for place in range(2):
        out[PLAIN.tossed + place] = state.crib[2 * seat + place]
    out[PLAIN.starter] = state.starter
    out[PLAIN.opponent_cards] = state.hand_size[other]
    out[PLAIN.opponent_floor] = state.floor[other]
    out[PLAIN.opponent_go] = state.said_go[other]
    out[PLAIN.count] = state.count
    for place in range(8):
        by = state.played_by[place]
        out[PLAIN.played + place] = state.played[place]
        out[PLAIN.played_by + place] = EMPTY if by == EMPTY else (1.0 if by == seat else 0.0)
