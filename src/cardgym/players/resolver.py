"""Players by name, path or callable: what a caller may give, and the player that it names.

Modules that read files are imported when a file is read: most programs read none, and some files need PyTorch.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cardgym.engine import registry
from cardgym.engine.contract import Float64s, Game, Options
from cardgym.engine.rules import is_rule
from cardgym.engine.text import TextView
from cardgym.errors import (
    CardgymError,
    brief,
    of_kind,
    path_of,
    printable,
    quoted,
    reporting_errors,
    reporting_missing,
    unknown,
    whole_number,
)
from cardgym.files import shipped
from cardgym.files.tensors import SUFFIX, read_document
from cardgym.players.base import (
    GREEDY,
    PYTHON,
    Actions,
    CompiledPlayer,
    Masks,
    Observations,
    Player,
    TablePlayer,
    TextFunction,
)
from cardgym.players.checks import check_named, check_setting, whole_action
from cardgym.players.mixtures import MixturePlayer, mixture

# -- callables as players ----------------------------------------------------------------------------------------------

Policy = Callable[[Observations, Masks], Any]
"""A Python callable as a player: `policy(observation, action_mask)` returns a legal action."""


class Acts(Protocol):
    """An object that chooses actions for many rows at once; `name` and `observation_name` are optional."""

    def act(self, observations: Observations, masks: Masks) -> npt.ArrayLike:
        """Return a legal action for each row, whole numbers of (rows,)."""
        ...


@dataclass(eq=False)
class CallablePlayer(Player):
    """A Python callable as a player.

    Attributes:
        policy: `policy(observation, mask)` returns a legal action, or, if `batched`, those of many rows.
        observation_name: the observation it reads; None for the one that the games use.
        batched: whether it is called once for all rows, instead of for each.
    """

    name: str
    policy: Policy
    observation_name: str | None = None
    batched: bool = False

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """Return what the callable returns; it gets copies, which it may keep or change.

        Raises:
            DecisionError: whatever the callable raises, and if it is asked row by row and answers no whole number.
        """
        if self.batched:
            with reporting_errors(self.name, 0 if len(masks) == 1 else None):
                return np.asarray(self.policy(observations.copy(), masks.copy()))
        actions = np.empty(len(masks), np.int64)
        for row, (seen, mask) in enumerate(zip(observations, masks, strict=True)):
            with reporting_errors(self.name, row):
                answer = self.policy(seen.copy(), mask.copy())
            actions[row] = whole_action(self.name, answer, row, np.flatnonzero(mask))
        return actions

    def __call__(self, observations: Observations, masks: Masks) -> Any:
        """Return what the callable returns."""
        return self.policy(observations, masks)


def batched(
    policy: Callable[[Observations, Masks], npt.ArrayLike],
    *,
    name: str | None = None,
    observation_name: str | None = None,
) -> CallablePlayer:
    """Make a callable that takes batches a player; also a decorator.

    It is called once for all waiting games, instead of once for each decision.

    Args:
        policy: `policy(observations, masks)` returns legal actions, whole numbers of (rows,), for observations
            (rows, size), float32, and masks (rows, actions), int8. Both are copies that it may keep or change.
        name: its name in reports; the callable's own if None.
        observation_name: the observation it reads; None for the one that the games use.

    Returns:
        The player.

    Raises:
        CardgymError: for anything that is not callable.
    """
    if not callable(policy):
        raise CardgymError(f"policy={quoted(policy)}: give a function of observations and masks")
    check_named("" if name is None else name, observation_name)
    own_name = str(getattr(policy, "__name__", type(policy).__name__))
    return CallablePlayer(name or own_name, policy, observation_name, batched=True)


# -- players by name, path or callable ---------------------------------------------------------------------------------

PlayerSpec = str | Path | Policy | Callable[[TextView], int | str] | Player | Acts | Mapping[Any, float]
"""How a caller names a player: a name that the game knows, a path, a callable of an observation and a mask or of the
game in words, an object with `act`, the player, or a mapping from such specs to weights."""

_SB3_PLAYER = "cardgym.interop.sb3_player"
"""Reads models of Stable-Baselines3; named here, because it stands above the players."""
PLAYER_SUFFIXES = (".json", SUFFIX, ".zip")
"""The suffixes of players' files."""


def player_names(game: Game) -> tuple[str, ...]:
    """Return the names of a game's players, without its checkpoints."""
    of_kind("game", game, Game, "games, such as cardgym.find returns them")
    return ("random", *game.players)


def seated(players: PlayerSpec | Sequence[PlayerSpec], seats: int) -> list[PlayerSpec]:
    """Return a player for each of `seats` seats, of one or of a list; raise `CardgymError` for another number."""
    whole_number("seats", seats, 0, 64)
    if isinstance(players, str) or not isinstance(players, Sequence):
        return [players] * seats
    if len(players) != seats:
        raise CardgymError(f"{len(players)} opponents for {seats} seats: name one for all, or one for each")
    return list(players)


