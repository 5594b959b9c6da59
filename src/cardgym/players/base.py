"""What a player is, and how one is found: by name, by path, or as a callable."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from cardgym.engine import registry
from cardgym.engine.contract import CompiledPolicy, Game, Options, TablePolicy
from cardgym.errors import CardgymError, unknown
from cardgym.files import shipped
from cardgym.files.tensors import METADATA_KEY
from cardgym.players.legality import check_legal

Policy = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], int]
"""A Python callable as a player: `policy(observation, action_mask)` returns a legal action."""


@dataclass(frozen=True)
class CompiledPlayer:
    """A player that the game brings as compiled code, and the kernel plays."""

    name: str


@dataclass(frozen=True, eq=False)
class TablePlayer:
    """A player that the kernel looks up in a policy table.

    Attributes:
        name: its name in reports.
        actions: int8 actions by the game's info state index, (num_info_states,).
    """

    name: str
    actions: npt.NDArray[np.int8]


@runtime_checkable
class BatchPolicy(Protocol):
    """A player outside the kernel, which chooses actions for many rows at once."""

    @property
    def name(self) -> str:
        """Its name in reports."""
        ...

    @property
    def observation_name(self) -> str | None:
        """The observation it reads; None for whatever the games are played with."""
        ...

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Legal actions, (rows,) int64, for observations (rows, size) float32 and masks (rows, actions) int8."""
        ...


@runtime_checkable
class SamplingPolicy(BatchPolicy, Protocol):
    """A batch policy that draws its actions at random, with draws that it is given: each game's are its own."""

    @property
    def samples(self) -> bool:
        """Whether it wants draws; without them it is deterministic."""
        ...

    def act(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        draws: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.int64]:
        """As `BatchPolicy.act`, with draws (rows,) float64, uniform in [0, 1)."""
        ...


@runtime_checkable
class SoftPolicy(BatchPolicy, Protocol):
    """A batch policy that says how much it prefers some actions to others: more than which one it takes."""

    def soft_probabilities(
        self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8], temperature: float
    ) -> npt.NDArray[np.float32]:
        """The probability of each action, (rows, actions) float32; 0 for illegal actions.

        Where the policy chooses by values, it is the softmax of these, in their own unit, divided by `temperature`; 0
        leaves the best action alone. Where it mixes, the probabilities are its own at every temperature.
        """
        ...


@dataclass(frozen=True, eq=False)
class CallablePlayer:
    """A Python callable as a batch policy, called row by row."""

    name: str
    policy: Policy
    observation_name: str | None = None

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Call the policy for each row, with copies that it may keep or change."""
        chosen = [
            self.policy(observation.copy(), mask.copy()) for observation, mask in zip(observations, masks, strict=True)
        ]
        return np.array(chosen)  # Of any dtype: `legal_actions` refuses what is no whole number.


@dataclass(frozen=True, eq=False)
class BatchedCallable:
    """A Python callable as a batch policy, called once for all rows; made by `batched`.

    Attributes:
        name: its name in reports.
        policy: `policy(observations, masks)`, as `BatchPolicy.act`.
        observation_name: the observation it reads; None for whatever the games are played with.
    """

    name: str
    policy: Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], npt.ArrayLike]
    observation_name: str | None = None

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Call the policy once."""
        return np.asarray(self.policy(observations, masks))  # Of any dtype: `legal_actions` refuses what is wrong.

    def __call__(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.ArrayLike:
        """The callable itself."""
        return self.policy(observations, masks)


def batched(
    policy: Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], npt.ArrayLike],
    *,
    name: str | None = None,
    observation_name: str | None = None,
) -> BatchedCallable:
    """A callable that takes batches as a player; also a decorator.

    One call decides for all games that wait, instead of one call a decision.

    Args:
        policy: `policy(observations, masks)` returns legal actions, whole numbers of (rows,), for observations
            (rows, size), float32, and masks (rows, actions), int8. Both are copies that it may keep or change.
        name: its name in reports; the callable's own if None.
        observation_name: the observation it reads; None for whatever the games are played with.
    """
    own_name = str(getattr(policy, "__name__", type(policy).__name__))
    return BatchedCallable(name or own_name, policy, observation_name)


SinglePlayer = CompiledPlayer | TablePlayer | BatchPolicy


