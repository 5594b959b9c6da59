"""The training snippets of the page on Stable-Baselines3, as they stand there, end with agents that win."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from test_doc_commands import ALL

import pages
from cardgym.arena import evaluate
from cardgym.interop.sb3 import ModelPlayer

SNIPPETS = {
    "MaskablePPO": ("mean_return", 5.0, 300),
    "MaskableDQN": ("win_rate", 0.5, 180),
}
"""The metric that each reaches against `heuristic`, how much of it, and in how many CPU seconds of training."""


@pytest.mark.skipif(not os.environ.get(ALL), reason="takes long")
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("algorithm", SNIPPETS)
def test_snippet_trains_an_agent_that_beats_the_heuristic(
    algorithm: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    metric, least, seconds = SNIPPETS[algorithm]
    (code,) = (block for block in pages.blocks("stable_baselines3") if f"= {algorithm}(" in block)
    assert code.count("seed=1") == 1
    names: dict[str, Any] = {}
    start = time.process_time()
    exec(compile(code.replace("seed=1", f"seed={seed}"), algorithm, "exec"), names)
    spent = time.process_time() - start
    report = evaluate("CorellianSpike-v0", None, [ModelPlayer(names["model"]), "heuristic"], games=4_000, seed=77)
    reached = getattr(report.players[0], metric)
    print(f"{algorithm}, seed {seed}: {metric} {reached:.3f} in {spent:.0f} CPU seconds")
    assert reached >= least
    assert spent < seconds
