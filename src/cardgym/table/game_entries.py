"""What the entry of a game must contain, and the games of an export in JSON lines.

Every entry that cardgym has not just written itself is read through `checked`: lines of an export and games of a log.
"""

from __future__ import annotations

import datetime
import functools
import io
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np

from cardgym.engine.contract import CHANCE, Float64s, Game
from cardgym.engine.registry import find, registered
from cardgym.engine.states import SingleGame, new_state, record
from cardgym.errors import MAX_WHOLE, CardgymError, printable, quoted
from cardgym.files.documents import Count, Document, Items, Name, Number, at_most, validate
from cardgym.files.json_values import parse_json, read_bytes, sealed
from cardgym.files.schema import AfterValidator, ConfigDict, Field, model_validator
from cardgym.players.compatibility import OptionValues
from cardgym.players.resolver import checkpoints, player_names
from cardgym.table.setup import PERSON, People

KindTotal = tuple[str, str, int, int, float]
"""A kind of decision in a game and its unit, how many there were, how many were as good as the best, and their cost."""

GAME_ID = r"[A-Za-z0-9_-]{22,26}"
"""What the ids of games and browsers look like, as a regular expression."""

_MAX_BYTES = 1 << 28
"""More games than a person plays in a lifetime."""
_MAX_LINE = 1 << 20
"""A line holds one game with its moves."""
_MAX_REFUSED = 1000
"""Refused lines after which the rest of a file is not read: a file of nothing else must not take minutes."""
_LISTED = 10
"""How many refused games are printed."""
_MAX_SEATS = 64
_MAX_MOVES = 100_000
_UNDONE_PER_DECISION = 100


def _time(text: str) -> str:
    try:
        year = datetime.datetime.fromisoformat(text).year
    except ValueError:
        year = 0
    if not 2000 <= year < 3000:
        raise ValueError("allowed are times from 2000 to 2999 in ISO 8601, such as 2026-01-31T12:00:00+00:00")
    return text


_Seat = Annotated[int, Field(ge=0, lt=_MAX_SEATS)]
_Mover = Annotated[int, Field(ge=CHANCE, lt=_MAX_SEATS)]
_LoggedMove = Annotated[tuple[_Mover, Annotated[int, Field(ge=0, lt=2**31)]], Field(strict=False)]
_Text = Annotated[Name, Field(min_length=1)]


class _Player(Document):
    name: _Text
    seat: _Seat
    score: Number
    paid: Number = Field(alias="return")
    metrics: Annotated[dict[Name, Number], at_most(64)]


