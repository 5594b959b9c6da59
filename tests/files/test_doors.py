"""Files and settings that once ended in a traceback, or were accepted though they made no sense."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from formats import numbered_game as game

from cardgym import CardgymError, find
from cardgym.cli import main
from cardgym.files.tensors import read_document, read_tensors, write_tensors
from cardgym.learn.config import read_config
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.saved_state import load_state
from cardgym.learn.tensorboard import TensorBoard, read_curves
from cardgym.players import resolve
from cardgym.players.checkpoints import CheckpointMetadata

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


# -- event files ------------------------------------------------------------------------------------------------------


def events(folder: Path) -> Path:
    with TensorBoard(folder) as board:
        for step in range(3):
            board.scalars(step, {"x": step})
    return next(folder.iterdir())


@pytest.mark.parametrize(
    "content",
    [b"foreign record of another program", struct.pack("<QI", 1 << 40, 0), b"\x00" * 100],
    ids=["foreign", "1 TiB", "zeros"],
)
def test_foreign_event_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = events(tmp_path)
    path.write_bytes(path.read_bytes() + content)
    with pytest.raises(CardgymError, match=f"TensorBoard file {path}: damaged"):
        read_curves(tmp_path)


def test_an_event_that_a_killed_process_cut_short_is_left_out(tmp_path: Path) -> None:
    path = events(tmp_path)
    path.write_bytes(path.read_bytes()[:-3])
    assert read_curves(tmp_path) == {"x": ([0, 1], [0.0, 1.0])}


def test_many_tags_are_read(tmp_path: Path) -> None:
    with TensorBoard(tmp_path) as board:
        board.scalars(1, {f"tag {number}": number for number in range(3000)})
    assert len(read_curves(tmp_path)) == 3000


# -- documents --------------------------------------------------------------------------------------------------------


def test_configs_may_begin_with_a_byte_order_mark_and_end_lines_as_windows_does(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbfgamma = 0.5\r\nseed = 3\r\n")
    assert (read_config(DQNConfig, path).gamma, read_config(DQNConfig, path).seed) == (0.5, 3)


@pytest.mark.parametrize("base", ["", ".", "..", "b/c.toml", "{}/b/c.toml"])
def test_a_base_that_is_not_a_file_of_the_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path, other = tmp_path / "a.toml", tmp_path / "b" / "c.toml"
    other.parent.mkdir()
    other.write_text("seed = 3")
    path.write_text(f'base = "{base.format(tmp_path.as_posix())}"')
    with pytest.raises(
        CardgymError, match=r"config .*(no such file|not a regular file|allowed: a file's name in its folder)"
    ):
        read_config(DQNConfig, path)


def test_a_state_that_is_a_broken_link_is_an_error(tmp_path: Path, refused: Any) -> None:
    (tmp_path / "resume.safetensors").symlink_to("nothing")
    words = ["train", "dqn", "--env-id", game()[0].id, "--out", str(tmp_path)]
    assert "has a run already" in refused(*words)
    assert "resume.safetensors: a broken link" in refused(*words, "--resume")


# -- checkpoints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"num_players": 2, "full_size": 1}, {"num_players": 2, "target": 121}])
def test_a_checkpoint_with_options_of_another_game_is_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    shipped = CHECKPOINTS / "corellian_spike" / "dqn.safetensors"
    document = read_document(shipped, "checkpoint")
    _, arrays = read_tensors(shipped, "checkpoint", CheckpointMetadata, None)
    path = tmp_path / "other.safetensors"
    write_tensors(path, {**document, "options": options}, arrays)
    spike = find("CorellianSpike-v0")
    name = list(options)[-1]
    with pytest.raises(CardgymError, match=f"made with the option {name}, which CorellianSpike-v0 does not have"):
        resolve(path, spike, spike.parse_options())


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="shells of POSIX")
@pytest.mark.parametrize(("words", "closed", "wanted"), [("games", "<&- >&-", 0), ("nothing", "2>&-", 2)])
def test_commands_work_with_closed_streams(words: str, closed: str, wanted: int) -> None:
    code = "import sys; from cardgym.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        ["sh", "-c", f'"$0" -c "$1" {words} {closed}', sys.executable, code], capture_output=True, text=True
    )
    assert (done.returncode, "Traceback" in done.stderr) == (wanted, False), done.stderr


@pytest.mark.skipif(os.name != "posix", reason="paths of POSIX")
def test_a_path_that_is_not_utf8_is_named_in_one_line(tmp_path: Path, refused: Any) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")
    for words in (["report"], ["evaluate", game()[0].id, "--games", "1", "--players"], ["review"]):
        assert "\\udcff.json" in refused(*words, path)


# -- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", ["dqn", "ppo"])
def test_a_training_that_diverges_ends_with_the_step_and_keeps_the_last_state(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", script, "--env-id", "OnePlayPoker-v0", "--out", str(tmp_path), "--final-games", "0"]
    words += ["--num-envs", "64", "--eval-every", "0", "--total-steps", "20000", "--reward-scale", "1e38"]
    words += ["--save-every", "64", *(["--learning-starts", "1000"] if script == "dqn" else [])]
    assert main(words) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert f"{script}.py: diverged at step " in line
    for array in load_state(tmp_path / "resume.safetensors")["learner"].values() if "kept in" in line else ():
        assert not isinstance(array, np.ndarray) or np.isfinite(array).all()
