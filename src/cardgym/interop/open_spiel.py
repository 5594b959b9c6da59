"""Any game of cardgym as a Python game of OpenSpiel, for its algorithms and as an independent check of ours.

Information states are those of `cardgym.solvers.tree`: what a seat has seen (its observation, key and legal actions)
and done at its decisions. Python games are slow, so this is for small ones.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find
from cardgym.engine.states import CHANCE, END, SingleGame, look, new_state
from cardgym.errors import CardgymError

try:
    import pyspiel
except ImportError:
    raise CardgymError("cardgym.interop.open_spiel needs OpenSpiel: pip install open_spiel") from None

_MANY = 1_000_000
"""In place of bounds that a game of cardgym does not state."""


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of cardgym as a `pyspiel.Game`.

    Attributes:
        game: the game.
        options: its options.
    """

    def __init__(self, game: str | Game, options: Mapping[str, object] | None = None, *, zero_sum: bool = True) -> None:
        """Wrap a game.

        Args:
            game: the game, or its id.
            options: its options.
            zero_sum: whether the seats' returns sum to 0, as OpenSpiel's `exploitability` demands.

        Raises:
            CardgymError: for an unknown game or option.
        """
        self.game = find(game)
        self.options: Options = self.game.parse_options(options)
        players = self.options.num_players
        kind = pyspiel.GameType(
            short_name="cardgym_" + "".join(letter if letter.isalnum() else "_" for letter in self.game.id),
            long_name=self.game.id,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=players,
            min_num_players=players,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=False,
            provides_observation_tensor=False,
        )
        bounds = {"min_utility": -_MANY, "max_utility": _MANY, "utility_sum": 0.0 if zero_sum else None}
        about = pyspiel.GameInfo(
            num_distinct_actions=self.game.actions(self.options),
            max_chance_outcomes=_MANY,
            num_players=players,
            max_game_length=_MANY,
            **bounds,
        )
        super().__init__(kind, about, {})

    def new_initial_state(self) -> OpenSpielState:
        """The state before any chance."""
        return OpenSpielState(self)


class _Position:
    """A game in progress with what each seat remembers; copied with the state that has it."""

    def __init__(self, game: Game, options: Options) -> None:
        self.single = SingleGame(game, options, new_state(game, options))
        self.single.refresh()
        self.memory = [b""] * options.num_players
        self.returns = np.zeros(options.num_players)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = copy.copy(self)
        other.single = SingleGame(self.single.game, self.single.options, self.single.states.copy())
        other.single.refresh()
        other.memory, other.returns = self.memory.copy(), self.returns.copy()
        return other

    def information(self, seat: int) -> bytes:
        """The digest of all that a seat has seen and done, at its decision with what it sees now."""
        single = self.single
        if single.current_player != seat:
            return self.memory[seat]
        observation, mask, key = look(single.game, single.options, single.states, np.array([seat]))
        seen = self.memory[seat] + (observation + 0.0).tobytes() + mask.tobytes() + key.tobytes()  # -0 is 0.
        return hashlib.sha256(seen).digest()

    def play(self, move: int) -> None:
        """Play a move, and let the seat that decided remember it."""
        seat = self.single.current_player
        if seat >= 0:
            self.memory[seat] = hashlib.sha256(self.information(seat) + move.to_bytes(4, "little")).digest()
        self.returns += self.single.apply_action(move)[: len(self.returns)]


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A state of an `OpenSpielGame`."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._position = _Position(game.game, game.options)

    def current_player(self) -> int:
        """The seat to decide, or OpenSpiel's marks of chance and the end."""
        player = self._position.single.current_player
        return int({CHANCE: pyspiel.PlayerId.CHANCE, END: pyspiel.PlayerId.TERMINAL}.get(player, player))

    def _legal_actions(self, player: int) -> list[int]:
        return self._position.single.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes with their probabilities."""
        count = self._position.single.num_chance_outcomes
        return [(outcome, 1.0 / count) for outcome in range(count)]

    def _apply_action(self, action: int) -> None:
        self._position.play(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player < 0:
            return f"outcome {action}"
        single = self._position.single
        return single.game.words.action_text(single.states.view(np.recarray)[0], int(action))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._position.single.over

    def returns(self) -> npt.NDArray[np.float64]:
        """What each seat has been paid; 0 before the end, as OpenSpiel expects of terminal rewards."""
        return self._position.returns if self.is_terminal() else np.zeros_like(self._position.returns)

    def information_state_string(self, player: int | None = None) -> str:
        """The information state of a seat, as a digest in hexadecimal digits."""
        return self._position.information(self.current_player() if player is None else player).hex()

    def __str__(self) -> str:
        return " ".join(map(str, self.history()))
