"""Observations of Coda: the full observation, the odds of guesses, and the paper's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardgym.engine.contract import (
    Feature,
    Float32s,
    Float64s,
    Observation,
    State,
    offsets,
    places,
    rule,
    write_bits,
    write_zeros,
)
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import new_weights, weigh_guesses, weigh_own
from cardgym.games.coda.state import CodaOptions

# -- the turn: the first numbers of the full observation and of the odds ----------------------------------------------

TURN_FEATURES = (
    Feature("guessing", "1 if the seat must guess"),
    Feature("placing", "1 if the seat must place a tile in its line"),
    Feature("revealing", "1 if the seat must turn up one of its tiles"),
    Feature("own_turn", "1 in the seat's own turn"),
    Feature("pool", "tiles in the pool / n"),
    Feature("hits", "hits in this turn / (n / 2)"),
    Feature("missed", "1 if the last guess of this turn missed"),
    Feature("moved_first", "1 if this seat moved first"),
    Feature("own_size", "length of the own line / (n / 2)"),
    Feature("own_hidden", "hidden tiles in the own line / (n / 2)"),
    Feature("opponent_size", "length of the opponent's line / (n / 2)"),
    Feature("opponent_hidden", "hidden tiles in the opponent's line / (n / 2)"),
    Feature("jokers", "(place + 1) / (n / 2) of the own black and white joker; 0 if not in the line", 2),
)

TURN = places(TURN_FEATURES)
TURN_SIZE = sum(feature.size for feature in TURN_FEATURES)


def places_by_size(features: Callable[[CodaOptions], tuple[Feature, ...]]) -> Any:
    """Where each feature starts, as a record for each number of tiles: `PLACES[n].drawn`."""
    starts = {n: offsets(features(CodaOptions(n=n, jokers=2))) for n in range(6, coda.MAX_TILES + 1, 2)}
    starts[4] = offsets(features(CodaOptions(n=4)))  # Too few tiles for jokers.
    table = np.zeros(coda.MAX_TILES + 1, [(name, np.int64) for name in starts[6]]).view(np.recarray)
    for n, by_name in starts.items():
        for name, start in by_name.items():
            table[name][n] = start
    return table


@rule
def _observe_turn(state: State, seat: int, out: Float32s) -> None:
    half = int(state.n) // 2
    other = 1 - seat
    own_turn = state.turn == seat
    out[TURN.guessing] = own_turn and state.phase == coda.GUESSING
    out[TURN.placing] = own_turn and (state.phase == coda.PLACING or state.phase == coda.SETTING)
    out[TURN.revealing] = own_turn and state.phase == coda.REVEALING
    out[TURN.own_turn] = own_turn and state.phase != coda.OVER
    out[TURN.pool] = state.pool_size / state.n
    out[TURN.hits] = state.hits / half
    out[TURN.missed] = state.missed
    out[TURN.moved_first] = state.starter == seat
    out[TURN.own_size] = state.length[seat] / half
    out[TURN.own_hidden] = coda.count_hidden(state, seat) / half
    if coda.lines_shown(state):
        out[TURN.opponent_size] = state.length[other] / half
        out[TURN.opponent_hidden] = coda.count_hidden(state, other) / half
    if (int(state.held[seat]) & ~coda.to_place(state, seat)) >> coda.num_numbers(state):
        for place in range(state.length[seat]):
            if state.line[seat, place] >= coda.num_numbers(state):
                out[TURN.jokers + state.line[seat, place] - coda.num_numbers(state)] = (place + 1) / half


# -- the full observation ---------------------------------------------------------------------------------------------


def full_features(options: CodaOptions) -> tuple[Feature, ...]:
    """Return the features of the full observation. A line has at most n / 2 places; empty places are 0.

    With jokers, the time at which a tile entered a line tells how likely it is to be a joker.
    """
    n, half = options.n, options.n // 2
    return (
        *TURN_FEATURES,
        Feature("own_tiles", "by tile: 1 if held", n),
        Feature("own_up", "by tile: 1 if held and face up", n),
        Feature("drawn", "by tile: 1 if drawn or dealt and still to be placed", n),
        Feature("unseen", "by tile: 1 if neither held nor face up", n),
        Feature("opponent_up", "by place: 1 if face up", half),
        Feature("opponent_down", "by place: 1 if hidden", half),
        Feature("opponent_white", "by place: 1 if known to be white", half),
        Feature(
            "opponent_may_be",
            "by place x n + tile: 1 for a face-up tile; for a hidden one, 1 for each unseen tile of its color that "
            "neither own misses there nor the opponent's guesses rule out",
            half * n,
        ),
        Feature("own_down", "by place: 1 if hidden", half),
        Feature(
            "own_may_be",
            "by place x n + tile: the same for the own line, to an observer who sees neither hand",
            half * n,
        ),
        *(
            Feature(f"{whose}_entered", f"by place: the length of {line} when its tile had entered / (n / 2)", half)
            for whose, line in (("opponent", "the opponent's line"), ("own", "the own line"))
            if options.jokers
        ),
    )


FULL = places_by_size(full_features)


@rule
def observe_full(state: State, seat: int, out: Float32s) -> None:
    n = int(state.n)
    half = n // 2
    at = FULL[n]
    opponent_may_be, own_may_be = at.opponent_may_be, at.own_may_be  # Loops that write would read them again.
    other = 1 - seat
    write_zeros(out, 0, TURN_SIZE)
    _observe_turn(state, seat, out)
    own, up, free = int(state.held[seat]), int(state.up[seat]), coda.unseen(state, seat)
    write_bits(own, n, out, at.own_tiles)
    write_bits(up, n, out, at.own_up)
    write_bits(coda.to_place(state, seat), n, out, at.drawn)
    write_bits(free, n, out, at.unseen)
    size = int(state.length[other]) if coda.lines_shown(state) else 0
    down = 0
    white = 0
    for place in range(size):
        down |= int(coda.hidden(state, other, place)) << place
        white |= (int(state.line[other, place]) & 1) << place
        write_bits(coda.tiles_at(state, other, place, free), n, out, opponent_may_be + place * n)
    write_zeros(out, at.opponent_may_be + size * n, at.own_down)
    face_up = ((1 << size) - 1) & ~down
    write_bits(face_up, half, out, at.opponent_up)
    write_bits(down, half, out, at.opponent_down)
    write_bits(white if state.color_visible == coda.YES else white & face_up, half, out, at.opponent_white)
    face_down = coda.not_face_up(state)
    size = int(state.length[seat])
    down = 0
    for place in range(size):
        down |= int(coda.hidden(state, seat, place)) << place
        write_bits(coda.tiles_at(state, seat, place, face_down), n, out, own_may_be + place * n)
    write_zeros(out, at.own_may_be + size * n, at.own_may_be + half * n)
    write_bits(down, half, out, at.own_down)
    if state.jokers:
        opponent_entered, own_entered = at.opponent_entered, at.own_entered
        write_zeros(out, opponent_entered, own_entered + half)
        for place in range(size):
            out[own_entered + place] = state.entered[state.line[seat, place]] / half
        if coda.lines_shown(state):
            for place in range(state.length[other]):
                out[opponent_entered + place] = state.entered[state.line[other, place]] / half


# -- with past guesses ------------------------------------------------------------------------------------------------


def guessed_features(options: CodaOptions) -> tuple[Feature, ...]:
    """Return the full observation, and by place what tells which guesses were made when; see `evidence`."""
    n, half = options.n, options.n // 2
    return (
        *full_features(options),
        *(
            feature
            for whose in ("opponent", "own")
            for feature in (
                Feature(f"{whose}_order", "by place: the length of the line when its tile had entered / (n / 2)", half),
                Feature(f"{whose}_excluded", "by place x n + tile: 1 if a guess excluded that tile there", half * n),
            )
        ),
    )


GUESSED = places_by_size(guessed_features)


@rule
def past_guesses_at(state: State, seat: int, owner: int) -> tuple[int, int]:
    """Where `order` and `excluded` of a seat's line begin in what `seat` observes."""
    at = GUESSED[state.n]
    shift = 0 if state.jokers else int(state.n)  # Two features of the full observation are for jokers.
    if owner == seat:
        return at.own_order - shift, at.own_excluded - shift
    return at.opponent_order - shift, at.opponent_excluded - shift


