"""One game of a person with players, or of players that a person watches, saved move by move.

Everybody who plays for a person goes through a `Session`: the terminal and the browser's table. It is restored from
the record by its moves, so a process that ends loses nothing.
"""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numba
import numpy as np
import numpy.typing as npt

import cardgym
from cardgym.engine.contract import Game, Options, State
from cardgym.engine.generator import derive
from cardgym.engine.kernel import CALLER
from cardgym.engine.numba.compilation import name_entry_point
from cardgym.engine.registry import find
from cardgym.errors import CardgymError, IllegalActionError
from cardgym.players.base import CompiledPlayer, Player, resolve
from cardgym.players.seats import SeatedBatch
from cardgym.table.game_log import UNDO, GameLog, Move, live_moves
from cardgym.table.moves import END, Snapshot, moves_of

PERSON = "human"
"""The person's name in the record and in reports."""

WATCHED = -1
"""The person's seat in a game that is watched."""

_STREAM = np.uint64(0x91A7)
"""The stream of the deals of people's games."""

_SEAT = np.uint64(2**63)
"""Added to the number of a game: the stream of the seats drawn."""

Resolve = Callable[[str, Game, Options], Player]


@dataclass(frozen=True)
class Event:
    """A move that was made.

    Attributes:
        seat: the seat that decided; -1 for chance.
        move: the action, or the outcome of chance, which the person may not know.
        text: what it looked like to the person; empty if nothing was to be seen.
        before: the state before it.
        after: the state after it.
    """

    seat: int
    move: int
    text: str
    before: State
    after: State


