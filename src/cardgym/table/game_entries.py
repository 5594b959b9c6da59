"""The games of an export in JSON lines, and what the entry of a game must contain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from cardgym.engine.contract import CHANCE
from cardgym.errors import CardgymError
from cardgym.files.documents import Count, Document, Items, Name, Number, at_most, validate
from cardgym.files.json_values import parse_json, read_bytes, sealed
from cardgym.players.compatibility import OptionValues

KindTotal = tuple[str, str, int, int, float]
"""A kind of decision in a game and its unit, how many there were, how many were as good as the best, and their cost."""

_MAX_BYTES = 1 << 28
"""More games than a person plays in a lifetime."""
_MAX_LINE = 1 << 20
"""A line holds one game with its moves."""
_MAX_SEATS = 64
_MAX_MOVES = 100_000

_Seat = Annotated[int, Field(ge=0, lt=_MAX_SEATS)]
_Mover = Annotated[int, Field(ge=CHANCE, lt=_MAX_SEATS)]
_LoggedMove = Annotated[tuple[_Mover, Annotated[int, Field(ge=0, lt=2**31)]], Field(strict=False)]


class _Player(Document):
    name: Name
    seat: _Seat
    score: Number
    paid: Number = Field(alias="return")
    metrics: Annotated[dict[Name, Number], at_most(64)]


class GameEntry(Document):
    """A game; see `cardgym.table.game_log.GameLog`."""

    id: Name
    env: Name
    options: OptionValues
    seed: Annotated[int, Field(ge=0)]
    game: Count
    time: Name
    finished: bool
    max_score: Number
    person: _Seat | None
    about: Annotated[dict[Name, bool | int | Number | Name | None], at_most(64)] = Field(default_factory=dict)
    versions: Annotated[dict[Name, Name], at_most(64)] = Field(default_factory=dict)
    players: Annotated[Items[_Player], Field(min_length=1), at_most(_MAX_SEATS)]
    moves: Annotated[Items[_LoggedMove], at_most(_MAX_MOVES)]
    undone: Annotated[int, Field(ge=0, le=_MAX_MOVES)] = 0

    @model_validator(mode="after")
    def _same_metrics(self) -> Self:
        if len({frozenset(player.metrics) for player in self.players}) > 1:
            raise ValueError("its players have different metrics")
        return self


class SavedTotals(Document):
    """The totals that a review found in a game."""

    totals: Annotated[Items[Annotated[tuple[Name, Name, Count, Count, Number], Field(strict=False)]], at_most(1000)]


def export_line(entry: dict[str, Any]) -> str:
    """A game as a line of an export."""
    return json.dumps(sealed(entry), allow_nan=False) + "\n"


def read_entries(path: Path) -> list[dict[str, Any]]:
    """The games of an export, in the order of the file; keys that cardgym does not know are dropped.

    Raises:
        CardgymError: if the file is missing or a line is not a game.
    """
    what = f"file {path}"
    return parse_entries(read_bytes(path, what, _MAX_BYTES), what)


def parse_entries(content: bytes, what: str) -> list[dict[str, Any]]:
    """The games of an export's content; `what` is its name in messages. See `read_entries`."""
    games = []
    for number, line in enumerate(content.splitlines(), 1):
        where = f"{what}: line {number} is not a game that cardgym wrote"
        if len(line) > _MAX_LINE:
            raise CardgymError(f"{where}: it has more than {_MAX_LINE:,} bytes")
        game = parse_json(line, where)
        validate(GameEntry, game, where)
        games.append({**_known(GameEntry, game), "players": [_known(_Player, player) for player in game["players"]]})
    return games


def _known(kind: type[Document], values: dict[str, Any]) -> dict[str, Any]:
    names = {field.alias or name for name, field in kind.model_fields.items()}
    return {name: value for name, value in values.items() if name in names}
