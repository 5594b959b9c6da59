"""When a GPU pays: `python benchmarks/gpu.py [--turns N] [--wider F ...] [--json FILE]`.

The shipped configs, and the same with wider hidden layers, train on the GPU and on the processor in turns. A figure is
decisions per second of wall-clock time, so run nothing else meanwhile. PyTorch uses one thread of the processor.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator
from pathlib import Path

from timing import HERE, Comparison, Side, compare, report

CONFIGS = {
    "corellian_spike/double_dqn": ("dqn", 60_000),
    "coda/official_double_dqn": ("dqn", 60_000),
    "corellian_spike/ppo": ("ppo", 200_000),
    "coda/official_ppo": ("ppo", 100_000),
    "cribbage/distill_full": ("distill", 60_000),
}
"""The script of each config, and the decisions of one measurement: F times fewer where layers are F times wider."""


def side(config: str, wider: int, device: str, steps: int, compiles: bool) -> Side:
    """The training of a config on a device, its hidden layers `wider` times as wide."""
    name, decisions = CONFIGS[config]
    path = HERE / "configs" / f"{config}.toml"
    sizes = [wider * size for size in tomllib.loads(path.read_text()).get("hidden_sizes", [128, 128])]
    arguments = {"device": device, "name": name, "config": str(path), "hidden_sizes": sizes}
    label = f"{config}, {' x '.join(map(str, sizes))}"
    return Side(label, "training_on", {**arguments, "steps": steps or decisions // wider}, compiles=compiles)


def comparisons(arguments: argparse.Namespace) -> Iterator[Comparison]:
    """Every config with every width."""
    for config in arguments.configs:
        for number, wider in enumerate(arguments.wider):
            gpu, processor = (
                side(config, wider, device, arguments.steps, compiles=number == 0)
                for device in (arguments.device, "cpu")
            )
            yield compare(gpu, processor, arguments.turns)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--configs", nargs="+", default=list(CONFIGS), choices=CONFIGS, help="the configs (all)")
    wider = [1, 2, 4, 8]
    parser.add_argument("--wider", type=int, nargs="+", default=wider, metavar="F", help="widths: F x (1 2 4 8)")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="the device to compare (cuda)")
    parser.add_argument("--turns", type=int, default=3, metavar="N", help="measurements of each side (3)")
    parser.add_argument("--steps", type=int, default=0, metavar="N", help="decisions of one measurement")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args()
    header = (f"{arguments.device}: config, layers", "decisions/s", "processor", "decisions/s", "ratio")
    report(header, comparisons(arguments), arguments)


if __name__ == "__main__":
    main()
