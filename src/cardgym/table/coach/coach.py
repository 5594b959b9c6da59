"""The coach: the value of every legal action of a decision, in any game.

It asks the game's own adviser, if there is one. Otherwise a small game is solved; in others, or if the caller names a
player, the values come from playouts. A known opponent plays itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path

from cardgym.engine.contract import Game, Options, State
from cardgym.players import PlayerSpec, player_names
from cardgym.table.coach.advice import Advice, Adviser
from cardgym.table.coach.playouts import Playouts
from cardgym.table.coach.solved import solved_game
from cardgym.table.presentation import COACH, presentation_of, strength_of


class Coach:
    """Advice for one game with its options.

    Attributes:
        adviser: who advises.
        strength: how strong it is as a player; see `Advice`. It was measured with the default options only.
    """

    def __init__(self, game: Game, options: Options, source: str | Path | None = None) -> None:
        """Find an adviser: `source` is a player for playouts, by name or path, or None for the game's own adviser.

        A game without one gets exact values if it can be solved in seconds, otherwise playouts of its usual opponent.

        Raises:
            CardgymError: for an unknown player.
        """
        self.game = game
        self.options = options
        self.adviser = adviser_of(game, options) or _general_adviser(game, options)
        self.strength = ""
        if source is None and options == game.parse_options():
            self.strength = strength_of(game, COACH)
        if source is not None:
            self.adviser = dataclasses.replace(
                self.adviser, advise=self._playouts(source).advise, advise_against=None, glance=None
            )

    def advise(self, state: State, seat: int, names: Sequence[str] = ()) -> Advice:
        """Get the advice for the seat to decide; see `Adviser`. `names` are those of the players by seat, if known."""
        against = self.adviser.advise_against
        if against is None or not names:
            advice = self.adviser.advise(state, seat)
        else:
            advice = against(state, seat, names[1 - seat])
        return dataclasses.replace(advice, strength=self.strength)

    def glance(self, state: State, seat: int) -> Advice | None:
        """Return a first answer of `advise` within two seconds; None if that takes no longer. See `Adviser`."""
        return None if self.adviser.glance is None else self.adviser.glance(state, seat)

    def standing(self, state: State) -> list[float]:
        """Return how well each seat stands, given all cards, in `standing_unit`."""
        seats = range(self.options.num_players)
        if self.adviser.standing is not None:
            return [float(self.adviser.standing(state, seat)) for seat in seats]
        return [float(share) for share in self._standing.standing(state)]

    @property
    def standing_unit(self) -> str:
        """What `standing` is in."""
        return self.adviser.standing_unit if self.adviser.standing is not None else "chance to win"

    @cached_property
    def _standing(self) -> Playouts:
        return self._playouts(usual_player(self.game))

    def _playouts(self, player: PlayerSpec) -> Playouts:
        return Playouts(self.game, self.options, player, unit=self.game.unit)


def _general_adviser(game: Game, options: Options) -> Adviser:
    """Values of a game without an adviser of its own: exact if it can be solved, by playouts if not."""

    @cache
    def against(opponent: str) -> Callable[[State, int], Advice]:
        solved = solved_game(game, options, opponent)
        if solved is not None:
            return solved.advise
        return Playouts(game, options, usual_player(game), unit=game.unit, opponent=opponent).advise

    def advise(state: State, seat: int, opponent: str = "") -> Advice:
        return against(opponent if opponent in player_names(game) else "")(state, seat)

    return Adviser(advise, advise_against=advise if options.num_players == 2 else None)


def adviser_of(game: Game, options: Options) -> Adviser | None:
    """Return the game's own adviser; None if it has none."""
    make = presentation_of(game).adviser
    return None if make is None else make(game, options)


def usual_player(game: Game) -> str:
    """Return the game's usual opponent if it is compiled, otherwise another compiled player."""
    return game.opponent if game.opponent in game.compiled_players else next(iter(game.compiled_players), "random")
