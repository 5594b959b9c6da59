"""The rules of cribbage for two players, card by card.

Source: the rules of the American Cribbage Congress. Lang, "Machine Learning Strategies in Cribbage" (2017), section
1.1.1, sums up the course of a game, without the scoring.
"""

from __future__ import annotations

from cardgym.engine.contract import Int8s, Metric, State, rule, write_zeros
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage.cards import CARDS, EMPTY, JACK, rank_of, sort_six, worth
from cardgym.games.cribbage.scoring import points_for, points_of_next, score_crib, score_hand

_games_lost = rule(cribbage.games_lost)


@rule
def setup(state: State) -> None:
    """Start without points and cut for the deal. In a small pack too many cuts would be equal, so seat 1 deals."""
    state.deal_number = 0
    state.dealer = EMPTY
    state.scores[:] = 0
    state.tally[:] = 0
    state.cuts[:] = EMPTY
    clear_deal(state)
    state.phase = cribbage.CUTTING
    state.turn = 0
    if state.pack != cribbage.FULL:
        state.dealer = 1
        state.phase = cribbage.DEALING


@rule
def num_chance_outcomes(state: State) -> int:
    """Return the number of cards that can be cut or dealt; 0 at a decision or at the end."""
    phase = state.phase
    if phase == cribbage.TOSSING or phase == cribbage.PLAYING or phase == cribbage.OVER:
        return 0
    return int(state.deck_size)


@rule
def current_player(state: State) -> int:
    return -1 if state.phase == cribbage.OVER else int(state.turn)


@rule
def legal_action_mask(state: State, mask: Int8s) -> None:
    """Allow all ways to discard, or any card in hand that the count has room for."""
    write_zeros(mask, 0, CARDS)
    tosses = int(cribbage.PACK_TOSSES[state.pack]) if state.phase == cribbage.TOSSING else 0
    for action in range(CARDS, cribbage.NUM_ACTIONS):
        mask[action] = 1 if action < CARDS + tosses else 0
    if state.phase == cribbage.PLAYING:
        seat = int(state.turn)
        room = 31 - int(state.count)
        for place in range(4):
            card = int(state.hand[seat, place])
            # An empty place writes to the first discard, which stays illegal: EMPTY never fits the count.
            mask[card & 63 if card != EMPTY else CARDS] = 1 if worth(card) <= room else 0


@rule
def apply_action(state: State, move: int) -> None:
    """Play an action, or a chance outcome: the place of a card in the pack."""
    phase = state.phase
    if phase == cribbage.PLAYING:
        play_card(state, move)
    elif phase == cribbage.DEALING:
        deal_card(state, draw(state, move))
    elif phase == cribbage.TOSSING:
        toss_cards(state, move - CARDS)
    elif phase == cribbage.STARTER:
        turn_starter(state, draw(state, move))
    elif phase == cribbage.CUTTING:
        cut(state, draw(state, move))


@rule
def deal(state: State) -> int:
    """Return the number of the deal; the cut is part of the first."""
    return int(state.deal_number)


@rule
def forfeit(state: State, seat: int) -> float:
    """Lose the game as it stands; if points are the reward, lose all the points that the opponent still needs."""
    if state.reward == cribbage.POINTS:
        return -float(state.target - state.scores[1 - seat])
    if state.reward == cribbage.GAMES:
        return -float(_games_lost(state.target, state.target - state.scores[seat]))
    return -1.0


@rule
def score(state: State, seat: int) -> float:
    """1 for the player with more points at the end, 0 for the other; half each if they are level."""
    if state.scores[seat] == state.scores[1 - seat]:
        return 0.5
    return 1.0 if state.scores[seat] > state.scores[1 - seat] else 0.0


@rule
def cut(state: State, card: int) -> None:
    """Cut a card for a seat. The lower rank deals; if the ranks are equal, both cut again from the whole pack."""
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
    state.phase = cribbage.DEALING
    state.turn = 1 - state.dealer