class Session:
    """One game, from its first deal to its end.

    Attributes:
        id: what it is called in the record; nobody can guess it.
        game: the game.
        options: its options.
        seed: the seed of the deals; whoever knows it knows all cards.
        number: the number of this game among those of the seed.
        about: further plain values that are kept with it.
        seat: the person's seat; -1 where the game is watched.
        moves: the moves made and not taken back.
        log: what the person was told, with the seat that decided.
        paid: what the game has paid each seat, (num_players,), float64.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        players: Sequence[Player],
        *,
        seed: int,
        seat: int | None = None,
        watched: bool = False,
        number: int = 0,
        record: GameLog | None = None,
        owner: str = "",
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Start a game; `play` or `step` deals it.

        Args:
            game: the game.
            options: its options.
            players: those in the other seats, in the order of play after the person; all of them where it is watched.
            seed: the seed of the deals.
            seat: the person's seat; None draws it.
            watched: whether players take all seats.
            number: the number of the game among those of the seed.
            record: where to save it; None for nowhere.
            owner: whose it is, for the record.
            about: further plain values to keep with it.

        Raises:
            CardgymError: for another number of players than seats.
        """
        num_seats = options.num_players
        num_players = num_seats if watched else num_seats - 1
        if len(players) != num_players:
            raise CardgymError(f"{len(players)} players for {num_players} seats of {game.id}: name one for each")
        if seat is not None and not 0 <= seat < num_seats:
            raise CardgymError(f"seat {seat}: {game.id} has seats 0 to {num_seats - 1} here")
        self.id = secrets.token_urlsafe(16)
        self.game = game
        self.options = options
        self.seed = seed
        self.number = number
        self.about = dict(about or {})
        key = np.uint64(derive(np.uint64(seed), _STREAM))
        if watched:
            self.seat = WATCHED
        else:
            self.seat = int(derive(key, np.uint64(number) + _SEAT)) % num_seats if seat is None else seat
        self._players = tuple(players)
        roster = list(dict.fromkeys(players))
        self._played = SeatedBatch(game, options, 1, roster)
        lineup = [self._played.numbers[roster.index(player)] for player in players]
        self._played.seat(lineup if watched else [CALLER, *lineup], requested_seat=self.viewer)
        self._played.seed(np.array([key], np.uint64))
        self._compiled = moves_of(self._played.batch.kernel)
        self._mask = np.zeros(game.actions(options), np.int8)
        self._time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self.paid: npt.NDArray[np.float64] = np.zeros(num_seats, np.float64)
        self._snapshot: State = None
        self._rows: list[Move] = []
        self._num_saved = 0
        name_entry_point(f"{game.id} (play)", self._compiled.next_move)
        self._load([])
        self._record = record
        if record is not None:
            record.add(self.id, self.entry(), owner)

    @classmethod
    def restore(cls, record: GameLog, id: str, resolve: Resolve = resolve) -> Self:
        """The game of that id as the record has it, to be played on.

        Args:
            record: the record.
            id: the game's id.
            resolve: finds a player by its name.

        Raises:
            CardgymError: for a game that is not in the record, or cannot be replayed.
        """
        entry = record.game(id)
        self = cls._of_entry(entry, resolve)
        self.id, self._record = id, record
        self._rows = record.rows(id)
        self._num_saved = len(self._rows)
        self._load(live_moves(self._rows))
        return self

    @classmethod
    def _of_entry(cls, entry: dict[str, Any], resolve: Resolve) -> Self:
        """The game of an entry, without its moves."""
        if "person" not in entry:
            raise CardgymError("this game comes from a log that holds results only: it cannot be replayed")
        game = find(entry["env"])
        options = game.parse_options(entry["settings"])
        watched = entry["person"] is None
        names = [player["name"] for player in entry["players"]][0 if watched else 1 :]
        players = [resolve(name, game, options) for name in names]
        self = cls(
            game,
            options,
            players,
            seed=entry["seed"],
            seat=entry["person"],
            watched=watched,
            number=entry["game"],
            about=entry.get("about"),
        )
        self._time = entry["time"]
        return self

    # -- what there is to see -----------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state of the game; a copy."""
        return self._snapshot

    @property
    def turn(self) -> int:
        """The seat to move: CHANCE for chance, END where the game is over."""
        return int(self._compiled.turn(self._played.batch.plain_states, self._mask))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.turn == END

    @property
    def watched(self) -> bool:
        """Whether players take all seats."""
        return self.seat == WATCHED

    @property
    def viewer(self) -> int:
        """The seat that the game is told from: the person's, or the first of a game that is watched."""
        return max(self.seat, 0)

    @property
    def version(self) -> int:
        """How many rows the record has of it: it grows with every move, and when moves are taken back."""
        return len(self._rows)

    @property
    def undone(self) -> int:
        """How often moves were taken back."""
        return sum(seat == UNDO for seat, _ in self._rows)

    @property
    def decisions(self) -> int:
        """How many decisions the person has made, those taken back left out."""
        return sum(seat == self.seat for seat, _ in self.moves) if not self.watched else 0

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision to take back."""
        return bool(self._choices) and not self.over

    def legal_actions(self) -> list[int]:
        """The person's legal actions; none unless it is the person's turn."""
        if self.watched or self.turn != self.seat:
            return []
        return [int(action) for action in np.flatnonzero(self._mask)]

    def names(self, person: str = PERSON) -> list[str]:
        """The names by seat; the person goes by `person`."""
        order = [player.name for player in self._players]
        if not self.watched:
            order.insert(0, person)
        return [order[(seat - self.viewer) % len(order)] for seat in range(len(order))]

    def entry(self) -> dict[str, Any]:
        """The game as an entry of the record; see there."""
        rules, state, num_seats, names = self.game.rules, self.state, self.options.num_players, self.names()
        return {
            "env": self.game.id,
            "settings": self.options.asdict(),
            "seed": self.seed,
            "game": self.number,
            "time": self._time,
            "finished": self.over,
            "max_score": float(rules.max_score(state)),
            "person": None if self.watched else self.seat,
            "versions": _versions(),
            "about": self.about,
            "players": [
                {
                    "name": names[seat],
                    "seat": seat,
                    "score": float(rules.score(state, seat)),
                    "return": float(self.paid[seat]),
                    "metrics": {name: float(metric(state, seat)) for name, metric in self.game.metrics.items()},
                }
                for seat in ((self.viewer + ahead) % num_seats for ahead in range(num_seats))
            ],
        }

    # -- playing ------------------------------------------------------------------------------------------------------

    def play(self) -> list[Event]:
        """Play on until the person is to decide or the game ends; one that is watched, to its end."""
        return self._play_on(most=-1)

    def step(self) -> list[Event]:
        """Play one decision of a player, and the chance before it and after it."""
        return self._play_on(most=1)

    def act(self, action: int) -> list[Event]:
        """Play the person's action, and on until the person is to decide again or the game ends.

        Raises:
            IllegalActionError: for an action that is not legal now.
        """
        allowed = self.legal_actions()
        if action not in allowed:
            raise IllegalActionError(f"action {action} is not legal; allowed are {allowed}")
        event = self._make(self.seat, action)
        self._rows.append((self.seat, action))
        return [event, *self._play_on(most=-1)]

    def undo(self) -> None:
        """Take back the person's last decision that was a choice, and all that came after it.

        The cards to come stay the same.

        Raises:
            CardgymError: where there is nothing to take back, or the game is over.
        """
        if self.over:
            raise CardgymError("the game is over: its moves cannot be taken back")
        if not self._choices:
            raise CardgymError("there is no decision to take back")
        kept = self._choices[-1]
        self._rows.append((UNDO, kept))
        self._load(self.moves[:kept])
        self._save()

    def _play_on(self, most: int) -> list[Event]:
        """Play until the person is to decide, the game ends, or players have made `most` decisions."""
        events: list[Event] = []
        made = 0
        while True:
            seat = self.turn
            if seat in (self.seat, END) if not self.watched else seat == END:
                break
            if seat >= 0:
                if made == most:
                    break
                made += 1
            chosen = self._next_move()
            if chosen < 0:
                self._save()  # The player may think for long.
                chosen = int(self._played.pending_actions(np.zeros(1, np.int64))[0])
            events.append(self._make(seat, chosen))
            self._rows.append((seat, chosen))
        self._save()
        return events

    def _next_move(self) -> int:
        """The next move of chance or a compiled player; -1 where somebody else decides."""
        batch = self._played.batch
        return int(self._compiled.next_move(batch.plain_states, batch.plain_rows, batch.policy_tables, self._mask))

    def _make(self, seat: int, move: int) -> Event:
        """Make a move.

        Raises:
            CardgymError: for one that the rules do not allow; the game is as it was.
        """
        if seat == self.turn and seat == self.seat and np.count_nonzero(self._mask) > 1:
            self._choices.append(len(self.moves))
        batch, before = self._played.batch, self._snapshot
        if seat != self.turn or not self._compiled.apply(batch.plain_states, move, self._mask, self.paid):
            raise CardgymError(f"move {len(self.moves)} of the game is not allowed by the rules of this version")
        after = self._snapshot = Snapshot.of(batch.plain_states)
        event = Event(seat, move, self.game.words.narrate(before, move, after, self.viewer), before, after)
        self.moves.append((seat, move))
        if event.text:
            self.log.append((seat, event.text))
        return event

    def _save(self) -> None:
        unsaved = self._rows[self._num_saved :]
        if self._record is not None and unsaved:
            self._record.append(self.id, self._num_saved, unsaved, self.entry() if self.over else None)
        self._num_saved = len(self._rows)

    def _load(self, moves: Sequence[Move]) -> list[Event]:
        """Set the game up, and make these moves again."""
        batch = self._played.batch
        batch.plain_states[:] = np.asarray(self.game.new_record(self.options))  # `setup` leaves what nobody reads.
        batch.plain_rows["games"] = self.number
        self._compiled.start(batch.plain_states, batch.plain_rows)
        self.paid[:] = 0.0
        self.log: list[tuple[int, str]] = []
        self.moves: list[Move] = []
        self._choices: list[int] = []
        self._snapshot = Snapshot.of(batch.plain_states)
        events = []
        for seat, move in moves:
            if self.turn != END:
                self._next_move()  # Draws what was drawn then, so that the game goes on as it would have.
            events.append(self._make(seat, move))
        return events


def replay(entry: dict[str, Any]) -> list[Event]:
    """The moves of a recorded game by the rules alone, told as its person saw them; no player is asked.

    Args:
        entry: the game with its moves, from a record or one of its exported lines.

    Raises:
        CardgymError: for a game of results only, of a game that is not installed, or that the rules do not allow.
    """
    session = Session._of_entry(entry, lambda name, game, options: CompiledPlayer("random"))
    return session._load([(seat, move) for seat, move in entry["moves"]])


@cache
def _versions() -> dict[str, str]:
    return {"cardgym": cardgym.__version__, "numpy": np.__version__, "numba": numba.__version__}
