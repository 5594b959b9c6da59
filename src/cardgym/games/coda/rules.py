"""The rules of Coda (Da Vinci Code) for two players.

Source: Ma, Zeng and Zhang, "CS238: Reinforcement Learning for solving Coda Game" (2019), section 3. Stopping, jokers
and play without a pool follow the official rules. Tile t has number t // 2 and is black if t is even; the last two
tiles are the black and the white joker.
"""

from __future__ import annotations

from collections.abc import Sequence

from cardgym.engine.contract import CardgymError, Int8s, State, rule, write_bits, write_zeros
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import new_weights, weigh_guesses

# -- the contract -----------------------------------------------------------------------------------------------------


@rule
def setup(state: State) -> None:
    """Put all tiles in the pool."""
    state.winner = coda.NONE
    state.hits = 0
    state.missed = 0
    state.drawn = coda.NONE
    state.pool = (1 << int(state.n)) - 1
    state.pool_size = state.n
    state.turn = 0
    state.starter = state.first
    state.held[:] = 0
    state.up[:] = 0
    state.waiting[:] = 0
    state.length[:] = 0
    state.line[:] = coda.NONE
    state.denied[:] = 0
    state.entered[:] = 0
    state.stacked = coda.STACKED if state.stacked == coda.STACKED_NEXT else coda.SHUFFLED
    state.phase = coda.FIRST if state.first == coda.RANDOM_FIRST else coda.DEALING


@rule
def num_chance_outcomes(state: State) -> int:
    """Return the tiles in the pool, 1 with a chosen deck, 2 to draw the first mover; 0 at a decision or the end."""
    if state.phase == coda.FIRST:
        return 2
    if state.phase == coda.DEALING or state.phase == coda.DRAWING:
        return 1 if state.stacked == coda.STACKED else int(state.pool_size)
    return 0


@rule
def current_player(state: State) -> int:
    return -1 if state.phase == coda.OVER else int(state.turn)


@rule
def legal_action_mask(state: State, mask: Int8s) -> None:
    """Fill in the legal actions: guesses and `stop`, places for a tile, or own tiles to turn up."""
    seat = int(state.turn)
    guesses = int(state.length[1 - seat]) * int(state.n) if state.phase == coda.GUESSING else 0
    write_zeros(mask, guesses, mask.shape[0])
    if state.phase == coda.GUESSING:
        _legal_guesses(state, seat, mask)
        if state.continuation == coda.OPTIONAL and state.hits > 0:
            mask[coda.stop_action(state)] = 1
    elif state.phase == coda.REVEALING:
        for place in range(state.length[seat]):
            mask[coda.place_action(state, place)] = coda.hidden(state, seat, place)
    elif state.phase != coda.OVER:
        tile = tile_to_place(state)
        for place in range(coda.first_place(state, seat, tile), coda.last_place(state, seat, tile) + 1):
            mask[coda.place_action(state, place)] = 1


@rule
def _legal_guesses(state: State, seat: int, mask: Int8s) -> None:
    n, other = int(state.n), 1 - seat
    if state.feasible == coda.CONSISTENT:
        weights = new_weights()
        weigh_guesses(state, seat, weights)
        for place in range(state.length[other]):
            for tile in range(n):
                mask[place * n + tile] = weights[place, tile] > 0.0
        return
    values = (1 << n) - 1 if state.feasible == coda.ALL else coda.unseen(state, seat)
    for place in range(state.length[other]):
        guesses = values & coda.color_of(state, other, place) if state.feasible == coda.COLOR else values
        write_bits(guesses * coda.hidden(state, other, place), n, mask, place * n)


