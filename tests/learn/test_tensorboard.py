"""What a run writes for TensorBoard, and what is left of it after an interruption."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from learning_game import SCRIPT, TINY, load_script

from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.learn.action_shares import action_names, action_shares, draw_action_shares
from cardgym.learn.stopwatch import Stopwatch
from cardgym.learn.tensorboard import TensorBoard


def steps_of(folder: Path) -> dict[str, list[int]]:
    """The steps of every scalar, as TensorBoard shows them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {name: sorted({event.step for event in events.Scalars(name)}) for name in events.Tags()["scalars"]}


def test_resumed_run_keeps_the_step_it_was_saved_at_and_drops_later_ones(tmp_path: Path) -> None:
    with TensorBoard(tmp_path) as board:
        for step in (100, 200, 300):
            board.scalars(step, {"loss": float(step)})
        board.flush()
        assert steps_of(tmp_path) == {"loss": [100, 200, 300]}  # On disk before the run has ended.
    with TensorBoard(tmp_path, 200) as board:
        board.scalars(250, {"loss": 1.0})
    assert steps_of(tmp_path) == {"loss": [100, 200, 250]}


def test_folder_that_cannot_be_made_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CardgymError, match="cannot make the folder"):
        TensorBoard(tmp_path / "file" / "run")


@pytest.mark.parametrize(
    ("script", "words", "curves"),
    [
        ("dqn.py", "--num-envs 8 --learning-starts 100 --hidden-sizes 8", {"loss": [1000, 2000, 3000]}),
        ("tabular.py", "--observation plain --table-size 1000", {"epsilon": [1000, 2000, 3000]}),
    ],
)
def test_resuming_a_finished_run_leaves_its_curves(
    tiny: Game, tmp_path: Path, script: str, words: str, curves: dict[str, list[int]]
) -> None:
    main = load_script(SCRIPT.with_name(script)).main
    flags = f"--env-id Tiny-v0 --total-steps 3000 --eval-every 1000 --save-every 1000 {words}".split()
    flags += ["--eval-games", "9", "--final-games", "9", "--log-every", "1000"][: 6 if script == "dqn.py" else 4]
    for more in ([], ["--resume"]):
        assert main([*flags, *more, "--out", str(tmp_path)]) == 0
        steps = steps_of(tmp_path)
        for name, expected in {**curves, "win_rate/random": [1000, 2000, 3000]}.items():
            assert steps[name] == pytest.approx(expected, abs=16)  # The first step at or after each multiple.


# -- the picture of actions -------------------------------------------------------------------------------------------


def test_action_shares_are_counted_by_kind_of_decision() -> None:
    masks = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 0]], np.int8)
    most, rest = action_shares(masks, np.array([0, 2, 1, 0]))
    assert (most.actions.tolist(), most.shares.tolist(), most.decisions) == ([0, 1], [2 / 3, 1 / 3], 3)
    assert (rest.actions.tolist(), rest.shares.tolist(), rest.decisions) == ([1, 2], [0.0, 1.0], 1)
    assert len(action_shares(masks, np.array([0, 2, 1, 0]), most=1)) == 1
    picture = draw_action_shares([most, rest], {0: "say 0"})
    assert picture.shape == (220, 900, 3)
    assert picture.dtype == np.uint8


def test_actions_are_named_without_what_is_in_brackets() -> None:
    states = np.zeros(2, TINY.state).view(np.recarray)
    masks = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], np.int8)
    assert action_names(TINY, states, masks) == {0: "say 0", 1: "say 1", 2: "say 2", 3: "say 3"}
    assert len(action_names(TINY, states, masks, most=3)) == 3


# -- the stopwatch ----------------------------------------------------------------------------------------------------


def test_stopwatch_leaves_out_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
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
