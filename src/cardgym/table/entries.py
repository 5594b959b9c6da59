"""Games that people played, as lines of JSON: the model of a line, and a reader that trusts none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from cardgym.errors import CardgymError
from cardgym.files.documents import Count, Document, Items, Name, Number, at_most, parse_json, read_bytes, validate
from cardgym.players.compatibility import OptionValues

MAX_BYTES = 1 << 28
"""A file of more lines than a person plays games in a lifetime."""
MAX_LINE = 1 << 20
"""A line holds one game, its moves included."""
_MAX_SEATS = 64
_MAX_MOVES = 100_000

Seat = Annotated[int, Field(ge=-1, lt=_MAX_SEATS)]
"""A seat; -1 for chance, or for a person who watched."""


Move = Annotated[tuple[Seat, Annotated[int, Field(ge=0, lt=2**31)]], Field(strict=False)]
"""The seat that decided, -1 for chance, and the action or outcome."""


class PlayerEntry(Document):
    """One player of a game."""

    name: Name
    seat: Seat = 0
    score: Number
    paid: Number = Field(alias="return")
    metrics: Annotated[dict[Name, Number], at_most(64)]


class GameEntry(Document):
    """A game that a person played."""

    id: Name = ""
    env: Name
    settings: OptionValues
    seed: Annotated[int, Field(ge=0)] | None = None
    game: Count = 0
    time: Name = ""
    finished: bool
    max_score: Number
    person: Seat | None = None
    about: Annotated[dict[Name, bool | int | Number | Name | None], at_most(64)] = Field(default_factory=dict)
    versions: Annotated[dict[Name, Name], at_most(64)] = Field(default_factory=dict)
    players: Annotated[Items[PlayerEntry], Field(min_length=1), at_most(_MAX_SEATS)]
    moves: Annotated[Items[Move], at_most(_MAX_MOVES)] = ()
    undone: Annotated[int, Field(ge=0, le=_MAX_MOVES)] = 0

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if len({frozenset(player.metrics) for player in self.players}) > 1:
            raise ValueError("its players have different metrics")
        return self


def read_entries(path: Path) -> list[dict[str, Any]]:
    """The games of a file of JSON lines, as plain values with the keys that the file has.

    Raises:
        CardgymError: for a file that is missing, or a line that is no game.
    """
    what = f"file {path}"
    games = []
    for number, line in enumerate(read_bytes(path, what, MAX_BYTES).splitlines(), 1):
        where = f"{what}: line {number} is no game that cardgym wrote"
        if len(line) > MAX_LINE:
            raise CardgymError(f"{where}: it has more than {MAX_LINE:,} bytes")
        game = parse_json(line, where)
        validate(GameEntry, game, where)
        games.append({**_known(GameEntry, game), "players": [_known(PlayerEntry, one) for one in game["players"]]})
    return games


def _known(kind: type[Document], values: dict[str, Any]) -> dict[str, Any]:
    """The values that a model checks, in the order of the file."""
    names = {field.alias or name for name, field in kind.model_fields.items()}
    return {name: value for name, value in values.items() if name in names}
