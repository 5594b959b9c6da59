"""The kernel for GPUs: its code, run by this processor, plays the games of the CPU's kernel byte for byte."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from retarget import GpuBatch

from cardgym.engine import gpu
from cardgym.engine.batch import Batch, LegalSampler
from cardgym.engine.compilation import known_internals
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.kernel import RESET, STEP
from cardgym.engine.registry import find
from cardgym.envs.core import winners_of

pytestmark = pytest.mark.skipif(JIT_DISABLED or not known_internals(), reason="needs Numba's private parts")
GAMES = [
    *("KuhnPoker-v0:random", "LeducPoker-v0:random", "OnePlayPoker-v0:random", "CorellianSpike-v0:random"),
    *("CorellianSpike-v0:heuristic", "Coda-v0:random", "Coda-v0:bayes", "CodaOfficial-v0:random"),
    *("Cribbage-v0:random", "Cribbage-v0:expert"),
]


def batches(spec: str, num_rows: int) -> tuple[Batch, Batch]:
    game_id, _, opponent = spec.partition(":")
    game = find(game_id)
    options = game.parse_options({})
    made = []
    for _ in range(2):
        batch = Batch(game, options, num_rows, players=[opponent])
        batch.plain_rows["key"] = np.arange(num_rows, dtype=np.uint64) * np.uint64(7919) + np.uint64(12345)
        batch.plain_rows["lineup"][:, 1:] = batch.kernel.players.index(opponent)
        made.append(batch)
    return made[0], made[1]


def check_games(game: str, num_rows: int, num_steps: int) -> int:
    """Play with random actions, some of them illegal, on both; returns how many games ended."""
    here, there = batches(game, num_rows)
    other = GpuBatch(there)
    observations, masks = here.new_outputs()
    observations[:] = other.observations[:] = 0
    masks[:] = other.masks[:] = 1
    actions = np.zeros(num_rows, np.int64)
    sampler, generator, games = LegalSampler(3), np.random.default_rng(5), 0
    for step in range(num_steps):
        commands = np.where(here.plain_rows["current_player"] < 0, RESET, STEP).astype(np.uint8)
        here.step(actions, commands, observations, masks, skip=True)
        other.step(actions, commands, skip=True)
        pairs = {"state": (here.plain_states, there.plain_states), "row": (here.plain_rows, there.plain_rows)}
        pairs |= {"paid": (here.paid, there.paid), "mask": (masks, other.masks)}
        pairs |= {name: (here.answers[name], there.answers[name]) for name in here.answers}
        pairs["observation"] = observations, other.observations
        different = [name for name, (one, two) in pairs.items() if one.tobytes() != two.tobytes()]
        assert not different, f"step {step}"
        games += int((here.plain_rows["current_player"] < 0).sum())
        actions = np.where(generator.random(num_rows) < 0.002, -1, sampler(masks))
    return games


@pytest.mark.parametrize("game", GAMES[:1])
def test_code_for_gpus_plays_as_the_cpu_does(game: str) -> None:
    assert check_games(game, 32, 100) > 300


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_code_for_gpus_plays_100_000_steps_of_every_game_as_the_cpu_does(game: str) -> None:
    assert check_games(game, 256, 400) > 300


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas is installed")
@pytest.mark.parametrize("game", GAMES)
def test_ptx_is_assembled(game: str, tmp_path: Path) -> None:
    here, _ = batches(game, 1)
    text, heap = gpu.ptx(here.kernel, winners_of(here.kernel.game))
    assert "fma" not in text  # A product and a sum in one would be rounded once, and not as on the CPU.
    assert heap == (0 if game.startswith(("Kuhn", "Leduc", "OnePlay")) else gpu.HEAP)
    (tmp_path / "step.ptx").write_text(text)
    words = ["ptxas", "-arch=sm_90", "-O1", str(tmp_path / "step.ptx"), "-o", str(tmp_path / "step.cubin")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_ptx_is_kept_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    here, _ = batches("KuhnPoker-v0:random", 1)
    text = gpu.ptx(here.kernel, winners_of(here.kernel.game))
    monkeypatch.delattr(gpu, "optimized")
    assert gpu.ptx(here.kernel, winners_of(here.kernel.game)) == text
