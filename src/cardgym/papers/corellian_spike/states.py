"""State models for batch Q-learning: the paper's code, the three cards instead of their sum, or the spikes as well.

The paper's future work (section 6) asks whether knowing the cards, or the opponents' spikes, wins more. These models
answer it; everything else is as in the paper's code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from cardgym.arena.transitions import StateName
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import State, rule
from cardgym.errors import unknown
from cardgym.games.corellian_spike.state import (
    DISCARD,
    DONT_BUY,
    MATCH,
    MAX_PLAYERS,
    NUM_ACTIONS,
    CorellianSpikeOptions,
)
from cardgym.games.corellian_spike.state_index import (
    CARDS_AT,
    DECISION,
    MIN_CARD,
    NO_CARD,
    SPIKES_AT,
    digits_of,
    info_state_keys,
    observe_cards,
    observe_spikes,
)
from cardgym.players import Actions, Masks, Observations, Player, TablePlayer

NEVER = float(np.finfo(np.float64).min)
"""The value of an untried action: the lowest finite number, since saved values are finite."""

_CARDS, _SPIKES = len(CARDS_AT), SPIKES_AT.opponent_1_spike
_BASE = NO_CARD - MIN_CARD + 1
"""A key is the observation as a number in this base."""


# -- the observations `cards` and `spikes` as keys --------------------------------------------------------------------


@rule
def cards_key(state: State, seat: int) -> int:
    """The observation `cards` as one integer, never 0."""
    numbers = np.empty(_CARDS, np.float32)
    observe_cards(state, seat, numbers)
    return numbers_key(numbers, _CARDS)


@rule
def spikes_key(state: State, seat: int) -> int:
    """The observation `spikes` as one integer, never 0."""
    numbers = np.empty(_SPIKES + MAX_PLAYERS - 1, np.float32)
    observe_spikes(state, seat, numbers)
    return numbers_key(numbers, _SPIKES + state.num_players - 1)


@rule
def numbers_key(numbers: npt.NDArray[np.float32], size: int) -> int:
    """The first `size` numbers of an observation, each -10 to 11, as one integer; up to 13 numbers fit below 2^63."""
    key = 1
    for place in range(size):
        key = key * _BASE + int(numbers[place]) - MIN_CARD
    return key


def cards_of(keys: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
    """Decode keys of the observation `cards`: an int64 array for each feature, by name."""
    features = {}
    for name in reversed(CARDS_AT._fields):
        features[name] = keys % _BASE + MIN_CARD
        keys = keys // _BASE
    return features


# -- the models -------------------------------------------------------------------------------------------------------


class States(Protocol):
    """The states visited so far, a row for each.

    Attributes:
        recorded_as: the numbering of states that `record` uses.
        values: action values, (states, actions) float64; `NEVER` where an action was not tried.
        actions: the policy, (states,) int8.
    """

    saved: ClassVar[tuple[str, ...]]
    recorded_as: Literal["index"] | StateName
    values: npt.NDArray[np.float64]
    actions: npt.NDArray[np.int8]

    def rows(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The rows of states, given their numbers from `record`; a new state gets a new row."""
        ...

    def player(self, name: str) -> Player:
        """The policy as a player."""
        ...


def initial_actions(decisions: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    """The paper's initial policy: always match, never buy, discard.

    Args:
        decisions: (states,): 1 betting, 2 buying, 3 placing; 0 at the end, where the action does not matter.

    Returns:
        Actions, (states,) int8.
    """
    return np.array([MATCH, MATCH, DONT_BUY, DISCARD], np.int8)[decisions]


class CodeStates:
    """The paper's states, all of them; see `States`."""

    recorded_as: Literal["index"] | StateName = "index"
    saved: ClassVar[tuple[str, ...]] = ("values", "actions")

    def __init__(self, options: CorellianSpikeOptions) -> None:
        keys = info_state_keys(options)
        self.values = np.full((len(keys), NUM_ACTIONS), NEVER)
        self.actions = initial_actions(digits_of(keys).decision)

    def rows(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """A state's index is its row."""
        return numbers

    def player(self, name: str) -> Player:
        """A table, which the compiled kernel can play."""
        return TablePlayer(name, self.actions)


class KeyedStates:
    """The states visited so far, sorted by key; see `States`."""

    saved: ClassVar[tuple[str, ...]] = ("table",)

    def __init__(self, key: StateName, observation_name: str) -> None:
        self.recorded_as: Literal["index"] | StateName = key
        self._observation_name = observation_name
        self._keys = np.zeros(1, np.int64)  # 0 is the end.
        self.values = np.full((1, NUM_ACTIONS), NEVER)
        self.actions = np.zeros(1, np.int8)

    def rows(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """See `States`."""
        new = np.setdiff1d(numbers, self._keys)
        if len(new):
            rows = np.searchsorted(self._keys, new)
            self._keys = np.insert(self._keys, rows, new)
            self.values = np.insert(self.values, rows, NEVER, axis=0)
            self.actions = np.insert(self.actions, rows, -1)
        return np.searchsorted(self._keys, numbers)

    def player(self, name: str) -> Player:
        """A player that uses the paper's initial policy in unvisited states."""
        return KeyedPlayer(name, self._observation_name, self._keys, self.actions)

    @property
    def table(self) -> list[npt.NDArray[Any]]:
        """Keys, values and actions, which grow."""
        return [self._keys, self.values, self.actions]

    @table.setter
    def table(self, state: list[npt.NDArray[Any]]) -> None:
        self._keys, self.values, self.actions = state


class KeyedPlayer(Player):
    """The player of `KeyedStates`."""

    def __init__(
        self, name: str, observation_name: str, keys: npt.NDArray[np.int64], actions: npt.NDArray[np.int8]
    ) -> None:
        self.name = name
        self.observation_name = observation_name
        self._keys = keys
        self._actions = actions

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        """The policy's action for each row, (rows,); the initial policy's in a new state or if it is illegal."""
        keys = np.empty(len(observations), np.int64)
        _write_keys(observations, keys)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        actions = self._actions[places].astype(np.int64)
        usable = (self._keys[places] == keys) & (actions >= 0)
        usable &= masks[np.arange(len(actions)), np.maximum(actions, 0)] != 0
        return np.where(usable, actions, initial_actions(observations[:, DECISION].astype(np.int64)))


@compiled
def _write_keys(observations: Any, keys: Any) -> None:
    for i in range(observations.shape[0]):
        keys[i] = numbers_key(observations[i], observations.shape[1])


_MODELS: dict[str, Callable[[CorellianSpikeOptions], States]] = {
    "code": CodeStates,
    "cards": lambda options: KeyedStates(cards_key, "cards"),
    "spikes": lambda options: KeyedStates(spikes_key, "spikes"),
}


def new_states(model: str, options: CorellianSpikeOptions) -> States:
    """The states of a model before any play.

    Raises:
        CardgymError: for an unknown model; the error names the nearest.
    """
    if model not in _MODELS:
        raise unknown("state", model, _MODELS)
    return _MODELS[model](options)
