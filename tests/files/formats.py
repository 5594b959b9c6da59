"""Every format that cardgym reads, with a good file of each."""

import contextlib
import importlib.util
import json
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import cardgym
from cardgym.arena.tournament.ranges import REPLICATES, Pairing, RangeStore
from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import registered
from cardgym.errors import CardgymError
from cardgym.experiments.launch import Run, TrainingScript
from cardgym.experiments.sweep import SWEEP, result_of, sweep_folder
from cardgym.files.json_values import sealed
from cardgym.learn.config import read_config
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.saved_state import load_state, save_state
from cardgym.learn.tensorboard import TensorBoard, read_curves
from cardgym.players import resolve
from cardgym.players.checkpoints import CheckpointPlayer, save_checkpoint
from cardgym.players.mixture_file import save_mixture
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import QNetwork
from cardgym.players.policy_file import load_policy, save_policy
from cardgym.players.tables import Q_TABLE, STRATEGY, Pairs, save_q_table
from cardgym.table.game_entries import read_entries
from cardgym.table.game_log import GameLog
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

FOLDER = tempfile.TemporaryDirectory()


@cache
def numbered_game() -> tuple[Game, Options]:
    """A game of one player that numbers its states, so that every kind of file can be one of its players."""
    for name in registered():
        game, options = cardgym.find(name), cardgym.find(name).parse_options()
        if options.num_players == 1 and game.state_index.info_state_labels is not None:
            return game, options
    raise LookupError("no game of one player")


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
    if isinstance(player, CheckpointPlayer):
        return {name: array.tolist() for name, array in player.arrays.items()}
    return [array.tolist() for array in getattr(player, "pairs", None) or player._pairs]


def _write_network(path: Path) -> None:
    game, options = numbered_game()
    name = next(name for name, one in game.observations.items() if one.discrete is None)
    network = QNetwork(network_shape(game, options, name, (8, 8), dueling=False))
    save_checkpoint(path, network, game, options, name, {"seed": 1})


def _write_table(path: Path, form: str) -> None:
    game, options = numbered_game()
    pairs = Pairs(np.arange(1, 9, dtype=np.uint64), np.zeros(8, np.int32), np.linspace(0, 1, 8))
    save_q_table(path, pairs, game, options, game.default_observation, {"seed": 1}, form=form)


def _write_policy(path: Path) -> None:
    game, options = numbered_game()
    assert game.state_index.num_info_states is not None
    save_policy(path, np.zeros(game.state_index.num_info_states(options), np.int8), game, options)


def _plain(state: Any) -> Any:
    """Plain values, and the bytes of arrays."""
    if isinstance(state, dict):
        return {name: _plain(item) for name, item in state.items()}
    if isinstance(state, tuple | list):
        return [_plain(item) for item in state]
    return [state.dtype.str, state.shape, state.tobytes()] if isinstance(state, np.ndarray) else state


_PAIRING = Pairing("CorellianSpike-v0", (), "random", "heuristic", "return", 1)


def _write_range(path: Path) -> None:
    sums = np.linspace(0, 1, 6 * (1 + REPLICATES)).reshape(1 + REPLICATES, 6)
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


@cache
def _played() -> Session:
    session = Session(GameSetup(*numbered_game(), [], seed=3, seat=0))
    session.play()
    while not session.over:
        session.act(session.legal_actions()[0])
    return session


def good_entry() -> dict[str, Any]:
    """An exported game."""
    entry = {**_played().entry(), "id": "good".ljust(22, "-"), "time": "2026-01-01T00:00:00"}
    return {**entry, "moves": [list(move) for move in _played().moves]}


def _write_log(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    with contextlib.closing(GameLog(path)) as game_log:
        for number in range(3):
            entry = {name: value for name, value in good_entry().items() if name not in ("id", "moves")}
            game_log.add(f"game-{number}".ljust(22, "-"), {**entry, "seed": number}, moves=_played().moves)


def _read_log(path: Path) -> Any:
    with contextlib.closing(GameLog(path, read_only=True)) as game_log:
        return list(game_log.entries())


def _write_events(path: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name))
    with TensorBoard(folder) as board:
        board.hyper_parameters({"a": 1})
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


@cache
def _sweep_script() -> TrainingScript:
    config = Path(FOLDER.name) / "sweep.toml"
    config.write_text('env_id = "OnePlayPoker-v0"\n', encoding="utf-8")
    return TrainingScript(config, "tabular")


def _write_sweep(path: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name)) / "sweep"
    with sweep_folder(folder, _sweep_script(), resume=False):
        (folder / SWEEP).replace(path)


