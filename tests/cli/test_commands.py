"""The command line, in processes of its own where streams, exit codes or the disk matter."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardgym import CardgymError, benchmark
from cardgym.cli import COMMANDS, main

ENV = "CorellianSpike-v0"
TWO = ["--players", "random", "initial"]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDGYM_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def cardgym(*words, **kwargs):
    """Run `cardgym` as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "cardgym", *map(str, words)],
        stdout=kwargs.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        **kwargs,
    )


def refused(done):
    """The one line on stderr of a command that was refused."""
    assert done.returncode == 2, done.stderr
    assert not done.stdout
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("cardgym: ")
    return lines[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evalute"], "unknown command 'evalute': did you mean 'evaluate'?"),
        (["--vresion"], "unknown option '--vresion'"),
        (["evaluate"], "the following arguments are required: ENV, --players"),
        (["evaluate", ENV, "--gmes", "5"], "unknown option '--gmes': did you mean '--games'?"),
        (["evaluate", ENV, *TWO, "--game", "5"], "unknown option '--game': did you mean '--games'?"),
        (["evaluate", "CorellianSpike", *TWO], "unknown game 'CorellianSpike': did you mean"),
        (["evaluate", ENV, "--players", "random", "heuristc"], "did you mean 'heuristic'?"),
        (["evaluate", ENV, "--players", "random"], "has 2 seats: name 2 players, one for each, not 1"),
        (["evaluate", ENV, *TWO, "--set", "num_players=9"], "num_players='9': allowed are whole numbers from 2 to 8"),
        (["evaluate", ENV, *TWO, "--set", "num_players=3"], "has 3 seats: name 3 players"),
        (["evaluate", ENV, *TWO, "--set", "beting=flat"], "unknown option 'beting': did you mean 'betting'?"),
        (["evaluate", ENV, *TWO, "--set", "betting=none"], "betting='none': allowed are flat, matched"),
        (["evaluate", ENV, *TWO, "--set", "betting"], "write it as name=value"),
        (["evaluate", ENV, *TWO, "--games", "0"], "'0': allowed are whole numbers from 1"),
        (["evaluate", ENV, *TWO, "--games", "ten"], "'ten': allowed are whole numbers from 1"),
        (["evaluate", ENV, *TWO, "--seed", "-1"], "'-1': allowed are whole numbers from 0"),
        (["evaluate", ENV, *TWO, "--seats", "any"], "choose from 'rotate', 'fixed'"),
        (["evaluate", ENV, "--players", "random", "none.json"], "none.json: no such file"),
        (["record", ENV, *TWO, "--out", "a.txt"], "its name must end in .csv or .npz"),
        (["record", ENV, *TWO], "the following arguments are required: --out"),
        (["play", ENV, "--seat", "2"], "seat 2: CorellianSpike-v0 has seats 0 to 1 here"),
        (["play", ENV, "--opponent", "random", "random"], "2 opponents for 1 seats"),
        (["play", ENV, "--opponent", "rndom"], "did you mean 'random'?"),
        (["games", "Coda-v9"], "unknown game 'Coda-v9'"),
        (["games", "..a:Coda-v0"], "cannot import '..a'"),
        (["report"], "no games played yet"),
        (["report", "none.json"], "none.json: no such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words, message, capsys):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("cardgym: ")
    assert message in err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"env": "a", "settings": {}, "games": 1, "players": []}', "holds no report"),
        ("a.json", '{"env": "a", "settings": 3, "games": 1, "players": []}', "holds no report"),
        ("a.jsonl", '{"env": "a", "settings": {}, "finished": true, "contests": 1, "players": []}', "line 1"),
        (
            "a.jsonl",
            '{"env": "a", "settings": {}, "finished": true, "contests": "q", '
            '"players": [{"name": "a", "won": 1, "return": 1, "extra": {}}]}',
            "line 1",
        ),
    ],
)
def test_files_with_the_right_names_and_other_contents_are_refused(name, text, message, capsys, tmp_path):
    (tmp_path / name).write_text(text)
    assert main(["report", name]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_process_ends_so_too(tmp_path):
    assert "did you mean 'heuristic'" in refused(cardgym("evaluate", ENV, "--players", "random", "heuristc"))
    for content in ("{", "[1]", '{"12": 1}'):
        (tmp_path / "policy.json").write_text(content)
        assert "policy.json" in refused(cardgym("evaluate", ENV, "--players", "random", "policy.json"))
    (tmp_path / "report.json").write_text('{"players": 3}')
    assert "holds no report" in refused(cardgym("report", "report.json"))


def test_json_of_evaluate_is_the_documented_object(capsys):
    words = ["evaluate", ENV, "--players", "heuristic", "random", "--games", "50", "--seed", "3", "--json"]
    assert main([*words, "--set", "hands=3", "--set", "betting=matched"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["env"] == ENV
    assert report["games"] == 50
    assert report["seed"] == 3
    assert report["settings"] == {
        "num_players": 2,
        "hands": 3,
        "credits": 50,
        "betting": "matched",
        "reward": "credits",
    }
    assert [player["name"] for player in report["players"]] == ["heuristic", "random"]
    for player in report["players"]:
        low, high = player["win_rate_ci95"]
        assert 0 <= low <= player["win_rate"] <= high <= 1


def test_a_saved_evaluation_is_reported_as_it_was_printed(capsys, tmp_path):
    words = ["evaluate", ENV, "--players", "heuristic", "random", "--games", "50", "--seed", "3"]
    assert main([*words, "--json"]) == 0
    (tmp_path / "saved.json").write_text(capsys.readouterr().out)
    assert main(["report", "saved.json"]) == 0
    table = capsys.readouterr().out
    assert "CorellianSpike-v0: 50 games, seed 3" in table
    report = json.loads((tmp_path / "saved.json").read_text())
    for player in report["players"]:
        assert f"{100 * player['win_rate']:.2f} %" in table
        assert f"{player['extra']['credits_per_game']:+.2f}" in table
        assert f"[{100 * player['win_rate_ci95'][0]:.2f}, {100 * player['win_rate_ci95'][1]:.2f}]" in table


def test_record_writes_both_formats_alike(tmp_path, capsys):
    for name in ("a.csv", "new/b.npz"):
        assert main(["record", ENV, *TWO, "--games", "4", "--seed", "2", "--out", name]) == 0
    assert "transitions of 4 games in a.csv" in capsys.readouterr().out
    rows = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    with np.load(tmp_path / "new/b.npz", allow_pickle=False) as arrays:
        for column, name in enumerate(("s", "a", "r", "s_next", "seat", "game", "hand")):
            assert np.array_equal(rows[:, column], arrays[name])
        assert json.loads(str(arrays["about"]))["players"] == ["random", "initial"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "new"]


def test_interpreted_and_compiled_recordings_are_the_same_bytes(tmp_path):
    words = ["record", ENV, "--players", "heuristic", "random", "--games", "2", "--out"]
    assert cardgym(*words, "compiled.csv").returncode == 0
    assert cardgym(*words, "plain.csv", env={**os.environ, "NUMBA_DISABLE_JIT": "1"}).returncode == 0
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "compiled.csv").read_bytes()


@pytest.mark.parametrize("name", ["file/a.csv", "file/a.npz", "folder.csv", "folder.npz"])
def test_where_nothing_can_be_written_nothing_is_left(tmp_path, name):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.npz").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert main(["record", ENV, *TWO, "--games", "2", "--out", name]) == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_a_read_only_folder_is_told(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o555)
    if os.access(tmp_path / "locked", os.W_OK):
        pytest.skip("root writes anywhere")
    assert "cannot write" in refused(cardgym("record", ENV, *TWO, "--games", "2", "--out", "locked/a.csv"))
    assert "cannot write" in refused(cardgym("play", ENV, "--log", "locked/log.jsonl"))


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_a_full_disk_leaves_the_old_file(tmp_path, suffix, capsys):
    out = tmp_path / f"a.{suffix}"
    out.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    assert main(["record", ENV, *TWO, "--games", "1", "--out", str(tmp_path / "warm.csv")]) == 0
    capsys.readouterr()
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))
    try:
        assert main(["record", ENV, *TWO, "--games", "300", "--out", str(out)]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert f"cannot write {out}: File too large" in err
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [out.name, "warm.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told():
    for words in (["evaluate", ENV, *TWO, "--games", "2", "--json"], ["games"]):
        with open("/dev/full", "w") as full:
            done = cardgym(*words, stdout=full)
        assert done.returncode == 2
        lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
        assert lines == ["cardgym: cannot read or write: No space left on device"]


def test_a_reader_that_has_seen_enough_is_no_error():
    # The reader leaves before anything is written.
    done = subprocess.run(
        ["bash", "-c", f"(sleep 1; {sys.executable} -m cardgym games) | true; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "141"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_ctrl_c_is_quiet(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("cardgym.arena.evaluate", interrupted)
    assert main(["evaluate", ENV, *TWO]) == 130
    assert capsys.readouterr().err == "cardgym: interrupted\n"


def test_a_game_played_through_a_pipe_is_reported_as_the_papers_human_row(capsys, tmp_path):
    words = ["play", ENV, "--opponent", "initial", "--seat", "0", "--seed", "3", "--set", "hands=2"]
    # Fold both hands of the first game; play another; leave it in its second hand.
    done = cardgym(*words, input="3\n3\n\n3\n2\nq\n")
    assert done.returncode == 0, done.stderr
    assert "You fold" in done.stdout
    assert main(["report", "--json"]) == 0
    [report] = json.loads(capsys.readouterr().out)
    human, other = report["players"]
    assert (report["games"], report["contests"]) == (1, 2)
    assert (human["name"], human["won"], human["win_rate"]) == ("human", 0, 0.0)
    assert human["extra"]["credits_per_game"] == -4.0
    assert human["extra"]["bust_games"] == 0
    assert (other["name"], other["won"], other["mean_return"]) == ("initial", 2, 8.0)
    assert main(["report"]) == 0
    out = capsys.readouterr().out
    assert "0 of 2" in out
    assert "1 game of human, initial left unfinished" in out


def test_help_and_version(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        assert f"usage: cardgym {name}" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("cardgym ")


def test_games_tells_options_and_players(capsys):
    assert main(["games", ENV]) == 0
    out = capsys.readouterr().out
    for word in ("heuristic", "random-table", "num_players=2", "2 to 8", "flat or matched", "one of 231,041"):
        assert word in out


def test_the_command_line_starts_without_heavy_packages():
    code = "import sys, cardgym.cli as c; c.main(['games']); c.main([]); print({'torch', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_bench_prints_its_own_figures_as_json(capsys, monkeypatch):
    monkeypatch.setattr("cardgym.cli.benchmark.first_step", lambda *, cold: 9.0 + cold)  # Compiling anew takes long.
    assert main(["bench", "--repeats", "1", "--seconds", "0.05", "--json"]) == 0
    told = capsys.readouterr()
    assert "training is left out" in told.err  # There is no train/dqn.py in an empty folder.
    found = json.loads(told.out)
    assert set(found) == {"machine", "figures"}
    assert [figure["unit"] for figure in found["figures"]] == ["decisions/s", "decisions/s", "s", "s", "MB"]
    assert all(figure["low"] <= figure["median"] <= figure["high"] for figure in found["figures"])


def test_a_measurement_that_fails_is_one_line(capsys, tmp_path):
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "dqn.py").write_text("raise SystemExit('no torch here')\n")
    with pytest.raises(CardgymError, match=r"failed \(code 1\): no torch here"):
        benchmark.training(tmp_path / "train" / "dqn.py", 10)
