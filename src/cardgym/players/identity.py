"""Digests of what is played: results are reused only while the rules and the players behind them are the same."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from cardgym.engine.cache import digest_of, plain_function
from cardgym.engine.contract import Game, Options
from cardgym.engine.rules import is_rule
from cardgym.files import shipped
from cardgym.files.json_values import digest_of as digest_of_values
from cardgym.players.base import GREEDY
from cardgym.players.mixture_file import SUFFIX, read_mixture
from cardgym.players.resolver import PlayerSpec, checkpoints


@cache
def game_digest(game: Game, options: Options) -> str:
    """A digest of a game with its options: of the code of its rules, observations and metrics, and of its state."""
    rules = {spec.name: _code(getattr(game.rules, spec.name)) for spec in dataclasses.fields(game.rules)}
    observations = {
        name: (_code(observation.write), observation.digest(options)) for name, observation in game.observations.items()
    }
    metrics = {name: _code(metric.value) for name, metric in game.metrics.items()}
    facts = (game.id, options.asdict(), repr(game.state), game.actions(options), game.payoff)
    return digest_of_values([*facts, rules, observations, metrics])


def player_digest(spec: PlayerSpec, game: Game, options: Options) -> str:
    """A digest of a player and of the game it plays.

    A file counts by its content, a mixture's file also by the players that it names, and a game's own player by its
    code: a compiled one by its functions, another by the source files beside it. An object counts as itself.
    """
    return digest_of_values([game_digest(game, options), _facts(spec, game, options)])


def _facts(spec: PlayerSpec, game: Game, options: Options) -> Any:
    if isinstance(spec, Mapping):
        return [[_facts(part, game, options), weight] for part, weight in spec.items()]
    if not isinstance(spec, str | Path):
        return f"object {id(spec)}"
    name, greedy, _ = str(spec).partition(GREEDY)
    if name in game.players:
        own = game.players[name]
        return [name, _code(own), "" if is_rule(own) else _sources(own.__module__)]
    file = checkpoints(game).get(name) or shipped.checkpoint_path(Path(name))
    if not file.is_file():
        return str(spec)
    members = read_mixture(file, game, options) if file.name.endswith(SUFFIX) else {}
    return [
        hashlib.sha256(file.read_bytes()).hexdigest(), greedy, [_facts(member, game, options) for member in members],
    ]  # fmt: skip


def _code(function: Any) -> str:
    plain = plain_function(function)
    return digest_of(plain) if isinstance(plain, FunctionType) else type(plain).__qualname__


@cache
def _sources(module: str) -> str:
    """A digest of a module's file and, in a package, of all files beside it and below."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return ""
    files = sorted(Path(file).parent.rglob("*.py")) if sys.modules[module].__package__ else [Path(file)]
    return digest_of_values([hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()])
