"""Tournaments: every player against every other, on the same deals, spread over workers."""

from __future__ import annotations

import itertools
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from cardgym.arena.match import number_of_games
from cardgym.arena.tournament.ranges import Pairing, RangeStore, Sums, joined, play_range, ranges
from cardgym.arena.tournament.standings import Standings, standings
from cardgym.engine.contract import RETURN, Game, Options
from cardgym.engine.registry import find, importable_name
from cardgym.errors import CardgymError, of_kind, one_of, printable, quoted, require, unknown, whole_number, with_method
from cardgym.files import shipped
from cardgym.files.limits import MAX_GAMES
from cardgym.files.tensors import STATE_SUFFIX
from cardgym.players import PlayerSpec, resolve
from cardgym.players.base import absolute
from cardgym.players.identity import player_digest
from cardgym.players.resolver import PLAYER_SUFFIXES
from cardgym.scaling import Engine, Task, in_process

MAX_PLAYERS = 64
"""The maximum number of players; a round robin of more would have thousands of matches."""


@dataclass(frozen=True, eq=False)
class Entrant:
    """A player of a tournament.

    Attributes:
        spec: what `resolve` finds it by, from any folder.
        name: its name in the standings.
        identity: the digest of what it plays, the game's rules included; see `player_digest`.
    """

    spec: PlayerSpec
    name: str
    identity: str


def entrants(specs: Sequence[PlayerSpec], game: Game, options: Options) -> list[Entrant]:
    """Return the players of a tournament: those named, and all players in or below a folder that is named.

    Files in a folder that are not players for this game and these options are left out, with a message on stderr.

    Raises:
        CardgymError: for a player that cannot be found or loaded, a folder without players, a player named twice,
            fewer than 2 players or more than `MAX_PLAYERS`.
    """
    players: list[Entrant] = []
    for spec in specs:
        if isinstance(spec, str | Path) and (folder := shipped.checkpoint_path(Path(spec))).is_dir():
            found, left_out = in_folder(folder, game, options)
            if not found:
                why = left_out[-1] if left_out else f"no file ends in {', '.join(PLAYER_SUFFIXES)}"
                raise CardgymError(f"folder {spec}: no player for {game.id}: {why}")
            for reason in left_out:
                print(f"left out: {printable(reason, 500)}", file=sys.stderr)
            players += found
        else:
            players.append(_entrant(spec, game, options))
    for name, count in Counter(player.name for player in players).items():
        if count > 1:
            raise CardgymError(f"player {quoted(name)} is named {count} times; name each once")
    if not 2 <= len(players) <= MAX_PLAYERS:
        named = "1 player" if len(players) == 1 else f"{len(players)} players"
        raise CardgymError(f"{named}: a tournament has 2 to {MAX_PLAYERS}; name others, or a folder of players")
    return players


def in_folder(folder: Path, game: Game, options: Options) -> tuple[list[Entrant], list[str]]:
    """Return the players in a folder and below it, and a reason for each file that is left out."""
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.name.endswith(PLAYER_SUFFIXES) and not path.name.endswith(STATE_SUFFIX) and path.is_file()
    )
    players: list[Entrant] = []
    left_out = []
    for path in files:
        try:
            players.append(_entrant(path, game, options, programs=False))
        except CardgymError as error:
            left_out.append(str(error))
    return players, left_out


def _entrant(spec: PlayerSpec, game: Game, options: Options, *, programs: bool = True) -> Entrant:
    """Return a player; loading it checks it. `programs` says whether a file may name one, as `resolve` has it."""
    name = resolve(spec, game, options, programs=programs).name
    identity = player_digest(spec, game, options)
    if isinstance(spec, str | Path):
        spec = absolute(str(spec))  # Workers may run in other folders; a shipped checkpoint's name works anywhere.
    return Entrant(spec, name, identity)


