"""Every script of benchmarks/ and research/, and the long checks, run at their smallest size.

Those of papers/ and train/ have other tests. Of `cribbage_pegging.py`, which needs 2.9 GB, only the help is printed.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SMALLEST = [
    "benchmarks/bench_serve.py --tables 2 --seconds 2 --think 0.1 --games OnePlayPoker-v0",
    "benchmarks/bench_tabular.py --iterations 1 --decisions 50000",
    "benchmarks/compare.py --turns 1 --seconds 0.01",
    "benchmarks/exploitability.py --games KuhnPoker-v0",
    "benchmarks/gpu_envs.py --device cpu --games KuhnPoker-v0:random --rows 8 --steps 20 --seconds 0.1 --decisions 500",
    "benchmarks/gpu.py --device cpu --configs corellian_spike/double_dqn --wider 1 --turns 1 --steps 1000",
    "benchmarks/interop.py gymnasium --turns 1",
    "benchmarks/leaderboards.py KuhnPoker-v0 OnePlayPoker-v0 --games 2 --pictures OUT",
    "benchmarks/old_and_new.py --old . --games KuhnPoker-v0 --rows 8 --turns 1 --seconds 0.01",
    "benchmarks/same_results.py --old . --games OnePlayPoker-v0 --seeds 0 --steps 10",
    "benchmarks/scaling.py --repeats 1",
    "benchmarks/speed.py KuhnPoker-v0 --turns 1 --seconds 0.01",
    "benchmarks/threads.py --games OnePlayPoker-v0 --turns 1 --seconds 0.01",
    "research/agent_habits.py spike",
    "research/coach_claims.py Coda-v0 random --games 20 --share 1",
    "research/coda_coach.py Coda-v0 dqn --games 20 --share 1",
    "research/coach_strength.py KuhnPoker-v0 honest --games 10",
    "research/cribbage_chances.py --deals 20",
    "research/cribbage_crib_table.py --samples 100 --rounds 1",
    "research/cribbage_pegging.py --help",
    "research/cribbage_points.py --games 10 --deals 10",
    "research/cribbage_statistics.py",
    "research/instruction_sets.py --updates 1",
    "research/nfsp_beside_ppo.py --game leduc --seconds 1 --seeds 1",
    "research/one_play_poker_speed.py --repeats 1",
    "research/ppo_noise.py",
    "research/race.py --only 'double DQN' --seeds 1 --budget 0.5 --games 10 --out OUT/race.json",
    "research/spike_answers.py cheat --games 10 --steps 1000 --runs OUT",
    "research/spike_belief_model.py --games 20",
    "research/spike_bettings.py --games 1 --doubts 0.05",
    "research/spike_champion.py ends --states 100 --out OUT/ends.safetensors",
    "research/spike_champion.py placing --states 100 --out OUT/placing.safetensors",
    "research/spike_ratings.py",
    "tests/soak.py --only random_decisions rows_and_singles damaged_files --decisions 1000 --seeds 1",
]
PARTS = {"sides", "timing", "race_report", "spike_knowledge"} | {
    f"cribbage_pegging_{part}" for part in ("solver", "traversal", "tree")
}
"""Modules that the scripts import."""


@pytest.mark.slow
@pytest.mark.parametrize("line", SMALLEST)
def test_script_runs_at_its_smallest_size(line: str, tmp_path: Path) -> None:
    words = [str(word).replace("OUT", str(tmp_path)) for word in shlex.split(line)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "short"), str(ROOT / "tests")])}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_script_is_in_the_list() -> None:
    scripts = {path for folder in ("benchmarks", "research") for path in (ROOT / folder).glob("*.py")}
    listed = {ROOT / line.split()[0] for line in SMALLEST}
    assert {path for path in scripts if path.stem not in PARTS} == {one for one in listed if one.parent.name != "tests"}


def test_make_names_markers_and_files_that_exist() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    named = re.findall(r"-m pytest .*-m (\"[^\"]+\"|\w+)", text)
    assert named
    assert {*re.findall(r"\w+", " ".join(named))} - {"not", "and", "or"} <= {m.split(":")[0] for m in known["markers"]}
    files = re.findall(r"(?<![\w./])(?:tests|docs|benchmarks|configs|train)/(?!_build|api|pro)[\w/.]*\w", text)
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert len(files) > 8
