"""What a training run tells: TensorBoard, a progress bar or plain lines, and the table at the end."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from cardgym.arena import PlayerReport, evaluate
from cardgym.arena.match import EVALUATION_SEED
from cardgym.console import fitting_tables
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT
from cardgym.errors import CardgymError
from cardgym.figures import COLOURS, new_figure
from cardgym.files import replacing
from cardgym.players.base import Player

ALONE = "alone"
"""What stands in an opponent's place where there is none."""

Figures = dict[str, tuple[float, tuple[float, float] | None]]
"""Figures by name, each with its 95 % interval where it has one."""


def match(
    game: Game, options: Options, player: Player, opponent: str, *, games: int, seed: int, seat: int = ANY_SEAT
) -> Figures:
    """Match a player with an opponent in every other seat, and return the player's figures.

    It sits in `seat`; where this is ANY_SEAT, each deal is played from every seat.
    """
    others = options.num_players - 1
    if seat == ANY_SEAT:
        return figures(evaluate(game, options, [player, *[opponent] * others], games=games, seed=seed).players[0])
    line_up = [*[opponent] * seat, player, *[opponent] * (others - seat)]
    return figures(evaluate(game, options, line_up, games=games, seed=seed, seats="fixed").players[seat])


def evaluation(
    game: Game,
    options: Options,
    player: Player,
    opponents: Sequence[str],
    *,
    games: int,
    board: TensorBoard,
    step: int,
    seat: int = ANY_SEAT,
) -> dict[str, Figures]:
    """Match a player with each opponent, and put the figures into TensorBoard; see `match`.

    In a game of one player there is one match, whoever the opponents are, and it goes by the name of `alone`.
    """
    if options.num_players == 1:
        opponents = [ALONE][: len(opponents)]
    found = {
        opponent: match(game, options, player, opponent, games=games, seed=EVALUATION_SEED, seat=seat)
        for opponent in opponents
    }
    for opponent, its in found.items():
        board.evaluation(step, opponent, its)
    return found


def figures(report: PlayerReport) -> Figures:
    """A player's figures by name: `win_rate`, `mean_return` and the game's own."""
    found: Figures = {
        "win_rate": (report.win_rate, report.win_rate_ci95),
        "mean_return": (report.mean_return, report.mean_return_ci95),
    }
    for name, value in report.extra.items():
        if isinstance(value, int | float):
            interval = report.extra.get(f"{name}_ci95")
            found[name] = (float(value), interval if isinstance(interval, tuple) else None)
    return found


class TensorBoard:
    """A run's figures for TensorBoard, by number of decisions.

    Args:
        folder: where the files go.
        done: the step that a resumed run goes on from; what an interrupted one has written after it is void.

    Raises:
        CardgymError: where the folder cannot be made.
    """

    def __init__(self, folder: Path, done: int = 0) -> None:
        from torch.utils.tensorboard import SummaryWriter

        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CardgymError(f"cannot make the folder {folder}: {error.strerror}; name another") from error
        self._hook = threading.excepthook
        threading.excepthook = self._quiet
        # Figures of step `done` itself were written before the state was saved.
        self._writer = SummaryWriter(str(folder), purge_step=done + 1 if done else None)

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Write numbers by name."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def evaluation(self, step: int, opponent: str, found: Figures) -> None:
        """Write the figures of a match as `win_rate/<opponent>` and so on."""
        self.scalars(step, {f"{name}/{opponent}": value for name, (value, _) in found.items()})

    def config(self, config: Mapping[str, Any], step: int = 0, results: Mapping[str, float] | None = None) -> None:
        """Write the hyper-parameters: as a table at the start, and with the run's results at the end."""
        if results is None:
            rows = "\n".join(f"| {name} | {_plain(value)} |" for name, value in config.items())
            self._writer.add_text("hyper-parameters", f"| name | value |\n|---|---|\n{rows}", 0)
        else:
            plain = {name: _plain(value) for name, value in config.items()}
            self._writer.add_hparams(plain, dict(results), run_name=".", global_step=step)

    def picture(self, name: str, step: int, image: npt.NDArray[np.uint8]) -> None:
        """Write a picture, (height, width, 3), uint8."""
        self._writer.add_image(name, image, step, dataformats="HWC")

    def flush(self) -> None:
        """Put on disk what is not yet there: to be called before a state to resume from is saved."""
        self._writer.flush()

    def close(self) -> None:
        """Write what is not yet written."""
        try:
            self._writer.close()
        finally:
            threading.excepthook = self._hook

    def _quiet(self, args: threading.ExceptHookArgs) -> None:
        """A full disk stops the writer's thread; its next call tells the trainer, so the thread need not."""
        if not isinstance(args.exc_value, OSError):
            self._hook(args)


