"""ArenaCallback, and train/sb3.py: its algorithms learn, and a run that starts over ends with the same bits."""

import json
import os
import signal
from pathlib import Path

import gymnasium
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure

from cardgym import CardgymError
from cardgym.console.progress import Progress
from cardgym.interop.sb3 import ArenaCallback, CardVecEnv
from cardgym.interop.sb3_config import SB3Config
from cardgym.learn.tensorboard import read_curves
from cardgym.players import resolve

QUICK = SB3Config(
    env_id="Tiny-v0",
    total_steps=6_400,
    num_envs=32,
    hidden_sizes=(32,),
    learning_rate=5e-3,
    learning_rate_final=1e-3,
    batch_size=64,
    num_steps=8,
    update_epochs=4,
    learning_starts=200,
    train_frequency=8,
    target_update_interval=20,
    buffer_size=4_000,
    eval_opponents=("random",),
    eval_every=0,
    final_games=200,
    log_every=1_000,
    save_every=2_000,
)


# -- the callback -----------------------------------------------------------------------------------------------------


def test_callback_logs_the_arenas_results(tiny, tmp_path, capsys):
    model = MaskablePPO("MlpPolicy", CardVecEnv(tiny, 8), n_steps=16, batch_size=32, seed=1, device="cpu")
    model.set_logger(configure(str(tmp_path), ["csv", "stdout"]))
    evaluations = ArenaCallback(("random", "perfect"), 20, 40)
    model.learn(512, evaluations)
    assert set(evaluations.results) == {"random", "perfect"}
    head, *rows = (tmp_path / "progress.csv").read_text().splitlines()
    for name in ("win_rate", "mean_return"):
        for opponent in ("random", "perfect"):
            assert f"eval/{name}/{opponent}" in head.split(",")
    column = head.split(",").index("eval/win_rate/random")
    logged = [float(cell) for cell in (row.split(",")[column] for row in rows) if cell]
    assert len(logged) == 3  # A call is a step of 8 envs: at 160, 320 and 480.
    assert logged[-1] == evaluations.results["random"]["win_rate"][0]
    assert capsys.readouterr().out.count("num_timesteps=480: wins") == 1


def test_callback_plays_a_game_of_one_player_alone_and_from_one_seat_if_asked(tiny, tmp_path):
    model = PPO("MlpPolicy", CardVecEnv(tiny, 8, num_players=1), n_steps=16, batch_size=32, device="cpu")
    model.set_logger(configure(str(tmp_path), ["csv"]))
    evaluations = ArenaCallback(("random",), 10, 10, verbose=0)
    model.learn(128, evaluations)
    assert set(evaluations.results) == {"alone"}
    model = PPO("MlpPolicy", CardVecEnv(tiny, 8, seat=1), n_steps=16, batch_size=32, device="cpu")
    ArenaCallback(("random",), 10, 10, seat=1, verbose=0).init_callback(model)


def test_callback_takes_models_of_gymnasium_envs(tiny):
    model = MaskablePPO(
        "MlpPolicy", gymnasium.make(tiny.id, turns=3, illegal_action="raise"), n_steps=16, batch_size=16, device="cpu"
    )
    evaluations = ArenaCallback(("random",), 10, 10, verbose=0)
    model.learn(16, evaluations)
    assert set(evaluations.results) == {"random"}


def test_callback_refuses_unknown_opponents_before_training(tiny):
    model = PPO("MlpPolicy", CardVecEnv(tiny, 8), n_steps=16, batch_size=32, device="cpu")
    with pytest.raises(CardgymError, match="did you mean 'perfect'"):
        model.learn(128, ArenaCallback(("perfct",), 10_000))
    assert model.num_timesteps == 0


def test_long_names_of_opponents_do_not_stop_the_training(tiny, tmp_path, capsys):
    paths = [str(tmp_path / f"{'long' * 10}_{number}.zip") for number in (1, 2)]
    model = PPO("MlpPolicy", CardVecEnv(tiny, 8), n_steps=16, batch_size=32, device="cpu", verbose=1)
    for path in paths:
        model.save(path)
    model.learn(128, ArenaCallback(paths, 10, 10, verbose=0))
    assert "eval/" not in capsys.readouterr().out


# -- the training script ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "changes"),
    [
        ("maskable_ppo", {"eval_every": 2_000, "eval_games": 20}),
        ("maskable_ppo", {"opponents": ("self=3", "snapshot@0.3:", "random=1@:0.3"), "num_snapshots": 2}),
        ("ppo", {"normalize_reward": True, "opponents": ("perfect=1", "random=1")}),
        ("maskable_dqn", {"eval_every": 2_000, "eval_games": 20, "seat": 1}),
        ("maskable_dqn", {"double": False, "env_options": {"num_players": 1, "turns": 3}}),
        ("dqn", {}),
    ],
    ids=["maskable-ppo", "self-play", "ppo", "maskable-double-dqn", "maskable-dqn-alone", "dqn"],
)
def test_script_learns_the_tiny_game(script, tiny, tmp_path, algorithm, changes):
    config = QUICK.replace(algorithm=algorithm, **changes)
    (metrics,) = script.train(config, tmp_path, False).results.values()
    alone = "num_players" in config.env_options
    # The share of right actions among the turns of all seats: perfect play gets all of its seat's.
    assert metrics["win_rate"][0] > (0.95 if alone else 0.47)
    assert resolve(tmp_path / "model.zip", tiny, tiny.parse_options(config.env_options))
    saved = json.loads((tmp_path / "results.json").read_text())
    assert saved["config"]["algorithm"] == algorithm
    curves = read_curves(tmp_path)
    assert {"charts/episodic_length", "charts/SPS"} <= set(curves)
    steps, _ = curves["charts/episodic_return"]
    assert len(steps) >= 5
    opponent = "alone" if alone else "random"
    points, _ = curves.get(f"eval/win_rate/{opponent}", ([], []))
    assert len(points) == (3 if config.eval_every else 0)  # The last is `final`, and no point here.
    assert curves[f"final/win_rate/{opponent}"][1] == [pytest.approx(metrics["win_rate"][0])]


