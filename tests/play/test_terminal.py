"""Play in the terminal, with a person of the tests' making."""

from __future__ import annotations

import json
import resource

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.generator import derive
from cardgym.engine.kernel import RESET
from cardgym.play import table as tables
from cardgym.play.human_game import Table
from cardgym.play.log import append, check_log, read_log
from cardgym.play.terminal import Terminal, in_columns
from cardgym.players.base import CallablePlayer, CompiledPlayer
from cardgym.players.seating import SeatedBatch

GAME = find("CorellianSpike-v0")
MATCH, DONT_BUY, DISCARD = 1, 4, 5


def options(**settings):
    return GAME.parse_options(settings)


def play_on(observation, mask):
    return next(action for action in (MATCH, DONT_BUY, DISCARD) if mask[action])


def sit_down(tmp_path, answers, opponent="heuristic", seat=0, **settings):
    """A terminal whose person gives the answers in order, then closes it; and the list of what it was told."""
    told = []
    left = iter(answers)

    def ask(prompt):
        told.append(prompt)
        answer = next(left, EOFError)
        if isinstance(answer, type):
            raise answer
        return answer

    table = Table(GAME, options(**settings), [CompiledPlayer(opponent)], seat=seat, seed=5)
    return Terminal(table, tmp_path / "log.jsonl", 5, ask, told.append), told


@pytest.mark.parametrize("seat", [0, 1, None])
def test_the_table_plays_the_same_games_as_the_kernel(seat):
    for opponent in (CompiledPlayer("random"), CallablePlayer("play_on", play_on)):
        table = Table(GAME, options(num_players=3), [opponent, CompiledPlayer("heuristic")], seat=seat, seed=11)
        lineup = [CompiledPlayer("initial"), opponent, CompiledPlayer("heuristic")]
        played = SeatedBatch(GAME, options(num_players=3), 1, lineup)
        played.seed(np.array([derive(np.uint64(11), tables._STREAM)], np.uint64))
        played.seat(played.numbers, requested_seat=-1 if seat is None else seat)
        for _ in range(3):
            table.start()
            table.advance()
            while not table.over:
                mask = np.isin(np.arange(GAME.num_actions), table.legal_actions())
                table.advance(play_on(None, mask))
            played.step(np.zeros(1, np.int64), np.full(1, RESET, np.uint8))
            assert table.seat == played.batch.rows[0].seat
            assert table.state.tobytes() == played.batch.states[0].tobytes()
            assert table.paid == pytest.approx(played.paid[0, :3])


def test_a_person_sees_the_table_and_what_happened_and_the_game_is_logged(tmp_path):
    terminal, told = sit_down(tmp_path, ["2"] * 7 + ["q"], opponent="initial", hands=1)
    terminal.play()
    text = "\n".join(told)
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
    assert game["contests"] == 1
    assert [player["name"] for player in game["players"]] == ["human", "initial"]
    assert sum(player["won"] for player in game["players"]) == 1
    assert sorted(player["return"] for player in game["players"]) == [0.0, 4.0]
    assert sorted(player["extra"]["credits_per_game"] for player in game["players"]) == [-2.0, 2.0]


def test_bad_input_is_told_and_asked_again(tmp_path):
    terminal, told = sit_down(tmp_path, ["", "0", "4", "-1", "1.5", "raise", "²", "?", " 3 ", "q"], hands=1)
    terminal.play()
    text = "\n".join(told)
    for answer in ("0", "4", "-1", "1.5", "raise"):
        assert f"'{answer}' is no move here: type a number from 1 to 3, or q to quit." in text
    assert text.count("draw pile") == 2  # Shown once by itself and once on demand.
    assert "You fold" in text


@pytest.mark.parametrize("leave", ["q", "Q", "quit", EOFError, KeyboardInterrupt])
def test_leaving_in_mid_game_is_logged_as_unfinished(tmp_path, leave):
    terminal, told = sit_down(tmp_path, ["2", leave])
    terminal.play()
    [game] = read_log(tmp_path / "log.jsonl")
    assert not game["finished"]
    assert "Left unfinished" in told[-1]


def test_leaving_before_the_first_decision_is_not_logged(tmp_path):
    terminal, _ = sit_down(tmp_path, ["q"])
    terminal.play()
    assert not (tmp_path / "log.jsonl").exists()


def test_what_a_person_is_told_does_not_depend_on_what_the_seat_cannot_see(tmp_path):
    """The opponent's hidden cards swapped for others of the draw pile: not a word changes."""
    tellings = []
    for swap in (False, True):
        terminal, told = sit_down(tmp_path, [], opponent="initial")
        terminal.table.start()
        moves = terminal.table.advance()
        state = terminal.table.state
        if swap:
            hidden = state.cards[1, :2].copy()
            state.cards[1, :2] = sorted(state.deck[:2])
            state.deck[:2] = hidden
            assert (np.sort(hidden) != state.cards[1, :2]).any()
        terminal._tell_moves(moves)
        terminal._show(terminal.table.legal_actions())
        tellings.append(told)
    assert tellings[0] == tellings[1]


def test_many_actions_stand_side_by_side(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    shown = in_columns([f"{number:>2}  action" for number in range(30)])
    assert len(shown.splitlines()) == 15
    assert max(map(len, shown.splitlines())) <= 40
    assert all(f"{number:>2}  action" in shown for number in range(30))


def test_an_illegal_action_is_refused():
    table = Table(GAME, options(), [CompiledPlayer("initial")], seat=0, seed=1)
    table.start()
    table.advance()
    with pytest.raises(CardgymError, match="not legal"):
        table.advance(DISCARD)


def test_a_line_that_the_disk_has_no_room_for_is_taken_back(tmp_path):
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


def test_a_log_that_cannot_be_written_or_read_is_told_beforehand(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CardgymError, match="name another with --log"):
        check_log(tmp_path / "file" / "log.jsonl")
    check_log(tmp_path / "new" / "log.jsonl")
    assert not (tmp_path / "new" / "log.jsonl").exists()
    (tmp_path / "bad.jsonl").write_text(json.dumps({"env": 1}) + "\n")
    with pytest.raises(CardgymError, match="line 1 is no game"):
        read_log(tmp_path / "bad.jsonl")
