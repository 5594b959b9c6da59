"""Without extras, every command works or names the extra that it needs, in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path

CORE = """
import contextlib, importlib.machinery, io, json, sys

LINES = json.loads(sys.argv[1])
BLOCKED = {
    "PIL", "h5py", "imageio", "matplotlib", "minari", "moviepy", "onnx", "pandas", "pettingzoo", "pyarrow",
    "pygame", "ray", "resvg_py", "safetensors", "sb3_contrib", "scipy", "stable_baselines3", "starlette",
    "tensorboard", "torch", "uvicorn",
}


class Rest(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in BLOCKED else super().find_spec(name, path, target)


sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Rest
from cardgym.cli import COMMANDS, main

for words in LINES or [[name, "--help"] for name in COMMANDS]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except BaseException as error:
            code = repr(error)
    print(json.dumps([words, code, out.getvalue(), err.getvalue()]))
"""
"""The command line of an installation without the packages of extras."""

LINES = {
    "train dqn --config corellian_spike/dqn": "learn",
    "train tabular --config one_play_poker/q_learning": "learn",
    "train sb3 --config corellian_spike/sb3_maskable_ppo": "sb3",
    "evaluate OnePlayPoker-v0 --players model.zip": "learn",
    "sweep corellian_spike/dqn": "learn",
    "tournament CorellianSpike-v0 --players random heuristic": "learn",
    "exploit CorellianSpike-v0 --player heuristic": "learn",
    "reproduce one-play-poker": "learn",
    "serve --port 0": "web",
    "record OnePlayPoker-v0 --players random --out mine/random-v0": "data",
}
"""Command lines, each with the extra that it needs."""


def run(tmp_path: Path, lines: list[list[str]]) -> list[tuple[list[str], object, str, str]]:
    own = {**os.environ, "CARDGYM_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-c", CORE, json.dumps(lines)]
    done = subprocess.run(command, env=own, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_help_of_every_command_works_or_names_the_extra(tmp_path: Path) -> None:
    results = run(tmp_path, [])
    assert len(results) > 15
    for words, code, out, err in results:
        if code == 0:
            assert out.startswith("usage: cardgym"), words
        else:
            assert (code, err.count("\n")) == (2, 1), (words, code, err)
            assert "pip install '.[" in err, words


def test_commands_name_the_extra_that_they_need(tmp_path: Path) -> None:
    for words, code, _, err in run(tmp_path, [line.split() for line in LINES]):
        extra = LINES[" ".join(words)]
        lines = [line for line in err.splitlines() if "compiling" not in line]
        assert (code, len(lines)) == (2, 1), (words, code, err)
        assert lines[0].endswith(f"pip install '.[{extra}]'"), (words, err)