@rule
def apply_action(state: State, move: int) -> None:
    """Play an action, or a chance outcome: the seat that moves first, or which of the pool's tiles is drawn."""
    phase = state.phase
    if phase == coda.GUESSING:
        if move == coda.stop_action(state):
            _put_drawn(state)
        else:
            _guess(state, move // int(state.n), move % int(state.n))
    elif phase == coda.DRAWING:
        _draw(state, _take(state, move))
    elif phase == coda.DEALING:
        _deal(state, _take(state, move))
    elif phase == coda.PLACING:
        _place_drawn(state, move - coda.place_action(state, 0))
    elif phase == coda.REVEALING:
        _reveal(state, move - coda.place_action(state, 0))
    elif phase == coda.SETTING:
        tile = tile_to_place(state)
        state.waiting[state.turn] &= ~(1 << tile)
        coda.insert(state, state.turn, move - coda.place_action(state, 0), tile)
        _set_jokers(state)
    elif phase == coda.FIRST:
        state.starter = move
        state.phase = coda.DEALING


@rule
def forfeit(state: State, seat: int) -> float:
    """Charge as much for a forfeit as for a loss."""
    return -10000.0 if state.reward == coda.PAPER else -1.0


def stack_deck(state: State, deck: Sequence[int]) -> None:
    """Deal the next game from `deck`: alternately from seat 0, then drawn in order."""
    n = int(state.n)
    try:
        tiles = list(deck)
        complete = sorted(tiles) == list(range(n))
    except (TypeError, ValueError):  # Not a list of numbers.
        tiles, complete = [], False
    if not complete:
        raise CardgymError(f"deck: give each of the tiles 0 to {n - 1} once, in the order they are dealt and drawn")
    state.deck[:n] = tiles
    state.stacked = coda.STACKED_NEXT


# -- the deal ---------------------------------------------------------------------------------------------------------


@rule
def _take(state: State, outcome: int) -> int:
    """Take a tile from the pool: number `outcome` in ascending order, or the next of the chosen deck."""
    if state.stacked == coda.STACKED:
        tile = int(state.deck[state.n - state.pool_size])
    else:
        tile = coda.nth_tile(int(state.pool), outcome)
    state.pool &= ~(1 << tile)
    state.pool_size -= 1
    return tile


@rule
def _deal(state: State, tile: int) -> None:
    seat = int(state.turn)
    state.held[seat] |= 1 << tile
    if tile < coda.num_numbers(state):
        coda.insert(state, seat, coda.first_place(state, seat, tile), tile)
    else:
        state.waiting[seat] |= 1 << tile
    state.turn = 1 - seat
    if state.n - state.pool_size == 2 * state.n_start:
        _set_jokers(state)


@rule
def _set_jokers(state: State) -> None:
    """Let seat 0 place its jokers, then seat 1; then start the first turn."""
    for seat in range(2):
        if state.waiting[seat] != 0:
            state.turn = seat
            state.phase = coda.SETTING
            if state.length[seat] > 0:
                return
            tile = tile_to_place(state)
            state.waiting[seat] &= ~(1 << tile)
            coda.insert(state, seat, 0, tile)
            if state.waiting[seat] != 0:
                return
    _start_turn(state, int(state.starter))


@rule
def tile_to_place(state: State) -> int:
    """Return the tile that the seat to decide must place: the one it has drawn, or its next joker of the deal."""
    if state.phase == coda.SETTING:
        tile = coda.num_numbers(state)
        return tile if (int(state.waiting[state.turn]) >> tile) & 1 else tile + 1
    return int(state.drawn)


# -- a turn -----------------------------------------------------------------------------------------------------------


@rule
def _start_turn(state: State, seat: int) -> None:
    state.turn = seat
    state.hits = 0
    state.missed = 0
    state.drawn = coda.NONE
    state.phase = coda.DRAWING if state.pool_size > 0 else coda.GUESSING


@rule
def _draw(state: State, tile: int) -> None:
    state.drawn = tile
    state.held[state.turn] |= 1 << tile
    state.phase = coda.GUESSING
    if state.pool_size == 0 and state.empty == coda.LAST_DRAWER_WINS:
        _win(state, int(state.turn))


@rule
def _guess(state: State, place: int, value: int) -> None:
    seat = int(state.turn)
    other = 1 - seat
    tile = int(state.line[other, place])
    if state.feasible != coda.ALL:  # A seat that can only name unseen tiles does not hold the named one.
        for own in range(state.length[seat]):
            state.denied[state.line[seat, own]] |= 1 << value
        if state.drawn != coda.NONE:
            state.denied[state.drawn] |= 1 << value
    if tile == value:
        state.up[other] |= 1 << tile
        state.hits += 1
        _pay_guess(state, 10.0)
        if coda.count_hidden(state, other) == 0:
            _win(state, seat)
        return
    state.denied[tile] |= 1 << value
    state.missed = 1
    _pay_guess(state, -10.0)
    if state.drawn != coda.NONE:
        _put_drawn(state)
        return
    state.phase = coda.REVEALING
    if coda.count_hidden(state, seat) == 1:
        for own in range(state.length[seat]):
            if coda.hidden(state, seat, own):
                _reveal(state, own)
                return


@rule
def _put_drawn(state: State) -> None:
    """Put the drawn tile in the line and end the turn; if several places are legal, let its owner choose."""
    if state.drawn == coda.NONE:
        _start_turn(state, 1 - int(state.turn))
        return
    state.phase = coda.PLACING
    place = coda.first_place(state, int(state.turn), int(state.drawn))
    if place == coda.last_place(state, int(state.turn), int(state.drawn)):
        _place_drawn(state, place)


@rule
def _place_drawn(state: State, place: int) -> None:
    seat = int(state.turn)
    if state.missed:
        state.up[seat] |= 1 << int(state.drawn)
    coda.insert(state, seat, place, int(state.drawn))
    _start_turn(state, 1 - seat)


@rule
def _reveal(state: State, place: int) -> None:
    """Turn up one of the mover's own tiles after a miss without a drawn tile; losing the last hidden tile loses."""
    seat = int(state.turn)
    state.up[seat] |= 1 << int(state.line[seat, place])
    if coda.count_hidden(state, seat) == 0:
        _win(state, 1 - seat)
    else:
        _start_turn(state, 1 - seat)


# -- rewards ----------------------------------------------------------------------------------------------------------


@rule
def _pay_guess(state: State, amount: float) -> None:
    if state.reward == coda.PAPER:
        state.paid[state.turn] += amount


@rule
def _win(state: State, seat: int) -> None:
    stake = 10000.0 if state.reward == coda.PAPER else 1.0
    state.paid[seat] += stake
    state.paid[1 - seat] -= stake
    state.winner = seat
    state.phase = coda.OVER
