"""Any game in a terminal of 80 x 24 or more: its text view, typed moves, a coach, undo and a review."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

from cardgym.engine.text import TextView, short_forms, view_in_text
from cardgym.errors import CardgymError
from cardgym.table.coach.advice import Advice
from cardgym.table.coach.coach import Coach
from cardgym.table.coach.review import review
from cardgym.table.game_log import GameLog
from cardgym.table.narration import Event
from cardgym.table.presentation import board_of, offered, presentation_of
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup
from cardgym.table.terminal.review import advice_rows, step_through, summary_lines
from cardgym.table.terminal.screen import Screen, in_columns, reflowed

_HINT_ACTIONS = 3
"""How many actions a hint lists."""
_HELP = """\
A move: its ID, or words of it, such as {example}.
Enter  show the board again       l  list the moves  l WORD  those with that word
h      a hint from the coach      u  take back your last move
rules  the rules of the game      q  leave (the game is saved; --resume continues it)"""


class Terminal:
    """A person's games in a terminal, one after the other.

    Attributes:
        setup: the setup of the first game; each later one is the next game of the seed.
        session: the game being played.
        view: the game in words at the person's decision, with the names of the players.
    """

    session: Session
    view: TextView

    def __init__(
        self,
        setup: GameSetup,
        game_log: GameLog | None = None,
        screen: Screen | None = None,
        *,
        hints: str = "demand",
        warn: bool = False,
        coach: str | None = None,
    ) -> None:
        """Set the table.

        Args:
            setup: the game, its options, the opponents, the seed and the person's seat; None draws one for each game.
            game_log: where games are saved; None does not save them.
            screen: the person's terminal; None for stdin and stdout.
            hints: when the coach speaks, one of `HINTS`.
            warn: whether to ask for confirmation before a blunder.
            coach: who advises; see `Coach`.
        """
        self.setup, self._game_log, self._screen = setup, game_log, screen or Screen()
        self._hints, self._warn, self._source = hints, warn, coach
        self._scores, self._max_score = [0.0] * setup.options.num_players, 0.0
        if coach is not None:
            self._coach  # noqa: B018 - Fails now if the source cannot advise.

    def play(self, resumed: Session | None = None) -> None:
        """Play games until the person leaves, first the one to be resumed, if any."""
        number = self.setup.number
        try:
            while True:
                self.session = resumed or Session(dataclasses.replace(self.setup, number=number), self._game_log)
                resumed, number = None, self.session.number + 1
                self._play_game()
                self._after_game()
        except (EOFError, KeyboardInterrupt):
            self._screen.show([""])
            if not self.session.over and self.session.choices:
                kept = "; --resume continues it" if self._game_log is not None else ""
                self._screen.show([f"Left unfinished{kept}."])
            elif not self.session.over and self._game_log is not None:
                self._game_log.remove(self.session.id)  # Nothing was decided.

    # -- one game -----------------------------------------------------------------------------------------------------

    def _play_game(self) -> None:
        session, screen = self.session, self._screen
        news = [screen.bold(f"{session.game.id}, game {session.number + 1} of seed {session.seed}")]
        news += screen.fitted(f"Players, in order: {', '.join(session.people)}")
        news += [] if session.moves else ["? shows what you can type"]
        news += self._news(session.play())
        while not session.over:
            self._show_position(news)
            chosen = self._choose()
            news = ["Taken back."] if chosen is None else self._news(session.act(chosen))
        screen.page(["", *news])

    def _news(self, events: Sequence[Event]) -> list[str]:
        lines = joined([line for event in events for line in event.text.splitlines()])
        return [part for line in lines for part in self._screen.fitted(line, indent=2)]

    def _show_position(self, news: Sequence[str] = ()) -> None:
        """Show the news, the board and, if they fit, the moves; news that does not fit is shown first, by itself."""
        screen, session = self._screen, self.session
        legal = session.legal_actions()
        view = view_in_text(session.game, session.options, session.state, session.viewer, legal)
        self.view = dataclasses.replace(
            view, state=board_of(session.game, session.state, session.viewer, session.people)
        )
        menu = self._moves("")
        hint = self._hint_lines() if self._hints == "always" else []
        board = _board_lines(self.view.state, screen)
        if len(board) + len(menu) + len(hint) + 3 > screen.height:
            menu = [f"{len(self._offered())} moves: type one, such as {self._example()}; l lists them"]
        below = [*board, "", *menu, *hint]
        if news and len(news) + len(below) + 3 > screen.height:
            screen.page(["", *news])
            screen.ask("Enter to continue ")
            news = []
        screen.show(["", *news, *([screen.dim("─" * screen.width)] if news else []), *below])

    def _offered(self) -> dict[int, str]:
        """Return the legal moves that can achieve anything, in words; the person may type the others, too."""
        moves = self.view.moves
        return {action: moves[action] for action in offered(self.session.game, self.session.state, list(moves))}

    def _moves(self, wanted: str) -> list[str]:
        """Return the moves offered whose words contain those wanted, as `ID: words`."""
        moves = [f"{action}: {text}" for action, text in self._offered().items() if wanted in text.lower()]
        return in_columns(moves, self._screen.width) if moves else [f"No move has {wanted!r}."]

    def _example(self) -> str:
        """Something that the person could type."""
        return f"`{next(iter(short_forms(self._offered()).values()))}`"

    # -- what the person types ----------------------------------------------------------------------------------------

    def _choose(self) -> int | None:
        """Return the person's action; None if a move was taken back."""
        screen = self._screen
        while True:
            answer = screen.ask("Your move (? for help, q to quit): ")
            command, _, rest = answer.lower().partition(" ")
            if answer == "":
                self._show_position()
            elif command in ("?", "help"):
                screen.show(_HELP.format(example=self._example()).splitlines())
            elif command in ("h", "hint") and not rest:
                off = self._hints == "off"
                screen.show(["Hints are off: play with --hints demand"] if off else self._hint_lines())
            elif command == "rules" and not rest:
                screen.page(reflowed(self.view.rules, screen.width))
                self._show_position()
            elif command in ("l", "list"):
                screen.page(self._moves(rest.strip()))
            else:
                try:
                    if command in ("u", "undo") and not rest:
                        self.session.undo()
                        return None
                    if self._confirmed(action := self.view.parse(answer)):
                        return action
                except CardgymError as error:
                    screen.show(screen.fitted(f"{str(error)[0].upper()}{str(error)[1:]}; ? shows what you can type."))

    def _confirmed(self, action: int) -> bool:
        """Whether the action is not a blunder or the person wants to play it anyway."""
        if not self._warn or not (advice := self._advice()).is_blunder(action):
            return True
        text = f"The coach: {advice.of(action).text} costs {advice.cost(action):.2f} ({advice.unit})."
        self._screen.show(self._screen.fitted(text))
        return self._screen.ask("Play it? (y/N) ").lower() in ("y", "yes")

    # -- the coach ----------------------------------------------------------------------------------------------------

    @cached_property
    def _coach(self) -> Coach:
        return Coach(self.setup.game, self.setup.options, self._source)

    def _advice(self) -> Advice:
        advice = self._coach.advise(self.session.state, self.session.seat, self.session.names())
        self.session.note_help()
        return advice

    def _hint_lines(self) -> list[str]:
        """Return the best actions with their values, and why."""
        screen = self._screen
        try:
            advice = self._advice()
        except CardgymError as refusal:  # The game does not say what a seat cannot see.
            return screen.fitted(str(refusal))
        head = [screen.bold(line) for line in screen.fitted(f"Coach ({advice.unit}, by {advice.source}):")]
        return head + advice_rows(advice.actions[:_HINT_ACTIONS], screen)

    # -- after a game -------------------------------------------------------------------------------------------------

    def _after_game(self) -> None:
        """Show the result and the score of all games so far, then ask what to do next."""
        session, screen = self.session, self._screen
        entry = session.entry()
        names = [session.people[player["seat"]] for player in entry["players"]]  # The person first.
        scores = [player["score"] for player in entry["players"]]
        self._max_score += entry["max_score"]
        self._scores = [total + score for total, score in zip(self._scores, scores, strict=True)]
        result = presentation_of(session.game).ending(session.state, session.seat, session.people)
        total = f"This session, won of {self._max_score:g}: {_score_line(names, self._scores)}"
        screen.show(["", screen.bold(result or _score_line(names, scores)), total])
        while answer := screen.ask("Enter for another game, r to review this one, q to quit: ").lower():
            if answer not in ("r", "review"):
                screen.show(["Type r, q or Enter."])
                continue
            logged = {**entry, "id": session.id, "moves": session.moves}
            reviewed = review(logged, source=self._source)
            screen.page(summary_lines(reviewed, screen))
            step_through(logged, reviewed, screen)