@rule
def observe_guessed(state: State, seat: int, out: Float32s) -> None:
    n = int(state.n)
    first = past_guesses_at(state, seat, 1 - seat)[0]
    write_zeros(out, first, out.shape[0])
    observe_full(state, seat, out[:first])
    for owner in range(2):
        order, excluded = past_guesses_at(state, seat, owner)
        for place in range(state.length[owner] if owner == seat or coda.lines_shown(state) else 0):
            tile = int(state.line[owner, place])
            out[order + place] = state.entered[tile] / (n // 2)
            write_bits(int(state.denied[tile]), n, out, excluded + place * n)


# -- odds -------------------------------------------------------------------------------------------------------------


def odds_features(options: CodaOptions) -> tuple[Feature, ...]:
    """Return the turn, the own tiles, and the exact probabilities of guesses at both lines."""
    n, half = options.n, options.n // 2
    return (
        *TURN_FEATURES,
        Feature("best", "probability of the likeliest guess"),
        Feature("own_best", "the highest of `own_exposed`"),
        Feature("own_tiles", "by tile: 1 if held", n),
        Feature("drawn", "by tile: 1 if drawn or dealt and still to be placed", n),
        Feature("own_down", "by place: 1 if hidden", half),
        Feature(
            "own_exposed",
            "by place: if hidden, the probability of the tile there to an observer who sees neither hand",
            half,
        ),
        Feature("belief", "by place x n + tile: the exact probability of that tile there", half * n),
    )


ODDS = places_by_size(odds_features)


@rule
def observe_odds(state: State, seat: int, out: Float32s) -> None:
    weights = new_weights()
    observe_own_odds(state, seat, out, weights)
    if coda.lines_shown(state):
        observe_belief(state, seat, out, weights)


@rule
def observe_belief(state: State, seat: int, out: Float32s, weights: Float64s) -> float:
    """Write the probability of each tile at each place of the opponent's line, and that of the likeliest guess.

    Fills `weights` and returns their total as `weigh_guesses` does.
    """
    n, other = int(state.n), 1 - seat
    start = ODDS[n].belief
    total = weigh_guesses(state, seat, weights)
    best = 0.0
    for place in range(state.length[other]):
        if coda.hidden(state, other, place):
            for tile in range(n):
                probability = weights[place, tile] / total
                out[start + place * n + tile] = probability
                best = max(best, probability)
        else:
            out[start + place * n + state.line[other, place]] = 1.0
    out[ODDS[n].best] = best
    return total


@rule
def observe_own_odds(state: State, seat: int, out: Float32s, weights: Float64s) -> float:
    """Write the odds' features of the turn and the own tiles, and 0 elsewhere.

    Fills `weights` and returns their total as `weigh_own` does; 0 if nothing is hidden.
    """
    write_zeros(out, 0, out.shape[0])
    n = int(state.n)
    at = ODDS[n]
    _observe_turn(state, seat, out)
    write_bits(int(state.held[seat]), n, out, at.own_tiles)
    write_bits(coda.to_place(state, seat), n, out, at.drawn)
    if not coda.lines_shown(state) or coda.count_hidden(state, seat) == 0:
        return 0.0
    total = weigh_own(state, seat, weights)
    for place in range(state.length[seat]):
        if coda.hidden(state, seat, place):
            out[at.own_down + place] = 1.0
            out[at.own_exposed + place] = weights[place, state.line[seat, place]] / total
            out[at.own_best] = max(out[at.own_best], out[at.own_exposed + place])
    return total


# -- the paper's bits (section 3.1) -----------------------------------------------------------------------------------


def paper_features(options: CodaOptions) -> tuple[Feature, ...]:
    """Return the paper's 3n bits."""
    return (
        Feature("own_hidden", "by tile: 1 if held and hidden, the drawn tile included", options.n),
        Feature("own_up", "by tile: 1 if held and face up", options.n),
        Feature("opponent_up", "by tile: 1 if the opponent holds it face up", options.n),
    )


@rule
def observe_paper(state: State, seat: int, out: Float32s) -> None:
    n = int(state.n)
    up = int(state.up[seat])
    write_bits(int(state.held[seat]) & ~up, n, out, 0)
    write_bits(up, n, out, n)
    write_bits(int(state.up[1 - seat]), n, out, 2 * n)


@rule
def info_state_key(state: State, seat: int) -> int:
    """Return the paper's bits as one integer, a base-4 digit for each tile.

    0 is an unseen tile, 1 an own hidden tile, 2 an own face-up tile, 3 an opponent's face-up tile.
    """
    up = int(state.up[seat])
    own_hidden = int(state.held[seat]) & ~up
    opponent_up = int(state.up[1 - seat])
    return _spread(own_hidden | opponent_up) | (_spread(up | opponent_up) << 1)


@rule
def _spread(values: int) -> int:
    """Return the bits of a number, with a 0 inserted above each."""
    values = (values | (values << 16)) & 0x0000FFFF0000FFFF
    values = (values | (values << 8)) & 0x00FF00FF00FF00FF
    values = (values | (values << 4)) & 0x0F0F0F0F0F0F0F0F
    values = (values | (values << 2)) & 0x3333333333333333
    return (values | (values << 1)) & 0x5555555555555555


OBSERVATIONS = {
    "full": Observation(observe_full, full_features),
    "guessed": Observation(observe_guessed, guessed_features),
    "paper": Observation(observe_paper, paper_features),
    "odds": Observation(observe_odds, odds_features),
}
"""The observations by name, without those of `guess_features`; the first is the default."""