def resolve_all(specs: Sequence[PlayerSpec], game: Game, options: Options) -> list[Player]:
    """Return the players of all seats of a game, in the order of the seats, from `specs`, one for each.

    Raises:
        CardgymError: if the number of players is not the number of seats, and as `resolve`.
    """
    check_setting(game, options)
    seats = options.num_players
    if isinstance(specs, str | bytes) or not isinstance(specs, Sequence):
        raise CardgymError(f"players={brief(specs)}: give a list of players, one for each seat")
    if len(specs) != seats:
        wanted = "1 seat: name 1 player" if seats == 1 else f"{seats} seats: name {seats} players, one for each"
        raise CardgymError(f"{game.id} has {wanted}, not {len(specs)}")
    # Equal names are one player, whose decisions in all its seats are one batch.
    named = {spec: resolve(spec, game, options) for spec in specs if isinstance(spec, str)}
    return [named[spec] if isinstance(spec, str) else resolve(spec, game, options) for spec in specs]


def resolve(spec: PlayerSpec, game: Game, options: Options, *, programs: bool = True) -> Player:
    """Find the player that `spec` names.

    A mapping from players to weights is a mixture, which draws one of them for each game.

    An object with a method `act` needs no other attribute; its `name` and `observation_name` are read if it has them.

    A path is a policy file (`.json`), a network, Q-table or strategy (`.safetensors`), a mixture of players
    (`.mixture.json`) or a model of Stable-Baselines3 (`.zip`); games add formats of `.safetensors` files. A policy
    network samples its actions; with `:greedy` after the path it takes the most probable ones. A checkpoint that comes
    with the game can be named from any folder by its file's name without suffixes, or by its path in a checkout.

    A player in Python is named as `./bot.py:choose` or `package.module:Player`; see `cardgym.players.programs`.

    Args:
        spec: a name that the game knows, a path, a callable, an object with `act`, a player, or a mapping from these to
            weights.
        game: the game that it plays.
        options: its options.
        programs: whether names may refer to Python, which runs it. False for names from a request or a saved game.

    Returns:
        The player.

    Raises:
        CardgymError: for an unknown name, or a file that is missing or was made for another game or other options.
    """
    check_setting(game, options)
    of_kind("programs", programs, bool, "True and False")
    if isinstance(spec, Player):
        if not hasattr(spec, "name"):  # A subclass of the user's.
            spec.name = type(spec).__name__
        return spec
    if isinstance(spec, Mapping):
        players = [resolve(part, game, options, programs=programs) for part in spec]
        names = ", ".join(f"{player.name}={weight}" for player, weight in zip(players, spec.values(), strict=True))
        return mixture(names, players, list(spec.values()))
    if isinstance(spec, str | Path):
        player = _named(str(spec), game, options, programs)
        if not isinstance(player, CompiledPlayer):
            player.name = str(spec)  # As the caller called it, not the path of its installed file.
        return player
    own_name = str(getattr(spec, "name", getattr(spec, "__name__", type(spec).__name__)))
    act, observation_name = getattr(spec, "act", None), getattr(spec, "observation_name", None)
    if callable(act):
        return CallablePlayer(own_name, act, observation_name, batched=True)
    if callable(spec):
        from cardgym.players.programs import takes_words

        function: Any = spec
        return (
            TextFunction(own_name, function)
            if takes_words(spec)
            else CallablePlayer(own_name, function, observation_name)
        )
    if callable(getattr(spec, "predict", None)):
        raise CardgymError(
            f"player {own_name}: give a model of Stable-Baselines3 as cardgym.interop.sb3.ModelPlayer(model), and a "
            "model of another library as a callable (observation, action_mask) -> action"
        )
    raise CardgymError(
        f"player {brief(spec)}: give a name, a path, a callable (observation, action_mask) -> action, or an object "
        "with act(observations, masks) -> actions"
    )


def _named(name: str, game: Game, options: Options, programs: bool) -> Player:
    """Return the player of that name: the game's own, a file, or a checkpoint that comes with the game."""
    if name.startswith("llm:"):
        _require_programs(name, programs)
        from cardgym.players.llm.player import LanguageModel

        return LanguageModel(name)
    if name == "random" or is_rule(game.players.get(name)):
        return CompiledPlayer(name)
    with reporting_missing(f"player {printable(name)}"):
        if name in game.players:
            player = resolve(game.players[name](options), game, options)
            if isinstance(player, TablePlayer) and not game.state_index.has_indices:
                raise CardgymError(f"player {name} of {game.id} is a policy table, and the game numbers no states")
            return player
        if name.removesuffix(GREEDY).endswith(SUFFIX) or name.endswith(PLAYER_SUFFIXES):
            return _load(name, game, options, programs)
        files = checkpoints(game)
        short, greedy = name.removesuffix(GREEDY), GREEDY if name.endswith(GREEDY) else ""
        if short in files and (greedy == "" or files[short].suffix == SUFFIX):
            return _load(f"{files[short]}{greedy}", game, options, programs)
        if name.endswith(PYTHON):
            raise CardgymError(f"player {printable(name)}: name what it defines, such as {printable(name)}:choose")
        program = _load_program(name, game, options, programs) if ":" in name else None
        if program is not None:
            return program
    paths = "a path to a .json policy, .safetensors checkpoint or .zip model, ./FILE.py:NAME or MODULE:NAME"
    raise unknown("player", name, [*player_names(game), *files, paths])


