"""The command line; in a new process where streams, exit codes or the disk matter."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cardgym.cli import COMMANDS, main
from cardgym.scaling.stopping import Stopped
from cardgym.table.game_log import GameLog

ENV = "CorellianSpike-v0"
KUHN = "KuhnPoker-v0"
TWO = ["--players", "random", "initial"]
SWEEP = ["sweep", "corellian_spike/dqn", "--script", "dqn"]
TRAINER = Path(__file__).parents[2] / "examples" / "kuhn_poker" / "configs" / "q_learning.toml"
LEAGUE = ["train", "league", "--env-id", KUHN, "--trainer", "tabular", "--trainer-config", str(TRAINER)]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDGYM_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def run_cardgym(*words: object, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    """Run `cardgym` in a new process, as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "cardgym", *map(str, words)],
        stdout=kwargs.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        **kwargs,
    )


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on stderr of a command that failed with bad input."""
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
        (["evaluate", ENV, *TWO, "--set", "betting=none"], "betting='none': allowed are flat, matched, no"),
        (["evaluate", ENV, *TWO, "--set", "betting"], "write it as name=value"),
        (["evaluate", ENV, *TWO, "--games", "0"], "'0': allowed are whole numbers from 1"),
        (["evaluate", ENV, *TWO, "--games", "ten"], "'ten': allowed are whole numbers from 1"),
        (["evaluate", ENV, *TWO, "--seed", "-1"], "'-1': allowed are whole numbers from 0"),
        (["evaluate", ENV, *TWO, "--seats", "any"], "choose from 'rotate', 'fixed'"),
        (["evaluate", ENV, "--players", "random", "none.json"], "none.json: no such file"),
        (["record", ENV, *TWO], "the following arguments are required: --out"),
        (["play", ENV, "--seat", "2"], "seat 2: CorellianSpike-v0 has seats 0 to 1 here"),
        (
            ["play", ENV, "--watch", "random", "random", "--seat", "2"],
            "seat 2: CorellianSpike-v0 has seats 0 to 1 here",
        ),
        (["play", ENV, "--opponent", "random", "random"], "2 opponents for 1 seats"),
        (["play", ENV, "--opponent", "rndom"], "did you mean 'random'?"),
        (["games", "Coda-v9"], "unknown game 'Coda-v9'"),
        (["games", "..a:Coda-v0"], "cannot import '..a'"),
        (["report"], "no games played yet"),
        (["report", "none.jsonl"], "none.jsonl: no such file"),
        (["solve"], "the following arguments are required: ENV"),
        (["solve", ENV, "--iterations", "5"], "--iterations: only with --by METHOD"),
        (["solve", ENV, "--by", "cfr", "--policy", "a.json"], "--policy: not with --by"),
        (["solve", ENV, "--out", "a.json"], "has 2 seats: only games of one player"),
        (["solve", "OnePlayPoker-v0", "--set", "gamma=2"], "gamma"),
        (["solve", "OnePlayPoker-v0", "--policy", "policy.txt"], "policy.txt"),
        (["solve", "OnePlayPoker-v0", "--policy", "none.json"], "none.json"),
        (["solve", "OnePlayPoker-v0", "--policy", "optimal"], "optimal"),
        (["solve", "OnePlayPoker-v0", "--out", "policy.txt"], "policy.txt"),
        (["solve", "OnePlayPoker-v0", "--out", "/dev/null/policy.json"], "/dev/null"),
        (["solve", "OnePlayPoker-v0", "--by", "cfr"], "has one seat: it has an optimum, not an equilibrium; leave out"),
        (["solve", KUHN, "--by", "cfr-"], "unknown method 'cfr-': did you mean"),
        (["solve", KUHN, "--by", "cfr", "--out", "a.npz"], "--out a.npz: the name of a strategy's file ends in .safe"),
        (["solve", KUHN, "--by", "mccfr", "--observation", "fool"], "unknown observation 'fool'"),
        (["solve", KUHN, "--by", "cfr", "--iterations", "0"], "'0': allowed are whole numbers from 1"),
        (["exploit", KUHN], "--player"),
        (["exploit", KUHN, "--player", "honnest"], "did you mean 'honest'?"),
        (["exploit", KUHN, "--player", "honest", "--budget", "-1"], "allowed are whole numbers from 0"),
        (["exploit", ENV, "--player", "heuristic", "--set", "hand=3"], "hand"),
        (
            ["exploit", ENV, "--player", "heuristic", "--without", "inittial", "--budget", "0"],
            "did you mean 'initial'?",
        ),
        (["train"], "NAME comes first (see cardgym train --help)"),
        (["evaluate", ENV, *TWO, "--set", "hands=1", "--set", "hands=2"], "named twice; name it once"),
        (["train", "dnq"], "unknown training 'dnq': did you mean 'dqn'?"),
        (["train", "dqn", "--config", "corellian_spike/dooble"], "dqn.py: config corellian_spike/dooble: no such file"),
        (["train", "dqn", "--gama", "1"], "dqn.py: unknown option '--gama': did you mean '--gamma'?"),
        (["train", "batch-q", "--config", "none"], "cardgym train batch_q: config none: no such file"),
        (["train", "league", "--env-id", ENV], "name one with --trainer-config"),
        (["evaluate", ENV, *TWO, "--games", str(10**11)], "would take 27 hours at 1,000,000 a second"),
        (["record", ENV, *TWO, "--games", str(10**11), "--out", "a.npz"], "would take 27 hours at 1,000,000 a second"),
        ([*SWEEP, "--seeds", "99999999999999999999"], "--seeds"),
        ([*SWEEP, "--script", "dqnn"], "did you mean 'dqn'"),
        ([*SWEEP, "--engine", "rayy"], "rayy"),
        ([*SWEEP, "--workers", "0"], "whole numbers from 1"),
        ([*SWEEP, "--address", "10.0.0.1:6379"], "ray"),
        (["benchmark", "--suite", "exakt"], "did you mean 'exact'"),
        (["benchmark", "--algorithms", "pppo"], "did you mean 'ppo'"),
        (["compile", KUHN, "--target", "wasm"], "--target wasm and --out DIR belong together"),
        (["benchmark", "--seeds", "5-1"], "--seeds"),
        (["exploit", ENV, "--player", "heuristic", "--responders", "inittial"], "did you mean 'initial'?"),
        (["benchmark", "--config", "nowhere.toml"], "nowhere.toml"),
        (["benchmark", "--report", "nowhere.json"], "nowhere.json"),
        ([*LEAGUE, "--players", "nobody"], "unknown player 'nobody'"),
        ([*LEAGUE, "--env-id", "OnePlayPoker-v0"], "a league needs opponents"),
        ([*LEAGUE, "--trainer", "dnq"], "did you mean 'dqn'"),
        ([*LEAGUE, "--trainer-config", "nothing.toml"], "no such file"),
        ([*LEAGUE, "--trainer-options", "total_step=5"], "did you mean 'total_steps'"),
        ([*LEAGUE, "--games", "1"], "games=1: allowed"),
        ([*LEAGUE, "--engine", "cloud"], "allowed: local, ray, none"),
        *(
            (["export", KUHN, "--player", player, "--out", "a.onnx"], player)
            for player in ("honest", "random", "./bot.py:choose", "nobody")
        ),
        (["reproduce", "coda", "--deep", "none.safetensors", "--out", "."], "none.safetensors: no such file"),
        (["reproduce", "one-play-poker", "--deep", "none.safetensors"], "unknown option '--deep'"),
        (["reproduce"], "PAPER comes first"),
        (["reproduce", "one-play-pokr"], "unknown paper 'one-play-pokr': did you mean 'one-play-poker'?"),
        (["evaluate", ENV, "--seed", str(10**30)], "whole numbers from 0 to 9,223,372,036,854,775,807"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: list[str], message: str, refused: Any) -> None:
    assert message in refused(*words)
    assert {path.name for path in Path().iterdir()} <= {"data", "runs"}  # A league has made its folder.


@pytest.mark.parametrize("env", ["OnePlayPoker-v0", pytest.param("Cribbage-v0", marks=pytest.mark.slow)])
def test_games_are_played_on_a_console_without_the_suits(env: str) -> None:
    played = run_cardgym(
        "play", env, "--seed", 3, input="1\nq\n", env={**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    )
    assert played.returncode == 0, played.stderr
    assert "Your move" in played.stdout


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("words", [["games"], ["train", "tabular", "--help"]])
def test_reader_that_stops_early_is_not_an_error(words: list[str]) -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "cardgym", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.close()
    assert command.stderr.read() == ""
    assert command.wait() in (0, 141)  # argparse drops what cannot be written of a help.


def test_bad_input_ends_a_process_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "policy.json").write_text("{")
    assert "policy.json" in error_of(run_cardgym("evaluate", ENV, "--players", "random", "policy.json"))


def test_evaluate_prints_the_documented_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", ENV, "--players", "heuristic", "random", "--games", "50", "--seed", "3", "--json"]
    assert main([*words, "--set", "hands=3", "--set", "betting=matched"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["env"] == ENV
    assert report["games"] == 50
    assert report["seed"] == 3
    assert report["options"] == {
        "num_players": 2,
        "hands": 3,
        "credits": 50,
        "betting": "matched",
        "reward": "net",
        "special_hands": "no",
        "cheat": "no",
        "values": 10,
        "copies": 3,
        "zeros": 2,
        "rounds": 3,
        "max_raises": 0,
    }
    assert [player["name"] for player in report["players"]] == ["heuristic", "random"]
    for player in report["players"]:
        low, high = player["win_rate_ci95"]
        assert 0 <= low <= player["win_rate"] <= high <= 1


def test_interpreted_and_compiled_recordings_are_the_same_bytes(tmp_path: Path) -> None:
    words = ["record", "KuhnPoker-v0", "--players", "honest", "random", "--games", "40", "--out"]
    assert main([*words, "compiled.npz"]) == 0
    assert run_cardgym(*words, "plain.npz", env={**os.environ, "NUMBA_DISABLE_JIT": "1"}).returncode == 0
    assert (tmp_path / "plain.npz").read_bytes() == (tmp_path / "compiled.npz").read_bytes()


@pytest.mark.parametrize("name", ["file/a.npz", "folder.npz"])
def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.npz").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert main(["record", ENV, *TWO, "--games", "2", "--out", name]) == 2
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "suffix"),
    [
        (["report", "--export"], ".sqlite"),
        (["export", "CorellianSpike-v0", "--player", "ppo", "--out"], ".onnx"),
        (["solve", "OnePlayPoker-v0", "--out"], ".json"),
        (["solve", ENV, "--by", "cfr", "--iterations", "1", "--out"], ".safetensors"),
    ],
)
def test_a_file_of_another_kind_is_not_replaced(tmp_path: Path, words: list[str], suffix: str, refused: Any) -> None:
    GameLog(log := tmp_path / f"games{suffix}").close()
    before = log.read_bytes()
    assert f"{log}: exists, and is no earlier file of this kind" in refused(*words, str(log))
    assert log.read_bytes() == before
    (folder := tmp_path / f"folder{suffix}").mkdir()
    assert "not a regular file" in refused(*words, str(folder))


def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    if os.access(tmp_path / "locked", os.W_OK):
        pytest.skip("root writes anywhere")
    assert "cannot write" in error_of(run_cardgym("record", ENV, *TWO, "--games", "2", "--out", "locked/a.npz"))
    assert "cannot write" in error_of(run_cardgym("play", ENV, "--log", "locked/games.sqlite"))


def test_a_full_disk_leaves_what_was_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.npz"
    resource: Any = pytest.importorskip("resource", reason="limits of POSIX")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    assert main(["record", ENV, *TWO, "--games", "1", "--out", str(tmp_path / "warm.npz")]) == 0
    capsys.readouterr()
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))
    try:
        assert main(["record", ENV, *TWO, "--games", "300", "--out", str(out)]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert f"cannot write {out}: File too large" in err
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [f"{out.name}.partial", "warm.npz"]  # From which the same command goes on.


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_reported() -> None:
    for words in (["evaluate", ENV, *TWO, "--games", "2", "--json"], ["games"]):
        with open("/dev/full", "w") as full:
            done = run_cardgym(*words, stdout=full)
        assert done.returncode == 2
        lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
        assert lines == ["cardgym: cannot read or write: No space left on device"]


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cardgym.arena.evaluate", interrupted)
    assert main(["evaluate", ENV, *TWO]) == 130
    assert capsys.readouterr().err == "cardgym: interrupted\n"


@pytest.mark.parametrize(
    ("place", "words", "hint"),
    [
        ("arena.tournament.tournament", ["tournament", ENV, *TWO, "--out", "a cup"], "with `--resume --out 'a cup'`"),
        ("arena.datasets.record_dataset", ["record", ENV, *TWO, "--out", "games.npz"], "again"),
        ("experiments.exploit.search.exploit", ["exploit", ENV, "--player", "initial"], "again"),
    ],
)
@pytest.mark.parametrize("stop", [KeyboardInterrupt, Stopped(15)], ids=["Ctrl-C", "SIGTERM"])
def test_stopped_command_says_how_to_continue(
    place: str, words: list[str], hint: str, stop: BaseException | type[BaseException],
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def stopped(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr(f"cardgym.{place}", stopped)
    assert main(words) == (130 if stop is KeyboardInterrupt else 143)
    assert f"stopped; to continue, run the same command {hint}\n" in capsys.readouterr().err


def test_a_game_played_through_a_pipe_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["play", ENV, "--opponent", "initial", "--seat", "0", "--seed", "3", "--set", "hands=2"]
    # Fold both hands of the first game; play another; leave it in its second hand.
    done = run_cardgym(*words, input="2\n2\n\n2\n1\nq\n")
    assert done.returncode == 0, done.stderr
    assert "You fold" in done.stdout
    assert main(["report", "--json"]) == 0
    [report] = json.loads(capsys.readouterr().out)
    human, other = report["players"]
    assert (report["games"], report["max_score"]) == (1, 2)
    assert (human["name"], human["score"], human["win_rate"]) == ("human", 0, 0.0)
    assert human["mean_return"] == -4.0
    assert human["metrics"]["bust_games"] == 0
    assert (other["name"], other["score"], other["mean_return"]) == ("initial", 2, 4.0)
    assert main(["report"]) == 0
    out = capsys.readouterr().out
    assert "0 of 2" in out
    assert "1 game left unfinished (You, Initial)" in out


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        assert f"usage: cardgym {name}" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("cardgym ")


def test_games_lists_options_and_players(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", ENV]) == 0
    out = capsys.readouterr().out
    for word in ("heuristic", "random-table", "num_players=2", "2 to 8", "flat or matched", "one of 231,041"):
        assert word in out


# -- compiling ahead --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_compile_reports_its_work_and_then_that_nothing_is_left(tmp_path: Path) -> None:
    own = {**os.environ, "CARDGYM_CACHE_DIR": str(tmp_path / "cache")}
    program = "import sys; from cardgym.cli import main; sys.exit(main(['compile', 'KuhnPoker-v0']))"
    for line in (" parts in ", "KuhnPoker-v0: already compiled"):
        done = subprocess.run([sys.executable, "-c", program], env=own, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert line in done.stdout
        assert str(tmp_path / "cache") in done.stdout
    assert done.stderr == ""
