"""Puzzles: decisions with one clearly best action, from a person's own games and from random deals."""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardgym.engine.contract import Game, Names, Options, State
from cardgym.errors import CardgymError
from cardgym.players import CompiledPlayer
from cardgym.table.coach.advice import Advice
from cardgym.table.coach.coach import Coach, usual_player
from cardgym.table.coach.playouts import look
from cardgym.table.coach.review import decisions_of, names_of
from cardgym.table.narration import Event
from cardgym.table.people import shown_names
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

SEARCH_SECONDS = 8.0
"""How long to look for a puzzle."""

_MARGIN = 0.5
"""The best action must lead the next one by this share of a blunder's cost, and by more than the error."""
_TRIES_A_GAME = 6
_MOST_KNOWN = 40
"""After so many puzzles that the solver knows, all are taken to be known."""


@dataclass(frozen=True)
class Puzzle:
    """A decision whose best action is to be found.

    Attributes:
        state: the state; the solver sees only what `seat` sees.
        seat: whose decision it is.
        people: the names by seat for people; the solver is "You".
        origin: where the decision is from, in words.
        identity: what the solver knows, as an observation: the same in puzzles that look the same.
    """

    game: Game
    state: State
    seat: int
    people: Names
    advice: Advice
    origin: str
    identity: bytes


def find_puzzle(
    game: Game,
    options: Options,
    seed: int,
    own: Sequence[Mapping[str, Any]] = (),
    seconds: float = SEARCH_SECONDS,
    seen: Collection[bytes] = (),
) -> Puzzle:
    """A puzzle of a game: half of them from a person's games, if there are any, the rest from random deals.

    Args:
        seed: decides everything drawn at random.
        own: finished games of the person with these options, with their moves.
        seconds: how long to look after the first advice, which may have to wait for compilation.
        seen: the identities of puzzles that the solver knows: one of them is returned only if no other is found.

    Raises:
        CardgymError: if none was found in that time.
    """
    rng = np.random.default_rng(seed)
    coach = Coach(game, options)
    deadline = math.inf
    known: list[Puzzle] = []
    while time.monotonic() < deadline and len(known) < _MOST_KNOWN:
        if own and rng.random() < 0.5:
            entry = own[int(rng.integers(len(own)))]
            events, names = decisions_of(entry), names_of(entry)
            origin = f"from your game of {datetime.datetime.fromisoformat(entry['time']).astimezone():%Y-%m-%d}"
        else:
            events, names = _random_decisions(game, options, int(rng.integers(2**62))), []
            origin = "from a random deal"
        for number in rng.permutation(len(events))[:_TRIES_A_GAME]:
            event = events[int(number)]
            advice = coach.advise(event.before, event.seat, names)
            if is_clear(advice):
                names = names or [usual_player(game)] * options.num_players
                people, known_to = shown_names(names, event.seat), look(game, options, event.before, event.seat)[0]
                puzzle = Puzzle(game, event.before, event.seat, people, advice, origin, known_to.tobytes())
                if puzzle.identity not in seen:
                    return puzzle
                known.append(puzzle)
            deadline = min(deadline, time.monotonic() + seconds)
            if time.monotonic() > deadline:
                break
    if known:
        return known[0]
    raise CardgymError(f"no decision of {game.id} with one clearly best action was found in {seconds:g} s; try again")


def is_clear(advice: Advice) -> bool:
    """Whether one action is better than all others by a margin that is larger than the error."""
    if len(advice.actions) < 2:
        return False
    best, second = advice.actions[:2]
    return best.value - second.value > max(_MARGIN * advice.blunder, best.error, second.error)


def _random_decisions(game: Game, options: Options, seed: int) -> list[Event]:
    """The decisions with a choice in a game that the usual player plays in all seats."""
    players = [CompiledPlayer(usual_player(game))] * options.num_players
    session = Session(GameSetup(game, options, players, seed, watched=True))
    return [event for event in session.play() if event.is_choice]
