"""The training script: it learns, it repeats itself bit for bit, and it survives being killed."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from learning_game import SCRIPT

from cardgym.errors import CardgymError
from cardgym.learn.config import DQNConfig, Place, run_folder
from cardgym.learn.resume import save_state
from cardgym.learn.run import run_script
from cardgym.players.base import resolve

QUICK = DQNConfig(
    env="Tiny-v0",
    decisions=6_000,
    tables=32,
    opponents=("random=1",),
    hidden=(32,),
    epsilon_share=0.5,
    learning_starts=200,
    train_every=8,
    batch_size=64,
    learning_rate=3e-3,
    learning_rate_end=3e-4,
    target_every=20,
    replay_capacity=4_000,
    eval_opponents=("random", "perfect"),
    eval_every=0,
    final_games=400,
    log_every=1_000,
    save_every=2_000,
)


def model(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"double": False},
        {"dueling": True, "wide": True, "n_step": 2, "target_tau": 0.05, "target_every": 1, "max_gradient_norm": 10.0},
        {"set": ("num_players=1",), "eval_opponents": ("random",)},
        {"opponents": ("self=1", "snapshot=1"), "snapshot_every": 1_000},
        {"seat": 1},
    ],
    ids=["double", "dqn", "dueling-wide-n-step-soft", "one-player", "self-play", "second-seat"],
)
def test_it_learns_to_play_the_tiny_game_perfectly(dqn, tiny, tmp_path, changes):
    config = dataclasses.replace(QUICK, **changes)
    results = dqn.train(config, tmp_path, False).results
    alone = "num_players=1" in config.set
    opponent = "alone" if alone else "random"
    share, _ = results[opponent]["win_rate"]
    # `won` counts right actions of both seats: half of them, all of them mine, where the other plays at random.
    assert share == (1.0 if alone else 0.5)
    path = tmp_path / "model.safetensors"
    player = resolve(path, tiny, tiny.parse_options({"num_players": 1 if alone else 2}))
    assert player.observation_name == "plain"
    saved = json.loads((tmp_path / "results.json").read_text())
    assert saved["results"][opponent]["win_rate"][0] == share
    assert list(tmp_path.glob("events.out.tfevents.*"))


def test_the_same_seed_gives_the_same_bits_and_another_does_not(dqn, tiny, tmp_path):
    config = dataclasses.replace(QUICK, decisions=2_000, final_games=0, opponents=("self=1", "snapshot=1", "random=1"))
    for name, seed in [("one", 5), ("two", 5), ("three", 6)]:
        dqn.train(dataclasses.replace(config, seed=seed), tmp_path / name, False)
    assert model(tmp_path / "one") == model(tmp_path / "two")
    assert model(tmp_path / "one") != model(tmp_path / "three")


def test_evaluating_and_saving_more_often_changes_no_bit_of_the_weights(dqn, tiny, tmp_path):
    import safetensors.torch

    config = dataclasses.replace(QUICK, decisions=2_000, final_games=0)
    dqn.train(config, tmp_path / "one", False)
    often = dataclasses.replace(config, eval_every=300, eval_games=20, save_every=300, log_every=100)
    dqn.train(often, tmp_path / "two", False)
    one, two = (safetensors.torch.load(model(tmp_path / name)) for name in ("one", "two"))
    assert all(one[name].equal(two[name]) for name in one)


def test_a_run_is_resumed_with_the_hyper_parameters_it_began_with(dqn, tiny, tmp_path):
    config = dataclasses.replace(QUICK, decisions=1_000, final_games=0)
    dqn.train(config, tmp_path, False)
    with pytest.raises(CardgymError, match=r"began with gamma=0\.99, not 0\.5"):
        dqn.train(dataclasses.replace(config, gamma=0.5), tmp_path, True)


def test_a_folder_that_holds_a_run_is_not_overwritten(dqn, tiny, tmp_path, capsys):
    (tmp_path / "resume.pt").write_bytes(b"earlier")
    assert dqn.main(["--env", "Tiny-v0", "--out", str(tmp_path)]) == 2
    assert "holds a run already" in capsys.readouterr().err
    assert dqn.main(["--env", "Tiny-v0", "--out", str(tmp_path), "--resume"]) == 2
    assert "no state to resume from" in capsys.readouterr().err
    save_state(tmp_path / "resume.pt", {"weights": [1.0]})
    assert dqn.main(["--env", "Tiny-v0", "--out", str(tmp_path), "--resume"]) == 2
    assert "no state of a training script" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"env": "Tiny-v0", "iterations": 50}, "a run of another training script, or version, with a setting 'itera"),
        ({"env": "Tiny-v0", "seed": "one"}, "no state of this training script (seed='one': give an int"),
    ],
)
def test_another_scripts_run_is_not_resumed(dqn, tiny, tmp_path, capsys, config, told):
    save_state(tmp_path / "resume.pt", {"config": json.dumps(config)})
    assert dqn.main(["--env", "Tiny-v0", "--out", str(tmp_path), "--resume"]) == 2
    assert f"dqn.py: {tmp_path / 'resume.pt'}: {told}" in capsys.readouterr().err


def test_nothing_to_resume_is_told_and_no_error(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run_folder(Place(out=tmp_path / "x", resume=True), "Tiny-v0", "a") == tmp_path / "x"
    assert capsys.readouterr().err == f"nothing to resume in {tmp_path / 'x'}: starting anew\n"
    latest = run_folder(Place(resume=True), "Tiny-v0", "a")
    assert capsys.readouterr().err == f"nothing to resume in {latest}: starting anew\n"
    latest.mkdir(parents=True)
    (latest / "resume.pt").write_bytes(b"")
    assert run_folder(Place(resume=True), "Tiny-v0", "a") == latest
    assert run_folder(Place(), "Tiny-v0", "a") != latest
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("saved", "told"),
    [
        (True, "stopped; the same command with `--resume --out {folder}` goes on\n"),
        (False, "stopped before anything was saved; the same command starts anew\n"),
    ],
)
def test_who_stops_a_run_is_told_whether_it_can_go_on(tiny, tmp_path, capsys, saved, told):
    def train(config, folder, resume):
        if saved:
            save_state(folder / "resume.pt", {})
        raise KeyboardInterrupt

    words = ["--env", "Tiny-v0", "--out", str(tmp_path)]
    assert run_script(words, DQNConfig, "", lambda config: (config.env, "a"), train) == 130
    assert capsys.readouterr().err == told.format(folder=tmp_path)


def test_too_little_memory_is_told_and_the_latest_run_resumed(dqn, tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert dqn.main(["--env", "Tiny-v0", "--hidden", "1000000000000"]) == 2
    assert "not enough memory" in capsys.readouterr().err
    for number in (1, 3):  # The second was deleted.
        (tmp_path / "runs" / "Tiny-v0" / f"a-{number}").mkdir(parents=True)
    assert run_folder(Place(), "Tiny-v0", "a").name == "a-4"
    assert run_folder(Place(resume=True), "Tiny-v0", "a").name == "a-3"


def test_the_last_screen(dqn, tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--env", "Tiny-v0", "--decisions", "600", "--tables", "8", "--learning-starts", "100", "--hidden", "8"]
    words += ["--eval-games", "10", "--eval-every", "300", "--final-games", "50", "--eval-opponents", "random"]
    for number in (1, 2):
        assert dqn.main(words) == 0
        told = capsys.readouterr()
        assert told.err.count("wins") == 2  # Plain lines, for this is no terminal.
        assert "last matches, 50 games each" in told.err
        screen = " ".join(told.out.split())
        for word in ("random", "win rate", "tensorboard", f"double_dqn-seed1-{number}"):
            assert word in screen


# -- killed for real --------------------------------------------------------------------------------------------------

KILLED = [
    sys.executable, str(SCRIPT), "--env", "CorellianSpike-v0", "--decisions", "40000", "--tables", "64",
    "--opponents", "heuristic=1", "self=1", "snapshot=1", "--snapshot-every", "3000", "--hidden", "16",
    "--n-step", "2", "--train-every", "32", "--batch-size", "64", "--learning-starts", "1000",
    "--replay-capacity", "5000", "--save-every", "4000", "--eval-every", "9000", "--eval-games", "20",
    "--eval-opponents", "random", "--final-games", "0",
]  # fmt: skip


def test_killed_at_any_moment_and_resumed_it_ends_with_the_same_bits(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    start = time.monotonic()
    subprocess.run([*KILLED, "--out", str(whole)], check=True, capture_output=True)
    lasted = time.monotonic() - start
    moments = random.Random()  # Not seeded: the moment of death is to be any.
    for _ in range(2):
        run = subprocess.Popen([*KILLED, "--out", str(killed), "--resume"], stderr=subprocess.DEVNULL)
        try:
            run.wait(moments.uniform(0.3, 1.0) * lasted)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            assert run.wait() == -signal.SIGKILL
    subprocess.run([*KILLED, "--out", str(killed), "--resume"], check=True, capture_output=True)
    assert model(killed) == model(whole)
    left = {path.name for path in killed.iterdir() if "tfevents" not in path.name and not path.name.endswith(".part")}
    assert left == {"model.safetensors", "resume.pt", "results.json"}


def test_curves_are_drawn_from_runs(dqn, tiny, tmp_path, capsys):
    from PIL import Image

    spec = importlib.util.spec_from_file_location("curves_script", SCRIPT.with_name("curves.py"))
    assert spec is not None
    assert spec.loader is not None
    curves = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(curves)
    for seed in (1, 2):
        config = dataclasses.replace(QUICK, decisions=600, seed=seed, eval_every=200, eval_games=10, final_games=20)
        dqn.train(config, tmp_path / str(seed), False)
    steps, values = curves.read(tmp_path / "1")["win_rate/random"]
    assert len(steps) == len(values) == 3  # The last matches take the place of the evaluation at the same step.
    assert steps == sorted(steps)
    assert steps[0] >= 200
    picture = tmp_path / "curves.png"
    runs = [f"tiny={tmp_path / '1'}", f"tiny={tmp_path / '2'}"]
    assert curves.main([*runs, "--out", str(picture)]) == 0
    assert Image.open(picture).size == (960, 360)  # Two opponents, two panels.
    capsys.readouterr()
    assert curves.main([*runs, "--out", str(picture), "--tag", "nose"]) == 2
    assert curves.main([str(tmp_path / "nowhere"), "--out", str(picture)]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    for name in ("c.foo", "c.PNGG"):  # Told before any run is read.
        assert curves.main([str(tmp_path / "nowhere"), "--out", str(tmp_path / name)]) == 2
        (told,) = capsys.readouterr().err.splitlines()
        assert told.endswith("allowed: .png, .svg, .pdf")
    for name, start in (("upper.PNG", b"\x89PNG"), ("bare", b"\x89PNG"), ("c.svg", b"<?xml")):
        assert curves.main([*runs, "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    unseen = dataclasses.replace(QUICK, decisions=600, eval_every=0, final_games=0)
    dqn.train(unseen, tmp_path / "unseen", False)
    assert curves.main([str(tmp_path / "unseen"), "--out", str(picture)]) == 2
    assert "no win rates in these runs; name --tag, one of " in capsys.readouterr().err
