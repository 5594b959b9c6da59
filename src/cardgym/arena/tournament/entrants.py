"""Who enters a tournament: players by name or path, and everyone in a folder."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, printable, quoted
from cardgym.files import shipped
from cardgym.players.base import GREEDY, PLAYER_SUFFIXES, PlayerSpec, checkpoints, resolve

MAX_PLAYERS = 64
"""A round robin of more players would have thousands of matches."""


@dataclass(frozen=True, eq=False)
class Entrant:
    """A player of a tournament.

    Attributes:
        spec: how `resolve` finds it from any folder.
        name: its name in the standings.
        identity: what it is: its name, or a digest of its file.
    """

    spec: PlayerSpec
    name: str
    identity: str


def entrants(specs: Sequence[PlayerSpec], game: Game, options: Options) -> list[Entrant]:
    """The players of a tournament: those named, and in place of a folder every player in it and below it, by name.

    Files of a folder that are no players of this game and these options are left out, which is said on stderr.

    Raises:
        CardgymError: for a player that cannot be found or loaded, a folder without players, a player named twice, and
            for fewer than 2 players or more than `MAX_PLAYERS`.
    """
    players: list[Entrant] = []
    for spec in specs:
        if isinstance(spec, str | Path) and (folder := shipped.checkpoint_path(Path(spec))).is_dir():
            found, left_out = in_folder(folder, game, options)
            if not found:
                why = left_out[-1] if left_out else f"no file ends in {', '.join(PLAYER_SUFFIXES)}"
                raise CardgymError(f"folder {spec}: holds no player of {game.id}: {why}")
            for reason in left_out:
                print(f"left out: {printable(reason, 500)}", file=sys.stderr)
            players += found
        else:
            players.append(_entrant(spec, game, options))
    _check(players)
    return players


def in_folder(folder: Path, game: Game, options: Options) -> tuple[list[Entrant], list[str]]:
    """The players in a folder and below it, and why each file that might have been one is left out."""
    suffixes = PLAYER_SUFFIXES
    files = sorted(path for path in folder.rglob("*") if path.name.endswith(suffixes) and path.is_file())
    players: list[Entrant] = []
    left_out = []
    for path in files:
        try:
            players.append(_entrant(path, game, options))
        except CardgymError as error:
            left_out.append(str(error))
    return players, left_out


def _entrant(spec: PlayerSpec, game: Game, options: Options) -> Entrant:
    """A player, checked by loading it."""
    name = resolve(spec, game, options).name
    if not isinstance(spec, str | Path):
        return Entrant(spec, name, f"{name} {id(spec)}")
    path, greedy, _ = str(spec).partition(GREEDY)
    file = checkpoints(game).get(path, shipped.checkpoint_path(Path(path)))
    if not file.is_file():
        return Entrant(str(spec), name, name)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    # Workers may stand in other folders, so a path is absolute; a checkpoint's name is known everywhere.
    found = f"{Path(path).resolve()}{greedy}" if Path(path).is_file() else str(spec)
    return Entrant(found, name, f"{digest}{greedy}")


def _check(players: Sequence[Entrant]) -> None:
    for name, count in Counter(player.name for player in players).items():
        if count > 1:
            raise CardgymError(f"player {quoted(name)} is named {count} times; name each once")
    if not 2 <= len(players) <= MAX_PLAYERS:
        named = "1 player" if len(players) == 1 else f"{len(players)} players"
        raise CardgymError(f"{named}: a tournament has 2 to {MAX_PLAYERS}; name others, or a folder of players")