def _plain(value: Any) -> int | float | str | bool:
    return value if isinstance(value, int | float | str | bool) else " ".join(map(str, value))


class Stopwatch:
    """The time that training takes, without what is measured or told in between."""

    def __init__(self) -> None:
        self._before = 0.0
        self._since: float | None = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds so far."""
        return self._before + (0.0 if self._since is None else time.perf_counter() - self._since)

    def stop(self) -> None:
        """What follows is no training."""
        self._before, self._since = self.seconds, None

    def start(self) -> None:
        """What follows is training again."""
        self._since = time.perf_counter()


# -- the terminal -----------------------------------------------------------------------------------------------------


class _Words(ProgressColumn):
    """The words of the last report, beside the bar."""

    def render(self, task: Any) -> str:
        return str(task.fields.get("words", ""))


class Reporter:
    """A progress bar on a terminal, a few plain lines elsewhere."""

    def __init__(self, total: int, done: int = 0, unit: str = "decisions") -> None:
        self._unit = unit
        self.console = Console(stderr=True)
        self._total = total
        self._first = done
        self._start = time.monotonic()
        self._progress: Progress | None = None
        if self.console.is_terminal:
            self._progress = Progress(
                BarColumn(bar_width=20),
                TextColumn("{task.percentage:>3.0f} %"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                _Words(),
                console=self.console,
                transient=True,
            )
            self._task = self._progress.add_task("", total=total, completed=done, rate="", words="")
            self._progress.start()

    def advance(self, done: int) -> None:
        """So many are done."""
        if self._progress is not None:
            rate = (done - self._first) / max(time.monotonic() - self._start, 1e-9)
            self._progress.update(self._task, completed=done, rate=f"{rate:,.0f} {self._unit}/s")

    def say(self, done: int, words: str) -> None:
        """Say how far the learner is: beside the bar, or as a line."""
        if self._progress is not None:
            self._progress.update(self._task, words=words)
        else:
            print(f"{done:>12,} of {self._total:,} {self._unit}: {words}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def results_tables(results: Mapping[str, Figures], width: int) -> list[Table]:
    """The win rate against each opponent, and the game's own figures or else the return if known, for rich to print.

    Args:
        results: the figures against each opponent.
        width: characters a line.
    """
    found = next(iter(results.values()), {})
    own = [name for name, (_, interval) in found.items() if interval and name not in ("win_rate", "mean_return")]
    names = [name for name in ("win_rate", *(own or ["mean_return"])) if name in found]
    head = ["opponent", *(f"{name.replace('_', ' ')} [95 %]" for name in names)]
    rows = [[opponent, *(_cell(name, *its[name]) for name in names)] for opponent, its in results.items()]
    return fitting_tables(head, rows, width)


def _cell(name: str, value: float, interval: tuple[float, float] | None) -> str:
    low, high = interval or (value, value)
    if name == "win_rate":
        return f"{100 * value:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{value:+.2f} [{low:+.2f}, {high:+.2f}]"


def save_results(path: Path, values: Mapping[str, Any]) -> None:
    """Write results as JSON, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(values, indent=1) + "\n")


