"""Tournaments: every player against every other, on the same deals, spread over workers."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.arena.match import MAX_SEED, number_of_games, whole_number
from cardgym.arena.tournament.entrants import entrants
from cardgym.arena.tournament.ranges import Pairing, RangeStore, Sums, plain_settings, play_range, ranges
from cardgym.arena.tournament.standings import Standings, standings
from cardgym.engine.contract import RETURN, Game, Options
from cardgym.engine.registry import find
from cardgym.errors import CardgymError, require, unknown
from cardgym.files.limits import MAX_GAMES
from cardgym.players.base import PlayerSpec
from cardgym.scaling import Engine, Task

Range = tuple[tuple[int, int], int, int]
"""The numbers of two players, of the first deal and of deals."""


def tournament(
    game: str | Game,
    options: Options | Mapping[str, Any] | None,
    players: Sequence[PlayerSpec],
    *,
    games: int,
    seed: int,
    games_of: Mapping[str, int] | None = None,
    payoff: str | None = None,
    engine: Engine | None = None,
    folder: Path | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Standings:
    """Play every player against every other on the same deals from every seating.

    In a game of more than two seats the other player takes every other seat, so each pair plays two matches. In a game
    of one seat players are compared on the same deals. Matches are cut into ranges of deals, and sums of ranges are
    exact: the same arguments give the same standings, except for the time, whatever the engine and its workers.

    Args:
        game: the game or its id; with an engine, as workers find it.
        options: its options, or the names and values of those that differ from the defaults.
        players: names, paths and folders of players; with an engine, nothing else.
        games: how many games each match has, at least 2; rounded up to whole deals.
        seed: the seed of the deals.
        games_of: the games of the matches of a slow player, by its name; the smaller number counts.
        payoff: `return`, or the name of a metric; what the game says if None.
        engine: where to play; None for this process.
        folder: where to keep the ranges played, to go on from after a kill.
        resume: whether to go on from the ranges in `folder`.
        progress: called now and then with the games played and the games in all.

    Raises:
        CardgymError: for bad players (see `entrants`), fewer than 2 games, an unknown payoff, a folder that holds a
            tournament already without `resume`, and for an illegal action.
    """
    require("a tournament", "scipy")
    name = game if isinstance(game, str) else game.id
    game = find(game)
    options = options if isinstance(options, Options) else game.parse_options(options)
    seed = whole_number("seed", seed, 0, MAX_SEED)
    payoff = payoff or game.payoff
    if payoff not in (RETURN, *game.metrics):
        raise unknown("payoff", payoff, (RETURN, *game.metrics))
    entered = entrants(players, game, options)
    names = [entrant.name for entrant in entered]
    games_of = {} if games_of is None else dict(games_of)
    for player in games_of:
        if player not in names:
            raise unknown("player with games of its own", player, names)
    store = None if folder is None else RangeStore(folder)
    if store is not None and not resume and store.exists():
        raise CardgymError(f"{folder}: holds games already; add --resume to go on from them, or name another folder")

    seats = options.num_players
    pairs = list((itertools.permutations if seats > 2 else itertools.combinations)(range(len(names)), 2))
    settings = plain_settings(options)
    pairings = {
        (i, j): Pairing(name, settings, one.spec, other.spec, payoff, seed, (one.identity, other.identity))
        for (i, one), (j, other) in itertools.permutations(enumerate(entered), 2)
    }
    todo: list[Range] = []
    for pair in pairs:
        least = min(_checked_games(games_of.get(names[player], games)) for player in pair)
        todo += [(pair, first, count) for first, count in ranges(-(-least // seats), seats)]

    start = time.perf_counter()
    played = _played(todo, pairings, store, engine, seats, progress)
    seconds = time.perf_counter() - start
    # Added by the number of the range, so that the order in which workers finish cannot show.
    sums = {pair: sum(played[part] for part in todo if part[0] == pair) for pair in pairs}
    return standings(
        {pair: np.asarray(total) for pair, total in sums.items()},
        names,
        seats,
        env=game.id,
        settings=options.asdict(),
        payoff=payoff,
        seed=seed,
        seconds=seconds,
        workers=1 if engine is None else engine.workers,
        engine="none" if engine is None else engine.name,
    )


def _played(
    todo: Sequence[Range],
    pairings: Mapping[tuple[int, int], Pairing],
    store: RangeStore | None,
    engine: Engine | None,
    seats: int,
    progress: Callable[[int, int], None] | None,
) -> dict[Range, Sums]:
    """The sums of every range: those that `store` has, and the others as they are played."""
    played: dict[Range, Sums] = {}
    total = seats * sum(count for _, _, count in todo)
    done = 0

    def add(part: Range, sums: Sums) -> None:
        nonlocal done
        played[part] = sums
        done += seats * part[2]
        if progress is not None:
            progress(done, total)

    if store is not None:
        for part in todo:
            sums = store.load(pairings[part[0]], *part[1:])
            if sums is not None:
                add(part, sums)
    left = [part for part in todo if part not in played]
    for part, sums in _plays(left, pairings, engine):
        if store is not None:
            store.save(pairings[part[0]], *part[1:], sums)
        add(part, sums)
    return played


def _plays(
    left: Sequence[Range], pairings: Mapping[tuple[int, int], Pairing], engine: Engine | None
) -> Iterator[tuple[Range, Sums]]:
    if engine is None:
        for pair, first, count in left:
            yield (pair, first, count), play_range(pairings[pair], first, count)
        return
    # A worker that plays ranges of one match after another has the match seated already.
    tasks = {str(number): part for number, part in enumerate(left)}
    for outcome in engine.run(
        Task(key, play_range, (pairings[pair], first, count)) for key, (pair, first, count) in tasks.items()
    ):
        if outcome.error is not None:
            raise CardgymError(outcome.error)
        yield tasks[outcome.key], outcome.value


def _checked_games(games: int) -> int:
    return whole_number("games", number_of_games(games), 2, MAX_GAMES)
