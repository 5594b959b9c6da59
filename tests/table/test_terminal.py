"""Games in the terminal with a scripted person."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardgym import find, registered
from cardgym.engine.contract import Game
from cardgym.engine.text import matching, short_forms
from cardgym.players import CompiledPlayer
from cardgym.table.game_log import GameLog
from cardgym.table.presentation import board_of
from cardgym.table.session import Session
from cardgym.table.setup import HELPED, GameSetup
from cardgym.table.terminal.game import Terminal, joined, watch
from cardgym.table.terminal.screen import Screen, fitted, in_columns, reflowed

SPIKE = find("CorellianSpike-v0")


@pytest.fixture(autouse=True)
def small_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")


class Person:
    """Answers prompts from a list or by a function; keeps what the terminal showed between prompts."""

    def __init__(self, answers: list[Any] | Callable[[str, str], Any]) -> None:
        self.screens: list[str] = [""]
        self.prompts: list[str] = []
        if callable(answers):
            self._answer = answers
        else:
            listed = iter(answers)
            self._answer = lambda prompt, screen: next(listed, EOFError)

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        screen = self.screens[-1]
        self.screens[-1] += prompt
        self.screens.append("")
        answer = self._answer(prompt, screen)
        if isinstance(answer, type):
            raise answer
        return str(answer)

    def show(self, text: str) -> None:
        self.screens[-1] += f"{text}\n"

    @property
    def text(self) -> str:
        return "".join(self.screens)


def new_terminal(
    answers: Any, game: Game = SPIKE, opponent: str = "heuristic", seat: int | None = 0, seed: int = 5, **more: Any
) -> tuple[Terminal, Person]:
    person = Person(answers)
    options = game.parse_options(more.pop("options", {}))
    opponents = [CompiledPlayer(opponent)] * (options.num_players - 1)
    game_log = more.pop("game_log", None)
    setup = GameSetup(game, options, opponents, seed, seat)
    return Terminal(setup, game_log, Screen(person.ask, person.show, color=False), **more), person


def played(answers: list[Any], **more: Any) -> str:
    terminal, person = new_terminal(answers, **more)
    terminal.play()
    return person.text


def test_game_is_shown_and_saved(tmp_path: Path) -> None:
    game_log = GameLog(tmp_path / "games.sqlite")
    terminal, person = new_terminal(
        ["match", *["don't buy", "match"] * 3, "q"], opponent="initial", options={"hands": 1}, game_log=game_log
    )
    terminal.play()
    assert "Players, in order: You, Initial" in person.text
    assert "  0: raise (pay 2)\n  1: match (nothing to pay)\n  2: fold" in person.text
    assert "Initial matches" in person.text
    assert "You get the spike" in person.text
    assert "This session, won of 1: You" in person.text
    [entry] = game_log.entries()
    assert entry["finished"]
    assert [player["name"] for player in entry["players"]] == ["human", "initial"]


def test_bad_input_is_explained_and_asked_again() -> None:
    text = played(["3", "-1", "1.5", "²", "x" * 200, "", " 2 ", "q"], options={"hands": 1})
    assert "3 is not the ID of a legal move; ? shows what you can type." in text
    for answer in ("-1", "1.5", "²"):
        assert f"'{answer}' names no move; ? shows what you can type." in text
    assert "x" * 90 not in text
    assert text.count("draw pile") == 2  # Once automatically and once on demand.
    assert "You fold" in text


@pytest.mark.parametrize("leave", ["q", "Q", "quit", EOFError, KeyboardInterrupt])
def test_an_unfinished_game_can_be_resumed(leave: Any, tmp_path: Path) -> None:
    game_log = GameLog(tmp_path / "games.sqlite")
    terminal, person = new_terminal(["match", leave], game_log=game_log)
    terminal.play()
    assert "Left unfinished; --resume continues it." in person.text
    [entry] = game_log.entries()
    assert not entry["finished"]
    again, more = new_terminal(["q"], game_log=game_log)
    again.play(Session.restore(game_log, entry["id"]))
    assert "round 1" in more.text


def test_a_game_without_a_decision_is_not_saved(tmp_path: Path) -> None:
    game_log = GameLog(tmp_path / "games.sqlite")
    terminal, _ = new_terminal(["q"], game_log=game_log)
    terminal.play()
    assert list(game_log.entries()) == []


def test_undo_takes_the_last_move_back() -> None:
    text = played(["u", "match", "u", "fold", "q"], options={"hands": 1})
    assert all(part in text for part in ("There is no decision to take back; ? shows", "Taken back.", "You fold"))


# -- every game fits 80 x 24 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game_id",  # Two look like their larger or smaller game, and have a coach that takes seconds to start.
    [
        pytest.param(one, marks=pytest.mark.slow if one in ("CodaOfficial-v0", "SpikeMini-v0") else ())
        for one in registered()
    ],
)
def test_every_prompt_fits_a_small_terminal_and_keeps_the_board_in_view(game_id: str) -> None:
    game = find(game_id)
    rng = random.Random(3)
    boards = []

    def answer(prompt: str, screen: str) -> Any:
        if prompt.startswith("Your move"):
            boards.append(screen)
            session = terminal.session
            if len(boards) > 60:
                return EOFError
            forms = list(short_forms(terminal._offered()).values())
            assert session.legal_actions()
            return rng.choice(forms)
        return "" if prompt.startswith("Enter to continue") else EOFError

    terminal, person = new_terminal(answer, game, opponent="random", seed=1)
    terminal.play()
    assert boards
    for screen in person.screens:
        lines = screen.splitlines()
        assert len(lines) <= 24, screen
        assert max(map(len, lines), default=0) <= 80, screen
    assert board_of(game, terminal.session.state, terminal.session.viewer, terminal.session.people).strip()


def test_news_that_would_scroll_away_waits_for_enter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "14")
    answers = ["match", "", "q"]
    terminal, person = new_terminal(answers, opponent="initial")
    terminal.play()
    assert "Enter to continue " in person.prompts


# -- the coach --------------------------------------------------------------------------------------------------------


def test_hints_can_be_off_on_demand_or_always() -> None:
    cases: tuple[tuple[str, list[str], bool], ...] = (
        ("off", ["h"], False),
        ("demand", [], False),
        ("demand", ["h"], True),
        ("always", [""], True),
    )
    for hints, answers, shown in cases:
        text = played(answers, hints=hints)
        assert ("Coach (credits, by " in text) == shown, hints
        assert ("Hints are off" in text) == (hints == "off")


def test_the_coach_warns_before_a_blunder() -> None:
    game = find("OnePlayPoker-v0")
    # With some of these seeds, betting is a blunder.
    for seed in range(20):
        terminal, person = new_terminal(["bet", "n", "bet", "y", "q"], game, seed=seed, warn=True)
        terminal.play()
        if "The coach: bet 1" in person.text:
            assert "Play it? (y/N) " in person.prompts
            return
    pytest.fail("no seed led to a blunder")


def test_a_game_can_be_reviewed_at_its_end() -> None:
    text = played(["bet", "bet", "bet", "r", "l", "3", "q"], game=find("OnePlayPoker-v0"), seed=3)
    for part in ("decisions as good as the best", "Luck gave you", "-- decision 3: You, bet --"):
        assert part in text


def test_rules_and_help_are_shown() -> None:
    text = played(["?", "rules", "", "", "", "q"])
    assert "take back your last move" in text
    assert "nearest to 0" in text
    lines = text.splitlines()
    [showdown] = [number for number, line in enumerate(lines) if line.startswith("The showdown. The sum nearest to 0")]
    assert lines[showdown - 1] == ""
    assert "it, or discard it. Discards lie face up." in " ".join(" ".join(lines).split())


@pytest.mark.parametrize(("answers", "helped"), [(["1", "q"], False), (["h", "q"], True)])
def test_a_game_in_which_the_coach_spoke_is_marked(answers: list[str], helped: bool) -> None:
    terminal, _ = new_terminal(answers, game=find("OnePlayPoker-v0"), seed=3)
    terminal.play()
    assert (HELPED in terminal.session.about) == helped


def test_a_hint_names_the_value_first() -> None:
    text = played(["h", "q"], game=find("OnePlayPoker-v0"), seed=3)
    assert re.search(r"^ +-?\d+\.\d\d( \+- \d+\.\d+)?  (bet|don't bet)", text, re.MULTILINE)
    hint = text[text.index("Coach (") : text.rindex("Your move")]
    assert max(map(len, hint.splitlines())) <= 80


def test_watching_shows_every_decision() -> None:
    game = find("OnePlayPoker-v0")
    session = Session(GameSetup(game, game.parse_options(), [CompiledPlayer("always")], seed=2, watched=True))
    person = Person(["", "r"])
    watch(session, Screen(person.ask, person.show, color=False))
    assert session.over
    assert person.text.count("Always bets 1") == 3


# -- typed moves ------------------------------------------------------------------------------------------------------

TOSSES = {1: "toss 5D QD, keep 2C 3H 4S JC", 2: "toss 5D 2C, keep QD 3H 4S JC", 3: "toss TH QD, keep 2C 3H 4S JC"}
GUESSES = {
    1: "guess white 7 at place 3",
    2: "guess white 7 at place 4",
    3: "guess black 7 at place 3",
    4: "stop: keep it hidden",
}
BETS = {1: "raise (pay 2)", 2: "match (nothing to pay)", 3: "fold"}
HOUSE = {1: "don't bet", 2: "bet 1 (the house too)"}


@pytest.mark.parametrize(
    ("texts", "answer", "meant"),
    [
        (TOSSES, "5D QD", [1]),
        (TOSSES, "qd 5d", [1]),
        (TOSSES, "5♦ Q♦", [1]),
        (TOSSES, "10♥ Q♦", [3]),
        (TOSSES, "5d", [1, 2]),
        (TOSSES, "KS", []),
        (GUESSES, "3 W7", [1]),
        (GUESSES, "w7 4", [2]),
        (GUESSES, "3 white 7", [1]),
        ({1: "guess white 7 at place 3", 2: "guess white 3 at place 7"}, "3 W7", [1]),
        (GUESSES, "s", [4]),
        (GUESSES, "3", [1, 3]),
        (BETS, "r", [1]),
        (BETS, "Fold", [3]),
        (BETS, "", []),
        (HOUSE, "bet", [2]),
        (HOUSE, "d", [1]),
        ({1: "play 5H (count 20)"}, "5♥️", [1]),
    ],
)
def test_typed_moves_are_understood(texts: dict[int, str], answer: str, meant: list[int]) -> None:
    assert matching(answer, texts) == meant


@pytest.mark.parametrize("texts", [TOSSES, GUESSES, BETS, HOUSE])
def test_short_forms_name_their_moves(texts: dict[int, str]) -> None:
    for action, form in short_forms(texts).items():
        assert matching(form, texts) == [action]


def test_short_forms_of_many_moves_leave_out_common_words() -> None:
    texts = {place * 12 + tile: f"guess white {tile} at place {place}" for place in range(3) for tile in range(12)}
    texts[99] = "stop"
    forms = short_forms(texts)
    assert forms[1 * 12 + 7] == "1 W7"
    assert forms[99] == "stop"
    assert all(matching(form, texts) == [action] for action, form in forms.items())
    puts = {number: f"put it at place {number}" for number in range(1, 9)}
    assert short_forms(puts)[3] == "3 put it at place"  # A number alone is an ID.


# -- style ------------------------------------------------------------------------------------------------------------


def test_hearts_and_diamonds_are_red_if_the_terminal_has_color() -> None:
    for color, shown in ((False, "10♦ 5♥ 10♣\n"), (True, "\x1b[31m10♦\x1b[0m \x1b[31m5♥\x1b[0m 10♣\n")):
        person = Person([])
        Screen(person.ask, person.show, color=color).show(["10♦ 5♥ 10♣"])
        assert person.text == shown


def test_a_percent_sign_stays_with_its_number() -> None:
    assert fitted("your share of the pot is 50.0 %", 29) == ["your share of the pot is", "50.0 %"]


def test_many_actions_are_shown_in_columns() -> None:
    lines = in_columns([f"{number:>2}  action" for number in range(30)], 40)
    assert len(lines) == 10
    assert max(map(len, lines)) <= 40
    assert all(f"{number:>2}  action" in "\n".join(lines) for number in range(30))


def test_cards_dealt_one_at_a_time_share_a_line() -> None:
    dealt = [f"You are dealt {card}" for card in ("black 9", "black joker", "A♠", "2♦")]
    lines = [*dealt, "Opponent tosses two cards", "You draw 5", "  one,", "  two", "You draw 6"]
    together = ["You are dealt black 9, black joker A♠ 2♦", "Opponent tosses two cards", "You draw 5", "  one, two"]
    assert joined(lines) == [*together, "You draw 6"]


def test_rules_are_wrapped() -> None:
    wrapped = reflowed("one\ntwo\n\n  three\nfour " + "x " * 20, 30)
    assert wrapped[:3] == ["one two", "", "  three four x x x x x x x x x"]
