"""Every format that cardgym reads, and the same families of damage for each.

    python tests/files/corpus.py 10000

opens that many damaged files, spread evenly over the formats, and prints how many were refused and how many opened. A
file may be refused in one line, or opened with exactly the content of the good file.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib.util
import io
import json
import os
import random
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from crafted import game as numbered_game
from crafted import good_checkpoint, good_entry, good_policy, good_q_table, good_report

from cardgym import find
from cardgym.arena.report_file import read_report
from cardgym.arena.tournament.ranges import REPLICATES, Pairing, RangeStore
from cardgym.errors import CardgymError
from cardgym.experiments.launch import Run
from cardgym.experiments.sweep.runner import result_of
from cardgym.files.json_values import sealed
from cardgym.learn.config import read_config
from cardgym.learn.dqn.config import DQNConfig
from cardgym.learn.resume import load_state, save_state
from cardgym.learn.tensorboard import TensorBoard, read_curves
from cardgym.players.base import resolve
from cardgym.players.mixture_file import save_mixture
from cardgym.players.policy_file import load_policy
from cardgym.players.q_table import Pairs
from cardgym.players.strategy_table import save_strategy
from cardgym.solvers.equilibrium import EquilibriumSolver, Method
from cardgym.table.game_entries import read_entries
from cardgym.table.game_log import GameLog

FOLDER = tempfile.TemporaryDirectory()


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        name: the name of a file.
        write: writes a good file.
        read: what a file holds, as plain values; raises `CardgymError`.
        text: whether people may write it too. It has no digest then, so that a changed file may be another good one.
        partial: whether what is undamaged may be read alone, such as the games of a log.
    """

    name: str
    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    text: bool = False
    partial: bool = False


def _player(path: Path) -> Any:
    game, options = numbered_game()
    player: Any = resolve(path, game, options)
    network = getattr(player, "network", None)
    if network is not None:
        return {name: value.tolist() for name, value in network.state_dict().items()}
    return [array.tolist() for array in getattr(player, "pairs", None) or player._pairs]


def _write_strategy(path: Path) -> None:
    game, options = numbered_game()
    pairs = Pairs(np.arange(1, 9, dtype=np.uint64), np.zeros(8, np.int32), np.linspace(0, 1, 8))
    save_strategy(path, pairs, game, options, game.default_observation, {"by": "cfr"})


def _plain(state: Any) -> Any:
    """Plain values in the place of arrays."""
    if isinstance(state, dict):
        return {name: _plain(item) for name, item in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


@cache
def _solver() -> EquilibriumSolver:
    game = find("KuhnPoker-v0")
    return EquilibriumSolver(game, game.parse_options(), Method("cfr", game.default_observation))


def _strategy_of(path: Path) -> Path:
    """The strategy's file whose state is at a path."""
    return path.with_name(path.name.replace(".resume", ""))


def _write_solver(path: Path) -> None:
    _solver().solver.run(3)
    _solver().save(_strategy_of(path))


def _read_solver(path: Path) -> Any:
    solver = _solver()
    solver.load(_strategy_of(path))
    return [solver.solver.iterations, *map(np.ndarray.tolist, solver.solver.state_arrays().values())]


_PAIRING = Pairing("CorellianSpike-v0", (), "random", "heuristic", "return", 1)


def _write_range(path: Path) -> None:
    sums = np.linspace(0, 1, 5 * (1 + REPLICATES)).reshape(1 + REPLICATES, 5)
    store = RangeStore(path.parent)
    store.save(_PAIRING, 0, 1, sums)
    store._path(_PAIRING, 0, 1).replace(path)


def _read_range(path: Path) -> Any:
    class Store(RangeStore):
        def _path(self, *_: Any) -> Path:
            return path

    sums = Store(path.parent).load(_PAIRING, 0, 1)
    if sums is None:
        raise CardgymError("it is played again")
    return sums.tolist()


def _json(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(sealed(document)) + "\n", encoding="utf-8")


def _write_mixture(path: Path) -> None:
    game, options = numbered_game()
    save_mixture(path, {"random": 0.25, next(iter(game.players)): 0.75}, game, options)


def _read_mixture(path: Path) -> Any:
    player: Any = resolve(path, *numbered_game())
    return [[part.name for part in player.players], np.asarray(player.weights).tolist()]


def _write_log(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    with contextlib.closing(GameLog(path)) as game_log:
        for number in range(3):
            entry = {name: value for name, value in good_entry().items() if name not in ("id", "moves")}
            game_log.add(f"game {number}", {**entry, "seed": number}, moves=[(0, number), (0, 1)])


def _read_log(path: Path) -> Any:
    with contextlib.closing(GameLog(path, read_only=True)) as game_log:
        return list(game_log.entries())


def _write_events(path: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name))
    with TensorBoard(folder) as board:
        board.hyper_parameters({"a": 1})
        board.picture("p", 1, np.zeros((40, 40, 3), np.uint8))
        for step in range(5):
            board.scalars(step, {"x": step / 2, "y": 1.0})
    next(folder.iterdir()).replace(path)


def _read_events(path: Path) -> Any:
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name))
    (folder / path.name).symlink_to(path)
    return [[tag, *point] for tag, curve in read_curves(folder).items() for point in zip(*curve, strict=True)]