def watch(session: Session, screen: Screen | None = None) -> None:
    """Show a game that players play, one decision at a time, until it ends or the person leaves."""
    screen, game, people, running = screen or Screen(), session.game, session.people, False
    screen.show([f"{game.id} of seed {session.seed}; {', '.join(people)}; as {people[0]} sees it"])
    try:
        while not session.over:
            lines = [line for event in session.step() for line in screen.fitted(event.text, indent=2)]
            board = [] if running else _board_lines(board_of(game, session.state, session.viewer, people), screen)
            screen.show(["", *lines, *board])
            if not running and not session.over:
                answer = screen.ask("Enter for the next decision, r to run to the end, q to quit: ")
                running = answer.lower() in ("r", "run")
    except (EOFError, KeyboardInterrupt):
        screen.show([""])
        return
    screen.show([presentation_of(game).ending(session.state, 0, people) or "The game is over."])


def joined(lines: Sequence[str]) -> list[str]:
    """Lines, with related ones joined: an indented text, and cards dealt one at a time."""
    out: list[str] = []
    start = ""
    for line in lines:
        before, dealt, card = line.partition(" dealt ")
        if out and line.startswith("  ") and out[-1].startswith("  "):
            out[-1] += f" {line.strip()}"
        elif dealt and before == start:
            out[-1] += f", {card}" if " " in card else f" {card}"
        else:
            out.append(line)
            start = before if dealt else ""
    return out


def _score_line(names: Sequence[str], scores: Sequence[float]) -> str:
    return ", ".join(f"{name} {score:g}" for name, score in zip(names, scores, strict=True))


def _board_lines(board: str, screen: Screen) -> list[str]:
    """Return the board, under a bold heading."""
    heading, *lines = screen.fitted(board)
    return [screen.bold(heading), *lines]
