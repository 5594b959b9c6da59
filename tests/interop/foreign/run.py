"""Test cardgym with large libraries, each in its own environment, and write results.md.

`make test-interop` runs this; `python tests/interop/foreign/run.py torchrl` tests a single library. The environments
are created once, in .interop/. On Linux, PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu saves gigabytes of
GPU libraries.
"""

import argparse
import datetime
import os
import re
import subprocess
import sys
import time
import venv
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[3]
RESULTS = Path(__file__).parent / "results.md"
TORCH = "torch==2.13.0"
REQUIREMENTS = {
    "torchrl": ["torchrl==0.14.1", "gymnasium==1.4.0", "pettingzoo==1.27.0"],
    "rllib": ["ray[rllib]==2.60.0"],
    "tianshou": ["tianshou==2.0.1", "gymnasium==1.4.0"],
    "trl": ["trl==1.16.0", "gymnasium==1.4.0"],
    "openenv": ["openenv-core==0.3.0", "gymnasium==1.4.0"],
    "verifiers": ["verifiers==0.4.0", "gymnasium==1.4.0"],
}
SHOWN = ("torchrl", "ray", "tianshou", "trl", "openenv-core", "verifiers", "gymnasium", "torch", "numpy")
HEADER = """# Results of `make test-interop`

Each library has its own environment, and every example of its page runs in full. Each row is a library's last run.

| library | versions | tests | CPU s | what the page's examples learned | run on |
|---|---|---|---|---|---|
"""


def python_of(library: str) -> Path:
    """The interpreter of a library's environment, which is created if it is missing."""
    folder = ROOT / ".interop" / library
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    marker = folder / ".installed"
    if not marker.exists():
        print(f"{library}: installing into {folder.relative_to(ROOT)} ...", flush=True)
        venv.create(folder, with_pip=True)
        packages: list[str] = [*REQUIREMENTS[library], TORCH, "pytest", "-e", str(ROOT)]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        marker.touch()
    return python


def versions(python: Path) -> str:
    """The versions of Python and of the packages in the environment."""
    code = (
        "import importlib.metadata as m, platform\n"
        f"found = [d.metadata['Name'] + ' ' + d.version.split('+')[0] for name in {SHOWN} "
        "for d in m.distributions(name=name)]\n"
        "print('Python ' + platform.python_version() + ', ' + ', '.join(dict.fromkeys(found)))"
    )
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def cpu_seconds() -> float:
    """The CPU seconds of the processes run and ended so far."""
    times = os.times()
    return times.children_user + times.children_system


def test(library: str) -> tuple[bool, str]:
    """Run a library's tests; whether they passed, and its row of the table."""
    python = python_of(library)
    report = ROOT / ".interop" / f"{library}.xml"
    before, begun = cpu_seconds(), time.monotonic()
    tests = ROOT / "tests" / "interop" / "foreign" / f"test_{library}.py"
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", str(tests)]
    passed = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    seconds = cpu_seconds() - before
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    bad = sum(int(suite.get(kind, 0)) for kind in ("failures", "errors", "skipped"))
    count = int(suite.get("tests", 0))
    learned = "; ".join(f"{one.get('name')}: {one.get('value')}" for one in suite.iter("property"))
    print(f"{library}: {count - bad} of {count} tests passed in {time.monotonic() - begun:.0f} s")
    today = datetime.date.today().isoformat()
    row = f"| {library} | {versions(python)} | {count - bad} of {count} | {seconds:.0f} | {learned or '-'} | {today} |"
    return passed and count > bad, row


def main() -> int:
    """Test the libraries named on the command line, all by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=f"of {', '.join(REQUIREMENTS)}")
    libraries = parser.parse_args().libraries or list(REQUIREMENTS)
    for name in libraries:
        if name not in REQUIREMENTS:
            parser.error(f"unknown library {name!r}: allowed are {', '.join(REQUIREMENTS)}")
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    rows = {
        name: row for row in re.findall(r"^\| \w.*$", old, re.M)[1:] for name in REQUIREMENTS if f"| {name} |" in row
    }
    all_passed = True
    for name in libraries:
        passed, rows[name] = test(name)
        all_passed &= passed
    page = HEADER + "\n".join(rows[n] for n in REQUIREMENTS if n in rows) + "\n"
    RESULTS.write_text(page, encoding="utf-8")
    return 0 if all_passed else 1


if __name__ == "__main__":
    sys.exit(main())
