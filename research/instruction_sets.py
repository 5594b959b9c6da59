"""Which stages of a training update give different bits on different processors.

    python research/instruction_sets.py [--updates 200]

Each setting limits the instructions that the libraries may use, like an older processor, in its own process. All stages
get the same inputs, so a difference arises in that stage. The last rows train: one update, and all updates.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

FIXED = {"MKL_CBWR": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"}
"""The setting under which machines with AVX2 agree; see docs/reliability.md."""
COMPATIBLE = {"MKL_CBWR": "COMPATIBLE", "ATEN_CPU_CAPABILITY": "default"}
"""The setting under which all x86-64 machines agree."""

SETTINGS: dict[str, dict[str, str]] = {
    "host": {},
    "MKL AVX2": {"MKL_ENABLE_INSTRUCTIONS": "AVX2"},
    "MKL SSE4.2": {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2"},
    "ATen AVX2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "ATen default": {"ATEN_CPU_CAPABILITY": "default"},
    "oneDNN AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2"},
    "fixed": FIXED,
    "fixed, on AVX2": {**FIXED, "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "compatible": COMPATIBLE,
    "compatible, on AVX2": {**COMPATIBLE, "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "compatible, on SSE4.2": {**COMPATIBLE, "MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}

PROGRAM = r"""
import hashlib, json, sys
import numpy as np, torch
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.dqn import DQNLearner
from cardgym.learn.replay import Transitions
from cardgym.players.network_shapes import NetworkShape
from cardgym.players.networks import QNetwork

torch.set_num_threads(1)
INPUTS, ACTIONS, ROWS = 59, 7, 512
random = np.random.default_rng(1)

def tensor(*shape):
    return torch.tensor(random.standard_normal(shape), dtype=torch.float32)

def batch():
    masks = torch.tensor(random.random((ROWS, ACTIONS)) < 0.6)
    masks[:, 0] = True
    done = torch.tensor(random.random(ROWS) < 0.2)
    actions = torch.tensor(random.integers(0, ACTIONS, ROWS))
    fields = {"observations": tensor(ROWS, INPUTS), "actions": actions, "rewards": tensor(ROWS),
              "next_observations": tensor(ROWS, INPUTS), "next_masks": masks, "done": done}
    return Transitions(**fields)

torch.manual_seed(1)
learner = DQNLearner(QNetwork(NetworkShape(INPUTS, ACTIONS, (128, 128))), DQNConfig())
x, w, b, h, v = tensor(ROWS, INPUTS), tensor(128, INPUTS), tensor(128), tensor(ROWS, 128), tensor(128, 128)
stages = {}
def stage(name, *tensors):
    digest = hashlib.sha256()
    for one in tensors:
        digest.update(one.detach().contiguous().numpy().tobytes())
    stages[name] = digest.hexdigest()[:12]
def weights():
    return [value for value in learner.network.state_dict().values()]

stage("weights drawn by PyTorch", *weights())
stage("first layer: x W^T + b", torch.nn.functional.linear(x, w, b))
stage("second layer: h W^T", h @ v.T)
stage("ReLU", torch.relu(h))
stage("gradient of weights: d^T h", h.T @ x)
stage("gradient before a layer: d W", h @ v)
stage("sum over rows (gradient of a bias)", h.sum(0))
stage("Huber's loss, mean over rows", torch.nn.functional.smooth_l1_loss(h[:, 0], h[:, 1]))
stage("sqrt and division, element by element (Adam)", h / (h * h).sqrt().add(1e-8))
first = batch()
learner.update(first)
stage("one update of double DQN", *weights())
for _ in range(int(sys.argv[1]) - 1):
    learner.update(batch())
stage(f"{sys.argv[1]} updates", *weights())
print(json.dumps(stages))
"""


def main() -> None:
    """Run every setting and print a table: a letter for each different result of a stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=200)
    updates = parser.parse_args().updates
    results = {}
    for name, setting in SETTINGS.items():
        words = [sys.executable, "-c", PROGRAM, str(updates)]
        run = subprocess.run(words, env={**os.environ, **setting}, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{name}: {run.stderr[-500:]}")
        results[name] = json.loads(run.stdout)
    stages = list(results["host"])
    width = max(map(len, stages))
    print(" " * width, *SETTINGS, sep=" | ")
    for stage in stages:
        digests: list[str] = []
        cells = []
        for name, result in results.items():
            if result[stage] not in digests:
                digests.append(result[stage])
            cells.append(f"{'ABCDEFGHI'[digests.index(result[stage])]:<{len(name)}}")
        print(f"{stage:<{width}}", *cells, sep=" | ")


if __name__ == "__main__":
    main()
