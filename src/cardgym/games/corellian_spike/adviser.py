"""The adviser of Corellian Spike: credits won in the hand, by playouts of a trained player.

If there is a trained player, playouts deal the opponents' hands by what they have bet, bought and discarded: in
two-player games a known opponent's by what it would have done with each hand, and it plays on itself; others by the
belief that they act like `ppo`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Game, Generator, State, rule
from cardgym.errors import CardgymError
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.belief import resample_by_actions
from cardgym.games.corellian_spike.hand import card_sum, slot_of
from cardgym.games.corellian_spike.observations import count_unseen
from cardgym.games.corellian_spike.players import MAX_SUM, chances_to_beat_all
from cardgym.games.corellian_spike.posterior import deal_by_ranges
from cardgym.games.corellian_spike.replay import States, ranges_of, remember
from cardgym.games.corellian_spike.rounds import owed
from cardgym.games.corellian_spike.rules import credits_gained
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.games.corellian_spike.text import signed
from cardgym.players import resolve
from cardgym.table.coach.advice import Advice, Adviser, percent
from cardgym.table.coach.playouts import Playouts, look
from cardgym.table.coach.solved import solved_game
from cardgym.table.presentation import presentation_of

_BLUNDER = 3.0
"""Credits."""
_WORLDS, _GLANCE = 1000, 100
"""Playouts of an advice, and of its first answer, for each opponent up to `_MOST`."""
_MOST = 3
_TRAINED = {2: "ppo", 3: "ppo_three_players", 4: "ppo_four_players"}
"""The player of playouts by the number of players."""


def adviser(game: Game, options: CorellianSpikeOptions) -> Adviser:
    rated = presentation_of(game).ratings.get(game.id, {})
    playouts = cache(partial(_playouts, game, options))  # Solving a small game takes seconds.

    def advise_against(state: State, seat: int, opponent: str, worlds: int = _WORLDS) -> Advice:
        kind = "bet" if state.phase == sabacc.BETTING else "buy" if state.phase == sabacc.BUYING else "place"
        # Relative to the credits that the seat has now, not to those with which it started the game.
        so_far = float(state.stack[seat] - state.credits)
        # More players mean bigger pools, and so more luck that has to average out, but also longer playouts.
        worlds *= min(options.num_players - 1, _MOST)
        advise = playouts(opponent if opponent in rated else "", worlds)
        advice = advise(state, seat, kind, base=so_far, bounds=_bounds(state, seat), reason=_share_won)
        best, *others = advice.actions
        best = dataclasses.replace(best, reason=f"{best.reason}; {_odds(state, seat, best.action)}")
        fewer = f", fewer than {options.num_players} players need, to answer in seconds"
        source = advice.source + (fewer if worlds < _WORLDS * (options.num_players - 1) else "")
        return dataclasses.replace(advice, actions=(best, *others), source=source)

    def standing(state: State, seat: int) -> float:
        return float(state.stack[seat])

    against = advise_against if options.num_players == 2 else None
    advise = partial(advise_against, opponent="")
    glance = None if against else partial(advise, worlds=_GLANCE)
    return Adviser(advise, standing, "credits", advise_against=against, glance=glance)


def _playouts(game: Game, options: CorellianSpikeOptions, opponent: str, worlds: int) -> Callable[..., Advice]:
    """Advice by the trained player; by exact values or by `heuristic` if no player was trained.

    `opponent` plays itself; empty for one that acts like the trained player.
    """
    playouts = partial(Playouts, game, options, unit="credits", blunder=_BLUNDER, worth=_credits_after_hand)
    playouts = partial(playouts, whole_game=False, worlds=worlds)
    try:
        trained = _TRAINED[options.num_players]
        by_playouts = playouts(
            player=trained, resample=resample_by_actions, opponent="" if opponent == trained else opponent
        ).advise
    except (KeyError, CardgymError, ModuleNotFoundError):  # PyTorch, which networks need, may be missing.
        solved = solved_game(game, options, opponent) if options.reward == "net" else None
        if solved is None:
            return playouts(player="heuristic").advise

        def advise(state: State, seat: int, kind: str, **_: Any) -> Advice:
            return solved.advise(state, seat, kind, blunder=_BLUNDER, base=-float(state.put_hand[seat]))

        return advise
    if not opponent or options.betting != "flat" or options.cheat != "no" or options.max_raises:
        return by_playouts
    player = resolve(opponent, game, options)

    def advise_against(state: State, seat: int, kind: str, **parts: Any) -> Advice:
        seen, _ = look(game, options, state, seat, "plain")
        ranges = ranges_of(game, options, player, remember(game, options, seen[None])[0], seat)
        if ranges is None:
            return by_playouts(state, seat, kind, **parts)

        def redeal(worlds: States, source: Generator) -> None:
            deal_by_ranges(
                worlds, seat, ranges, (np.arange(len(worlds)) + 0.5) / len(worlds), np.ones(len(worlds)), source
            )

        return by_playouts(state, seat, kind, redeal=redeal, **parts)

    return advise_against


def _bounds(state: State, seat: int) -> dict[int, tuple[float, float]]:
    """Return what a fold is worth, and a match that is free: after it one may still fold."""
    if state.phase != sabacc.BETTING:
        return {}
    free = {} if owed(state, seat) else {sabacc.MATCH: (0.0, np.inf)}
    return {sabacc.FOLD: (0.0, 0.0), **free}


def _share_won(values: Float64s) -> str:
    """How often an action wins the hand, so that the seat has more credits than now."""
    if not values.any():
        return "pays nothing more and wins nothing"  # A fold.
    return f"wins the hand in {percent(100 * float((values > 0).mean()))} of the playouts"


def _odds(state: State, seat: int, action: int) -> str:
    """Return the chance that the seat's cards, once a bought card is placed, beat cards drawn from the unseen ones."""
    total = card_sum(state, seat)
    if state.phase in (sabacc.PLACING, sabacc.CHEATING) and action != sabacc.DISCARD:
        total += int(state.extra) - int(state.cards[seat, slot_of(action)])
    if state.cards[seat, sabacc.SPIKE_SLOT] == sabacc.EMPTY:
        return f"{signed(total)} before the spikes are dealt"
    states = np.zeros(1, sabacc.STATE)
    states[:1] = state
    return f"{signed(total)} beats random unseen cards {percent(100 * _chance(states, seat, total))} of the time"


@rule
def _credits_after_hand(state: State, seat: int) -> float:
    """Credits won since the start of the game, without the ante of the next hand, which is already in the pool."""
    return credits_gained(state, seat) + (0.0 if state.phase == sabacc.OVER else float(sabacc.BET))


@compiled
def _chance(states: Any, seat: int, total: int) -> float:
    state = states[0]
    unseen = np.zeros(sabacc.NUM_VALUES, np.float32)
    count_unseen(state, seat, unseen)
    beats = np.zeros(2 * MAX_SUM + 1, np.float64)
    chances_to_beat_all(state, seat, unseen, beats)
    return float(beats[total + MAX_SUM])