class Part(NamedTuple):
    """A range of the deals of one match.

    Attributes:
        pair: the numbers of the two players.
    """

    pair: tuple[int, int]
    pairing: Pairing
    first: int
    num_deals: int


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
    store: RangeStore | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Standings:
    """Play every player against every other on the same deals from every seating.

    In a game of more than two seats the second player takes all seats but one, so each pair plays two matches. In a
    game of one seat players are compared on the same deals. Matches are cut into ranges of deals whose sums are exact:
    the same arguments give the same standings, except for the time, with any engine and number of workers.

    Args:
        game: the game or its id; with an engine, as workers find it.
        options: the game's options, or the names and values of those that differ from the defaults.
        players: names, paths and folders of players; without an engine also players as `resolve` takes them.
        games: how many games each match has, at least 2; rounded up to whole deals.
        seed: the seed of the deals, from 0.
        games_of: fewer games for the matches of slow players, by name; a match takes the smaller number.
        payoff: `return`, or the name of a metric; None for the game's own choice.
        engine: where to play; None for this process.
        store: keeps the ranges played; those in it are not played again.
        progress: called from time to time with the games played and the total.

    Returns:
        The payoffs of each pair per game, in the game's unit, and ratings in Elo points, with 95 % intervals.

    Raises:
        CardgymError: for bad players (see `entrants`), fewer than 2 games, an unknown payoff, or an illegal action.
    """
    require("a tournament", "scipy")
    found = find(game)
    name, game = game if isinstance(game, str) else found.id, found
    if engine is not None:
        name = importable_name(name)
    options = options if isinstance(options, Options) else game.parse_options(options)
    payoff = one_of("payoff", game.payoff if payoff is None else payoff, (RETURN, *game.metrics))
    of_kind("players", players, Sequence, "lists of players")
    of_kind("games_of", {} if games_of is None else games_of, Mapping, "None and a dict of players and games")
    with_method("engine", engine, "run", "engines of cardgym.scaling")
    with_method("store", store, "load", "a `RangeStore`")
    with_method("progress", progress, "__call__", "functions (games played, total)")
    seed = whole_number("seed", seed, 0)
    entered = entrants(players, game, options)
    names = [entrant.name for entrant in entered]
    for player in games_of or ():
        if player not in names:
            raise unknown("player in games_of", player, names)
    games_by_name = {name: number_of_games((games_of or {}).get(name, games)) for name in names}
    pairing = partial(Pairing, name, tuple(options.asdict().items()), payoff=payoff, seed=seed)
    parts = _parts(entered, games_by_name, options.num_players, pairing)
    start = time.perf_counter()
    sums = _play(parts, store, engine, options.num_players, progress)
    return standings(
        sums,
        names,
        options.num_players,
        env=game.id,
        options=options.asdict(),
        payoff=payoff,
        seed=seed,
        seconds=time.perf_counter() - start,
        workers=1 if engine is None else engine.workers,
        engine="none" if engine is None else engine.name,
    )


def _parts(
    entered: Sequence[Entrant], games: Mapping[str, int], seats: int, pairing: Callable[..., Pairing]
) -> list[Part]:
    parts: list[Part] = []
    pairs = itertools.permutations if seats > 2 else itertools.combinations
    for (i, first), (j, second) in pairs(enumerate(entered), 2):
        num_games = whole_number("games", min(games[first.name], games[second.name]), 2, MAX_GAMES)
        both = pairing(first=first.spec, second=second.spec, identities=(first.identity, second.identity))
        parts += [Part((i, j), both, *deals) for deals in ranges(-(-num_games // seats), seats)]
    return parts


def _play(
    parts: Sequence[Part],
    store: RangeStore | None,
    engine: Engine | None,
    seats: int,
    progress: Callable[[int, int], None] | None,
) -> dict[tuple[int, int], Sums]:
    """Return the sums of every match, from `store` or played now."""
    played: dict[int, Sums] = {}

    def add(number: int, sums: Sums) -> None:
        played[number] = sums
        if progress is not None:
            progress(seats * sum(parts[one].num_deals for one in played), seats * sum(part.num_deals for part in parts))

    for number, part in enumerate(parts):
        if store is not None and (sums := store.load(*part[1:])) is not None:
            add(number, sums)
    # In this order a worker mostly plays ranges of one match, whose players are already seated.
    tasks = [Task(str(number), play_range, part[1:]) for number, part in enumerate(parts) if number not in played]
    for outcome in in_process(tasks) if engine is None else engine.run(tasks):
        number = int(outcome.key)
        if outcome.error is not None:
            pairing = parts[number].pairing
            who = f"{pairing.first} against {pairing.second}: " if outcome.died else ""  # Either may have ended it.
            raise CardgymError(f"{who}{outcome.error}")
        if store is not None:
            store.save(*parts[number][1:], outcome.value)
        add(number, outcome.value)
    # Added in the order of the ranges, so that the result does not depend on which worker finishes first.
    totals: dict[tuple[int, int], Sums] = {}
    for number, part in enumerate(parts):
        totals[part.pair] = joined(totals[part.pair], played[number]) if part.pair in totals else played[number]
    return totals
