"""What a run writes for TensorBoard, and what is left of it after an interruption."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from cardgym.engine.contract import Game
from cardgym.files.json_values import parse_json
from cardgym.learn.evaluation import log_evaluation, write_results
from cardgym.learn.rollouts import EpisodeStatistics
from cardgym.learn.saved_state import restore, state_of
from cardgym.learn.schedules import Stopwatch
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.learn.tags import Metrics
from cardgym.learn.tensorboard import TensorBoard, bands, read_curves
from cardgym.statistics import UNKNOWN
from learning_game import ROOT, trainer


def steps_of(folder: Path) -> dict[str, list[int]]:
    """The steps of every scalar, as TensorBoard shows them."""
    return {tag: steps for tag, (steps, _) in read_curves(folder).items()}


def test_resumed_run_keeps_the_step_it_was_saved_at_and_drops_later_ones(tmp_path: Path) -> None:
    with TensorBoard(tmp_path) as board:
        for step in (100, 200, 300):
            board.scalars(step, {"loss": float(step)})
        board.flush()
        assert steps_of(tmp_path) == {"loss": [100, 200, 300]}  # On disk before the run has ended.
    with TensorBoard(tmp_path, 200) as board:
        board.scalars(250, {"loss": 1.0})
    assert steps_of(tmp_path) == {"loss": [100, 200, 250]}
    with TensorBoard(tmp_path) as board:  # Anew, as with `--restart`.
        board.scalars(50, {"error": 1.0})
    assert steps_of(tmp_path) == {"error": [50]}


@pytest.mark.parametrize(
    ("name", "words", "curves"),
    [
        ("dqn", "--num-envs 8 --learning-starts 100 --hidden-sizes 8", {"losses/td_loss": [1000, 2000, 3000]}),
        ("tabular", "--observation plain --table-size 1000", {"train/epsilon": [1000, 2000, 3000]}),
    ],
)
def test_resuming_a_finished_run_leaves_its_curves(
    tiny: Game, tmp_path: Path, name: str, words: str, curves: dict[str, list[int]]
) -> None:
    flags = f"--env-id Tiny-v0 --total-steps 3000 --eval-every 1000 --save-every 1000 {words}".split()
    flags += ["--eval-games", "9", "--final-games", "9", "--log-every", "1000"][: 6 if name == "dqn" else 4]
    for more in ([], ["--resume"]):
        assert trainer(name).run(name, [*flags, *more, "--out", str(tmp_path)]) == 0
        steps = steps_of(tmp_path)
        common = {"eval/win_rate/random": [1000, 2000, 3000], "final/win_rate/random": [3000]}
        for tag, expected in {**curves, **common}.items():
            assert steps[tag] == pytest.approx(expected, abs=16)  # The first step at or after each multiple.


# -- evaluations ------------------------------------------------------------------------------------------------------


def test_unknown_intervals_of_one_deal_are_no_points_and_null_in_json(tmp_path: Path) -> None:
    results: dict[str, Metrics] = {"random": {"win_rate": (1.0, UNKNOWN)}}
    with TensorBoard(tmp_path) as board:
        log_evaluation(board, 100, results)
        write_results(tmp_path, board, {"seed": 1}, 100, results)
    assert steps_of(tmp_path) == {"eval/win_rate/random": [100], "final/win_rate/random": [100]}
    written = parse_json((tmp_path / "results.json").read_bytes(), "results")
    assert written == {"config": {"seed": 1}, "results": {"random": {"win_rate": [1.0, [None, None]]}}}


def test_evaluations_can_be_read_during_the_run(tmp_path: Path) -> None:
    path = "runs/a b/model.safetensors:greedy"
    results: dict[str, Metrics] = {
        "random": {"win_rate": (0.75, (0.5, 1.0)), "bust_games": (83.0, None)},
        path: {"win_rate": (0.25, (0.0, 0.5)), "mean_return": (-2.0, (-3.0, -1.0))},
    }
    with TensorBoard(tmp_path) as board:
        log_evaluation(board, 100, results)
        log_evaluation(board, 200, results)
        board.scalars(200, {"losses/td_loss": 1.0})
        curves = read_curves(tmp_path)
    other = "runs/a_b/model.safetensors_greedy"
    # A count of games is not a curve: it means nothing without the number of games played.
    assert {tag: values[0] for tag, (_, values) in curves.items() if tag.startswith("eval")} == {
        "eval/win_rate/random": 0.75,
        "eval_ci95/win_rate/random/lower": 0.5,
        "eval_ci95/win_rate/random/upper": 1.0,
        f"eval/win_rate/{other}": 0.25,
        f"eval_ci95/win_rate/{other}/lower": 0.0,
        f"eval_ci95/win_rate/{other}/upper": 0.5,
        f"eval/mean_return/{other}": -2.0,
        f"eval_ci95/mean_return/{other}/lower": -3.0,
        f"eval_ci95/mean_return/{other}/upper": -1.0,
    }
    assert {tuple(steps) for tag, (steps, _) in curves.items() if tag.startswith("eval")} == {(100, 200)}


def test_intervals_are_drawn_as_bands_by_metric() -> None:
    tags = ["eval/win_rate/a/b", "eval_ci95/win_rate/a/b/lower", "eval_ci95/win_rate/a/b/upper", "eval/points/random"]
    assert bands(tags) == {"win rate, with 95 % intervals": {"against a/b": ["Margin", tags[:3]]}}


# -- training games ---------------------------------------------------------------------------------------------------


def test_episodes_are_seats_where_the_learner_decided() -> None:
    episodes = EpisodeStatistics(4)
    nobody = np.zeros(0, np.int64)
    episodes.add(np.array([0, 2]), np.array([1.0, 5.0, 0.0, 0.0]), nobody)
    assert episodes.statistics() == {}
    saved = state_of(episodes)
    episodes = EpisodeStatistics(4)
    restore(episodes, saved)
    episodes.add(np.array([0]), np.array([2.0, 0.0, 0.5, 0.0]), np.array([0, 1]))
    assert episodes.statistics() == {"charts/episodic_return": 3.0, "charts/episodic_length": 2.0}
    episodes.add(np.array([2]), np.array([0.0, 0.0, 0.5, 9.0]), np.array([2, 3]))
    assert episodes.statistics() == {"charts/episodic_return": 1.0, "charts/episodic_length": 2.0}


@pytest.mark.parametrize("opponent", ["random", "self"])
def test_tables_log_the_return_and_length_of_a_seats_game(tiny: Game, opponent: str) -> None:
    options = tiny.parse_options()
    config = TabularConfig(
        env_id="Tiny-v0", observation="plain", table_size=1000, opponents=(f"{opponent}=1",),
        exploration_initial_eps=1.0, exploration_final_eps=1.0,
    )  # fmt: skip
    learner = TabularLearner(tiny, options, config)
    learner.advance(4000)
    statistics = learner.episode_statistics()
    assert statistics["charts/episodic_length"] == pytest.approx(4, rel=0.01)
    # A random player gets 0 on average for its own turns, and 0.25 for each of the other seat's.
    assert statistics["charts/episodic_return"] == pytest.approx(1, abs=0.3)
    assert learner.episode_statistics() == {}  # No game has ended since.


# -- the stopwatch ----------------------------------------------------------------------------------------------------


def test_stopwatch_excludes_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    stopwatch = Stopwatch(100)
    now[0] = 2.0
    with stopwatch.paused():
        now[0] = 50.0
    now[0] = 52.0
    assert stopwatch.seconds == 4.0
    assert stopwatch.lap_rate(300) == 50.0
    now[0] = 53.0
    assert stopwatch.lap_rate(400) == 100.0
    assert stopwatch.rate(400) == 60.0


# -- configs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("configs/*/*.toml")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_shipped_configs_draw_a_win_rate_curve(path: Path) -> None:
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    evaluated = {"total_steps": ("eval_every", 200_000), "total_games": ("save_every", 200_000)}
    for length, (every, default) in evaluated.items():
        if length in values:
            assert values[length] // (values.get(every, default) or values[length] + 1) >= 4
