"""The cut for the deal, the deal and the tosses; the starter and the play follow in `play.py`."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.ranks import EMPTY, rank_of, sort_six
from cardgym.games.cribbage.state import DEALING, KEPT, STARTER, TOSSES, TOSSING


@rule
def cut(state: State, card: int) -> None:
    """Each seat cuts a card. The lower rank deals; on equal ranks both cut again from the whole pack."""
    state.cuts[state.turn] = card
    if state.turn == 0:
        state.turn = 1
        return
    fill_deck(state)
    first = rank_of(state.cuts[0])
    second = rank_of(state.cuts[1])
    if first == second:
        state.turn = 0
        return
    state.dealer = 0 if first < second else 1
    state.phase = DEALING
    state.turn = 1 - state.dealer


@rule
def fill_deck(state: State) -> None:
    """Put all 52 cards into the pack, in order."""
    for card in range(CARDS):
        state.deck[card] = card
    state.deck_size = CARDS


@rule
def clear_deal(state: State) -> None:
    """Gather the cards of the last deal."""
    fill_deck(state)
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
    clear_pile(state)


@rule
def clear_pile(state: State) -> None:
    """Restart the count."""
    state.count = 0
    state.pile_size = 0
    state.next_points = 0
    for place in range(8):
        state.pile[place] = EMPTY
    state.said_go[0] = 0
    state.said_go[1] = 0


@rule
def draw(state: State, place: int) -> int:
    """Take the card at a place of the pack; the pack's last card moves there."""
    card = state.deck[place]
    state.deck_size -= 1
    state.deck[place] = state.deck[state.deck_size]
    return int(card)


@rule
def deal_card(state: State, card: int) -> None:
    """The pone and the dealer are dealt cards in turn, six each, and sort them when all are dealt."""
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
def toss_cards(state: State, toss: int) -> None:
    """Put two cards face down into the crib. Seat 0 tosses first, but neither sees the other's toss."""
    seat = state.turn
    first = TOSSES[toss, 0]
    second = TOSSES[toss, 1]
    state.crib[2 * seat] = state.hand[seat, first]
    state.crib[2 * seat + 1] = state.hand[seat, second]
    for place in range(4):
        state.kept[seat, place] = state.hand[seat, KEPT[toss, place]]
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
