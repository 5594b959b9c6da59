"""Datasets of played games, written part by part: a recording that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.arena.decisions import Columns, DecisionRecorder
from cardgym.arena.match import number_of_games
from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, reporting_missing, whole_number
from cardgym.files import replacing
from cardgym.files.json_values import digest_of, parse_json, read_bytes
from cardgym.files.locks import locked
from cardgym.players import PlayerSpec, resolve_all
from cardgym.players.base import absolute
from cardgym.players.identity import player_digest

Progress = Callable[[int, int], None]


def record_dataset(
    game: Game,
    options: Options,
    players: Sequence[PlayerSpec],
    *,
    games: int,
    seed: int,
    out: str,
    progress: Progress = lambda done, total: None,
) -> int:
    """Play games and write the decisions of all seats to a dataset; returns their number.

    What is played is kept in the folder `OUT.partial` until the dataset is complete, so the same call goes on after an
    interruption, and the dataset has the same content. Memory does not grow with the games.

    Args:
        games: how many games to play.
        out: a path ending in `.npz` (the columns of `DecisionRecorder.columns`), or the id of a Minari dataset.
        progress: called with the games played and their total.

    Raises:
        CardgymError: for bad arguments, a dataset that exists already, or a partial one of other games.
    """
    kind = _Npz if Path(out).suffix == ".npz" else _Minari
    games, seed = number_of_games(games), whole_number("seed", seed, 0)
    what = [kind.__name__, game.id, games, seed, [player_digest(spec, game, options) for spec in players]]
    folder = Path(f"{out.replace('/', '-') if kind is _Minari else out}.partial")
    with locked(folder):
        partial = _Partial(folder, digest_of(what), out)
        writer = kind(_Games(game, options, players, games, seed), out, partial)
        _refuse_another(writer.path, partial)
        while partial.games < games:
            count = min(writer.at_once, games - partial.games)
            partial.add(writer.play(partial.games, count), count)
            progress(partial.games, games)
        _refuse_another(writer.path, partial)  # One that was made meanwhile.
        partial.begun.touch()
        writer.finish()
        shutil.rmtree(folder)
    return partial.rows


def _refuse_another(path: Path, partial: _Partial) -> None:
    """Refuse to overwrite a dataset, unless this recording began to write it and was stopped."""
    if path.exists() and not partial.begun.exists():
        raise CardgymError(f"--out {path}: exists; name another, or delete it")


class _Games(NamedTuple):
    """The games of a dataset."""

    game: Game
    options: Options
    players: Sequence[PlayerSpec]
    games: int
    seed: int


class _Partial:
    """The games played so far: a file of bytes for each column, and how much of each counts."""

    def __init__(self, folder: Path, identity: str, out: str) -> None:
        self._folder, self._identity, self._out = folder, identity, out
        self._state, self.begun = folder / "state.json", folder / "begun"
        self.games, self.rows, self._sizes = 0, 0, dict[str, int]()
        if self._state.exists():
            state = parse_json(read_bytes(self._state, f"{self._state}"), f"{self._state}")
            if not isinstance(state, dict) or state.get("identity") != identity:
                raise CardgymError(f"{folder}: of other games or players; delete it, or name another --out than {out}")
            self.games, self.rows, self._sizes = state["games"], state["rows"], state["sizes"]

    def path(self, name: str) -> Path:
        return self._folder / name

    def add(self, columns: Columns, games: int) -> None:
        """Append the columns of some games; they count once all are written."""
        try:
            for name, column in columns.items():
                with open(self.path(name), "r+b" if self.path(name).exists() else "wb") as file:
                    file.truncate(self._sizes.get(name, 0))
                    file.seek(0, os.SEEK_END)
                    file.write(np.ascontiguousarray(column).data.cast("B"))
                    self._sizes[name] = file.tell()
        except OSError as error:
            raise CardgymError(f"cannot write {self._out}: {error.strerror or error}") from error
        self.games += games
        self.rows += len(next(iter(columns.values())))
        state = {"identity": self._identity, "games": self.games, "rows": self.rows, "sizes": self._sizes}
        with replacing(self._state, durable=False) as temporary:
            temporary.write_text(json.dumps(state))

    def read(self, name: str, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a column, in its file, with the type and the shape of a row as in `like`."""
        if not self.rows:
            return like
        return np.memmap(
            self.path(name), like.dtype, "r", shape=(self._sizes[name] // _row_bytes(like), *like.shape[1:])
        )


def _row_bytes(like: npt.NDArray[Any]) -> int:
    return like.dtype.itemsize * int(np.prod(like.shape[1:]))


class _Npz:
    """The columns in a file of NumPy, and `about`, JSON that says what was played."""

    def __init__(self, wanted: _Games, out: str, partial: _Partial) -> None:
        game, options, players, _, seed = wanted
        roster = resolve_all(players, game, options)
        self._recorder = DecisionRecorder(game, options, roster, seed=seed)
        self.path, self._partial = Path(out), partial
        names = [player.name for player in roster]
        self._about = json.dumps({"env": game.id, "options": options.asdict(), "players": names, "seed": seed})
        self.at_once = self._recorder.rows

    def play(self, first: int, count: int) -> Columns:
        """Record the next games."""
        return self._recorder.play(first, count)

    def finish(self) -> None:
        """Write the dataset."""
        with replacing(self.path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
            with archive.open(_member("about"), "w") as file:
                np.lib.format.write_array(file, np.array(self._about))
            for name, like in self._recorder.columns().items():
                with archive.open(_member(name), "w", force_zip64=True) as file:
                    shape = (self._partial.rows, *like.shape[1:])
                    header = {"descr": np.lib.format.dtype_to_descr(like.dtype), "fortran_order": False, "shape": shape}
                    np.lib.format.write_array_header_1_0(file, header)
                    with open(self._partial.path(name), "rb") as column:
                        shutil.copyfileobj(column, file, 1 << 20)


def _member(name: str) -> zipfile.ZipInfo:
    """Return a member of an archive, without the time: the same games give the same bytes."""
    member = zipfile.ZipInfo(f"{name}.npy")
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


class _Minari(_Npz):
    """A Minari dataset: an episode for each seat of each game, unless it never decides.

    The environment has the other players as its opponents, as the first player met them, in a seat drawn for each game.
    """

    def __init__(self, wanted: _Games, out: str, partial: _Partial) -> None:
        with reporting_missing(f"--out {out}, not .npz but a Minari dataset,"):
            import h5py  # noqa: F401  # What Minari stores with.
            from minari.dataset.minari_dataset import parse_dataset_id
            from minari.storage import get_dataset_path
        try:
            parse_dataset_id(out)
        except (TypeError, ValueError):  # TypeError for an id without a version.
            raise CardgymError(f"--out {out}: a file (.npz) or a Minari dataset such as mine/ppo-v0") from None
        super().__init__(wanted, out, partial)
        self._id, self._wanted, self.path = out, wanted, Path(get_dataset_path(out))

    def play(self, first: int, count: int) -> Columns:
        """Record the next games, and what each seat saw at their ends."""
        return {**self._recorder.play(first, count), "last": self._recorder.last_observations(count)}

    def finish(self) -> None:
        """Write the dataset, from its beginning if an earlier attempt was stopped."""
        import gymnasium
        import minari

        game, options, players = self._wanted[:3]
        opponents = [absolute(spec) if isinstance(spec, str) else spec for spec in players[1:]]
        seat = "random" if options.num_players > 1 else 0
        arguments: dict[str, Any] = {**options.asdict(), "seat": seat, "opponent": opponents, "obs_mode": "dict"}
        env: Any = gymnasium.make(game.id, **arguments)
        shutil.rmtree(self.path, ignore_errors=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # That nobody is named as the author.
            minari.create_dataset_from_buffers(
                self._id,
                self._episodes(),  # Only iterated over.
                env=env,
                eval_env=env,
                algorithm_name=", ".join(map(str, players)),
                description=self._about,
            )

    def _episodes(self) -> Iterator[Any]:
        from minari.data_collector import EpisodeBuffer

        game, options = self._wanted[:2]
        kinds = self._recorder.columns()
        seats, size = options.num_players, kinds["observations"].shape[1]
        discrete = game.observation(game.default_observation).discrete is not None
        for first in range(0, self._partial.games, self.at_once):
            # Opened anew each time, so that what was read before leaves the memory.
            columns = {name: self._partial.read(name, like) for name, like in kinds.items()}
            ends = self._partial.read("last", np.empty((0, seats, size), np.float32))
            start, stop = np.searchsorted(columns["game"], [first, first + self.at_once])
            some = {name: np.asarray(column[start:stop]) for name, column in columns.items()}
            order = np.argsort(some["game"] * seats + some["seat"], kind="stable")
            for rows in np.split(order, np.flatnonzero(some["ends"][order])[:-1] + 1):
                game_number, seat = int(some["game"][rows[0]]), int(some["seat"][rows[0]])
                seen = np.concatenate([some["observations"][rows], ends[game_number, seat][None]])
                seen = seen[:, 0].astype(np.int64) if discrete else seen
                masks = np.concatenate([some["masks"][rows], np.ones((1, some["masks"].shape[1]), np.int8)])
                facts = {"seat": seat, "player": int(some["player"][rows[0]])}
                yield EpisodeBuffer(
                    observations={"observation": seen, "action_mask": masks},
                    actions=some["actions"][rows].astype(np.int64),
                    rewards=some["rewards"][rows],
                    terminations=some["ends"][rows],
                    truncations=np.zeros(len(rows), np.bool_),
                    infos={name: np.full(len(seen), value) for name, value in facts.items()},
                )
