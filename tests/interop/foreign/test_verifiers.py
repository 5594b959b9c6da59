"""verifiers, in its own environment: `make test-interop`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import scripted

import pages
from scripted_model import Model, honest, lies, serving

pytest.importorskip("verifiers.v1")


def _evaluated(tmp_path: Path, model: Model) -> list[dict[str, Any]]:
    """What `vf-eval` records of games of a scripted model behind a server, by seed."""
    (tmp_path / "card_game.py").write_text(pages.blocks("language_models#verifiers", "python")[0])
    with serving(model) as server:
        words = [
            "card_game", "--env.taskset.env-id", scripted.ENV,
            "--env.taskset.arguments", json.dumps({"opponent": "equilibrium"}), "--model", "scripted",
            "--client.base-url", server.url, "--client.api-key-var", "OPENAI_API_KEY",
            "-n", str(scripted.GAMES), "-r", "1", "-o", str(tmp_path), "--no-push",
        ]  # fmt: skip
        command = [str(Path(sys.executable).with_name("vf-eval")), *words]
        paths = os.pathsep.join([str(tmp_path), *sys.path])
        subprocess.run(command, check=True, env={**os.environ, "OPENAI_API_KEY": "none", "PYTHONPATH": paths})
    [file] = tmp_path.rglob("traces.jsonl")
    traces = [json.loads(line)["traces"][0] for line in file.read_text().splitlines()]
    return sorted(traces, key=lambda trace: int(trace["task"]["data"]["seed"]))


def test_a_scripted_model_earns_by_words_what_it_earns_by_numbers(tmp_path: Path) -> None:
    traces = _evaluated(tmp_path, honest)
    assert [trace["rewards"]["paid"]["score"] for trace in traces] == scripted.returns()


def test_answers_that_are_no_moves_are_counted(tmp_path: Path) -> None:
    for trace in _evaluated(tmp_path, lies):
        assert trace["rewards"]["paid"]["score"] == -1.0
        assert trace["metrics"]["problems"] == 3