# -- files ------------------------------------------------------------------------------------------------------------


def _load(name: str, game: Game, options: Options, programs: bool) -> Player:
    greedy = GREEDY if name.endswith(GREEDY) else ""
    path = shipped.checkpoint_path(Path(name.removesuffix(greedy)))
    if greedy:
        return _load_network(Path(f"{path}{greedy}"), game, options)
    if name.endswith(".mixture.json"):
        return _load_mixture(path, game, options, programs)
    if name.endswith(".json"):
        from cardgym.players import policy_file

        return policy_file.load_player(path, game, options)
    if name.endswith(".zip"):
        # By name: the module is above the players.
        model: Player = importlib.import_module(_SB3_PLAYER).load_player(path, game, options)
        return model
    return load_tensors(path, game, options)


def _load_mixture(path: Path, game: Game, options: Options, programs: bool) -> MixturePlayer:
    from cardgym.players.mixture_file import read_mixture

    weights = read_mixture(path, game, options)
    players = [resolve(name, game, options, programs=programs) for name in weights]
    return mixture(str(path), players, list(weights.values()))


def _require_programs(name: str, programs: bool) -> None:
    if not programs:
        raise CardgymError(f"player {printable(name)}: a program, which only a command line or Python may name")


def _load_program(name: str, game: Game, options: Options, programs: bool) -> Player | None:
    """Return the player in Python of that name; None if it names none."""
    from cardgym.players.programs import is_program, load

    if not is_program(name):
        return None
    _require_programs(name, programs)
    found = load(name)
    player = resolve(found, game, options)
    if player.observation_name is not None:
        game.observation(player.observation_name)
    return player


def _load_network(path: Path, game: Game, options: Options) -> Player:
    from cardgym.players.checkpoints import load_player

    return load_player(path, game, options)


def _load_table(path: Path, game: Game, options: Options) -> Player:
    from cardgym.players.tables import load_player

    return load_player(path, game, options)


_FORMATS: dict[str, Callable[[Path, Game, Any], Player]] = {
    "cardgym-q-network-1": _load_network,
    "cardgym-policy-network-1": _load_network,
    "cardgym-q-table-1": _load_table,
    "cardgym-strategy-1": _load_table,
}
"""Loaders of players from `.safetensors` files, by the format named in the file; games add theirs."""


def load_tensors(path: Path, game: Game, options: Options) -> Player:
    """Return the player of a `.safetensors` file.

    Raises:
        CardgymError: for a file that is missing, contains something other than a player, or was made for another game
            or other options.
    """
    check_setting(game, options)
    path = path_of("path", path)
    what = f"checkpoint {path}"
    form = read_document(path, what).get("format")
    loaders = dict(_FORMATS)
    for package in registry.packages():
        loaders |= package.loaders
    if not isinstance(form, str) or form not in loaders:
        raise CardgymError(f"{what}: contains {printable(str(form), 60)}; players are {', '.join(sorted(loaders))}")
    return loaders[form](path, game, options)


def checkpoints(game: Game, options: Options | None = None) -> dict[str, Path]:
    """Return the checkpoints that come with a game, by their players' names.

    Checkpoints for other ids are left out, and those for other options if `options` are given.
    """
    check_setting(game, game.parse_options() if options is None and isinstance(game, Game) else options)
    package = registry.package_of(game)
    files = {} if package is None else shipped.checkpoints(package.name, PLAYER_SUFFIXES)
    return {name: path for name, path in files.items() if _is_of(path, game, options)}


def _is_of(path: Path, game: Game, options: Options | None) -> bool:
    """Whether a checkpoint was made for a game and its options, according to its metadata."""
    metadata = read_document(path, str(path)) if path.suffix == SUFFIX else {}
    if options is None or ("env" in metadata and "options" not in metadata):
        return metadata.get("env") in (game.id, None)
    from cardgym.players.compatibility import check_made_for

    try:
        if "env" in metadata:
            check_made_for(str(path), metadata["env"], metadata["options"], game, options)
        else:  # A format of the game itself, which says so when it is loaded.
            resolve(path, game, options)
    except CardgymError:
        return False
    return True
