"""Whoever decides in a seat: compiled players, tables, networks, callables and mixtures, by name or from a file."""

from cardgym.players.base import (
    GREEDY,
    Actions,
    CompiledPlayer,
    KernelPlayer,
    Masks,
    Observations,
    Player,
    TablePlayer,
    TextPlayer,
    best_actions,
    legal_actions,
    one_hot,
    sample_actions,
    softmax,
)
from cardgym.players.callables import Acts, CallablePlayer, Policy, TextFunction, batched
from cardgym.players.checks import are_legal, check_legal
from cardgym.players.resolver import PlayerSpec, player_names, resolve, resolve_all, seated

__all__ = [
    "GREEDY",
    "Actions",
    "Acts",
    "CallablePlayer",
    "CompiledPlayer",
    "KernelPlayer",
    "Masks",
    "Observations",
    "Player",
    "PlayerSpec",
    "Policy",
    "TablePlayer",
    "TextFunction",
    "TextPlayer",
    "are_legal",
    "batched",
    "best_actions",
    "check_legal",
    "legal_actions",
    "one_hot",
    "player_names",
    "resolve",
    "resolve_all",
    "sample_actions",
    "seated",
    "softmax",
]
