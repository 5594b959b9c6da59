"""Puzzles: decisions with one clearly best action, from a person's own games and from random deals."""

from __future__ import annotations

import datetime
import math
import random
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cardgym.engine.contract import Game, Names, Options, State
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.players import CompiledPlayer
from cardgym.table.coach.advice import Advice
from cardgym.table.coach.coach import Coach, usual_player
from cardgym.table.coach.playouts import look
from cardgym.table.coach.review import names_of, reviewed_seats
from cardgym.table.narration import Event
from cardgym.table.people import shown_names
from cardgym.table.session import Session, replay
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
        moves: the moves of the game before the decision.
        origin: where the decision is from, in words.
        identity: what the solver knows, as an observation: the same in puzzles that look the same.
    """

    game: Game
    state: State
    seat: int
    people: Names
    moves: tuple[int, ...]
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
    """Return a puzzle of a game: half of them from a person's games, if there are any, the rest from random deals.

    Args:
        seed: decides everything drawn at random.
        own: finished games of the person with these options, with their moves.
        seconds: how long to look after the first advice, which may have to wait for compilation.
        seen: the identities of puzzles that the solver knows: one of them is returned only if no other is found.

    Raises:
        CardgymError: if none was found in that time.
    """
    rng = random.Random(seed)  # A page has no generators of NumPy.
    coach = Coach(game, options)
    deadline = math.inf
    known: list[Puzzle] = []
    seats: Sequence[int]
    while time.monotonic() < deadline and len(known) < _MOST_KNOWN:
        if own and rng.random() < 0.5:
            entry = rng.choice(own)
            events, seats, names = replay(entry), reviewed_seats(entry), names_of(entry)
            origin = f"from your game of {_day(entry['time'])}"
        else:
            events, seats, names = _random_game(game, options, rng.getrandbits(62)), range(options.num_players), []
            origin = "from a random deal"
        decisions = [number for number, event in enumerate(events) if event.is_choice and event.seat in seats]
        for number in rng.sample(decisions, min(len(decisions), _TRIES_A_GAME)):
            advice = coach.advise(events[number].before, events[number].seat, names)
            if is_clear(advice):
                puzzle = _puzzle(game, options, events, number, names, advice, origin)
                if puzzle.identity not in seen:
                    return puzzle
                known.append(puzzle)
            deadline = min(deadline, time.monotonic() + seconds)
            if time.monotonic() > deadline:
                break
    if known:
        return known[0]
    raise CardgymError(f"no decision of {game.id} with one clearly best action was found in {seconds:g} s; try again")


def decision_again(entry: Mapping[str, Any], move: int) -> Puzzle:
    """Return a person's decision in a finished game, as a puzzle; `move` is its index among the game's moves.

    Raises:
        CardgymError: if that move is none of the decisions that a review of the game is about.
    """
    game, events = find(entry["env"]), replay(entry)
    if not (0 <= move < len(events) and events[move].is_choice and events[move].seat in reviewed_seats(entry)):
        raise CardgymError(f"move {move} is not a decision of yours in this game; its review lists them")
    options, names = game.parse_options(entry["options"]), names_of(entry)
    advice = Coach(game, options).advise(events[move].before, events[move].seat, names)
    return _puzzle(game, options, events, move, names, advice, f"from your game of {_day(entry['time'])}")


def _puzzle(
    game: Game,
    options: Options,
    events: Sequence[Event],
    number: int,
    names: Sequence[str],
    advice: Advice,
    origin: str,
) -> Puzzle:
    """Return the decision `events[number]` as a puzzle; `names` is empty if the usual player has all seats."""
    state, seat = events[number].before, events[number].seat
    people = shown_names(names or [usual_player(game)] * options.num_players, seat)
    moves = tuple(event.move for event in events[:number])
    identity = look(game, options, state, seat)[0].tobytes()
    return Puzzle(game, state, seat, people, moves, advice, origin, identity)


def _day(time: str) -> str:
    return f"{datetime.datetime.fromisoformat(time).astimezone():%Y-%m-%d}"


def is_clear(advice: Advice) -> bool:
    """Whether one action is better than all others by a margin that is larger than the error."""
    if len(advice.actions) < 2:
        return False
    best, second = advice.actions[:2]
    return best.value - second.value > max(_MARGIN * advice.blunder, best.error, second.error)


def _random_game(game: Game, options: Options, seed: int) -> list[Event]:
    """Return a game that the usual player plays in all seats."""
    players = [CompiledPlayer(usual_player(game))] * options.num_players
    return Session(GameSetup(game, options, players, seed, watched=True)).play()
