"""One game of a person or of watched players, and the game log."""

import json
import multiprocessing
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.kernel import RESET
from cardgym.players import CallablePlayer, CompiledPlayer, Player
from cardgym.players.seats import SeatedBatch
from cardgym.table.coach.history import saved_games
from cardgym.table.game_entries import checked, read_entries
from cardgym.table.game_log import GameLog, StaleGameError
from cardgym.table.session import Session, replay
from cardgym.table.setup import GameSetup

GAME = find("CorellianSpike-v0")
MATCH, DONT_BUY, DISCARD = 1, 4, 5
OPTIONS = GAME.parse_options({"num_players": 3, "hands": 4})
SHORT = GAME.parse_options({"hands": 1})


def play_on(observation: Any, mask: Any) -> int:
    return next(action for action in (MATCH, DONT_BUY, DISCARD) if mask[action])


def finish(session: Session, seed: int = 0) -> None:
    """Play the person's decisions at random; about every fifth is taken back and made again."""
    rng = np.random.default_rng(seed)
    session.play()
    while not session.over:
        session.act(int(rng.choice(session.legal_actions())))
        if not session.over and rng.random() < 0.2:
            session.undo()


def same(one: Any, other: Any) -> bool:
    """Whether two states are equal in every field; bytes between fields do not count."""
    return all(np.array_equal(one[name], other[name]) for name in one.dtype.names)


def started(game_log: GameLog | None = None, opponents: tuple[Player, ...] = (), **more: Any) -> Session:
    opponents = opponents or (CompiledPlayer("random"), CompiledPlayer("heuristic"))
    return Session(GameSetup(GAME, OPTIONS, opponents, **{"seat": 0, "seed": 5, **more}), game_log)


@pytest.fixture
def game_log(tmp_path: Path) -> GameLog:
    return GameLog(tmp_path / "games.sqlite")


@pytest.mark.parametrize("seat", [0, 1])
def test_games_equal_those_of_the_batch(seat: int) -> None:
    for opponent in (CompiledPlayer("random"), CallablePlayer("play_on", play_on)):
        lineup: list[Player] = [CompiledPlayer("initial"), opponent, CompiledPlayer("heuristic")]
        for number in range(3):
            played = SeatedBatch(GAME, OPTIONS, 1, lineup)
            played.seed(np.array([GameSetup(GAME, OPTIONS, lineup[1:], seed=11).key], np.uint64), number)
            played.seat(played.numbers, requested_seat=seat)
            game = Session(GameSetup(GAME, OPTIONS, lineup[1:], seat=seat, seed=11, number=number))
            game.play()
            while not game.over:
                game.act(play_on(None, np.isin(np.arange(GAME.num_actions), game.legal_actions())))
            played.step(np.zeros(1, np.int64), np.full(1, RESET, np.uint8))
            assert same(game.state, played.batch.states[0])
            assert game.paid == pytest.approx(played.paid[0, :3])


def test_restored_game_continues_identically(game_log: GameLog) -> None:
    players: dict[str, Player] = {"random": CompiledPlayer("random"), "play_on": CallablePlayer("play_on", play_on)}
    session = started(game_log, tuple(players.values()))
    rng = np.random.default_rng(1)
    session.play()
    while not session.over:
        action = int(rng.choice(session.legal_actions()))
        restored = Session.restore(game_log, session.id, lambda name, *_: players[name])
        restored._game_log = None
        assert same(restored.state, session.state)
        assert restored.legal_actions() == session.legal_actions()
        assert (restored.narration, restored.version) == (session.narration, session.version)
        texts = [event.text for event in session.act(action)]
        assert [event.text for event in restored.act(action)] == texts
        assert same(restored.state, session.state)
        if not session.over and rng.random() < 0.3:
            session.undo()


def test_every_saved_game_is_replayed_exactly(game_log: GameLog) -> None:
    sessions = [started(game_log, seat=seat, number=number) for seat in (0, 2, None) for number in range(2)]
    for number, session in enumerate(sessions):
        finish(session, number)
    entries = list(game_log.entries())
    assert [entry["id"] for entry in entries] == [session.id for session in sessions]
    for session, entry in zip(sessions, entries, strict=True):
        events = replay(entry)
        assert same(events[-1].after, session.state)
        assert [(event.seat, event.text) for event in events if event.text] == session.narration
        assert entry["finished"]
        assert entry["undone"] > 0
        assert entry["players"] == session.entry()["players"]
        assert sum(player["score"] for player in entry["players"]) == entry["max_score"]


def test_undo_takes_back_the_last_choice_and_what_followed() -> None:
    session = started()
    session.play()
    with pytest.raises(CardgymError, match="no decision to take back"):
        session.undo()
    before, narration, actions = session.state.copy(), list(session.narration), session.legal_actions()
    session.act(MATCH)
    assert not same(session.state, before)
    version = session.version
    session.undo()
    assert same(session.state, before)
    assert session.legal_actions() == actions
    assert session.narration == narration
    assert session.version == version + 1
    finish(session)
    with pytest.raises(CardgymError, match="the game is over"):
        session.undo()