@rule
def fill_deck(state: State) -> None:
    for place in range(CARDS):
        state.deck[place] = cribbage.PACK_CARDS[state.pack, place]
    state.deck_size = cribbage.PACK_SIZE[state.pack]


@rule
def clear_deal(state: State) -> None:
    fill_deck(state)
    state.starter = EMPTY
    state.num_played = 0
    state.shows[:] = 0
    state.hand_size[:] = 0
    state.floor[:] = 1
    state.hand[:] = EMPTY
    state.kept[:] = EMPTY
    state.crib[:] = EMPTY
    state.played[:] = EMPTY
    state.played_by[:] = EMPTY
    clear_pile(state)


@rule
def clear_pile(state: State) -> None:
    state.count = 0
    state.pile_size = 0
    state.next_points = 0
    state.pile[:] = EMPTY
    state.said_go[:] = 0


@rule
def draw(state: State, place: int) -> int:
    """Take the card at a place of the pack; the last card of the pack moves to its place."""
    card = state.deck[place]
    state.deck_size -= 1
    state.deck[place] = state.deck[state.deck_size]
    return int(card)


@rule
def deal_card(state: State, card: int) -> None:
    """Deal a card to the pone or the dealer, in turn; sort the hands when each has all its cards."""
    seat = int(state.turn)
    state.hand[seat, state.hand_size[seat]] = card
    state.hand_size[seat] += 1
    state.turn = 1 - seat
    if state.hand_size[0] + state.hand_size[1] == 2 * cribbage.PACK_DEALT[state.pack]:
        sort_six(state.hand[0])
        sort_six(state.hand[1])
        state.phase = cribbage.TOSSING
        state.turn = 0


@rule
def toss_cards(state: State, toss: int) -> None:
    """Put cards face down into the crib. Seat 0 discards first, but neither seat sees the other's discard."""
    seat = state.turn
    pack = state.pack
    first = cribbage.TOSS_PLACES[pack, toss, 0]
    second = cribbage.TOSS_PLACES[pack, toss, 1]
    state.crib[2 * seat] = state.hand[seat, first]
    state.crib[2 * seat + 1] = state.hand[seat, second]
    for place in range(4):
        state.kept[seat, place] = state.hand[seat, cribbage.TOSS_PLACES[pack, toss, 2 + place]]
    for place in range(4):
        state.hand[seat, place] = state.kept[seat, place]
    state.hand[seat, 4] = EMPTY
    state.hand[seat, 5] = EMPTY
    state.hand_size[seat] = cribbage.PACK_KEPT[pack]
    if seat == 0:
        state.turn = 1
    else:
        state.phase = cribbage.STARTER
        state.turn = 1 - state.dealer


@rule
def turn_starter(state: State, card: int) -> None:
    """Turn up the starter; a jack scores 2 for the dealer."""
    state.starter = card
    for seat in range(2):
        state.shows[seat] = score_hand(state.kept[seat], card)
    state.phase = cribbage.PLAYING
    if rank_of(card) == JACK:
        _score(state, state.dealer, cribbage.HEELS, 2)


# -- the play ---------------------------------------------------------------------------------------------------------


@rule
def play_card(state: State, card: int) -> None:
    """Play a card and score it, with the point for a go or the last card if neither seat can play after it."""
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
    restarts = True
    if state.count == 31:
        pass
    elif can_play(state, other):
        state.turn = other
        restarts = False
    else:
        _say_go(state, other)
        if can_play(state, seat):
            restarts = False
        else:
            points += 1
            _say_go(state, seat)
    _score(state, seat, cribbage.PONE_PEGGING if seat != state.dealer else cribbage.DEALER_PEGGING, points)
    if state.phase == cribbage.OVER:
        return
    if not restarts:
        state.next_points = points_of_next(state.pile, state.pile_size)
        return
    if state.hand_size[seat] == 0 and state.hand_size[other] == 0:
        _show(state)
        return
    clear_pile(state)
    state.turn = other if state.hand_size[other] > 0 else seat


