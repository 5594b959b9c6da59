"""What a player is, and how one is found by name, path or as a callable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from cardgym.engine import registry
from cardgym.engine.contract import CompiledPolicy, Game, Options, TablePolicy
from cardgym.errors import CardgymError, unknown

Policy = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], int]
"""A Python callable as a player: `policy(observation, action_mask)` returns a legal action."""


@dataclass(frozen=True)
class CompiledPlayer:
    """A player of the game that the kernel plays by itself."""

    name: str


@dataclass(frozen=True, eq=False)
class TablePlayer:
    """A table of actions over the game's state index, int8; the kernel plays it by itself."""

    name: str
    actions: npt.NDArray[np.int8]


@runtime_checkable
class BatchPolicy(Protocol):
    """A player asked from outside the kernel, many rows at once."""

    @property
    def name(self) -> str:
        """What it is called in reports."""
        ...

    @property
    def observation_name(self) -> str | None:
        """The observation it reads; None takes the table's."""
        ...

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Legal actions, (rows,) int64, for observations (rows, size) float32 and masks (rows, actions) int8."""
        ...


@dataclass(frozen=True, eq=False)
class CallablePlayer:
    """A Python callable, asked row by row."""

    name: str
    policy: Policy
    observation_name: str | None = None

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Ask the callable for each row, on copies that it may keep or change."""
        chosen = [
            self.policy(observation.copy(), mask.copy()) for observation, mask in zip(observations, masks, strict=True)
        ]
        return np.array(chosen)  # Of whatever kind they are: `checked_actions` refuses what is no whole number.


Player = CompiledPlayer | TablePlayer | BatchPolicy
PlayerSpec = str | Path | Policy | Player
"""How a player is named: a compiled player's or a table's name, a path, a callable, or a player itself."""


def player_names(game: Game) -> tuple[str, ...]:
    """The names of the players that a game knows."""
    return ("random", *game.players)


def resolve(spec: PlayerSpec, game: Game, options: Options) -> Player:
    """The player that `spec` names.

    A path ending in `.json` is a policy file, one ending in `.npz` a Q-table over observations, one ending in
    `.safetensors` a network's checkpoint; games add suffixes of their own.

    Raises:
        CardgymError: for an unknown name, or a file that is missing or was made for something else.
    """
    if isinstance(spec, CompiledPlayer | TablePlayer):
        return spec
    if not isinstance(spec, str | Path):
        if isinstance(spec, BatchPolicy):
            return spec
        if callable(spec):
            return CallablePlayer(getattr(spec, "__name__", type(spec).__name__), spec)
        raise CardgymError(f"player {spec!r}: give a name, a path or a callable (observation, action_mask) -> action")
    name = str(spec)
    if name == "random":
        return CompiledPlayer(name)
    if name in game.players:
        return _own_player(name, game, options)
    for suffix, load in _loaders():
        if name.endswith(suffix):
            player: Player = load(Path(name), game, options)
            return player
    paths = "a path to a .json policy, .npz Q-table or .safetensors checkpoint"
    raise unknown("player", name, [*player_names(game), paths])


def _own_player(name: str, game: Game, options: Options) -> Player:
    policy = game.players[name]
    if isinstance(policy, CompiledPolicy):
        return CompiledPlayer(name)
    if isinstance(policy, TablePolicy):
        return TablePlayer(name, policy.make(options))
    player: BatchPolicy = policy.make(options)
    return player


_LOADERS = {
    ".json": "cardgym.players.policy_file:load_player",
    ".safetensors": "cardgym.players.networks:load_player",
    ".npz": "cardgym.players.q_table:load_player",
}
"""How players are loaded from files, by suffix."""


def _loaders() -> Iterator[tuple[str, Callable[[Path, Game, Options], Player]]]:
    """Suffixes with their loaders, the longest first: a game's `.name.safetensors` comes before `.safetensors`."""
    references = {**_LOADERS, **dict(registry.loaders())}
    for suffix in sorted(references, key=len, reverse=True):
        yield suffix, lambda *given, reference=references[suffix]: registry.load(reference)(*given)


def seated(players: PlayerSpec | Sequence[PlayerSpec], seats: int) -> list[PlayerSpec]:
    """The players of so many seats: one for all of them, or one for each.

    Raises:
        CardgymError: for a list of another length.
    """
    if isinstance(players, str) or not isinstance(players, Sequence):
        return [players] * seats
    if len(players) != seats:
        raise CardgymError(f"{len(players)} opponents for {seats} seats: name one for all, or one for each")
    return list(players)


def resolve_all(specs: Sequence[PlayerSpec], game: Game, options: Options) -> list[Player]:
    """The players of a game, one for each seat.

    Raises:
        CardgymError: for more or fewer of them than seats, and as `resolve`.
    """
    seats = options.num_players
    if len(specs) != seats:
        wanted = "1 seat: name 1 player" if seats == 1 else f"{seats} seats: name {seats} players, one for each"
        raise CardgymError(f"{game.id} has {wanted}, not {len(specs)}")
    return [resolve(spec, game, options) for spec in specs]


def checked_actions(player: BatchPolicy, actions: Any, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """The actions an outside player chose, or an error that names it where one is not legal."""
    chosen = np.asarray(actions)
    if chosen.shape != (len(masks),) or not np.issubdtype(chosen.dtype, np.integer):
        raise CardgymError(f"player {player.name}: give one whole number a row, not {chosen.dtype} {chosen.shape}")
    result: npt.NDArray[np.int64] = chosen.astype(np.int64)
    inside = (result >= 0) & (result < masks.shape[1])
    legal = inside & (masks[np.arange(len(masks)), np.where(inside, result, 0)] != 0)
    if not legal.all():
        row = int(np.argmin(legal))
        allowed = ", ".join(map(str, np.flatnonzero(masks[row])))
        raise CardgymError(f"player {player.name}: action {result[row]} is not legal; allowed are {allowed}")
    return result