class _About(Document):
    """What `cardgym.table.setup` and the web table save with a game; other keys have plain values."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, bool | Number | Name | None]

    again: _Text = ""
    hints: Name = ""
    table: People = "one"
    lesson: Literal[True] = True
    helped: Literal[True] = True
    resigned: _Seat | None = None
    join: Name = ""

    @model_validator(mode="after")
    def _names(self) -> Self:
        for key, value in (self.__pydantic_extra__ or {}).items():
            if key.startswith("name ") and not (isinstance(value, str) and 1 <= len(value) <= 64):
                raise ValueError(f"{key}: allowed are names of 1 to 64 characters")
        return self


class GameEntry(Document):
    """A game; see `cardgym.table.game_log.GameLog`. `checked` also compares it with its moves."""

    id: Annotated[str, Field(pattern=f"^{GAME_ID}$")]
    env: Name
    options: OptionValues
    seed: Annotated[int, Field(ge=0, le=MAX_WHOLE)]
    game: Count
    time: Annotated[str, Field(max_length=64), AfterValidator(_time)]
    finished: bool
    max_score: Number
    person: _Seat | None
    about: Annotated[_About, at_most(100)] = Field(default_factory=lambda: _About.model_validate({}))
    versions: Annotated[dict[Name, Name], at_most(64)] = Field(default_factory=dict)
    players: Annotated[Items[_Player], Field(min_length=1), at_most(_MAX_SEATS)]
    moves: Annotated[Items[_LoggedMove], at_most(_MAX_MOVES)]
    undone: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _who_plays(self) -> Self:
        count, people = len(self.players), [player.seat for player in self.players if player.name == PERSON]
        if self.person is not None and self.person >= count:
            raise ValueError(f"person: {self.person}; allowed are seats 0 to {count - 1}, and null for a watched game")
        order = [((self.person or 0) + ahead) % count for ahead in range(count)]
        if [player.seat for player in self.players] != order:
            raise ValueError(f"players: allowed are seats {order} in this order")
        if (self.person is None) == bool(people) or self.person not in (None, *people):
            raise ValueError(f"players: the player at the person's seat, and only a person, is called {PERSON}")
        if self.about.table != "one" and len(people) < 2:
            raise ValueError(f"about.table: {self.about.table}; allowed is one where one person plays or watches")
        if len({frozenset(player.metrics) for player in self.players}) > 1:
            raise ValueError("players: allowed are the same metrics for each")
        if self.undone > (most := most_undone(self)):
            raise ValueError(f"undone: {self.undone}; allowed are at most {most} for these moves")
        return self


class SavedTotals(Document):
    """The totals that a review found in a game."""

    totals: Annotated[Items[Annotated[tuple[Name, Name, Count, Count, Number], Field(strict=False)]], at_most(1000)]

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not all(0 < decisions >= best and cost >= 0.0 for _, _, decisions, best, cost in self.totals):
            raise ValueError("totals: allowed are more than 0 decisions, at most as many best ones, and costs from 0")
        return self


def most_undone(entry: GameEntry) -> int:
    """How often moves can have been taken back: only by a person who plays alone, up to 100 times a decision."""
    if [player.name for player in entry.players].count(PERSON) != 1:
        return 0
    decisions = sum(seat == entry.person for seat, _ in entry.moves) + (not entry.finished)
    return _UNDONE_PER_DECISION * decisions


def checked(
    values: Any, where: str, *, undone: int = 0, replayed: bool = False, found: Callable[[str], Game] = find
) -> dict[str, Any]:
    """Return an entry of plain values, compared with the schema and with what its moves lead to.

    Keys and metrics that cardgym does not know are dropped, and the results of an unfinished game are left blank.

    Args:
        where: what messages call the entry.
        undone: how often moves were taken back since the entry was written.
        replayed: whether the same entry was compared with its moves before.
        found: finds a game; a cache of `find` for several entries, because `find` looks for edited rules.

    Raises:
        CardgymError: in one line, which names the entry, the field and what is allowed.
    """
    entry = validate(GameEntry, values, where)
    if entry.env not in registered():  # `find` would import the module of `module:Id-v0`.
        raise CardgymError(f"{where}: env: {quoted(entry.env)} is not installed; there are {', '.join(registered())}")
    game = found(entry.env)
    if not replayed:
        try:
            _replay(entry, game)
        except CardgymError as error:
            raise CardgymError(f"{where}: {printable(str(error))}") from None
    plain = entry.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for player in plain["players"]:
        kept = {name: value for name, value in player["metrics"].items() if name in game.metrics}
        player |= {"metrics": kept} if entry.finished else blank(game.metrics)
    plain["undone"] = min(entry.undone + undone, most_undone(entry))
    plain["max_score"] = entry.max_score if entry.finished else 0.0
    return {"about": {}, "versions": {}, **plain}


def _replay(entry: GameEntry, game: Game) -> None:
    """Compare an entry's options, moves and results with the rules of its game."""
    try:
        options = game.parse_options(entry.options)
    except CardgymError as error:
        raise CardgymError(f"options: {error}") from None
    allowed = options.asdict()
    for name, value in entry.options.items():
        if allowed.get(name) != value:
            raise CardgymError(f"options.{name}: {value!r}; allowed is {allowed.get(name)!r}")
    if options.num_players != len(entry.players):
        raise CardgymError(f"players: {len(entry.players)}; allowed are {options.num_players} with these options")
    position, paid = SingleGame(game, options, new_state(game, options)), np.zeros(options.num_players, np.float64)
    position.refresh()
    for number, (seat, move) in enumerate(entry.moves):
        if position.current_player != seat or not position.allows(move):
            raise CardgymError(f"moves.{number}: {[seat, move]} is not allowed by the rules of this version")
        paid += position.apply_action(move)[: len(paid)]
    resigned = entry.about.resigned
    if entry.finished != (position.over or resigned is not None):
        raise CardgymError(f"finished: {entry.finished}; its moves lead {'' if position.over else 'not '}to the end")
    if not entry.finished:
        return
    if resigned is not None and position.over:
        raise CardgymError("about.resigned: nobody can resign a game whose moves lead to the end")
    never = {*player_names(game), *checkpoints(game)}
    may = [player.seat for player in entry.players if player.name not in never]
    if resigned not in (None, *may):  # The game's own players play on.
        raise CardgymError(f"about.resigned: {resigned}; allowed are the seats {may}")
    most, results = results_of(position, paid, resigned)
    _compare("max_score", entry.max_score, most)
    for place, player in enumerate(entry.players):
        result, field = results[player.seat], f"players.{place}"
        _compare(f"{field}.score", player.score, result["score"])
        _compare(f"{field}.return", player.paid, result["return"])
        for metric, mean in player.metrics.items():
            _compare(f"{field}.metrics.{metric}", mean, result["metrics"].get(metric, mean))


