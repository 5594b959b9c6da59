"""The frame of every training script: command line, folder of the run, errors, and the results at the end."""

from __future__ import annotations

import glob
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cardgym.console.streams import guarded
from cardgym.console.tables import results_console
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError
from cardgym.files import remove_leftovers
from cardgym.files.locks import locked
from cardgym.files.paths import pasted
from cardgym.learn.config import C, GameConfig, RunArgs, TrainingConfig, parse_run
from cardgym.learn.evaluation import results_tables
from cardgym.learn.saved_state import has_state
from cardgym.learn.signals import follow_parent, listening
from cardgym.learn.tags import Metrics
from cardgym.scaling.stopping import Stopped

_LOCK_SECONDS = 600.0
"""How long a run that another process started waits for an earlier one in its folder to end."""
_SMALL = 32
"""The number of features up to which a game counts as small."""
WIN_RATES = "http://localhost:6006/#custom_scalars while that runs"
"""The page of TensorBoard that starts with the win rates; its other pages sort curves alphabetically."""


@dataclass(frozen=True)
class TrainingResult:
    """What a training script prints at its end.

    Attributes:
        after: how long the training was, such as `4,000,000 steps`.
        results: the figures of the final evaluation against each opponent, if there was one.
        saved: what was saved, in one word, and where.
    """

    after: str
    results: Mapping[str, Metrics]
    saved: tuple[str, Path]


def run_script(
    script: str,
    kind: type[C],
    train: Callable[[C, Path, bool], TrainingResult],
    words: Sequence[str],
) -> int:
    """Run a training script from the command line.

    `kind` is the class of its config, and `words` come after its name on the command line. `train` gets the
    hyper-parameters, the run's folder, and True to resume the run there, if there is one, or to start
    it over if it cannot resume. The exit code is 0; 2 for an error that the user can fix, with one line on stderr; 130
    when interrupted; 143 after SIGTERM and 129 after SIGHUP, with the state saved there; 141 if stdout is closed.
    """
    return guarded(lambda: _run_script(script, kind, train, words), script)


def _run_script(
    script: str, kind: type[C], train: Callable[[C, Path, bool], TrainingResult], words: Sequence[str]
) -> int:
    start = time.monotonic()
    folder = None
    try:
        config, run = parse_run(kind, words, script)
        if run.follow:
            follow_parent()
        _check_game(config, run)
        if run.config is None and config.small_game_flags and _is_small(config):
            print(f"small game: starting from {' '.join(config.small_game_flags)}", file=sys.stderr)
            config, run = parse_run(kind, [*config.small_game_flags, *words], script)
        game_id = find(config.env_id).id
        folder = run_folder(run, game_id, run_name(config, run.config))
        with locked(folder, seconds=_LOCK_SECONDS if run.follow else 0.0), listening():
            remove_leftovers(folder)
            result = train(config, folder, run.resume or run.restart)
    except BrokenPipeError:
        raise
    except OSError as error:  # From TensorBoard, usually for a full disk.
        where = f"stopped writing below {folder}" if folder else "nothing was written"
        raise CardgymError(f"{error.strerror or error}: {where}") from error
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "alloc" not in str(error):  # How PyTorch reports that memory ran out.
            raise
        raise CardgymError(
            "not enough memory; a smaller buffer_size, num_envs, batch_size or network needs less"
        ) from error
    except (KeyboardInterrupt, Stopped) as stop:
        if folder is not None and has_state(folder):
            print(f"stopped; to continue, run the same command with `--resume --out {pasted(folder)}`", file=sys.stderr)
        else:
            restart = " with --restart" if folder is not None and not kind.resumable else ""
            print(f"stopped with no state to resume from; run the same command{restart} to start over", file=sys.stderr)
        return 128 + stop.number if isinstance(stop, Stopped) else 130
    _print_result(game_id, result, folder, time.monotonic() - start)
    return 0


def _check_game(config: TrainingConfig, run: RunArgs) -> None:
    """Check that a game is named, even to resume: a run's folder does not say which game it is."""
    if config.env_id:
        return
    if run.resume and run.config is None:
        raise CardgymError("--resume needs the first command line too: name the game again with --config or --env-id")
    raise CardgymError(f"name a game with --env-id or --config; known: {', '.join(registered())}")


def _is_small(config: TrainingConfig) -> bool:
    """Whether the game's first observation has few features."""
    if not isinstance(config, GameConfig):
        return False
    game = find(config.env_id)
    return game.observation(game.default_observation).size(game.parse_options(config.env_options)) <= _SMALL


def run_name(config: TrainingConfig, file: Path | None) -> str:
    """Return what a run is called: its config file's name, or without one its algorithm's, and its seed."""
    return f"{file.stem if file else config.algorithm_name}-seed{config.seed}"


def run_folder(run: RunArgs, game_id: str, name: str) -> Path:
    """Return a run's folder: the one given, or a new `runs/<game>/<name>-<number>`; to resume, the latest of these.

    If there is nothing to resume, a line on stderr says so; it is not an error, so a loop can always pass `--resume`.

    Raises:
        CardgymError: if the folder already contains a run and `--resume` is missing.
    """
    folder = run.out or numbered_folder(Path("runs") / game_id, name, run.resume)
    saved = has_state(folder)
    if saved and not run.resume:
        raise CardgymError(f"{folder}: has a run already; add --resume to continue it, or name another folder")
    if run.resume and not saved:
        print(f"nothing to resume in {folder}: starting from the beginning", file=sys.stderr)
    return folder


def numbered_folder(runs: Path, name: str, latest: bool) -> Path:
    """Return the folder `<name>-<number>` below `runs` that comes next, or with `latest` the last one there is."""
    numbers = [path.name.removeprefix(f"{name}-") for path in runs.glob(f"{glob.escape(name)}-*")]
    last = max((int(number) for number in numbers if number.isdecimal()), default=0)
    return runs / f"{name}-{max(last, 1) if latest else last + 1}"


def _print_result(game_id: str, result: TrainingResult, folder: Path, seconds: float) -> None:
    console = results_console()
    if result.results:
        console.print(
            f"{game_id} after {result.after}", *results_tables(find(game_id), result.results, console.width), sep="\n"
        )
    minutes, rest = divmod(int(seconds), 60)
    what, path = result.saved
    console.print(f"Trained in {minutes} min {rest} s.", highlight=False)
    program = ["tensorboard"] if shutil.which("tensorboard") else [sys.executable, "-m", "tensorboard.main"]
    curves = pasted(*program, "--logdir", folder.parent)
    for label, value in ((what, path), ("Curves", curves), ("Win rates", WIN_RATES)):
        console.print(f"{label + ':':<12}{value}", soft_wrap=True, highlight=False)
