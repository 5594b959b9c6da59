"""Any game in a terminal of 80 x 24 or larger: moves typed as people say them, a coach, undo, and a review."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.players.base import Player
from cardgym.table.advice import Advice
from cardgym.table.coach import Coach
from cardgym.table.game_log import GameLog
from cardgym.table.presentation import board_of, ending_of, presentation_of, remarks_of, view_of
from cardgym.table.review import review
from cardgym.table.session import Event, Session, Setup
from cardgym.table.terminal.input import matching, short_forms, words_of
from cardgym.table.terminal.review import Pages, step_through, summary_lines
from cardgym.table.terminal.style import Style, fitted, in_columns, reflowed, size

OFF, DEMAND, ALWAYS = "off", "demand", "always"
HINTS = (OFF, DEMAND, ALWAYS)
"""When the coach speaks."""
_READABLE = 100
"""Rules are set no wider than this."""
_BEST = 3
"""How many actions a hint names."""
_HELP = """\
A move: its number, or words of it, such as {example}.
Enter  see the board again        l  list what is possible    l WORD  with that word
h      a hint from the coach      u  take your last move back
rules  the rules of the game      q  leave (the game is kept; --resume plays on)"""


class Quit(Exception):  # noqa: N818 - leaving is no error.
    """The person wants to leave."""


class Terminal:
    """A person's games in a terminal, one after the other.

    Attributes:
        game: the game.
        options: its options.
        session: the game being played.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        opponents: Sequence[Player],
        *,
        seed: int,
        seat: int | None = None,
        game_log: GameLog | None = None,
        hints: str = DEMAND,
        warn: bool = False,
        coach: str | Path | None = None,
        ask: Callable[[str], str] = input,
        show: Callable[[str], None] = print,
        style: Style | None = None,
    ) -> None:
        """Set the table.

        Args:
            game: the game.
            options: its options.
            opponents: the players in the other seats, in the order of play after the person.
            seed: the seed of the deals.
            seat: the person's seat; None draws it for each game.
            game_log: where games are saved; None does not save them.
            hints: when the coach speaks, one of `HINTS`.
            warn: whether to ask again before a blunder.
            coach: who advises; see `Coach`.
            ask: asks the person for a line.
            show: shows a text.
            style: what the terminal can show; None finds out.
        """
        self.game = game
        self.options = options
        self._opponents = opponents
        self._seed, self._seat, self._game_log = seed, seat, game_log
        self._hints, self._warn, self._coach_source = hints, warn, coach
        self._coach: Coach | None = None if coach is None else Coach(game, options, coach)
        self._ask, self._show = ask, show
        self._style = Style.of() if style is None else style
        self._pages = Pages(self._line, show, self._style)
        self._scores = [0.0] * options.num_players
        self._most = self._games = 0.0
        self._menu: list[int] = []
        self.session: Session

    def play(self, resumed: Session | None = None) -> None:
        """Play games until the person leaves.

        Args:
            resumed: a game to play on first.
        """
        number = 0
        try:
            while True:
                setup = Setup(self.game, self.options, self._opponents, self._seed, self._seat, number=number)
                self.session = resumed or Session(setup, self._game_log)
                resumed = None
                number = self.session.number + 1
                self._play_one()
                self._after_game()
        except (Quit, EOFError, KeyboardInterrupt):
            self._show("")
            if not self.session.over and self.session.decisions:
                kept = "; --resume plays on" if self._game_log is not None else ""
                self._show(f"Left unfinished{kept}.")
            elif not self.session.over and self._game_log is not None:
                self._game_log.remove(self.session.id)  # Nothing was decided.

    # -- one game -----------------------------------------------------------------------------------------------------

    def _play_one(self) -> None:
        session = self.session
        begun = bool(session.moves)
        names = session.names("you")
        heading = f"{self.game.id}, game {session.number + 1} of seed {self._seed}"
        seats = ", ".join(f"seat {seat}: {name}" for seat, name in enumerate(names))
        told = [self._style.bold(heading), *fitted(seats, size()[0]), *([] if begun else ["? shows what you can type"])]
        told += self._told(session.play())
        while not session.over:
            actions = session.legal_actions()
            if len(actions) == 1:
                text = self.game.words.action_text(session.state, actions[0])
                told.append(f"  (your only move: {text})")
                told += self._told(session.act(actions[0]))
                continue
            self._show_position(told)
            action = self._choose()
            if action is None:  # Undone.
                told = ["Taken back."]
                continue
            told = self._told(session.act(action))
        self._pages.show(["", *told])

    def _told(self, events: Sequence[Event]) -> list[str]:
        """What the person is told of moves, a line each."""
        told: list[str] = []
        for event in events:
            remarks = remarks_of(self.game, event.before, event.move, event.after, self.session.viewer)
            first, *rest = event.text.splitlines() or [""]
            told += [line for line in (first, *remarks.splitlines(), *rest) if line]
        return [f"  {part}" for line in joined(told) for part in fitted(line, size()[0] - 2)]

    def _show_position(self, told: Sequence[str]) -> None:
        """What was told, the board and, where they fit the screen, the moves; waits before the board if need be."""
        height = size()[1]
        board, menu = self._board(), self._menu_lines()
        hint = self._hint_lines() if self._hints == ALWAYS else []
        if len(board) + len(menu) + len(hint) + 3 > height:
            menu = self._no_menu()
        below = [*board, *([""] if menu else []), *menu, *hint]
        if told and len(told) + len(below) + 3 > height:
            self._pages.show(["", *told])
            self._line("Enter to go on ")
            told = []
        self._put(["", *told, *([""] if told else []), *below])

    def _board(self) -> list[str]:
        return fitted(board_of(self.game, self.session.state, self.session.viewer), size()[0])

    def _texts(self) -> dict[int, str]:
        """The words of the legal actions, in the order of the items on the board that they are about."""
        state, legal = self.session.state, self.session.legal_actions()
        view = view_of(self.game, state, self.session.viewer, legal)
        places = {item["id"]: number for number, item in enumerate(_items(view))}
        about = {action: [places.get(name, 0) for name in view["actions"].get(action, ())] for action in legal}
        if all(about.values()):
            legal.sort(key=about.__getitem__)
        return {action: self.game.words.action_text(state, action) for action in legal}

    def _menu_lines(self) -> list[str]:
        texts = self._texts()
        self._menu = list(texts)
        width = len(str(len(texts)))
        lines = [f"{number:>{width}}  {text}" for number, text in enumerate(texts.values(), 1)]
        return in_columns(lines, size()[0])

    def _no_menu(self) -> list[str]:
        """Instead of a menu that does not fit."""
        self._menu = []
        return [f"{len(self._texts())} moves: type one, such as {self._example()}; l lists what is possible"]

    def _example(self) -> str:
        possible = self._possible()
        return f"`{short_forms(possible)[next(iter(possible))]}`"

    def _possible(self) -> dict[int, str]:
        """The moves that can achieve anything, as far as the screen tells; all of them where that is unknown."""
        texts = self._texts()
        if self._coach_source is None and len(texts) > 1:
            advice = self._advice()
            possible = {one.action for one in advice.actions if one.possible}
            texts = {action: text for action, text in texts.items() if action in possible} or texts
        return texts

    # -- what the person types ----------------------------------------------------------------------------------------

    def _choose(self) -> int | None:
        """The person's action; None after taking a move back."""
        while True:
            numbers = f"1-{len(self._menu)} or " if self._menu else ""
            answer = self._line(f"Your move ({numbers}words, ? for help, q to quit): ")
            command, _, rest = answer.lower().partition(" ")
            if answer == "":
                self._show_position([])
            elif command in ("?", "help"):
                self._put(_HELP.format(example=self._example()).splitlines())
            elif command in ("h", "hint") and not rest:
                self._put(self._hint_lines() if self._hints != OFF else ["Hints are off: play with --hints demand"])
            elif command in ("u", "undo") and not rest:
                if self._undo():
                    return None
            elif command == "rules" and not rest:
                self._pages.show(self._rules())
                self._show_position([])
            elif command in ("l", "list"):
                self._pages.show(self._list(rest))
            else:
                action = self._meant(answer)
                if action is not None and self._sure(action):
                    return action

    def _meant(self, answer: str) -> int | None:
        if answer.isascii() and answer.isdigit() and self._menu:
            if 1 <= int(answer) <= len(self._menu):
                return self._menu[int(answer) - 1]
            found: list[int] = []
        else:
            texts = self._texts()
            found = matching(answer, texts)
        if len(found) == 1:
            return found[0]
        if found:
            forms = short_forms({action: texts[action] for action in found})
            some = ", ".join(f"`{form}`" for form in list(forms.values())[:4])
            self._put(fitted(f"{answer!r} may mean {len(found)} moves ({some} ...): type more of it.", size()[0]))
        else:
            numbers = f"a number from 1 to {len(self._menu)}, or " if self._menu else ""
            shown = answer if len(answer) <= 30 else f"{answer[:30]}..."
            text = f"{shown!r} is no move here: type {numbers}words such as {self._example()}; l lists them."
            self._put(fitted(text, size()[0]))
        return None

    def _sure(self, action: int) -> bool:
        """Whether the person wants the action, a blunder or not."""
        if not self._warn:
            return True
        advice = self._advice()
        if not advice.is_blunder(action):
            return True
        text = f"{advice.of(action).text} costs {advice.cost(action):.2f} ({advice.unit})"
        self._put(fitted(f"The coach: {text}.", size()[0]))
        return self._line("Play it? (y/N) ").lower() in ("y", "yes")

    def _undo(self) -> bool:
        try:
            self.session.undo()
        except CardgymError as error:
            self._put([f"{str(error)[0].upper()}{str(error)[1:]}."])
            return False
        return True

    def _list(self, wanted: str) -> list[str]:
        """The possible moves, or those whose short form has all of the words; `all` lists the impossible too."""
        texts = self._texts() if wanted == "all" else self._possible()
        forms = short_forms(texts)
        words = [] if wanted == "all" else words_of(wanted)
        chosen = [form for form in forms.values() if all(word in words_of(form) for word in words)]
        if not chosen:
            return [f"No possible move has {wanted!r}."]
        more = len(self._texts()) - len(texts)
        below = [f"{more} more cannot be right; l all lists them"] if more and not words else []
        return [*in_columns(chosen, size()[0], few=0), *below]

    def _rules(self) -> list[str]:
        rules_text = presentation_of(self.game).rules_text
        text = rules_text(self.session.state) if rules_text is not None else _description(self.game.doc)
        return reflowed(text, min(size()[0], _READABLE))

    # -- the coach ----------------------------------------------------------------------------------------------------

    def _advice(self) -> Advice:
        if self._coach is None:
            self._coach = Coach(self.game, self.options, self._coach_source)
        return self._coach.advise(self.session.state, self.session.seat)

    def _hint_lines(self) -> list[str]:
        return [self._style.dim(line) for line in hint_lines(self._advice(), size()[0])]

    # -- after a game -------------------------------------------------------------------------------------------------

    def _after_game(self) -> None:
        """The result in one line, the session's score, and what to do next."""
        session = self.session
        rules, state = self.game.rules, session.state
        names = session.names("you")
        shares = [float(rules.score(state, seat)) for seat in range(len(names))]
        most = float(rules.max_score(state))
        for ahead in range(len(names)):
            self._scores[ahead] += shares[(session.seat + ahead) % len(names)]
        self._most += most
        self._games += 1
        won = ending_of(self.game, state, session.seat)
        if not won:
            score = ", ".join(f"{name} {share:g}" for name, share in zip(names, shares, strict=True))
            won = f"{score} of {most:g}"
        order = ["you", *(player.name for player in self._opponents)]
        score = ", ".join(f"{name} {total:g}" for name, total in zip(order, self._scores, strict=True))
        games = f"{self._games:g} game{'s' if self._games > 1 else ''}"
        self._put(["", self._style.bold(won), f"This session, {games}: {score}" + (" of " + f"{self._most:g}")])
        while True:
            answer = self._line("Enter for another game, r to review this one, q to quit: ").lower()
            if answer == "":
                return
            if answer in ("r", "review"):
                self._review()
            else:
                self._show("Type r, q or Enter.")

    def _review(self) -> None:
        session = self.session
        entry = {**session.entry(), "id": session.id, "moves": [list(move) for move in session.moves]}
        reviewed = review(entry, source=self._coach_source)
        self._pages.show(summary_lines(reviewed, size()[0]))
        step_through(entry, reviewed, self._pages)

    # -- lines --------------------------------------------------------------------------------------------------------

    def _line(self, text: str) -> str:
        try:
            answer = self._ask(text).strip()
        except UnicodeDecodeError:  # Bytes that are no text are no valid answer.
            answer = "\N{REPLACEMENT CHARACTER}"
        if answer.lower() in ("q", "quit", "exit"):
            raise Quit
        return answer

    def _put(self, lines: Sequence[str]) -> None:
        self._show(self._style.cards("\n".join(lines)))


