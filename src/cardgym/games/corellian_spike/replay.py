"""From an observation `plain` back to the decisions that led to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Game, Int64s, Options, State, rule
from cardgym.engine.states import new_state
from cardgym.games.corellian_spike import rounds
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.observations import OF_SEATS, ONCE, PLAIN
from cardgym.games.corellian_spike.posterior import HandPosterior
from cardgym.players import Player
from cardgym.players.checkpoints import with_fixed_sums

States = npt.NDArray[np.void]

MAX_DECISIONS = 240
"""More decisions than two seats can take in a hand if no count reaches `MAX_BETS`."""


def remember(game: Game, options: Options, seen: Float32s) -> tuple[States, Int64s]:
    """States, (rows,), in which the seats, (rows,), see the observations `plain`, (rows, size).

    The piles and the hands of other seats, which nobody sees, are empty.
    """
    numbers = seen.astype(np.int64)
    rows, seats = np.arange(len(seen)), numbers[:, PLAIN.seat]
    states: States = np.repeat(np.asarray(new_state(game, options)).view(game.state), len(seen))
    for place, name in enumerate(ONCE):
        states[name] = numbers[:, place]
    states["extra"] = numbers[:, PLAIN.extra]
    states["public"] = numbers[:, PLAIN.public : PLAIN.public + sabacc.NUM_VALUES]
    states["cards"] = sabacc.EMPTY
    for slot in (sabacc.LOW_SLOT, sabacc.HIGH_SLOT):
        states["cards"][rows, seats, slot] = numbers[:, PLAIN.low + slot]
    of_seats = numbers[:, PLAIN.public + sabacc.NUM_VALUES :].reshape(len(seen), options.num_players, -1)
    place = 0
    for name, size in OF_SEATS:
        field = states[name][:, : options.num_players]
        field[:] = of_seats[..., place : place + size].reshape(field.shape)
        place += size
    states["cards"][:, : options.num_players, sabacc.SPIKE_SLOT] = of_seats[..., place]
    return states, seats


@compiled
def replay(end: Any, decisions: Any, seats: Int64s, actions: Int64s) -> int:
    """Rebuild the decisions of two seats since their cards were dealt or redrawn, in flat betting.

    Args:
        end: a decision, (1,), or a state at the start of a betting.
        decisions: the states at the decisions are written here, (MAX_DECISIONS + 1,); hidden cards may be any.
        seats: who decided, (MAX_DECISIONS,).
        actions: the actions, (MAX_DECISIONS,). Where a bought card went into the hand, which card it replaced is
            hidden: the action is `SWAP_LOW`, and the state at the placing has the replaced card in that slot.

    Returns:
        The number of decisions before `end`; -1 if a count has reached `MAX_BETS`, so that the record may lack bets.
    """
    first, last = int(end[0].fresh_round), int(end[0].round_number)
    for seat in range(2):
        for number in range(first, last + 1):
            for kind in range(sabacc.NUM_BETS):
                if end[0].bets[seat, number, kind] >= sabacc.MAX_BETS:
                    return -1
    count = 0
    decisions[0] = end[0]
    _rewind(end[0], decisions[0], first, last)
    for number in range(first, last + 1):
        state = decisions[count]
        if number == 1 and first == 0:
            for seat in range(2):
                spike = _spike_at(end[0], seat, 1)
                state.cards[seat, sabacc.SPIKE_SLOT] = spike
                state.public[spike + 10] += 1
        state.round_number = number
        if number == 0:
            rounds.start_betting(state)
        else:
            rounds.start_buying(state)
            count = _replay_purchases(end[0], decisions, seats, actions, count)
        if decisions[count].phase == sabacc.BETTING:
            count = _replay_bets(end[0], decisions, seats, actions, count, number == last)
    return count


@rule
def _spike_at(end: State, seat: int, number: int) -> int:
    """Return the spike that a seat had at the start of a round in which spikes are held."""
    decided = end.purchase[seat, number] != sabacc.NOT_YET
    return int(end.spike_before[seat, number] if decided else end.cards[seat, sabacc.SPIKE_SLOT])


@rule
def _rewind(end: State, state: State, first: int, last: int) -> None:
    """Take back what has happened between the start of round `first` and `end`, of which `state` is a copy."""
    state.extra = sabacc.EMPTY
    for seat in range(2):
        paid, raises, bought = 0, 0, 0
        for number in range(first, last + 1):
            for kind in range(sabacc.CALLED, sabacc.NUM_BETS):
                paid += sabacc.BET * state.bets[seat, number, kind]
                raises += state.bets[seat, number, kind] * (kind >= sabacc.OPENED)
            state.bets[seat, number] = 0
            if number > 0 and state.purchase[seat, number] >= sabacc.BOUGHT:
                bought += 1
                if state.purchase[seat, number] > sabacc.BOUGHT:
                    state.public[state.turned_up[seat, number] + 10] -= 1
            state.purchase[seat, number] = sabacc.NOT_YET
        paid += sabacc.BET * bought
        state.stack[seat] += paid
        state.put_hand[seat] -= paid
        state.pool -= paid
        state.raises[seat] -= raises
        state.buys[seat] -= bought
        state.kept[seat] = 0
        state.put_phase[seat] = 0
        if first == 0:
            if last > 0:
                state.public[_spike_at(end, seat, 1) + 10] -= 1
            state.cards[seat, sabacc.SPIKE_SLOT] = sabacc.EMPTY
        else:
            state.cards[seat, sabacc.SPIKE_SLOT] = _spike_at(end, seat, first)
            for kind in range(sabacc.CALLED, sabacc.NUM_BETS):
                state.put_phase[seat] += sabacc.BET * state.bets[seat, first - 1, kind]


@rule
def _note(decisions: Any, seats: Int64s, actions: Int64s, count: int, action: int) -> int:
    """Note the decision in `decisions[count]`, and copy its state to the next place."""
    seats[count], actions[count] = decisions[count].turn, action
    decisions[count + 1] = decisions[count]
    return count + 1


@rule
def _replay_purchases(end: State, decisions: Any, seats: Int64s, actions: Int64s, count: int) -> int:
    number = decisions[count].round_number
    for seat in range(2):
        purchase = end.purchase[seat, number]
        if purchase == sabacc.NOT_YET:
            return count
        action = sabacc.BUY if purchase >= sabacc.BOUGHT else sabacc.DONT_BUY
        count = _note(decisions, seats, actions, count, action)
        rounds.buy(decisions[count], action)
        if purchase == sabacc.BOUGHT:  # Not placed yet.
            return count
        if action == sabacc.BUY:
            state = decisions[count]
            state.phase = sabacc.PLACING
            card = end.turned_up[seat, number]
            state.extra = card
            action = sabacc.DISCARD if purchase == sabacc.LAID_DOWN else sabacc.SWAP_SPIKE
            if purchase == sabacc.IN_HAND:
                action = sabacc.SWAP_LOW
                state.extra = 0
                state.cards[seat, sabacc.LOW_SLOT] = card
            count = _note(decisions, seats, actions, count, action)
            rounds.place_bought_card(decisions[count], action)
    return count


@rule
def _replay_bets(end: State, decisions: Any, seats: Int64s, actions: Int64s, count: int, last: bool) -> int:
    """Replay the bets of a round, in the last one no more than there were.

    Their order follows from their numbers: a seat that matches a raise ends the betting.
    """
    number = decisions[count].round_number
    raises = np.zeros((2, 2), np.int64)  # Left to make, by seat: with nothing to match, and re-raises.
    left = 0
    for seat in range(2):
        for answers in range(2):
            raises[seat, answers] = end.bets[seat, number, sabacc.OPENED + answers]
        for kind in range(sabacc.NUM_BETS):
            left += end.bets[seat, number, kind]
    while decisions[count].phase == sabacc.BETTING and not (last and left == 0):
        left -= 1
        seat, answers = decisions[count].turn, int(decisions[count].level > 0)
        action = sabacc.RAISE if raises[seat, answers] > 0 else sabacc.MATCH
        raises[seat, answers] -= 1
        count = _note(decisions, seats, actions, count, action)
        rounds.bet(decisions[count], action)
    return count


def ranges_of(game: Game, options: Options, player: Player, end: States, seat: int = -1) -> Float64s | None:
    """Return the probability of the seats' actions with each pair if they are this player's, (2, 231), up to factors.

    Args:
        end: what a seat sees at a decision or at the start of a betting, (1,); see `replay` and `remember`.
        seat: whose actions are not asked for; -1 to ask for those of both.

    Returns:
        None if the actions cannot be told.
    """
    decisions = np.repeat(end, MAX_DECISIONS + 1)
    seats, actions = np.zeros((2, MAX_DECISIONS), np.int64)
    count = replay(end, decisions, seats, actions)
    if count < 0 or any((decisions[name][count] != end[name][0]).any() for name in ("stack", "pool", "raises")):
        return None
    watching, nothing = np.full(1, seat), np.zeros(1, np.int64)
    posterior = HandPosterior(game, options, with_fixed_sums(player), watching, None)
    for number in np.flatnonzero(seats[:count] != seat):
        at = slice(number, number + 1)
        posterior.follow(decisions[at], end, seats[at], actions[at], nothing, nothing)
    ranges: Float64s = posterior.ranges[0]
    return ranges