def test_restarted_run_ends_with_the_same_bits(script, tiny, tmp_path, capsys):
    words = ["--env-id", "Tiny-v0", "--total-steps", "512", "--num-envs", "16", "--hidden-sizes", "16"]
    words += ["--num-steps", "8", "--batch-size", "64", "--eval-every", "0", "--final-games", "0"]
    words += ["--out", str(tmp_path)]
    assert script.run("sb3.py", words) == 0
    first = str(weights(tmp_path))
    assert script.run("sb3.py", words) == 2
    assert "has a run already" in capsys.readouterr().err
    assert script.run("sb3.py", [*words, "--restart"]) == 0
    assert str(weights(tmp_path)) == first
    assert script.run("sb3.py", [*words, "--restart", "--vf-coef", "1e300"]) == 2
    assert "diverged at step 128 (its weights are not finite): the last good state is kept" in capsys.readouterr().err
    assert str(weights(tmp_path)) == first


def test_a_model_that_never_learned_is_told(script, tiny, tmp_path, capsys):
    words = ["--env-id", "Tiny-v0", "--algorithm", "dqn", "--total-steps", "64", "--num-envs", "16"]
    assert script.run("sb3.py", [*words, "--eval-every", "0", "--final-games", "0", "--out", str(tmp_path)]) == 0
    assert "the network was never updated (learning_starts=10,000 of 64 steps)" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_run_that_is_asked_to_end_saves_its_model(script, tiny, tmp_path, monkeypatch):
    def ask(progress, step):
        if step >= 256:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Progress, "__call__", ask)
    words = ["--env-id", "Tiny-v0", "--total-steps", "100000", "--num-envs", "16", "--num-steps", "8"]
    assert script.run("sb3.py", [*words, "--batch-size", "64", "--out", str(tmp_path)]) == 128 + signal.SIGTERM
    assert weights(tmp_path)


def weights(folder: Path):
    import io
    import zipfile

    import torch

    with zipfile.ZipFile(folder / "model.zip") as archive:
        return torch.load(io.BytesIO(archive.read("policy.pth")), weights_only=True)


def test_opponents_follow_their_schedule(script, tiny, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(CardVecEnv, "weigh_opponents", lambda games, weights: drawn.append(weights))
    config = QUICK.replace(total_steps=640, final_games=0, opponents=("random@:0.5", "perfect=2@0.5:", "self"))
    script.train(config, tmp_path, False)
    assert drawn == [{"random": 0.0, "perfect": 2.0, "self": 1.0}]


def test_weights_of_an_envs_opponents_change(tiny):
    env = CardVecEnv(tiny, 64, opponent={"random": 1, "perfect": 0})
    env.weigh_opponents({"random": 0, "perfect": 1})
    env.seed(1)
    env.reset()
    rows = env._core.seated.batch.plain_rows
    assert set(rows["lineup"][:, 1].tolist()) == {env._core.seated.batch.kernel.players.index("perfect")}
    for other in ({"random": 1}, {"perfect": 1, "random": 1}):
        with pytest.raises(CardgymError, match="give the mapping that was the env's opponent"):
            env.weigh_opponents(other)
    with pytest.raises(CardgymError, match="give the mapping"):
        CardVecEnv(tiny, 2).weigh_opponents({"random": 1})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env-id", "Tiny-v0", "--algorithm", "maskable_dpo"], "did you mean 'maskable_"),
        (
            ["--env-id", "Tiny-v0", "--resume"],
            "this script cannot resume a run; train from the start in another folder, or",
        ),
        (["--env-id", "Tiny-v0", "--eval-opponents", "perfct"], "did you mean 'perfect'"),
        (
            ["--env-id", "Tiny-v0", "--opponents", "self", "random@0.4:0.2"],
            "shares of the training from which and up to",
        ),
        (["--env-id", "Tiny-v0", "--seat", "4"], "seat=4: allowed are 0 to 1"),
        (["--env-id", "Tiny-v0", "--num-steps", str(10**12)], "lower num_steps or num_envs"),
        (["--env-id", "Tiny-v0", "--algorithm", "ppo", "--num-steps", str(10**12)], "lower num_steps or num_envs"),
        (["--env-id", "Tiny-v0", "--algorithm", "dqn", "--buffer-size", str(10**12)], "lower buffer_size"),
        (["--env-id", "Tiny-v0", "--algorithm", "maskable_dqn", "--buffer-size", str(10**12)], "lower buffer_size"),
    ],
)
def test_mistakes_are_one_line(tiny, tmp_path, refused, words, message):
    assert message in refused("train", "sb3", *words, "--out", str(tmp_path / "run"))