def _read_results(path: Path) -> Any:
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name))
    if path.is_symlink() or path.exists():
        (folder / "results.json").symlink_to(path)
    result = result_of(Run("seed1", (), {}, 1), folder, 0)
    if result.problem is not None:
        raise CardgymError(result.problem)
    return result.results


def _write_config(path: Path) -> None:
    path.with_name("base.toml").write_text("gamma = 0.5\n", encoding="utf-8")
    path.write_text('base = "base.toml"\nenv_id = "CorellianSpike-v0"\nhidden_sizes = [8, 8]\n', encoding="utf-8")


def _write_model(path: Path) -> None:
    import gymnasium
    from stable_baselines3 import DQN

    env = gymnasium.make(numbered_game()[0].id)
    DQN("MlpPolicy", env, device="cpu", seed=1, policy_kwargs={"net_arch": [8]}, buffer_size=10).save(path)


def _read_model(path: Path) -> Any:
    player: Any = resolve(path, *numbered_game())
    return [player.observation_name, {name: value.tolist() for name, value in player._policy.state_dict().items()}]


RESULTS = {"config": {"seed": 1}, "results": {"random": {"win_rate": [0.5, [0.4, 0.6]], "points": [1.5, None]}}}
FORMATS = [
    Format("network.safetensors", good_checkpoint, _player),
    Format("q-table.safetensors", good_q_table, _player),
    Format("strategy.safetensors", _write_strategy, _player),
    Format("resume.safetensors", lambda path: save_state(
        path, {"config": "{}", "learner": {"a": np.arange(50), "b": np.ones(3), "c": [1, 0.5, None]}}
    ), lambda path: _plain(load_state(path))),
    Format("solver.resume.safetensors", _write_solver, _read_solver),
    Format("range.safetensors", _write_range, _read_range),
    Format("policy.json", good_policy, lambda path: load_policy(path, *numbered_game()).tolist()),
    Format("some.mixture.json", _write_mixture, _read_mixture),
    Format("report.json", lambda path: _json(path, good_report()), read_report),
    Format("results.json", lambda path: _json(path, RESULTS), _read_results),
    Format("games.jsonl", lambda path: _json(path, good_entry()), read_entries, partial=True),
    Format("games.sqlite", _write_log, _read_log, partial=True),
    Format("events.out.tfevents.1", _write_events, _read_events, partial=True),
    Format("dqn.toml", _write_config, lambda path: read_config(DQNConfig, path).model_dump(), text=True),
]  # fmt: skip
if importlib.util.find_spec("stable_baselines3") is not None:
    FORMATS.append(Format("model.zip", _write_model, _read_model))


# -- damage -----------------------------------------------------------------------------------------------------------


def places(form: Format, path: Path) -> dict[str, Callable[[], Any]]:
    """What may stand in a file's place, each as a function that puts it there."""
    other = path.with_name(f"other-{path.name}")

    def no_permission() -> None:
        path.write_bytes(good(form))
        path.chmod(0)

    def link_loop() -> None:
        path.symlink_to(other)
        other.symlink_to(path)

    found: dict[str, Callable[[], Any]] = {
        "missing": lambda: None,
        "directory": path.mkdir,
        "broken link": lambda: path.symlink_to("nothing"),
        "link loop": link_loop,
        "no permission": no_permission,
    }
    if hasattr(os, "mkfifo"):
        found["FIFO"] = lambda: os.mkfifo(path)
    return found


def contents(form: Format, draw: random.Random) -> tuple[bytes, bool]:
    """A good file, damaged at random, and whether it may be another good file: its digest was removed."""
    content = bytearray(good(form))
    size, other = len(content), form.text
    kind = draw.choice(("flip", "flip", "flip", "cut", "longer", "zeros", "piece", "text", "json", "json", "resealed"))
    if kind == "flip":
        for _ in range(draw.choice((1, 1, 3))):
            content[draw.randrange(size)] ^= 1 << draw.randrange(8)
    elif kind == "cut":
        del content[draw.choice((0, 1, draw.randrange(size), size - 1)) :]
    elif kind == "longer":
        content += draw.choice((b"\x00", b"more", bytes(4096), bytes(content)))
    elif kind == "zeros":
        start = draw.randrange(size)
        content[start : start + 512] = bytes(len(content[start : start + 512]))
    elif kind == "piece":
        start = min(draw.choice((draw.randrange(size), draw.randrange(min(size, 200)))), size)
        piece = draw.choice((b"\xff" * 8, np.float32(np.nan).tobytes(), b"[" * 300, b"9" * 30, bytes(7) + b"\x10"))
        content[start : start + draw.choice((0, len(piece)))] = piece
    elif kind == "text":
        encoded = draw.choice(("utf-16", "bom", "crlf"))
        text = content.decode("latin-1")
        content = bytearray(
            text.encode("utf-16") if encoded == "utf-16"
            else b"\xef\xbb\xbf" + content if encoded == "bom"
            else content.replace(b"\n", b"\r\n")
        )  # fmt: skip
    elif form.name.endswith((".json", ".jsonl")):
        value = json.loads(content)
        _change(value, draw)
        if kind == "resealed":
            value.pop("sha256", None)
        other = "sha256" not in value
        content = bytearray(json.dumps(value).encode())
    elif form.name.endswith(".safetensors"):
        content = _changed_document(bytes(content), draw)
    elif form.name.endswith(".sqlite"):
        content = _changed_rows(draw)
    return bytes(content), other


