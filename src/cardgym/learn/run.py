"""What every training script does around its training: command line, folder of the run, errors, and the last words."""

from __future__ import annotations

import inspect
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cardgym.console import results_console
from cardgym.engine.registry import registered
from cardgym.errors import CardgymError
from cardgym.learn.config import STATE_FILE, Place, parse_run, run_folder
from cardgym.learn.log import Figures, results_tables

C = TypeVar("C")


@dataclass(frozen=True)
class TrainingResult:
    """What a training script has to tell at its end.

    Attributes:
        after: how much training it was, such as `4,000,000 decisions`.
        results: the figures of the last evaluation against each opponent, if there was one.
        saved: what was saved, in one word, and where.
    """

    after: str
    results: Mapping[str, Figures]
    saved: tuple[str, Path]


def run_script(
    words: Sequence[str],
    kind: type[C],
    description: str,
    name: Callable[[C], tuple[str, str]],
    train: Callable[[C, Path, bool], TrainingResult],
) -> int:
    """Run a training script from the command line.

    Args:
        words: the command line, without the script's name.
        kind: its hyper-parameters, see `parse_run`; one of them is `seed`.
        description: what `--help` says the script does.
        name: the game's id, and what the run is called where no config file gives it a name.
        train: trains, in a folder, from the start or on from where the run there was interrupted.

    Returns:
        The exit code: 2 for what the user can mend, which is told in one line; 130 when interrupted.
    """
    start = time.monotonic()
    script = Path(inspect.getfile(train)).name
    folder = None
    try:
        config, place = parse_run(kind, words, description)
        _check_game(config, place)
        env, stem = name(config)
        folder = run_folder(place, env, _run_name(place, stem, config))
        trained = train(config, folder, place.resume)
    except CardgymError as error:
        print(f"{script}: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # TensorBoard's, above all a full disk.
        where = f"stopped writing below {folder}" if folder else "nothing was written"
        print(f"{script}: {error.strerror or error}: {where}", file=sys.stderr)
        return 2
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "alloc" not in str(error):  # Torch's word for no memory.
            raise
        print(f"{script}: not enough memory; smaller tables, replay, batches or layers need less", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        if folder is not None and (folder / STATE_FILE).exists():
            print(f"stopped; the same command with `--resume --out {folder}` goes on", file=sys.stderr)
        else:
            print("stopped before anything was saved; the same command starts anew", file=sys.stderr)
        return 130
    _last_words(env, trained, folder, time.monotonic() - start)
    return 0


def _check_game(config: object, place: Place) -> None:
    """A script for any game has to be told which, to resume too: the folder of a run does not say what runs there."""
    if getattr(config, "env", None) != "":
        return
    if place.resume and place.config is None:
        raise CardgymError("--resume needs the first command line too: name its game with --config or --env again")
    raise CardgymError(f"name a game with --env or --config; known: {', '.join(registered())}")


def _run_name(place: Place, stem: str, config: object) -> str:
    return f"{place.config.stem if place.config else stem}-seed{getattr(config, 'seed')}"  # noqa: B009


def _last_words(env: str, trained: TrainingResult, folder: Path, seconds: float) -> None:
    console = results_console()
    if trained.results:
        console.print(f"{env} after {trained.after}", *results_tables(trained.results, console.width), sep="\n")
    minutes, rest = divmod(int(seconds), 60)
    tensorboard = os.path.relpath(Path(sys.executable).parent / "tensorboard")
    what, path = trained.saved
    console.print(f"TrainingResult in {minutes} min {rest} s.", highlight=False)
    for label, value in ((what, path), ("Curves", f"{tensorboard} --logdir {folder.parent}")):
        console.print(f"{label + ':':<12}{value}", soft_wrap=True, highlight=False)
