"""One game of people against players or each other, or of players that a person watches, saved move by move.

The terminal and the page in the browser both play through a `Session`. It can be restored from its moves in the game
log, so nothing is lost when a process ends.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import name_entry_point
from cardgym.engine.contract import CHANCE, END, Float64s, Names, State
from cardgym.engine.kernel import CALLER
from cardgym.engine.sight import is_told
from cardgym.engine.states import SingleGame, record, row_moves
from cardgym.errors import CardgymError, IllegalActionError
from cardgym.players import CompiledPlayer
from cardgym.players.base import FORFEIT
from cardgym.players.seats import SeatedBatch
from cardgym.table.game_entries import blank, results_of
from cardgym.table.game_log import UNDO, GameLog, Move, live_moves
from cardgym.table.narration import Event, Narration
from cardgym.table.setup import (
    AGAIN,
    HELPED,
    PERSON,
    RESIGNED,
    WATCHED,
    GameSetup,
    Resolve,
    resolve_logged,
    setup_of,
    versions,
)


def first_of(states: npt.NDArray[Any]) -> State:
    """Return a copy of the first of `states`."""
    return record(states[:1].copy())


class Session:
    """One game, from its first deal to its end.

    Attributes:
        id: its name in the game log, which cannot be guessed.
        number: the number of this game among those of the seed.
        about: further plain values that are saved with it.
        seat: the person's seat, or the first person's if there are several; -1 if the game is watched.
        persons: the seats of all people, starting with `seat`.
        narrator: what people read about the moves.
        plays_alone: whether the kernel decides for all players; others may take any time.
        moves: the moves made and not taken back.
        events: what each move did, unless one person plays, who takes moves back.
        last: what the last move did.
        paid: the rewards of each seat so far, (num_players,), float64.
    """

    last: Event

    def __init__(self, setup: GameSetup, game_log: GameLog | None = None, owner: str = "") -> None:
        """Set up a game; `play` or `step` deals it.

        Args:
            setup: the game, its options, seed and players.
            game_log: where to save it; None does not save it.
            owner: the person it belongs to, on a shared server.
        """
        self.id = secrets.token_urlsafe(16)
        self.game, self.options = game, options = setup.game, setup.options
        self.seed, self.number, self.about = setup.seed, setup.number, dict(setup.about)
        self.seat = setup.person_seat()
        self._players = tuple(setup.players if self.watched else [None, *setup.players])
        roster = list(dict.fromkeys(player for player in self._players if player is not None))
        self._played = SeatedBatch(game, options, 1, roster)
        self.plays_alone = self._played.plays_alone
        seats = [(self.viewer + ahead) % options.num_players for ahead in range(options.num_players)]
        self.persons = tuple(seat for seat, player in zip(seats, self._players, strict=True) if player is None)
        self.narrator = Narration(game, self.names(), self.persons, self.viewer, self.about)
        lineup = [CALLER if player is None else self._played.numbers[roster.index(player)] for player in self._players]
        self._played.seat(lineup, requested_seat=self.viewer)
        self._played.seed(np.array([setup.key], np.uint64))
        self._position = SingleGame(game, options, self._played.batch.plain_states)
        self._start_row, self._move_of_row = row_moves(self._played.batch.kernel)
        self._mask = np.zeros(game.actions(options), np.int8)
        self._time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self.paid: Float64s = np.zeros(options.num_players, np.float64)
        self._snapshot: State = None
        self._rows: list[Move] = []
        self._num_saved = 0
        name_entry_point(f"{game.id} (play)", self._move_of_row)
        self._load([])
        self._game_log = game_log
        if game_log is not None:
            game_log.add(self.id, self.entry(), owner)

    @classmethod
    def restore(cls, game_log: GameLog, id: str, resolve: Resolve = resolve_logged) -> Self:
        """Return the game `id` as `game_log` has it, to be continued; `resolve` finds its players by name.

        Raises:
            CardgymError: if the log has no such game or it cannot be replayed.
        """
        entry = game_log.entry(id)
        self = cls(setup_of(entry, resolve))
        self.id, self._time, self._game_log = id, entry["time"], game_log
        self._rows = game_log.rows(id)
        self._num_saved = len(self._rows)
        self._load(live_moves(self._rows))
        return self

    @classmethod
    def branch(cls, entry: Mapping[str, Any], move: int, game_log: GameLog, owner: str, resolve: Resolve) -> Self:
        """Return a new game with the first `move` moves of an `entry` of a log, and with its cards to come.

        `game_log`, `owner` and `resolve` are as of `restore` and of a new session.
        """
        setup = setup_of(entry, resolve)
        kept = {name: value for name, value in setup.about.items() if name not in (RESIGNED, HELPED)}
        self = cls(dataclasses.replace(setup, about=kept | {AGAIN: entry["id"]}), game_log, owner)
        self._rows = [tuple(row) for row in entry["moves"][:move]]
        self._load(self._rows)
        self._save()
        return self

    # -- where the game is --------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """A copy of the game's state."""
        return self._snapshot

    @property
    def turn(self) -> int:
        """The seat to move; CHANCE, or END once the game is over."""
        return self._position.current_player

    @property
    def over(self) -> bool:
        """Whether the game has ended, or a person or a player that reads has resigned it."""
        return self.turn == END or RESIGNED in self.about

    @property
    def watched(self) -> bool:
        """Whether players take all seats."""
        return self.seat == WATCHED

    @property
    def viewer(self) -> int:
        """The seat from which the game is narrated: the person's, or seat 0 if the game is watched."""
        return max(self.seat, 0)

    @property
    def version(self) -> int:
        """How many rows the game log has for this game; it grows with every move and every undo."""
        return len(self._rows)

    @property
    def choices(self) -> list[int]:
        """The actions that people chose when they had a choice, without those taken back."""
        return [self.moves[number][1] for number in self._choices]

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision to take back; there is none if several people saw what followed."""
        return bool(self._choices) and not self.over and len(self.persons) == 1

    def legal_actions(self, seat: int | None = None) -> list[int]:
        """Return the legal actions of the person at a seat, or the first person; empty if it is not their turn."""
        seat = self.seat if seat is None else seat
        due = seat in self.persons and self.turn == seat and not self.over
        return self._position.legal_actions() if due else []

    @property
    def opponents(self) -> list[str]:
        """The names of the players in the other seats, as `GameSetup.players` has them; `PERSON` for people."""
        names = [PERSON if player is None else player.name for player in self._players]
        return names if self.watched else names[1:]

    def names(self) -> list[str]:
        """Return the players' names by seat; `PERSON` for people."""
        order = self.opponents if self.watched else [PERSON, *self.opponents]
        return [order[(seat - self.viewer) % len(order)] for seat in range(len(order))]

    @property
    def people(self) -> Names:
        """The names by seat as the person reads them."""
        return self.narrator.people(self.viewer)

    @property
    def narration(self) -> list[tuple[int, str]]:
        """The texts the person has seen, each with the seat that decided."""
        return self.narrator.texts[self.viewer]

    def entry(self, **more: str | int) -> dict[str, Any]:
        """Return the game as an entry of the game log, with `more` in its `about`; see `GameLog`."""
        num_seats, names, about = self.options.num_players, self.names(), self.about | more
        over, secret = self.turn == END or RESIGNED in about, (0.0, [blank(self.game.metrics)] * num_seats)
        most, results = results_of(self._position, self.paid, about.get(RESIGNED)) if over else secret
        return {
            "env": self.game.id,
            "options": self.options.asdict(),
            "seed": self.seed,
            "game": self.number,
            "time": self._time,
            "finished": over,
            "max_score": most,
            "person": None if self.watched else self.seat,
            "versions": versions(),
            "about": about,
            "players": [
                {"name": names[seat], "seat": seat, **results[seat]}
                for seat in ((self.viewer + ahead) % num_seats for ahead in range(num_seats))
            ],
        }

    # -- playing ------------------------------------------------------------------------------------------------------

    def play(self) -> list[Event]:
        """Play until it is the person's turn or the game ends, a watched game to its end; return what happened."""
        return self._advance()

    def step(self) -> list[Event]:
        """Play one decision of a player, with the chance moves before and after it; return what happened."""
        return self._advance(max_decisions=1)

    def act(self, action: int, *, others: bool = True) -> list[Event]:
        """Play the action of the person to move, then on to a person's turn or the end; return what happened.

        Args:
            others: whether the other players move, too; if not, `step` plays their decisions one by one.

        Raises:
            IllegalActionError: if the action is not legal now.
        """
        seat = self.turn
        allowed = self.legal_actions(seat)
        if action not in allowed:
            raise IllegalActionError(f"action {action} is not legal; allowed are {allowed}")
        event = self._play(seat, action)
        return [event, *self._advance(math.inf if others else 0)]

    def undo(self) -> None:
        """Take back the person's last real choice and everything after it, without reshuffling the cards to come.

        Raises:
            CardgymError: if there is nothing to take back, the game is over or several people play it.
        """
        if len(self.persons) > 1:
            raise CardgymError("moves cannot be taken back where several people play")
        if self.over:
            raise CardgymError("the game is over: its moves cannot be taken back")
        if not self._choices:
            raise CardgymError("there is no decision to take back")
        self._rows.append((UNDO, kept := self._choices[-1]))
        self._load(self.moves[:kept])
        self._save()

    def _advance(self, max_decisions: float = math.inf) -> list[Event]:
        """Play until a person has a choice, the game ends, or players have made `max_decisions` that people hear of.

        A person's only legal action is played for them, unless others would learn that they had no choice.
        """
        events: list[Event] = []
        while not self.over:
            seat = self.turn
            if seat in self.persons:
                move, *others = self._position.legal_actions()
                if others or len(self.persons) > 1:
                    break
            else:
                told = seat != CHANCE and max_decisions < math.inf and is_told(self._position, self.persons or (seat,))
                if told and max_decisions == 0:
                    break
                max_decisions -= told
                move = self._next_move()
                if move < 0:
                    self._save()  # The player may take a while to decide.
                    move = int(self._played.pending_actions(np.zeros(1, np.int64), may_forfeit=True)[0])
                    if move == FORFEIT:
                        self.add_about(**{RESIGNED: seat})
                        break
            events.append(self._play(seat, move))
        self._save()
        return events

    def _play(self, seat: int, move: int) -> Event:
        event = self._make(seat, move)
        self._rows.append((seat, move))
        return event

    def _next_move(self) -> int:
        """Return the next move of chance or a compiled player; -1 if another player decides."""
        batch = self._played.batch
        return int(self._move_of_row(batch.plain_states, batch.plain_rows, batch.policy_tables, self._mask))

    def _make(self, seat: int, move: int) -> Event:
        """Make a move.

        Raises:
            CardgymError: if the rules do not allow it; the game is unchanged.
        """
        if seat != self.turn or not self._position.allows(move):
            raise CardgymError(f"move {len(self.moves)} of the game is not allowed by the rules of this version")
        is_choice = seat >= 0 and len(self._position.legal_actions()) > 1
        if is_choice and seat in self.persons:
            self._choices.append(len(self.moves))
        before = self._snapshot
        self.paid += self._position.apply_action(move)[: len(self.paid)]
        after = self._snapshot = first_of(self._position.states)
        if self._played.chronicle is not None:  # Of players that read.
            self._played.chronicle.tell(0, seat, before, move, after)
        texts = self.narrator.add(before, move, after, seat, forced=seat in self.persons and not is_choice)
        self.moves.append((seat, move))
        event = self.last = Event(seat, move, is_choice, texts[self.viewer], before, after, texts)
        if len(self.persons) != 1:
            self.events.append(event)
        return event

    def resign(self, seat: int) -> None:
        """Resign for the person at a seat; raise `CardgymError` if the game is over or no person sits there."""
        if self.over or seat not in self.persons:
            raise CardgymError("only a person at the table of an unfinished game can resign it")
        self.add_about(**{RESIGNED: seat})

    def note_help(self) -> None:
        """Save that the coach was asked: the game is no measure of the person alone."""
        if HELPED not in self.about:
            self.add_about(**{HELPED: True})

    def add_about(self, **values: str | int) -> None:
        """Save `values` with the game, such as the name that a person gave; nothing changes if that fails."""
        if self._game_log is not None:
            self._game_log.append(self.id, self._num_saved, [], self.entry(**values))
        self.about |= values
        self._load(self.moves)  # With the names as they are now.

    def _save(self) -> None:
        unsaved = self._rows[self._num_saved :]
        if self._game_log is not None and unsaved:
            self._game_log.append(self.id, self._num_saved, unsaved, self.entry() if self.over else None)
        self._num_saved = len(self._rows)

    def _load(self, moves: Sequence[Move]) -> list[Event]:
        """Set the game up and replay these moves."""
        batch = self._played.batch
        batch.plain_states[:] = np.asarray(self.game.blank_state(self.options))  # `setup` need not write every field.
        batch.plain_rows["games"] = self.number
        self._start_row(batch.plain_states, batch.plain_rows)
        self._position.refresh()
        self.paid[:] = 0.0
        if self._played.chronicle is not None:
            self._played.chronicle.begin(0)
        self.narrator.begin(sum(seat == UNDO for seat, _ in self._rows))
        self.moves: list[Move] = []
        self.events: list[Event] = []
        self._choices: list[int] = []
        self._snapshot = first_of(self._position.states)
        events = []
        for seat, move in moves:
            if self.turn != END:
                self._next_move()  # Advances the generators as the original game did.
            events.append(self._make(seat, move))
        return events


def replay(entry: Mapping[str, Any]) -> list[Event]:
    """Return the moves of a logged game, `entry`, as its person saw them; the players do not decide again.

    Raises:
        CardgymError: if the game is not installed or the rules do not allow its moves.
    """
    session = Session(setup_of(entry, lambda name, game, options: CompiledPlayer("random")))
    for player in entry["players"]:
        session.narrator.names[int(player["seat"])] = str(player["name"])
    return session._load([(seat, move) for seat, move in entry["moves"]])


def is_dealt(entry: Mapping[str, Any]) -> bool:
    """Return whether the cards of a logged game, `entry`, are those that its seed determines.

    Raises:
        CardgymError: if the game is not installed or the rules do not allow its moves.
    """
    session = Session(setup_of(entry, lambda name, game, options: CompiledPlayer("random")))
    for seat, move in entry["moves"]:
        if session.turn == CHANCE and session._next_move() != move:
            return False
        session._make(seat, move)
    return True