def _read_sweep(path: Path) -> Any:
    """Only a file that says what this sweep says lets it go on."""
    folder = Path(tempfile.mkdtemp(dir=FOLDER.name))
    (folder / SWEEP).symlink_to(path)
    with sweep_folder(folder, _sweep_script(), resume=True):
        return "the same sweep"


REQUEST = {
    "game": "CorellianSpike-v0", "options": {"num_players": 3}, "seat": 1, "opponents": ["random", "heuristic"],
    "seed": 5, "hints": "off",
}  # fmt: skip


def _read_request(path: Path) -> Any:
    """What the server makes of a request whose body is a file's content."""
    import asyncio

    from starlette.exceptions import HTTPException
    from starlette.requests import Request

    from cardgym.files.json_values import read_bytes
    from cardgym.table.web import lobby
    from cardgym.table.web.requests import body_of

    content = read_bytes(path, "body")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content}

    try:
        setup = lobby.Lobby().parse(asyncio.run(body_of(Request({"type": "http"}, receive), lobby.NewTable)))
    except HTTPException as error:
        raise CardgymError(error.detail) from None
    return [setup.game.id, setup.options.asdict(), [one and one.name for one in setup.players], setup.seed, setup.seat]


def _cribbage() -> list[Format]:
    """The files of cribbage alone."""
    from cardgym.games.cribbage import chance_table
    from cardgym.games.cribbage import experts as player
    from cardgym.games.cribbage.pegging.policy import PeggingPolicy, load_policy, save_policy

    def write_pegging(path: Path) -> None:
        nodes, hands = np.arange(3, dtype=np.int64), np.ones((2, 1820))
        save_policy(path, PeggingPolicy(nodes, 4 * nodes, np.arange(12, dtype=np.uint8), hands, hands, 0.1),
                    iterations=1, exploitability=0.5)  # fmt: skip

    def write_experts(path: Path) -> None:
        weights = np.full(player.SHAPE, 1 / player.SHAPE[-1], np.float32)
        player.save_experts(path, weights, player.new_pegging(), {"own_crib": True})

    def read_experts(path: Path) -> Any:
        experts = player.load_experts(path)
        return _plain([experts.weights, experts.pegging, experts.own_crib, dict(experts.about)])

    return [
        Format("experts.safetensors", write_experts, read_experts),
        Format("pegging.safetensors", write_pegging, lambda path: _plain(load_policy(path))),
        Format(
            "chances.safetensors",
            lambda path: chance_table.save_table(path, chance_table.load_table(), deals=1, seed=1),
            lambda path: _plain(chance_table.load_table(path)),
        ),
    ]


RESULTS = {"config": {"seed": 1}, "results": {"random": {"win_rate": [0.5, [0.4, 0.6]], "points": [1.5, None]}}}
FORMATS = [
    Format("network.safetensors", _write_network, _player),
    Format("q-table.safetensors", lambda path: _write_table(path, Q_TABLE), _player),
    Format("strategy.safetensors", lambda path: _write_table(path, STRATEGY), _player),
    Format("resume.safetensors", lambda path: save_state(
        path, {"config": "{}", "learner": {"a": np.arange(50), "b": np.ones(3), "c": [1, 0.5, None]}}
    ), lambda path: _plain(load_state(path))),
    Format("range.safetensors", _write_range, _read_range),
    Format("policy.json", _write_policy, lambda path: load_policy(path, *numbered_game()).tolist()),
    Format("some.mixture.json", _write_mixture, _read_mixture),
    Format("results.json", lambda path: _json(path, RESULTS), _read_results),
    Format("sweep.json", _write_sweep, _read_sweep),
    Format("games.jsonl", lambda path: _json(path, good_entry()), read_entries, partial=True),
    Format("games.sqlite", _write_log, _read_log, partial=True),
    Format("events.out.tfevents.1", _write_events, _read_events, partial=True),
    Format("dqn.toml", _write_config, lambda path: read_config(DQNConfig, path).model_dump(), text=True),
]  # fmt: skip
if importlib.util.find_spec("starlette") is not None:
    FORMATS.append(Format("request.json", lambda path: path.write_text(json.dumps(REQUEST)), _read_request, text=True))
if "Cribbage-v0" in registered():
    FORMATS += _cribbage()
if importlib.util.find_spec("stable_baselines3") is not None:
    FORMATS.append(Format("model.zip", _write_model, _read_model))


# -- good files ---------------------------------------------------------------------------------------------------


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