def conclude(
    folder: Path, board: TensorBoard, config: Mapping[str, Any], step: int, found: Mapping[str, Figures], **more: Any
) -> None:
    """Put a run's last figures beside its hyper-parameters in TensorBoard, and all of it into `results.json`."""
    if found:
        results = {f"{name}/{who}": value for who, its in found.items() for name, (value, _) in its.items()}
        board.config(config, step, results)
    save_results(folder / "results.json", {"config": dict(config), "results": found, **more})


# -- what the learner does at each kind of decision -------------------------------------------------------------------


def action_shares(
    masks: npt.NDArray[np.int8], actions: npt.NDArray[np.int64], most: int = 8
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], int]]:
    """The share of each action by kind of decision; decisions are of one kind if the same actions are legal.

    Args:
        masks: (rows, actions), int8.
        actions: (rows,), int64.
        most: how many kinds at most, the commonest.

    Returns:
        For each kind, the commonest first: its legal actions, the share of each, and how many decisions there were.
    """
    kinds, kind_of, counts = np.unique(masks, axis=0, return_inverse=True, return_counts=True)
    found = []
    for kind in np.argsort(-counts, kind="stable")[:most]:
        legal = np.flatnonzero(kinds[kind])
        taken = np.bincount(actions[kind_of.ravel() == kind], minlength=masks.shape[1])
        found.append((legal, taken[legal] / counts[kind], int(counts[kind])))
    return found


def draw_action_shares(
    shares: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], int]],
    names: Mapping[int, str],
) -> npt.NDArray[np.uint8]:
    """A picture of `action_shares`, a bar for each kind of decision, (height, width, 3), uint8.

    Args:
        shares: what `action_shares` returns.
        names: actions in words; a number where there are none.
    """
    figure = new_figure(9, 0.8 + 0.7 * len(shares), dpi=100)
    canvas: Any = figure.canvas
    axes = figure.add_subplot()
    for row, (legal, parts, count) in enumerate(shares):
        left = 0.0
        for place in np.argsort(-parts, kind="stable")[: len(COLOURS)]:
            part, action = float(parts[place]), int(legal[place])
            # Ordered by share, coloured by action: the same action has the same colour in every bar.
            axes.barh(row, part, left=left, color=COLOURS[action % len(COLOURS)], edgecolor="white")
            if part > 0.08:
                label = f"{names.get(action, action)}\n{part:.0%}"
                axes.text(left + part / 2, row, label, ha="center", va="center", fontsize=8, color="white")
            left += part
        axes.text(1.01, row, f"{count:,} decisions", va="center", fontsize=8)
    axes.set(xlim=(0, 1.15), xticks=[0, 0.5, 1], xticklabels=["0 %", "50 %", "100 %"], yticks=[])
    axes.invert_yaxis()
    axes.set_title("Share of each action by kind of decision (greedy)", fontsize=9)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def action_names(
    game: Game, states: np.recarray[Any, Any], masks: npt.NDArray[np.int8], most: int = 64
) -> dict[int, str]:
    """How the actions that are legal at these tables are called, without what stands in brackets (what they cost now).

    Args:
        game: the game.
        states: (rows,), where someone is to decide.
        masks: (rows, actions), int8.
        most: name no more than this.
    """
    names: dict[int, str] = {}
    for row, mask in zip(range(len(states)), masks, strict=True):
        for action in np.flatnonzero(mask).tolist():
            if action not in names and len(names) < most:
                names[action] = re.sub(r" *\(.*", "", game.words.action_text(states[row], action))
    return names


def summary(found: Mapping[str, Figures]) -> str:
    """The win rates of an evaluation in a few words."""
    return "wins " + ", ".join(f"{its['win_rate'][0]:.1%} against {who}" for who, its in found.items())
