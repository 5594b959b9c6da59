"""The explorer: any position of a game, reached by choosing cards and moves, with the value of every action."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cardgym.engine.contract import YOU, Game, Names, Options, State
from cardgym.engine.states import SingleGame, new_state
from cardgym.errors import CardgymError
from cardgym.table.narration import informed_text
from cardgym.table.presentation import presentation_of, text_of, view_of
from cardgym.table.session import first_of
from cardgym.table.views import COVERED

_MAX_OUTCOMES = 1000


@dataclass(frozen=True)
class Step:
    """One move of a line.

    Attributes:
        seat: who decided, or CHANCE.
        move: the action or the outcome.
        symbols: the drawings of the cards that the move put on the table.
        open: whether chance could have chosen otherwise.
    """

    seat: int
    move: int
    text: str
    symbols: tuple[str, ...]
    open: bool = False

    @property
    def identity(self) -> object:
        """What stays the same when an earlier card is changed: the cards, or the text."""
        return self.symbols if self.seat < 0 and self.symbols else self.text


class Explorer:
    """Lines of one game, with all cards open."""

    def __init__(self, game: Game, options: Options, people: Sequence[str] = ()) -> None:
        """Explore a game with these options; `people` are the names by seat."""
        self.game = game
        self.options = options
        count = options.num_players
        numbered = [YOU] if count == 1 else [f"Player {seat + 1}" for seat in range(count)]
        self.people = Names(people or numbered)

    def line(self, moves: Sequence[int], seed: int, change: tuple[int, int] | None = None) -> Line:
        """Play moves, then all chance moves and forced moves up to the next decision.

        Args:
            seed: decides what chance draws.
            change: a step and another outcome of chance for it. Later cards stay the same if they can (the card that
                was changed takes the place of the chosen one); the line ends at a move that is no longer legal.

        Raises:
            CardgymError: for a move that is not legal.
        """
        line = self._played(moves if change is None else moves[: change[0]])
        if change is not None:
            self._replay(line, self.line(moves, seed), *change)
        rng = random.Random(seed)
        while not line.position.over:
            outcomes = line.position.num_chance_outcomes
            legal = [] if outcomes else line.position.legal_actions()
            if len(legal) > 1:
                break
            line.add(rng.randrange(outcomes) if outcomes else legal[0])
        return line

    def _played(self, moves: Sequence[int]) -> Line:
        line = Line(self)
        for number, move in enumerate(moves):
            if not line.position.allows(move):
                raise CardgymError(f"move {number} is not legal in this line")
            line.add(move)
        return line

    def _replay(self, line: Line, old: Line, at: int, outcome: int) -> None:
        if at >= len(old.steps) or not old.steps[at].open or not line.position.allows(outcome):
            raise CardgymError(f"step {at} of this line cannot be changed to outcome {outcome}")
        line.add(outcome)
        before, chosen = old.steps[at].identity, line.steps[at].identity
        for step in old.steps[at + 1 :]:
            wanted = before if step.seat < 0 and step.identity == chosen else step.identity
            found = next((other.move for other in line.choices() if other.identity == wanted), None)
            if found is None and step.seat >= 0:
                return
            line.add(step.move if found is None and line.position.allows(step.move) else found or 0)

    def outcomes(self, moves: Sequence[int], at: int) -> list[Step]:
        """Return the different outcomes that chance could have chosen at a step, in the order of their drawings.

        Raises:
            CardgymError: if there are none.
        """
        line = self._played(moves[:at])
        if not line.position.num_chance_outcomes:
            raise CardgymError(f"step {at} is not a step of chance")
        return list({step.identity: step for step in line.choices()}.values())


class Line:
    """Moves from the start of a game, and the position that they lead to."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        game, options = explorer.game, explorer.options
        self.position = SingleGame(game, options, new_state(game, options))
        self.position.refresh()
        self.state: State = first_of(self.position.states)
        self.steps: list[Step] = []

    @property
    def seat(self) -> int:
        """The seat to decide; CHANCE, or END."""
        return self.position.current_player

    def add(self, move: int) -> None:
        """Play a legal move."""
        seat = self.seat
        several = self.position.num_chance_outcomes > 1
        self.position.apply_action(move)
        after = first_of(self.position.states)
        self.steps.append(self._step(seat, move, after, several))
        self.state = after

    def choices(self) -> Iterator[Step]:
        """Yield what each outcome of chance, or each legal action, would do here."""
        position, seat = self.position, self.seat
        count = min(position.num_chance_outcomes, _MAX_OUTCOMES)
        for move in range(count) if count else position.legal_actions() if seat >= 0 else ():
            other = SingleGame(position.game, position.options, position.states.copy())
            other.apply_action(move)
            yield self._step(seat, move, first_of(other.states), count > 1)

    def ending(self) -> str:
        """How the game ended, in one line; empty before the end."""
        return presentation_of(self._explorer.game).ending(self.state, 0, self._explorer.people)

    def _step(self, seat: int, move: int, after: State, several: bool) -> Step:
        game, people = self._explorer.game, self._explorer.people
        if seat >= 0:
            return Step(seat, move, f"{people[seat]}: {text_of(game, self.state, move)}", ())
        text = informed_text(game, self.state, move, after, seat, people)
        symbols = tuple((self._symbols(after) - self._symbols(self.state)).elements())
        return Step(seat, move, text, symbols, several)

    def _symbols(self, state: State) -> Counter[str]:
        zones: Any = view_of(self._explorer.game, state, -1)["zones"]
        symbols = (item["symbol"] for zone in zones for item in zone["items"] if zone["kind"] != "palette")
        return Counter(symbol for symbol in symbols if symbol and not COVERED.search(symbol))