def test_watched_games_advance_one_decision_at_a_time(game_log: GameLog) -> None:
    players: list[Player] = [CompiledPlayer("heuristic"), CompiledPlayer("random"), CallablePlayer("play_on", play_on)]
    session = Session(GameSetup(GAME, OPTIONS, players, watched=True, seed=3), game_log)
    first = session.step()
    assert sum(event.seat >= 0 for event in first) == 1
    lines = [line for _, text in session.narration for line in text.splitlines()]
    dealt = {line.partition(" is dealt ")[0] for line in lines if " is dealt " in line}
    assert dealt == set(session.narrator.people(0))
    assert session.legal_actions() == []
    while not session.over:
        events = session.step()
        assert sum(event.seat >= 0 for event in events) == 1
    whole = Session(GameSetup(GAME, OPTIONS, players, watched=True, seed=3))
    whole.play()
    assert same(whole.state, session.state)
    [entry] = game_log.entries()
    assert entry["person"] is None
    assert [player["name"] for player in entry["players"]] == ["heuristic", "random", "play_on"]


def test_illegal_actions_are_refused_and_change_nothing(game_log: GameLog) -> None:
    session = started(game_log)
    session.play()
    before = session.state.copy()
    for action in (DISCARD, -1, 10**9, 2**70):
        with pytest.raises(CardgymError, match="not legal"):
            session.act(action)
    assert same(session.state, before)
    assert game_log.num_rows(session.id) == session.version


def test_what_cannot_be_saved_has_not_happened(game_log: GameLog, monkeypatch: pytest.MonkeyPatch) -> None:
    session = started(game_log)
    session.play()

    def full(*of: Any) -> None:
        raise CardgymError("the disk is full")

    monkeypatch.setattr(game_log, "append", full)
    for change in (session.note_help, lambda: session.resign(0)):
        with pytest.raises(CardgymError, match="the disk is full"):
            change()
    assert (session.over, session.about) == (False, {})


def test_wrong_numbers_of_players_and_seats_are_refused() -> None:
    with pytest.raises(CardgymError, match="1 players for 2 seats"):
        GameSetup(GAME, OPTIONS, [CompiledPlayer("random")], seed=1)
    with pytest.raises(CardgymError, match="has seats 0 to 2 here"):
        started(seat=3)


# -- the game log -----------------------------------------------------------------------------------------------------


def test_export_and_import_keep_every_game(game_log: GameLog, tmp_path: Path) -> None:
    for number in range(3):
        session = started(game_log, number=number)
        finish(session, number)
    started(game_log, seat=None).play()  # Not finished.
    assert game_log.export(tmp_path / "games.jsonl") == 4
    other = GameLog(tmp_path / "other.sqlite")
    assert other.import_entries(read_entries(tmp_path / "games.jsonl")) == 4
    assert other.import_entries(read_entries(tmp_path / "games.jsonl")) == 0  # They are there already.
    assert list(other.entries()) == list(game_log.entries())
    assert len(list(other.entries(finished=False))) == 1
    with pytest.raises(CardgymError, match="it has no games to export"):  # It would replace those of another export.
        GameLog(tmp_path / "empty.sqlite").export(tmp_path / "games.jsonl")
    assert other.export(tmp_path / "again.jsonl") == 4
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "games.jsonl").read_bytes()


def test_refused_lines_are_named_and_the_others_go_in(
    game_log: GameLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = started(game_log)
    finish(session)
    good = game_log.entry(session.id)
    lines = [good, {**good, "seed": 2**63}, {**good, "id": "a" * 22}, {**good, "max_score": 0}, {**good, "env": "os:x"}]
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    other = GameLog(tmp_path / "other.sqlite")
    assert other.import_entries(read_entries(path)) == 2
    assert [entry["id"] for entry in other.entries()] == [session.id, "a" * 22]
    refused = capsys.readouterr().err.splitlines()
    reasons = ["line 2 is not a game that cardgym wrote: seed: input should be less than or equal to"]
    reasons += ["line 4 is not a game that cardgym wrote: max_score: 0; its moves give 4"]
    reasons += ["line 5 is not a game that cardgym wrote: env: 'os:x' is not installed; there are"]
    assert all(f"cardgym: file {path}: {reason}" in line for reason, line in zip(reasons, refused, strict=True))
    path.write_text("x\n" * 5000)
    with pytest.raises(CardgymError, match=r"line 1 is not .* \(and 1000 more\)"):
        read_entries(path)


@pytest.mark.parametrize(("seat", "move"), [(-2, 10**9), (0, DISCARD), (1, MATCH), (0, 2**31 - 1)])
def test_moves_that_the_rules_forbid_are_refused(game_log: GameLog, seat: int, move: int) -> None:
    session = started(game_log)
    session.play()
    entry = game_log.entry(session.id)
    entry["moves"].append([seat, move])
    for read in (replay, lambda entry: checked(entry, "game")):
        with pytest.raises(CardgymError, match="is not allowed by the rules"):
            read(entry)


def test_moves_by_another_process_are_noticed(game_log: GameLog) -> None:
    session = started(game_log)
    session.play()
    other = Session.restore(GameLog(game_log.path), session.id)
    other.act(other.legal_actions()[0])
    with pytest.raises(StaleGameError, match="look again"):
        session.act(session.legal_actions()[1])
    again = Session.restore(game_log, session.id)
    assert same(again.state, other.state)
    stale = Session.restore(game_log, session.id)
    again.resign(0)
    for change in (lambda: stale.act(stale.legal_actions()[0]), stale.note_help):
        with pytest.raises(StaleGameError, match="look again"):
            change()
    assert game_log.entry(session.id)["about"] == {"resigned": 0}
    game_log.remove(session.id)
    with pytest.raises(StaleGameError, match="look again"):
        again.note_help()


def test_processes_can_share_a_game_log(game_log: GameLog) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_play_games, args=(game_log.path, first)) for first in (0, 10)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    entries = list(game_log.entries(finished=True))
    assert sorted(entry["game"] for entry in entries) == [*range(5), *range(10, 15)]
    for entry in entries:
        assert len(replay(entry)) == len(entry["moves"])