@dataclass(frozen=True, eq=False)
class MixturePlayer:
    """A player that draws one of several players for each game; made by `cardgym.players.mixtures`.

    Attributes:
        name: its name in reports.
        players: the players.
        weights: how likely each of them is, summing to 1.
    """

    name: str
    players: tuple[SinglePlayer, ...]
    weights: tuple[float, ...]


Player = SinglePlayer | MixturePlayer


class Acts(Protocol):
    """An object that chooses actions for many rows at once, as `BatchPolicy` without its names."""

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.ArrayLike:
        """Legal actions, whole numbers of (rows,)."""
        ...


PlayerSpec = str | Path | Policy | Player | Acts
"""How a caller names a player: a name that the game knows, a path, a callable, an object with `act`, or the player."""


def player_names(game: Game) -> tuple[str, ...]:
    """The names of the players that can be named for a game, those of its checkpoints left out."""
    return ("random", *game.players)


def checkpoints(game: Game, options: Options | None = None) -> dict[str, Path]:
    """The checkpoints that come with a game, by the names that players have.

    Files of other ids are left out, and where `options` are given those made for other options, such as more players.
    """
    package = registry.package_of(game)
    if package is None:
        return {}
    files = shipped.checkpoints(package.name, player_suffixes())
    return {name: path for name, path in files.items() if _is_of(path, game, options)}


def _is_of(path: Path, game: Game, options: Options | None) -> bool:
    """Whether a checkpoint was made for a game and its options, as far as its metadata say."""
    with open(path, "rb") as file:
        header = file.read(int.from_bytes(file.read(8), "little")) if path.suffix == ".safetensors" else b""
    metadata = json.loads(json.loads(header or "{}").get("__metadata__", {}).get(METADATA_KEY, "{}"))
    if options is None or "options" not in metadata:
        return metadata.get("env") in (game.id, None)
    from cardgym.players.compatibility import check_made_for

    try:
        check_made_for(str(path), metadata["env"], metadata["options"], game, options)
    except CardgymError:
        return False
    return True


def resolve(spec: PlayerSpec, game: Game, options: Options) -> Player:
    """The player that `spec` names.

    An object with a method `act` is a batch policy, whose `name` and `observation_name` may be left out.

    A path is a policy file (`.json`), a Q-table (`.npz`), a network's checkpoint (`.safetensors`), a mixture of players
    (`.mixture.json`) or a model of Stable-Baselines3 (`.zip`); games add suffixes of their own. A policy network
    samples its actions; with `:greedy` behind the path it takes the most probable ones. A checkpoint that comes with
    the game has a name too, its file's without suffixes, and is found by its path in a checkout from any folder.

    Raises:
        CardgymError: for an unknown name, or a file that is missing or was made for another game or other options.
    """
    if isinstance(spec, CompiledPlayer | TablePlayer | MixturePlayer):
        return spec
    if not isinstance(spec, str | Path):
        if isinstance(spec, BatchPolicy):
            return spec
        act = getattr(spec, "act", None)
        if callable(act):
            own_name = getattr(spec, "name", type(spec).__name__)
            return BatchedCallable(str(own_name), act, getattr(spec, "observation_name", None))
        if callable(spec):
            return CallablePlayer(getattr(spec, "__name__", type(spec).__name__), spec)
        raise CardgymError(
            f"player {spec!r}: give a name, a path, a callable (observation, action_mask) -> action, or an object with "
            "act(observations, masks) -> actions"
        )
    name = str(spec)
    if name == "random":
        return CompiledPlayer(name)
    if name in game.players:
        return _own_player(name, game, options)
    if player := _load(name, game, options):
        return player
    files = checkpoints(game)
    short, greedy = name.removesuffix(GREEDY), GREEDY if name.endswith(GREEDY) else ""
    if short in files and (player := _load(f"{files[short]}{greedy}", game, options)):
        return _called(name, player)
    paths = "a path to a .json policy, .npz Q-table, .safetensors checkpoint or .zip model"
    raise unknown("player", name, [*player_names(game), *files, paths])


