"""Kill trainings at random moments, also during saves, and compare the final files.

    python tests/kills.py --kills 500

Each training runs once left alone. Then it is killed by SIGKILL again and again, resumed each time, and left to end
once it was killed a few times. Its last files and its last state must be the same bytes as those of the run left alone.
Every second kill waits for a temporary file to appear, to hit the run while it saves.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "learn"))

from killing import ROOT, SEARCH_PATH, check_same_bits

TINY = ["--env-id", "register_tiny:Tiny-v0"]
TRAININGS = {
    "dqn": [
        str(ROOT / "train" / "dqn.py"), *TINY, "--total-steps", "6000", "--num-envs", "32", "--hidden-sizes", "32",
        "--learning-starts", "200", "--train-frequency", "8", "--batch-size", "64", "--buffer-size", "4000",
        "--eval-every", "0", "--final-games", "0", "--save-every", "200",
    ],
    "ppo": [
        str(ROOT / "train" / "ppo.py"), *TINY, "--total-steps", "12000", "--num-envs", "32", "--num-steps", "8",
        "--hidden-sizes", "32", "--opponents", "self=1", "snapshot=1", "--snapshot-every", "1000",
        "--average-tau", "0.1", "--eval-every", "0", "--final-games", "0", "--save-every", "400",
    ],
    "nfsp": [
        str(ROOT / "train" / "nfsp.py"), *TINY, "--total-steps", "6000", "--num-envs", "32", "--hidden-sizes", "32",
        "--learning-starts", "200", "--train-frequency", "8", "--batch-size", "64", "--buffer-size", "4000",
        "--reservoir-size", "300", "--opponents", "self=1", "snapshot=1", "--snapshot-every", "1000",
        "--eval-every", "0", "--final-games", "0", "--save-every", "200",
    ],
    "tabular": [
        str(ROOT / "train" / "tabular.py"), *TINY, "--observation", "plain", "--table-size", "4000",
        "--total-steps", "700000", "--save-every", "10000", "--eval-every", "0", "--final-games", "0",
    ],
    "batch-q": [
        "-m", "cardgym", "batch-q", "--exploration", "legal", "--num-iterations", "8", "--games-per-iteration", "300",
        "--update-epochs", "5", "--save-every", "1", "--eval-games", "0", "--final-games", "0",
    ],
    "experts": [
        "-m", "cardgym", "experts", "--own-crib", "--total-games", "6000", "--seed-deals", "1000", "--value-every",
        "800", "--buffer-size", "256", "--save-every", "500", "--eval-games", "20",
    ],
}  # fmt: skip
"""The command lines, without --out and --resume. They save often, so that many kills hit a save."""
KILLS_A_RUN = 5
SUFFIXES = (".json", ".safetensors")


def start(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start or resume a training in a folder."""
    return subprocess.Popen(
        [sys.executable, *words, "--out", str(folder), "--resume"], env={**os.environ, "PYTHONPATH": SEARCH_PATH},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def kill(run: subprocess.Popen[bytes], folder: Path, seconds: float, in_save: bool) -> tuple[bool, bool]:
    """Kill a run after some seconds or during the next save; return whether it was killed, and during a save."""
    end = time.monotonic() + seconds
    while run.poll() is None and (time.monotonic() < end or (in_save and not any(folder.glob(".*.part")))):
        time.sleep(0.0005)
    saving = any(folder.glob(".*.part"))
    run.send_signal(signal.SIGKILL)
    return run.wait() == -signal.SIGKILL, saving


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=TRAININGS, default=list(TRAININGS))
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    for name in arguments.only:
        with tempfile.TemporaryDirectory() as temporary:
            whole = Path(temporary) / "whole"
            begin = time.monotonic()
            assert start(TRAININGS[name], whole).wait() == 0, name
            length = time.monotonic() - begin
            kills = saves = runs = 0
            while kills < arguments.kills / len(arguments.only):
                folder = Path(temporary) / f"killed-{runs}"
                for _ in range(KILLS_A_RUN):
                    fresh, begin = not folder.exists(), time.monotonic()
                    killed, saving = kill(
                        start(TRAININGS[name], folder), folder, chance.uniform(0, length), kills % 2 == 1
                    )
                    if fresh and not killed:  # The machine was busier before.
                        length = time.monotonic() - begin
                    kills += killed
                    saves += killed and saving
                    print(f"{name}: {kills} kills", end="\r", flush=True)
                assert start(TRAININGS[name], folder).wait() == 0, f"{name}: does not resume"
                check_same_bits(whole, folder, SUFFIXES)
                runs += 1
        print(f"{name}: {kills} kills, {saves} inside saves, in {runs} runs: the same bytes", flush=True)


if __name__ == "__main__":
    main()