@rule
def can_play(state: State, seat: int) -> bool:
    """Whether the seat has a card that fits the count; the first card of a hand is worth least."""
    return bool(state.hand_size[seat] > 0 and worth(state.hand[seat, 0]) <= 31 - state.count)


@rule
def _say_go(state: State, seat: int) -> None:
    """Say go, which reveals that none of the seat's cards fits the count."""
    if state.hand_size[seat] > 0:
        state.said_go[seat] = 1
        state.floor[seat] = max(int(state.floor[seat]), 32 - int(state.count))


@rule
def _take_from_hand(state: State, seat: int, card: int) -> None:
    passed = 0  # 1 from the card's place on, where the later cards move up.
    for place in range(3):
        passed |= 1 if state.hand[seat, place] == card else 0
        state.hand[seat, place] = state.hand[seat, place + passed]
    state.hand[seat, 3] = EMPTY
    state.hand_size[seat] -= 1


# -- the show and the end ---------------------------------------------------------------------------------------------


@rule
def _show(state: State) -> None:
    """Count the pone's hand, the dealer's hand and the crib, in this order, until a seat reaches the target."""
    dealer = state.dealer
    pone = 1 - dealer
    _score(state, pone, cribbage.PONE_HAND, state.shows[pone])
    if state.phase != cribbage.OVER:
        _score(state, dealer, cribbage.DEALER_HAND, state.shows[dealer])
    if state.phase != cribbage.OVER:
        _score(state, dealer, cribbage.CRIB, score_crib(state.crib, state.starter))
    if state.phase == cribbage.OVER:
        return
    state.deal_number += 1
    if state.deals > 0 and state.deal_number == state.deals:
        _finish(state)
        return
    clear_deal(state)
    state.dealer = pone
    state.phase = cribbage.DEALING
    state.turn = dealer


@rule
def _score(state: State, seat: int, kind: int, points: int) -> None:
    """Move the seat's peg. It stops in the last hole: points beyond the target do not count."""
    points = min(int(points), int(state.target - state.scores[seat]))
    state.scores[seat] += points
    state.tally[seat, kind] += points
    if state.reward == cribbage.POINTS:
        state.paid[seat] += points
        state.paid[1 - seat] -= points
    if state.scores[seat] >= state.target:
        _finish(state)


@rule
def _finish(state: State) -> None:
    state.phase = cribbage.OVER
    if state.reward != cribbage.POINTS and state.scores[0] != state.scores[1]:
        leader = 0 if state.scores[0] > state.scores[1] else 1
        games = 1
        if state.reward == cribbage.GAMES and state.scores[leader] == state.target:
            games = _games_lost(state.target, state.target - state.scores[1 - leader])
        state.paid[leader] = games
        state.paid[1 - leader] = -games


@rule
def points(state: State, seat: int) -> float:
    return float(state.scores[seat])


@rule
def pegging_points(state: State, seat: int) -> float:
    return float(int(state.tally[seat, cribbage.PONE_PEGGING]) + int(state.tally[seat, cribbage.DEALER_PEGGING]))


@rule
def hand_points(state: State, seat: int) -> float:
    return float(int(state.tally[seat, cribbage.PONE_HAND]) + int(state.tally[seat, cribbage.DEALER_HAND]))


@rule
def crib_points(state: State, seat: int) -> float:
    return float(state.tally[seat, cribbage.CRIB])


@rule
def heels_points(state: State, seat: int) -> float:
    """Points for jacks turned up as the starter."""
    return float(state.tally[seat, cribbage.HEELS])


METRICS = {
    "points": Metric(points),
    "pegging_points": Metric(pegging_points),
    "hand_points": Metric(hand_points),
    "crib_points": Metric(crib_points),
    "heels_points": Metric(heels_points),
}
