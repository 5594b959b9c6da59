"""How people see a game: its views, what its moves reveal, its advice, and how strong its players are."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardgym.engine.contract import Game, Names, State
from cardgym.engine.text import rules_text
from cardgym.players import player_names
from cardgym.table.people import with_shown_names
from cardgym.table.views import Reveal, Symbol, View, view_in_words

COACH = "coach"
"""The coach's name among the players whose strength was measured: it always takes its first advice."""

IN_WORDS = "In words"
"""The heading of the rules about moves and the board in letters, which people who see a picture do not need."""


@dataclass(frozen=True)
class Lesson:
    """A first game that is explained decision by decision: a real game, with known cards.

    Attributes:
        opponent: the player in the other seats; the person has seat 0.
        steps: at each choice of the person, the action to take and why.
        closing: what the person has seen, at the end.
        options: the options that are not the usual ones.
    """

    opponent: str
    seed: int
    steps: Sequence[tuple[int, str]]
    closing: str
    options: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class OptionWords:
    """How a form names an option to people.

    Attributes:
        label: its name; empty for its help.
        group: where it stands: `table`, `rules` or `for study`.
        choices: the names of its values, where the values do not say enough.
    """

    label: str = ""
    group: str = "rules"
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Presentation:
    """What a game adds for people. Everything is optional: without a view, the game is shown by its words.

    `names` are what texts call the seats.

    Attributes:
        view: `view(state, seat, names)`: the game as that seat sees it, as zones of cards and other items; seat -1 sees
            everything. It may name items for actions that are not legal, and leaves `to_act` to `view_of`.
        reveals: `reveals(before, move, after, seat, names)`: what a transition put on the table, explained point by
            point.
        board: `board(state, seat, names)`: the game as text for a terminal of 80 x 24, in at most 12 lines.
        ending: `ending(state, seat, names)`: how the game ended for a seat, in one line; empty before the end.
        examples: what the rules show in pictures: combinations of cards, with their names and what they count.
        label: `label(state, action)`: an action in fewer words than `Game.action_text`, for people who see the cards;
            empty for that text.
        possible: `possible(state, action)`: whether a legal action can achieve anything, as far as its player sees at a
            glance. People are offered only such actions; others stay legal.
        tip: `tip(state, seat)`: what a person who plays for the first time should know at this decision, from what the
            seat can know; may be empty.
        lessons: a first game for people who have never played it, by the game's id.
        showdown: `showdown(before, move, after, seat, names)`: the table with the hands face up that a transition
            showed to all and then cleared away; None if it did not.
        symbols: the drawings of the items, by the names that views use.
        adviser: `adviser(game, options)` imports and returns the `Adviser`, or None for options that it does not
            fit.
            Without it, the coach uses playouts.
        strength: the measured strength of players, by the game's id and the player's name: a line each, with the
            opponent, the number of games and the interval; for the coach as a player, by the name `COACH`.
        ratings: the measured ratings of players, in Elo points above the mean of those measured, by the game's id and
            the player's name, for games with the default options: what a person's games are rated against.
        options: how people read the options, by name.
        crowd: options at a table of four and more, where people do not choose other values.
        levels: the players that a person can choose as levels, by the game's id, weakest first, as measured. Players
            that do not fit the options are left out.
    """

    view: Callable[[State, int, Names], View] | None = None
    reveals: Callable[[State, int, State, int, Names], list[Reveal]] = lambda *_: []
    board: Callable[[State, int, Names], str] | None = None
    ending: Callable[[State, int, Names], str] = lambda *_: ""
    examples: Callable[[], list[Reveal]] = list
    label: Callable[[State, int], str] = lambda *_: ""
    possible: Callable[[State, int], bool] = lambda *_: True
    tip: Callable[[State, int], str] = lambda *_: ""
    lessons: Mapping[str, Lesson] = field(default_factory=dict)
    showdown: Callable[[State, int, State, int, Names], View | None] = lambda *_: None
    symbols: Callable[[], dict[str, Symbol]] = dict
    adviser: Callable[[Game, Any], Any] | None = None
    strength: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    options: Mapping[str, OptionWords] = field(default_factory=dict)
    crowd: Mapping[str, int | str] = field(default_factory=dict)


def measured(module_file: str) -> dict[str, Any]:
    """Return the `strength`, `ratings` and `levels` that `measured.toml` has, beside `module_file`."""
    return tomllib.loads(Path(module_file).with_name("measured.toml").read_text(encoding="utf-8"))


def lessons(module_file: str) -> dict[str, Lesson]:
    """Return the lessons that `lesson.toml` has, by id, beside `module_file`."""
    found = tomllib.loads(Path(module_file).with_name("lesson.toml").read_text(encoding="utf-8"))
    return {env_id: Lesson(**values) for env_id, values in found.items()}


_HEADING_WORDS = 4
"""A paragraph's first sentence is its heading if it has at most this many words."""

_WORDS_ALONE = Presentation()


def presentation_of(game: Game) -> Presentation:
    """Return the presentation of a game; its words alone if it has none."""
    presentation: Presentation = game.table() if callable(game.table) else game.table or _WORDS_ALONE
    return presentation


def view_of(game: Game, state: State, seat: int, legal: Sequence[int] = (), names: Names | None = None) -> View:
    """Return the game as `seat` sees it, all of it for seat -1; `legal` are its actions, `names` those of seats."""
    rules, own_view, num_players = game.rules, presentation_of(game).view, int(state.num_players)
    if own_view is None:
        view = view_in_words(game.describe, state, seat, num_players)
    else:
        view = own_view(state, seat, names or game.names(seat, num_players))
    view["to_act"] = -1 if rules.num_chance_outcomes(state) > 0 else int(rules.current_player(state))
    view["actions"] = {int(action): view["actions"].get(int(action), []) for action in legal}
    return view


def text_of(game: Game, state: State, action: int) -> str:
    """Return an action in words, for a person who sees the table."""
    return presentation_of(game).label(state, action) or game.action_text(state, action)


def offered(game: Game, state: State, legal: Sequence[int]) -> list[int]:
    """Return the legal actions that people are offered: those that can achieve anything, all of them if none can."""
    possible = presentation_of(game).possible
    return [action for action in legal if possible(state, action)] or list(legal)


def board_of(game: Game, state: State, seat: int, names: Names) -> str:
    """Return the game as text for a terminal of 80 x 24, by `names` of seats; without a board, its description."""
    board = presentation_of(game).board
    return game.describe(state, seat) if board is None else board(state, seat, names)


def rules_of(game: Game, state: State) -> list[tuple[str, str]]:
    """Return the rules for people: pairs of a heading, often empty, and a paragraph."""
    return [_headed(paragraph) for paragraph in rules_text(game, state).split("\n\n")]


def _headed(paragraph: str) -> tuple[str, str]:
    first, dot, rest = paragraph.partition(". ")
    return (first, rest) if dot and len(first.split()) <= _HEADING_WORDS else ("", paragraph)


def strength_of(game: Game, name: str) -> str:
    """Return the measured strength of a player, or of the `COACH`, for people; empty if it was not measured."""
    measured = presentation_of(game).strength.get(game.id, {})
    return with_shown_names(measured.get(name, ""), {*player_names(game), *measured} - {COACH})
