"""The teacher: what a player of any kind would do in the states that a learner meets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.engine.states import choose_actions, look
from cardgym.errors import CardgymError
from cardgym.players.actions import one_hot
from cardgym.players.base import CompiledPlayer, KernelPlayer, legal_actions, resolve
from cardgym.players.mixtures import MixturePlayer


class Teacher:
    """A player that says how probable each action is in given states.

    Soft targets say more than an action: how good the others are (Hinton et al., "Distilling the knowledge in a neural
    network", 2015; for policies Rusu et al., "Policy distillation", ICLR 2016). A player gives what it has:
    its own probabilities, or values of the actions,
    whose softmax is taken, or else one action.
    """

    saved: ClassVar[tuple[str, ...]] = ("_generator",)

    def __init__(self, game: Game, options: Options, name: str, temperature: float, generator: np.random.Generator):
        """Find the player.

        Args:
            game: the game.
            options: its options.
            name: the player's name or path.
            temperature: what values are divided by before the softmax; 0 for the best action alone.
            generator: for players that draw.

        Raises:
            CardgymError: for a player that cannot be found, or draws one of several players for each game.
        """
        if not name:
            raise CardgymError("teacher: name the player to imitate, such as --teacher random")
        player = resolve(name, game, options)
        if isinstance(player, MixturePlayer):
            raise CardgymError(f"teacher {name!r}: a mixture is another player in each game; imitate one of its parts")
        self._game, self._options = game, options
        self._player = player
        self._temperature = temperature
        self._generator = generator

    def targets(
        self, states: npt.NDArray[Any], seats: npt.NDArray[np.int64], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float32]:
        """The probability of each action, (rows, actions), float32: 0 for illegal actions, a sum of 1 in each row.

        Args:
            states: the records, (rows,).
            seats: the seat to decide in each, (rows,).
            masks: what is legal there, (rows, actions).
        """
        player = self._player
        if isinstance(player, CompiledPlayer) and player.name == "random":
            legal = masks.astype(np.float32)
            shares: npt.NDArray[np.float32] = legal / legal.sum(axis=1, keepdims=True)
            return shares
        if isinstance(player, KernelPlayer):
            source = self._generator.integers(2**63, size=2).astype(np.uint64)
            return one_hot(choose_actions(self._game, self._options, player.policy, states, seats, source), masks)
        observations, _, _ = look(self._game, self._options, states, seats, player.observation_name)
        probabilities = player.probabilities(observations, masks, self._temperature)
        if probabilities is None:
            draws = self._generator.random(len(masks))
            return one_hot(legal_actions(player, observations, masks, draws), masks)
        return probabilities.astype(np.float32)
