"""Open every file of a folder as a user would, with little memory, and print what came of each as JSON.

    python tests/files/open_all.py FOLDER MEGABYTES

A file may end in success or in one line and exit code 2. Anything else, or a file that takes longer than a minute, ends
the process: the last line that it prints on stderr is the file it was at.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import resource
import sys
from pathlib import Path

from good_files import game

from cardgym.cli import main
from cardgym.learn.saved_state import load_state
from cardgym.players import resolve

SECONDS = 60


def main_of(path: Path) -> int:
    """The exit code of the command that opens a file."""
    game_, options = game()
    if path.name.endswith(".jsonl"):
        return main(["report", str(path)])
    if path.name.endswith("resume.safetensors"):
        load_state(path)
        return 0
    if path.name.startswith("good"):
        resolve(path, game_, options)
        return 0
    return main(["evaluate", game_.id, "--players", str(path), "--games", "1"])


def open_all(folder: Path) -> dict[str, tuple[int, str]]:
    """For each file the exit code, and what was printed on stderr."""
    results = {}
    for path in sorted(folder.iterdir()):
        print(path.name, file=sys.stderr, flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        stderr, stdout = io.StringIO(), io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stderr(stderr), contextlib.redirect_stdout(stdout):
            try:
                code = main_of(path)
            except ValueError as error:
                code = 2
                print(error, file=stderr)
            except (Exception, RecursionError) as error:
                code = 1
                print(f"{type(error).__name__}: {error}", file=stderr)
        faulthandler.cancel_dump_traceback_later()
        results[path.name] = (code, stderr.getvalue())
    return results


if __name__ == "__main__":
    import torch  # noqa: F401 - before the limit: its libraries take address space of their own.

    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    limit = used + int(sys.argv[2]) * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    print(json.dumps(open_all(Path(sys.argv[1]))))