def joined(lines: Sequence[str]) -> list[str]:
    """Lines with those run together that belong together: an indented text, and cards dealt one by one."""
    out: list[str] = []
    start = ""
    for line in lines:
        before, _, last = line.rpartition(" ")
        if out and line.startswith("  ") and out[-1].startswith("  "):
            out[-1] += f" {line.strip()}"
        elif out and before == start and before.count(" ") > 1:
            out[-1] += f" {last}"
            continue
        else:
            out.append(line)
        start = before
    return out


def hint_lines(advice: Advice, width: int) -> list[str]:
    """What the coach says: the best actions with their values, and why."""
    lines = fitted(f"Coach ({advice.unit}, by {advice.source}):", width)
    for place, one in enumerate(advice.actions[:_BEST], 1):
        error = f" +-{one.error:.2f}" if one.error else ""
        lines += fitted(f"  {place}. {one.text}: {one.value:.2f}{error}", width)
        if one.reason and (place == 1 or one.reason != advice.best.reason):
            lines += [f"     {line}" for line in fitted(one.reason, width - 5)]
    return lines


def _items(view: Any) -> list[Any]:
    return [item for zone in view["zones"] for item in zone["items"]]


def _description(doc: str) -> str:
    """The first sections of an env's documentation, for a game that brings no rules for people."""
    wanted = ("Description", "Rewards", "Episode End")
    head, *sections = doc.split("\n## ")
    return "\n\n".join([head.strip(), *(one.strip() for one in sections if one.startswith(wanted))])
