"""Digests of what is played: results are reused only while the rules and the players behind them are the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardgym.engine.contract import Game, Options
from cardgym.engine.digest import Reach, digest_of_game, digest_of_program
from cardgym.engine.rules import is_rule
from cardgym.files import shipped
from cardgym.files.json_values import digest_of as digest_of_values
from cardgym.players.base import split_path
from cardgym.players.mixture_file import SUFFIX, read_mixture
from cardgym.players.programs import is_program, source_of
from cardgym.players.resolver import PlayerSpec, checkpoints


def game_digest(game: Game, options: Options) -> str:
    """Get a digest of a game with its options: of the code of its rules, observations and metrics, and of its state."""
    observations = {name: observation.digest(options) for name, observation in game.observations.items()}
    return digest_of_values([game.id, options.asdict(), digest_of_game(game), observations])


def player_digest(spec: PlayerSpec, game: Game, options: Options) -> str:
    """Return a digest of a player and of the game it plays.

    A file counts by its content, a mixture's file also by the players that it names, and a game's own player by its
    code; see `cardgym.engine.digest`. An object counts as itself.
    """
    return digest_of_values([game_digest(game, options), _facts(spec, game, options)])


def _facts(spec: PlayerSpec, game: Game, options: Options) -> Any:
    if isinstance(spec, Mapping):
        return [[_facts(part, game, options), weight] for part, weight in spec.items()]
    if not isinstance(spec, str | Path):
        return f"object {id(spec)}"
    name, rest = split_path(str(spec))
    if name in game.players:
        own = game.players[name]
        made = getattr(own, "func", own)  # Of a `functools.partial`.
        imported = "" if is_rule(own) else digest_of_program(own.__module__, getattr(made, "__code__", None))
        return [name, Reach(own).digest, imported]
    file = checkpoints(game).get(name) or shipped.checkpoint_path(Path(name))
    if is_program(str(spec)) and name not in checkpoints(game):
        return [rest or name, digest_of_program(*source_of(str(spec)))]
    if not file.is_file():
        return str(spec)
    members = read_mixture(file, game, options) if file.name.endswith(SUFFIX) else {}
    return [
        hashlib.sha256(file.read_bytes()).hexdigest(), rest, [_facts(member, game, options) for member in members],
    ]  # fmt: skip
