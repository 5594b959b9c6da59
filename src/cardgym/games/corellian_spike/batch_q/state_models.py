"""What a state of Corellian Spike is to batch Q-learning: the paper's code, the three cards, or the spikes as well.

The paper's future work (section 6) asks whether knowing the cards instead of their sum, or the opponents' spikes, wins
more. These models answer it; all else stays as in the paper's code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from cardgym.arena.recording import StateName
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Game
from cardgym.errors import unknown
from cardgym.games.corellian_spike.state import DISCARD, DONT_BUY, MATCH, CorellianSpikeOptions
from cardgym.games.corellian_spike.tabular_observations import name_cards, name_numbers, name_spikes
from cardgym.players.base import Player, TablePlayer

_INITIAL = np.array([MATCH, DONT_BUY, DISCARD], np.int8)
"""The paper's initial policy by decision: betting, buying, placing."""


class States(Protocol):
    """The states met so far, a row each.

    Attributes:
        name: how `record` names states.
        values: action values (states, actions), float64; minus infinity where an action was not tried.
        actions: the policy, (states,), int8.
    """

    name: Literal["index"] | StateName
    values: npt.NDArray[np.float64]
    actions: npt.NDArray[np.int8]

    def places(self, names: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The rows of states by the names that `record` gave them, made where they are new."""
        ...

    def player(self, name: str) -> Player:
        """The policy as a player."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Everything, as arrays."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` gave."""
        ...


@cache
def codes_of(game: Game, options: CorellianSpikeOptions) -> npt.NDArray[np.int64]:
    """The paper's codes of all state indices, int64, read-only; made once."""
    assert game.state_index.info_state_keys is not None
    codes = game.state_index.info_state_keys(options)
    codes.setflags(write=False)
    return codes


class CodeStates:
    """The paper's states, all of them; see `States`."""

    name: Literal["index"] | StateName = "index"

    def __init__(self, game: Game, options: CorellianSpikeOptions) -> None:
        codes = codes_of(game, options)
        self.values = np.full((len(codes), game.num_actions), -np.inf)
        self.actions = _INITIAL[np.maximum(codes // 1_000_000 % 10 - 1, 0)]

    def places(self, names: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """A state's index is its row."""
        return names

    def player(self, name: str) -> Player:
        """A table that the kernel plays by itself."""
        return TablePlayer(name, self.actions)

    def state_dict(self) -> dict[str, Any]:
        """See `States`."""
        return {"values": self.values, "actions": self.actions}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """See `States`."""
        self.values[...] = state["values"]
        self.actions[...] = state["actions"]


class NamedStates:
    """States that are met as play goes on, kept sorted by name; see `States`."""

    def __init__(
        self,
        game: Game,
        options: CorellianSpikeOptions,
        name: StateName,
        observation_name: str,
    ) -> None:
        self.name: Literal["index"] | StateName = name
        self._observation_name = observation_name
        self._names = np.zeros(1, np.int64)  # 0 is the end.
        self.values = np.full((1, game.num_actions), -np.inf)
        self.actions = np.zeros(1, np.int8)

    def places(self, names: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """See `States`."""
        new = np.setdiff1d(names, self._names)
        if len(new):
            at = np.searchsorted(self._names, new)
            self._names = np.insert(self._names, at, new)
            self.values = np.insert(self.values, at, -np.inf, axis=0)
            self.actions = np.insert(self.actions, at, -1)
        return np.searchsorted(self._names, names)

    def player(self, name: str) -> Player:
        """A player asked from outside the kernel; where a state is new to it, the paper's initial policy."""
        return NamedStatesPlayer(name, self._observation_name, self._names, self.actions)

    def state_dict(self) -> dict[str, Any]:
        """See `States`."""
        return {"names": self._names, "values": self.values, "actions": self.actions}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """See `States`."""
        self._names, self.values, self.actions = state["names"], state["values"], state["actions"]


class NamedStatesPlayer:
    """The policy of `NamedStates`; see `BatchPolicy`."""

    def __init__(
        self, name: str, observation_name: str, names: npt.NDArray[np.int64], actions: npt.NDArray[np.int8]
    ) -> None:
        self.name = name
        self.observation_name: str | None = observation_name
        self._names = names
        self._actions = actions

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """The policy's action in each row; the paper's initial one where a state is new or an action not legal."""
        names = np.empty(len(observations), np.int64)
        _name_all(observations, names)
        places = np.minimum(np.searchsorted(self._names, names), len(self._names) - 1)
        actions = self._actions[places].astype(np.int64)
        rows = np.arange(len(actions))
        usable = (self._names[places] == names) & (actions >= 0)
        usable &= masks[rows, np.maximum(actions, 0)] != 0
        initial = _INITIAL[np.maximum(observations[:, 1].astype(np.int64) - 1, 0)]
        return np.where(usable, actions, initial)


@compiled
def _name_all(observations: Any, names: Any) -> None:
    for i in range(observations.shape[0]):
        names[i] = name_numbers(observations[i], observations.shape[1])


def _cards(game: Game, options: CorellianSpikeOptions) -> States:
    return NamedStates(game, options, name_cards, "cards")


def _spikes(game: Game, options: CorellianSpikeOptions) -> States:
    return NamedStates(game, options, name_spikes, "spikes")


_MODELS: dict[str, Callable[[Game, CorellianSpikeOptions], States]] = {
    "code": CodeStates,
    "cards": _cards,
    "spikes": _spikes,
}


def state_model(name: str) -> Callable[[Game, CorellianSpikeOptions], States]:
    """The state model of that name, or an error that names the nearest."""
    if name not in _MODELS:
        raise unknown("state", name, _MODELS)
    return _MODELS[name]
