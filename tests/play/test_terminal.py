"""Games in the terminal, with a scripted person."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.contract import Options
from cardgym.engine.generator import derive
from cardgym.engine.kernel import RESET
from cardgym.play import human_game
from cardgym.play.human_game import HumanGame
from cardgym.play.log import append, check_log, read_log
from cardgym.play.terminal import Terminal, in_columns
from cardgym.players.base import CallablePlayer, CompiledPlayer
from cardgym.players.seating import SeatedBatch

GAME = find("CorellianSpike-v0")
MATCH, DONT_BUY, DISCARD = 1, 4, 5


def options(**settings: Any) -> Options:
    return GAME.parse_options(settings)


def play_on(observation: Any, mask: Any) -> int:
    return next(action for action in (MATCH, DONT_BUY, DISCARD) if mask[action])


def new_terminal(
    tmp_path: Path, answers: list[Any], opponent: str = "heuristic", seat: int | None = 0, **settings: Any
) -> tuple[Terminal, list[str]]:
    """A terminal whose person gives the answers in order, then closes it; and the list of texts it shows."""
    shown: list[str] = []
    remaining = iter(answers)

    def ask(prompt: str) -> str:
        shown.append(prompt)
        answer = next(remaining, EOFError)
        if isinstance(answer, type):
            raise answer
        return str(answer)

    game = HumanGame(GAME, options(**settings), [CompiledPlayer(opponent)], seat=seat, seed=5)
    return Terminal(game, tmp_path / "log.jsonl", 5, ask, shown.append), shown


@pytest.mark.parametrize("seat", [0, 1, None])
def test_human_games_are_those_of_the_kernel(seat: int | None) -> None:
    for opponent in (CompiledPlayer("random"), CallablePlayer("play_on", play_on)):
        game = HumanGame(GAME, options(num_players=3), [opponent, CompiledPlayer("heuristic")], seat=seat, seed=11)
        lineup = [CompiledPlayer("initial"), opponent, CompiledPlayer("heuristic")]
        played = SeatedBatch(GAME, options(num_players=3), 1, lineup)
        played.seed(np.array([derive(np.uint64(11), human_game._STREAM)], np.uint64))
        played.seat(played.numbers, requested_seat=-1 if seat is None else seat)
        for _ in range(3):
            game.start()
            game.advance()
            while not game.over:
                mask = np.isin(np.arange(GAME.num_actions), game.legal_actions())
                game.advance(play_on(None, mask))
            played.step(np.zeros(1, np.int64), np.full(1, RESET, np.uint8))
            assert game.seat == played.batch.rows[0].seat
            assert game.state.tobytes() == played.batch.states[0].tobytes()
            assert game.paid == pytest.approx(played.paid[0, :3])


def test_game_is_shown_and_logged(tmp_path: Path) -> None:
    terminal, shown = new_terminal(tmp_path, ["2"] * 7 + ["q"], opponent="initial", hands=1)
    terminal.play()
    text = "\n".join(shown)
    assert "seat 0: you" in text
    assert "seat 1: initial" in text
    assert "1  raise (pay 2)\n  2  match (nothing to pay)\n  3  fold" in text
    assert "Seat 1 matches" in text
    assert "You get the spike" in text
    assert "Spike dice" in text
    assert "wins the pool of 4" in text or "You win the pool of 4" in text
    assert "The game is over" in text
    [game] = read_log(tmp_path / "log.jsonl")
    assert game["finished"]
    assert game["max_score"] == 1
    assert [player["name"] for player in game["players"]] == ["human", "initial"]
    assert sum(player["score"] for player in game["players"]) == 1
    assert sorted(player["return"] for player in game["players"]) == [0.0, 4.0]
    assert sorted(player["metrics"]["credits_per_game"] for player in game["players"]) == [-2.0, 2.0]


def test_bad_input_is_explained_and_asked_again(tmp_path: Path) -> None:
    terminal, shown = new_terminal(tmp_path, ["", "0", "4", "-1", "1.5", "raise", "²", "?", " 3 ", "q"], hands=1)
    terminal.play()
    text = "\n".join(shown)
    for answer in ("0", "4", "-1", "1.5", "raise"):
        assert f"'{answer}' is no move here: type a number from 1 to 3, or q to quit." in text
    assert text.count("draw pile") == 2  # Shown once by itself and once on demand.
    assert "You fold" in text


@pytest.mark.parametrize("leave", ["q", "Q", "quit", EOFError, KeyboardInterrupt])
def test_leaving_during_a_game_logs_it_as_unfinished(tmp_path: Path, leave: Any) -> None:
    terminal, shown = new_terminal(tmp_path, ["2", leave])
    terminal.play()
    [game] = read_log(tmp_path / "log.jsonl")
    assert not game["finished"]
    assert "Left unfinished" in shown[-1]


def test_leaving_before_the_first_decision_logs_nothing(tmp_path: Path) -> None:
    terminal, _ = new_terminal(tmp_path, ["q"])
    terminal.play()
    assert not (tmp_path / "log.jsonl").exists()


def test_texts_do_not_depend_on_hidden_cards(tmp_path: Path) -> None:
    """The opponent's hidden cards are swapped for others of the draw pile: not a word changes."""
    texts = []
    for swap in (False, True):
        terminal, shown = new_terminal(tmp_path, [], opponent="initial")
        terminal.human_game.start()
        moves = terminal.human_game.advance()
        state = terminal.human_game.state
        if swap:
            hidden = state.cards[1, :2].copy()
            state.cards[1, :2] = sorted(state.deck[:2])
            state.deck[:2] = hidden
            assert (np.sort(hidden) != state.cards[1, :2]).any()
        terminal._show_moves(moves)
        terminal._show_decision(terminal.human_game.legal_actions())
        texts.append(shown)
    assert texts[0] == texts[1]


def test_many_actions_are_shown_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = in_columns([f"{number:>2}  action" for number in range(30)])
    assert len(text.splitlines()) == 15
    assert max(map(len, text.splitlines())) <= 40
    assert all(f"{number:>2}  action" in text for number in range(30))


def test_an_illegal_action_is_refused() -> None:
    game = HumanGame(GAME, options(), [CompiledPlayer("initial")], seat=0, seed=1)
    game.start()
    game.advance()
    with pytest.raises(CardgymError, match="not legal"):
        game.advance(DISCARD)


def test_a_line_that_does_not_fit_on_the_disk_is_removed_again(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    append(log, {"a": 1})
    before = log.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
    try:
        with pytest.raises(CardgymError, match="cannot write"):
            append(log, {"b": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert log.read_bytes() == before


def test_a_log_that_cannot_be_written_or_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CardgymError, match="name another with --log"):
        check_log(tmp_path / "file" / "log.jsonl")
    check_log(tmp_path / "new" / "log.jsonl")
    assert not (tmp_path / "new" / "log.jsonl").exists()
    (tmp_path / "bad.jsonl").write_text(json.dumps({"env": 1}) + "\n")
    with pytest.raises(CardgymError, match="line 1 is no game"):
        read_log(tmp_path / "bad.jsonl")