def _play_games(path: Path, first: int) -> None:
    game_log = GameLog(path)
    for number in range(first, first + 5):
        finish(Session(GameSetup(GAME, SHORT, [CompiledPlayer("random")], 5, 0, number=number), game_log))


KILLED = """
    import sys
    from pathlib import Path
    from cardgym import find
    from cardgym.table.game_log import GameLog
    from cardgym.table.session import Session
    from cardgym.table.setup import GameSetup
    from cardgym.players import CallablePlayer

    def think(observation, mask):
        print(session.version, flush=True)
        sys.stdin.read()

    game = find("CorellianSpike-v0")
    setup = GameSetup(game, game.parse_options({"hands": 1}), [CallablePlayer("random", think)], seat=0, seed=5)
    session = Session(setup, GameLog(Path(sys.argv[1])))
    print(session.id)
    session.play()
    session.act(1)
"""


def test_killed_process_loses_no_move(tmp_path: Path) -> None:
    """Killed while the opponent decides: the person's move is in the game log."""
    words = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / "games.sqlite")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        id, made = process.stdout.readline().strip(), int(process.stdout.readline())
        process.kill()
    session = Session.restore(GameLog(tmp_path / "games.sqlite"), id)
    assert session.version == made
    assert len(session.choices) == 1
    finish(session)
    assert session.over


def test_a_foreign_database_is_refused_and_left_as_it_was(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "mail.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("create table letters (text)")
    before = path.read_bytes()
    for words in (["review", str(path), "--list"], ["play", GAME.id, "--resume", "--log", str(path)]):
        assert f"game log {path}: not a game log of cardgym" in refused(*words)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["mail.sqlite"]


def test_a_log_that_is_only_read_stays_as_it_was(game_log: GameLog) -> None:
    finished = started(game_log)
    finish(finished)
    reader = GameLog(game_log.path, read_only=True)  # While the other is open.
    assert reader.entry(finished.id) == game_log.entry(finished.id)
    with pytest.raises(CardgymError, match="readonly"):
        reader.remove(finished.id)
    reader.close()
    game_log.close()
    before = game_log.path.read_bytes()
    assert len(saved_games(game_log.path)) == 1
    assert game_log.path.read_bytes() == before
    assert [file.name for file in game_log.path.parent.iterdir()] == [game_log.path.name]


@pytest.mark.parametrize(
    "change",
    [
        "update games set entry = replace(entry, '\"seed\": ', '\"seed\": 1')",
        "update games set entry = 3",
        "update games set entry = x'ff00'",
        "update games set finished = 'no'",
        "update moves set move = move + 1 where n = 1",
        "update moves set seat = 'x'",
        "delete from moves where n = 0",
    ],
)
def test_damaged_games_are_left_out(game_log: GameLog, capsys: pytest.CaptureFixture[str], change: str) -> None:
    damaged = started(game_log)
    finish(damaged)
    with sqlite3.connect(game_log.path) as database:
        database.execute(change)
    whole = started(game_log)
    finish(whole)
    assert [entry["id"] for entry in game_log.entries()] == [whole.id]
    reason = f"game {damaged.id}: damaged or changed by hand"
    assert capsys.readouterr().err == f"cardgym: game log {game_log.path}: {reason}; left out\n"
    with pytest.raises(CardgymError, match=reason):
        game_log.entry(damaged.id)


def test_files_that_are_not_game_logs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but longer than the header of one" * 9)
    with pytest.raises(CardgymError, match="file is not a database"):
        GameLog(tmp_path / "text")
    with pytest.raises(CardgymError, match="cannot write"):
        GameLog(tmp_path / "text" / "games.sqlite")
    GameLog(tmp_path / "later").close()
    with sqlite3.connect(tmp_path / "later") as database:
        database.execute("pragma user_version = 99")
    with pytest.raises(CardgymError, match="update cardgym"):
        GameLog(tmp_path / "later")
    with pytest.raises(CardgymError, match="no such file"):
        read_entries(tmp_path / "none.jsonl")
