"""What a run writes for TensorBoard, and what is left of it after an interruption."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = Path(__file__).parents[2] / "train"


def steps_of(folder):
    """The steps of every scalar, as TensorBoard shows them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {name: sorted({event.step for event in events.Scalars(name)}) for name in events.Tags()["scalars"]}


def test_a_resumed_run_keeps_the_step_it_was_saved_at_and_drops_what_came_after(tmp_path):
    pytest.importorskip("torch")
    from cardgym.learn.log import TensorBoard

    board = TensorBoard(tmp_path)
    for step in (100, 200, 300):
        board.scalars(step, {"loss": float(step)})
    board.flush()
    assert steps_of(tmp_path) == {"loss": [100, 200, 300]}  # On disk, though the run has not ended.
    board.close()
    board = TensorBoard(tmp_path, 200)
    board.scalars(250, {"loss": 1.0})
    board.close()
    assert steps_of(tmp_path) == {"loss": [100, 200, 250]}


@pytest.mark.parametrize(
    ("script", "words", "wanted"),
    [
        (
            "experts.py",
            "--games 40 --seed-deals 100 --deals-kept 16 --value-every 20 --checkpoint-every 20 --eval-games 4",
            {"win_rate/greedy": [0, 20, 40]},
        ),
        (
            "tabular.py",
            "--env OnePlayPoker-v0 --decisions 3000 --eval-every 1000 --eval-games 9 --save-every 1000 --final-games 9",
            {"win_rate/alone": [1000, 2000, 3000]},
        ),
        (
            "batch_q.py",
            "--games 20 --iterations 2 --save-every 1 --eval-games 4 --final-games 4",
            {"win_rate/random": [1, 2], "epsilon": [1, 2]},
        ),
    ],
)
def test_resuming_a_finished_run_leaves_its_curves(tmp_path, script, words, wanted):
    command = [sys.executable, str(TRAIN / script), *words.split(), "--out", str(tmp_path)]
    for more in ([], ["--resume"]):
        subprocess.run([*command, *more], check=True, capture_output=True)
        found = steps_of(tmp_path)
        assert {name: found[name] for name in wanted} == wanted
