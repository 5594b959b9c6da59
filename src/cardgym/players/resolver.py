"""Players by name, path or callable: what a caller may give, and the player that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardgym.engine.contract import Game, Options
from cardgym.engine.rules import is_rule
from cardgym.errors import CardgymError, reporting_missing, unknown
from cardgym.players.base import Acts, CallablePlayer, CompiledPlayer, Player, Policy, TablePlayer
from cardgym.players.mixtures import mixture

GREEDY = ":greedy"
"""After the path of a policy network: play the most probable actions instead of sampling."""

PlayerSpec = str | Path | Policy | Player | Acts | Mapping[Any, float]
"""How a caller names a player: a name that the game knows, a path, a callable, an object with `act`, the player, or a
mapping from such specs to weights."""


def player_names(game: Game) -> tuple[str, ...]:
    """The names of a game's players, without its checkpoints."""
    return ("random", *game.players)


def resolve(spec: PlayerSpec, game: Game, options: Options) -> Player:
    """The player that `spec` names.

    A mapping from players to weights is a mixture, which draws one of them for each game.

    An object with a method `act` needs no other attribute; its `name` and `observation_name` are read if it has them.

    A path is a policy file (`.json`), a network, Q-table or strategy (`.safetensors`), a mixture of players
    (`.mixture.json`) or a model of Stable-Baselines3 (`.zip`); games add formats of `.safetensors` files. A policy
    network samples its actions; with `:greedy` after the path it takes the most probable ones. A checkpoint that comes
    with the game can be named from any folder by its file's name without suffixes, or by its path in a checkout.

    Raises:
        CardgymError: for an unknown name, or a file that is missing or was made for another game or other options.
    """
    if isinstance(spec, Player):
        return spec
    if isinstance(spec, Mapping):
        players = [resolve(part, game, options) for part in spec]
        names = ", ".join(f"{player.name}={weight}" for player, weight in zip(players, spec.values(), strict=True))
        return mixture(names, players, list(spec.values()))
    if not isinstance(spec, str | Path):
        own_name = getattr(spec, "name", getattr(spec, "__name__", type(spec).__name__))
        act = getattr(spec, "act", None)
        if callable(act):
            return CallablePlayer(str(own_name), act, getattr(spec, "observation_name", None), batched=True)
        if callable(spec):
            return CallablePlayer(str(own_name), spec)
        raise CardgymError(
            f"player {spec!r}: give a name, a path, a callable (observation, action_mask) -> action, or an object with "
            "act(observations, masks) -> actions"
        )
    name = str(spec)
    if name == "random":
        return CompiledPlayer(name)
    if name in game.players:
        return _own_player(name, game, options)
    from cardgym.players.formats import checkpoints, load_file

    if player := load_file(name, game, options):
        return player
    files = checkpoints(game)
    short, greedy = name.removesuffix(GREEDY), GREEDY if name.endswith(GREEDY) else ""
    if short in files and (player := load_file(f"{files[short]}{greedy}", game, options)):
        return _called(name, player)
    paths = "a path to a .json policy, .safetensors checkpoint or .zip model"
    raise unknown("player", name, [*player_names(game), *files, paths])


def _called(name: str, player: Player) -> Player:
    """The player, under the name that the caller used instead of the path of its installed file."""
    player.name = name
    return player


def _own_player(name: str, game: Game, options: Options) -> Player:
    policy = game.players[name]
    if is_rule(policy):
        return CompiledPlayer(name)
    with reporting_missing(f"player {name}"):
        player = resolve(policy(options), game, options)
    if isinstance(player, TablePlayer) and not game.state_index.has_indices:
        raise CardgymError(f"player {name} of {game.id} is a policy table, and the game does not number its states")
    return _called(name, player)


def seated(players: PlayerSpec | Sequence[PlayerSpec], seats: int) -> list[PlayerSpec]:
    """The players of `seats` seats: one player for all of them, or a list with one for each."""
    if isinstance(players, str) or not isinstance(players, Sequence):
        return [players] * seats
    if len(players) != seats:
        raise CardgymError(f"{len(players)} opponents for {seats} seats: name one for all, or one for each")
    return list(players)


def resolve_all(specs: Sequence[PlayerSpec], game: Game, options: Options) -> list[Player]:
    """The players of all seats of a game, in the order of the seats.

    Raises:
        CardgymError: if the number of players is not the number of seats, and as `resolve`.
    """
    seats = options.num_players
    if len(specs) != seats:
        wanted = "1 seat: name 1 player" if seats == 1 else f"{seats} seats: name {seats} players, one for each"
        raise CardgymError(f"{game.id} has {wanted}, not {len(specs)}")
    return [resolve(spec, game, options) for spec in specs]