def _load(name: str, game: Game, options: Options) -> Player | None:
    """The player of a file; None where no loader takes files of that name."""
    references = _references()
    for suffix in sorted(references, key=len, reverse=True):  # `.name.safetensors` comes before `.safetensors`.
        if name.endswith(suffix):
            greedy = GREEDY if name.endswith(GREEDY) else ""
            path = shipped.checkpoint_path(Path(name.removesuffix(greedy)))
            player: Player = registry.load(references[suffix])(Path(f"{path}{greedy}"), game, options)
            return _called(name, player)
    return None


def _called(name: str, player: Player) -> Player:
    """A player under the name that it was given, instead of the path where its file happens to be installed."""
    if isinstance(player, TablePlayer | CompiledPlayer | MixturePlayer):
        return replace(player, name=name)
    player.name = name  # type: ignore[misc]  # Loaders' players can be renamed; a batch policy in general need not.
    return player


def _own_player(name: str, game: Game, options: Options) -> Player:
    policy = game.players[name]
    if isinstance(policy, CompiledPolicy):
        return CompiledPlayer(name)
    if isinstance(policy, TablePolicy):
        return TablePlayer(name, policy.make(options))
    player: BatchPolicy = policy.make(options)
    return player


TRUST = "CARDGYM_TRUST"
"""The environment variable that, set to 1, lets players' files be unpickled, which runs whatever code they hold."""

GREEDY = ":greedy"
"""Behind the path of a policy network: its most probable actions, instead of actions sampled."""

_LOADERS = {
    ".json": "cardgym.players.policy_file:load_player",
    ".mixture.json": "cardgym.players.mixture_file:load_player",
    ".safetensors": "cardgym.players.checkpoints:load_player",
    f".safetensors{GREEDY}": "cardgym.players.checkpoints:load_greedy_player",
    ".npz": "cardgym.players.q_table:load_player",
    ".strategy.npz": "cardgym.players.strategy_table:load_player",
    ".zip": "cardgym.interop.sb3.player:load_player",
}
"""How players are loaded from files, by suffix."""


def _references() -> dict[str, str]:
    """References to loaders, the games' own too, by suffix."""
    return {**_LOADERS, **dict(registry.loaders())}


def player_suffixes() -> tuple[str, ...]:
    """The suffixes of players' files, those of the games included; longest first."""
    return tuple(sorted((suffix for suffix in _references() if ":" not in suffix), key=len, reverse=True))


def seated(players: PlayerSpec | Sequence[PlayerSpec], seats: int) -> list[PlayerSpec]:
    """The players of `seats` seats: one player for all of them, or a list with one for each.

    Raises:
        CardgymError: for a list of another length.
    """
    if isinstance(players, str) or not isinstance(players, Sequence):
        return [players] * seats
    if len(players) != seats:
        raise CardgymError(f"{len(players)} opponents for {seats} seats: name one for all, or one for each")
    return list(players)


def resolve_all(specs: Sequence[PlayerSpec], game: Game, options: Options) -> list[Player]:
    """The players of all seats of a game, in the order of the seats.

    Raises:
        CardgymError: for another number of players than seats, and as `resolve`.
    """
    seats = options.num_players
    if len(specs) != seats:
        wanted = "1 seat: name 1 player" if seats == 1 else f"{seats} seats: name {seats} players, one for each"
        raise CardgymError(f"{game.id} has {wanted}, not {len(specs)}")
    return [resolve(spec, game, options) for spec in specs]


def wants_draws(player: BatchPolicy) -> bool:
    """Whether a batch policy chooses at random, with draws that it is given."""
    return isinstance(player, SamplingPolicy) and player.samples


def legal_actions(
    player: BatchPolicy,
    observations: npt.NDArray[np.float32],
    masks: npt.NDArray[np.int8],
    draws: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.int64]:
    """The actions that a batch policy chooses, (rows,) int64; see `BatchPolicy.act` and `SamplingPolicy.act`.

    Raises:
        CardgymError: where one is not legal, or they are no whole numbers; it names the player.
    """
    if draws is None:
        actions = np.asarray(player.act(observations, masks))
    else:
        actions = np.asarray(cast(SamplingPolicy, player).act(observations, masks, draws))
    if actions.shape != (len(masks),) or not np.issubdtype(actions.dtype, np.integer):
        raise CardgymError(f"player {player.name}: give one whole number a row, not {actions.dtype} {actions.shape}")
    check_legal(actions, masks, lambda row: f"player {player.name}: ")
    return actions.astype(np.int64)