VALUES: list[Any] = [
    None, True, -1, 2**63, 10**19, 1e300, float("nan"), float("inf"), "", "x" * 5000, "\ud800", "\x1b[2J", [],
    [0] * 5000, {}, {"a": {}}, [[]],
]  # fmt: skip


def _change(value: Any, draw: random.Random) -> None:
    """Remove or replace an entry of a JSON value, at any depth."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = draw.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and draw.random() < 0.7:
        _change(value[key], draw)
    elif draw.random() < 0.3:
        del value[key]
    else:
        value[key] = copy.deepcopy(draw.choice(VALUES))


def _changed_document(content: bytes, draw: random.Random) -> bytearray:
    """A file of tensors with another header."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    if draw.random() < 0.5:
        _change(header, draw)
    else:
        document = json.loads(header["__metadata__"]["cardgym"])
        _change(document, draw)
        header["__metadata__"]["cardgym"] = json.dumps(document)
    head = json.dumps(header).encode()
    return bytearray(len(head).to_bytes(8, "little") + head + content[8 + size :])


def _changed_rows(draw: random.Random) -> bytearray:
    """A game log with other values in some place."""
    path = Path(FOLDER.name) / "changed.sqlite"
    path.write_bytes(good(next(form for form in FORMATS if form.name.endswith(".sqlite"))))
    with contextlib.closing(sqlite3.connect(path)) as database:
        table, column = draw.choice(
            [("games", name) for name in ("id", "env", "finished", "owner", "entry", "seal")]
            + [("moves", name) for name in ("game", "n", "seat", "move")]
        )
        value = draw.choice(["", "x", 3, 2**62, 1.5, b"\xff\x00", "{}", "[" * 10_000])
        with contextlib.suppress(sqlite3.Error):
            database.execute(f"update {table} set {column} = ? where rowid = 2" if table == "games" else
                             f"update moves set {column} = ? where n = 1 and game = 'game 1'", (value,))  # fmt: skip
        database.commit()
        database.execute("pragma wal_checkpoint(truncate)")
        database.execute("pragma journal_mode = delete")
    return bytearray(path.read_bytes())


# -- checks -----------------------------------------------------------------------------------------------------------


@cache
def good(form: Format) -> bytes:
    """The bytes of a good file."""
    path = Path(FOLDER.name) / f"good-{form.name}"
    form.write(path)
    if form.name.endswith(".sqlite"):
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("pragma journal_mode = delete")
    return path.read_bytes()


@cache
def good_value(form: Format) -> Any:
    """What a good file holds."""
    path = new_path(form)
    path.write_bytes(good(form))
    return form.read(path)


def new_path(form: Format) -> Path:
    """A path for a file, with nothing there; files that it refers to are next to it."""
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name))
    if form.name.endswith(".toml"):
        (folder / "base.toml").write_text("gamma = 0.5\n", encoding="utf-8")
    return folder / form.name


def check(form: Format, path: Path, *, other: bool = False) -> bool:
    """Open a file; whether it was opened. Fails for anything but the good content or one printable line.

    With `other` any content will do.
    """
    wanted = good_value(form)
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            found = form.read(path)
        except CardgymError as error:
            message = str(error)
            assert message.isprintable(), message
            assert len(message) < 2000, message
            return False
    if form.partial and not other:
        assert all(item in wanted for item in found), found
    elif not other:
        assert found == wanted, found
    return True


def damaged(count: int, seed: int) -> Iterator[tuple[Callable[[], bool], Format, str]]:
    """Damaged files, the formats in turn: a check of each, its format, and what says how to make it again."""
    for number in range(count):
        form = FORMATS[number % len(FORMATS)]
        path = new_path(form)
        content, other = contents(form, random.Random(f"{seed} {number}"))
        path.write_bytes(content)
        yield functools.partial(check, form, path, other=other), form, f"{form.name}, damage {number} of seed {seed}"
        path.unlink()


def main(count: int, seed: int = 1) -> None:
    """Check that many files, with little more memory than an idle process has."""
    import resource

    for form in FORMATS:
        check(form, Path(FOLDER.name) / f"good-{form.name}") if good(form) else None
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
    opened = dict.fromkeys((form.name for form in FORMATS), 0)
    for is_opened, form, name in damaged(count, seed):
        try:
            opened[form.name] += is_opened()
        except BaseException:
            print(name, file=sys.stderr)
            raise
    unchanged = ", ".join(f"{number} {name}" for name, number in opened.items() if number)
    print(f"{count:,} files: {count - sum(opened.values()):,} refused in one line; opened: {unchanged}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
