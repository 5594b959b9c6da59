"""The coach: the value of every legal action of a decision, in any game.

It asks the game's own adviser, if there is one. Otherwise, or if the caller names a source, the values come from a
network or from rollouts by a player of the game.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.engine.contract import Game, Options, State
from cardgym.errors import CardgymError
from cardgym.players.base import resolve
from cardgym.table.advice import ActionAdvice, Advice, Adviser, legal_of, ranked
from cardgym.table.presentation import adviser_of
from cardgym.table.rollouts import Rollouts, look


class Coach:
    """Advice for one game with its options.

    Attributes:
        game: the game.
        options: its options.
        adviser: who advises.
    """

    def __init__(self, game: Game, options: Options, source: str | Path | None = None) -> None:
        """Find an adviser.

        Args:
            game: the game.
            options: its options.
            source: a compiled player, for rollouts; or a network that values actions. None for the game's own adviser,
                or rollouts by the game's usual opponent if it has none.

        Raises:
            CardgymError: if the source cannot value actions.
        """
        self.game = game
        self.options = options
        self.adviser = adviser_of(game, options) or Adviser(self._rollouts(_usual(game)).advise)
        if source is not None:
            self.adviser = dataclasses.replace(self.adviser, advise=self._advise_by(source))
        self._standing: Rollouts | None = None

    def advise(self, state: State, seat: int) -> Advice:
        """The advice for the seat to decide; see `Adviser`."""
        return self.adviser.advise(state, seat)

    def standing(self, state: State) -> list[float]:
        """How well every seat stands, given all cards, in `standing_unit`."""
        seats = range(self.options.num_players)
        if self.adviser.standing is not None:
            return [float(self.adviser.standing(state, seat)) for seat in seats]
        if self._standing is None:
            self._standing = self._rollouts(_usual(self.game))
        return [float(share) for share in self._standing.standing(state)]

    @property
    def standing_unit(self) -> str:
        """What `standing` is in."""
        return self.adviser.standing_unit if self.adviser.standing is not None else "share of rollouts won"

    def _rollouts(self, player: str) -> Rollouts:
        return Rollouts(self.game, self.options, player)

    def _advise_by(self, source: str | Path) -> Any:
        if str(source) in ("random", *self.game.compiled_players):
            return self._rollouts(str(source)).advise
        player = resolve(source, self.game, self.options)
        size = self.game.observation(player.observation_name or self.game.default_observation).size(self.options)
        actions = self.game.actions(self.options)
        if player.values(np.zeros((1, size), np.float32), np.ones((1, actions), np.int8)) is None:
            raise CardgymError(
                f"coach {source}: it does not value actions; name a compiled player of {self.game.id} "
                f"({', '.join(('random', *self.game.compiled_players))}) or the checkpoint of a Q-network"
            )

        def advise(state: State, seat: int) -> Advice:
            observation, mask = look(self.game, self.options, state, seat, player.observation_name)
            values = np.asarray(player.values(observation[None], mask[None]))[0]
            text = self.game.words.action_text
            actions = [ActionAdvice(action, text(state, action), float(values[action])) for action in legal_of(mask)]
            return Advice("decision", "reward", f"the network {player.name}", ranked(actions), 0.2)

        return advise


def _usual(game: Game) -> str:
    """The game's usual opponent if it is compiled, otherwise another compiled player."""
    return game.opponent if game.opponent in game.compiled_players else next(iter(game.compiled_players), "random")
