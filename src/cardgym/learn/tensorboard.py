"""A run's curves and hyper-parameters: written for TensorBoard, and read back."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from cardgym.console.tables import markdown_table
from cardgym.errors import CardgymError
from cardgym.files import opened
from cardgym.learn import tags
from cardgym.learn.config import words_of

Curve = tuple[list[int], list[float]]
"""Steps in ascending order, and a value at each."""


class TensorBoard:
    """Writes what TensorBoard shows about a run. Use it as a context manager, or call `close`."""

    def __init__(self, folder: Path, step: int = 0) -> None:
        """Open a file of events in a folder, which is created if needed; raise `CardgymError` if that fails.

        A resumed run names the step from which it continues: TensorBoard drops what an interrupted run wrote later, and
        all of it if the run starts anew.
        """
        from torch.utils.tensorboard import SummaryWriter

        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CardgymError(f"cannot make the folder {folder}: {error.strerror}; name another") from error
        self._hook = threading.excepthook
        threading.excepthook = self._ignore_os_errors
        # Values at `step` itself were written before the state was saved: they are kept.
        purged = (step + 1 if step else 0) if _files(folder) else None
        self._writer = SummaryWriter(str(folder), purge_step=purged, flush_secs=10)
        self._has_layout = False

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Write `values` by tag. The first intervals also add the page that draws them as bands."""
        for tag, value in values.items():
            self._writer.add_scalar(tag, value, step)
        if not self._has_layout and (layout := bands(values)):
            self._writer.add_custom_scalars(layout)
            self._has_layout = True

    def hyper_parameters(self, config: Mapping[str, Any]) -> None:
        """Write the hyper-parameters as a table of text."""
        table = markdown_table(["name", "value"], [[name, str(_plain(value))] for name, value in config.items()])
        self._writer.add_text("hyper-parameters", "\n".join(table), 0)

    def final_results(self, step: int, config: Mapping[str, Any], results: Mapping[str, float]) -> None:
        """Write the final results together with the hyper-parameters, to compare runs."""
        plain = {name: _plain(value) for name, value in config.items()}
        self._writer.add_hparams(plain, dict(results), run_name=".", global_step=step)

    def flush(self) -> None:
        """Put everything on disk. Call it before saving a state to resume from."""
        self._writer.flush()

    def close(self) -> None:
        """Put everything on disk and close the file."""
        try:
            self._writer.close()
        finally:
            threading.excepthook = self._hook

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ignore_os_errors(self, args: threading.ExceptHookArgs) -> None:
        """Ignore a full disk: it stops the writer's thread, whose error is raised again at the next call."""
        if not isinstance(args.exc_value, OSError):
            self._hook(args)


def bands(values: Collection[str]) -> dict[str, dict[str, list[Any]]]:
    """Get the layout of TensorBoard's page "Custom Scalars" for the tags `values`: by metric, a chart with bands.

    The exploitability comes first, if there is one.
    """
    layout: dict[str, dict[str, list[Any]]] = {}
    if tags.EXPLOITABILITY in values:
        layout["exploitability"] = {"exact": ["Multiline", [tags.EXPLOITABILITY]]}
    for tag in values:
        if tag.startswith(tags.EVAL):
            metric, _, opponent = tag.removeprefix(tags.EVAL).partition("/")
            lower, upper = tags.ci95_tags(metric, opponent)
            if lower in values:
                charts = layout.setdefault(f"{metric.replace('_', ' ')}, with 95 % intervals", {})
                charts[f"against {opponent}"] = ["Margin", [tag, lower, upper]]
    return layout


def _plain(value: Any) -> int | float | str | bool:
    return value if isinstance(value, int | float | str | bool) else " ".join(words_of(value))


# -- reading ----------------------------------------------------------------------------------------------------------


def read_curves(folder: Path) -> dict[str, Curve]:
    """Return the curves of a run by tag; see `cardgym.learn.tags`.

    A step that was written twice, as after an interruption, counts once, with its last value. A record that was cut
    short, as by a killed process, ends its file.

    Raises:
        CardgymError: if the folder has no TensorBoard files, or one of them is damaged.
    """
    points: dict[str, dict[int, float]] = {}
    if not (files := _files(folder)):
        raise CardgymError(f"{folder}: has no TensorBoard files; name the folder of a run")
    for path in files:
        for event in _events(path):
            if event.HasField("session_log") and event.session_log.status == event.session_log.START:
                for curve in points.values():  # The run was resumed from here.
                    for step in [step for step in curve if step >= event.step]:
                        del curve[step]
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    points.setdefault(value.tag, {})[event.step] = value.simple_value
    return {tag: (sorted(curve), [curve[step] for step in sorted(curve)]) for tag, curve in points.items() if curve}


def _files(folder: Path) -> list[Path]:
    """Return a folder's files of events in the order in which they were made: numbers in their names count up."""
    parts = {path: re.split(r"(\d+)", path.name) for path in folder.glob("events.out.tfevents.*")}
    return sorted(parts, key=lambda path: [int(part) if part.isdecimal() else part for part in parts[path]])


def _events(path: Path) -> Iterator[Any]:
    """Yield the events of a file. TensorBoard's accumulator would silently skip what follows a damaged record."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.tensorflow_stub.errors import DataLossError, OutOfRangeError
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New

    opened(path, what := f"TensorBoard file {path}").close()  # A regular file, which may be read.
    reader = PyRecordReader_New(str(path))
    try:
        while True:
            reader.GetNext()
            yield Event.FromString(reader.curr_event)
    except OutOfRangeError:
        return
    except Exception as error:  # What protobuf raises depends on its build.
        if isinstance(error, DataLossError) and "truncated record in" in str(error):
            return
        raise CardgymError(f"{what}: damaged, or not a file of TensorBoard") from None