def _compare(field: str, value: float, right: float) -> None:
    if not math.isclose(value, right, rel_tol=1e-9, abs_tol=1e-9):
        raise CardgymError(f"{field}: {value:g}; its moves give {right:g}")


def results_of(position: SingleGame, paid: Float64s, resigned: int | None) -> tuple[float, list[dict[str, Any]]]:
    """Return the max score of a finished game, and each seat's score, return and metrics.

    If somebody has resigned, the others share the score.

    Args:
        position: where the game ended.
        paid: the rewards of each seat, (num_players,).
        resigned: the seat that resigned.
    """
    state, seats = record(position.states), range(len(paid))
    if resigned is None:
        most, scores, returns = position.max_score(), [position.score(seat) for seat in seats], paid.tolist()
    else:
        most, scores, returns = 1.0, [1.0 / max(len(seats) - 1, 1)] * len(seats), paid.tolist()
        scores[resigned] = 0.0
        returns[resigned] += position.forfeit(resigned)
    metrics = position.game.metrics
    return most, [
        {
            "score": scores[seat],
            "return": returns[seat],
            "metrics": {name: float(metric.value(state, seat)) for name, metric in metrics.items()},
        }
        for seat in seats
    ]


def blank(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a seat in an unfinished game: the true numbers would tell what others hold."""
    return {"score": 0.0, "return": 0.0, "metrics": dict.fromkeys(metrics, 0.0)}


# -- exports ----------------------------------------------------------------------------------------------------------


def export_line(entry: dict[str, Any]) -> str:
    """Return a game as a line of an export."""
    return json.dumps(sealed(entry), allow_nan=False) + "\n"


def read_entries(path: Path) -> list[dict[str, Any]]:
    """Return the games of an export, in the order of the file; lines that are refused are left out and named on stderr.

    Raises:
        CardgymError: if the file is missing, or has lines but no game.
    """
    what = f"file {path}"
    games, refused = parse_entries(read_bytes(path, what, _MAX_BYTES), what)
    print_left_out(refused)
    return games


def parse_entries(content: bytes, what: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the games of an export's content, and the reasons why lines were refused.

    Args:
        what: what messages call the export.

    Raises:
        CardgymError: if it has lines but no game.
    """
    games: list[dict[str, Any]] = []
    refused: list[str] = []
    found = functools.cache(find)
    for number, line in enumerate(io.BytesIO(content), 1):
        where = f"{what}: line {number} is not a game that cardgym wrote"
        try:
            if len(line) > _MAX_LINE:
                raise CardgymError(f"{where}: it has more than {_MAX_LINE:,} bytes")
            games.append(checked(parse_json(line, where), where, found=found))
        except CardgymError as error:
            refused.append(str(error))
            if len(refused) == _MAX_REFUSED:
                refused.append(f"{what}: {_MAX_REFUSED:,} lines were refused; the lines after {number:,} are not read")
                break
    if refused and not games:
        others = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise CardgymError(f"{refused[0]}{others}")
    return games, refused


def print_left_out(reasons: Sequence[str]) -> None:
    """Name games that are left out on stderr, one a line, up to a limit."""
    for reason in reasons[:_LISTED]:
        print(f"cardgym: {reason}; left out", file=sys.stderr)
    if len(reasons) > _LISTED:
        print(f"cardgym: games left out beside these: {len(reasons) - _LISTED:,}", file=sys.stderr)
