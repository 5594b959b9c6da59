"""Values of actions from playouts: hidden cards are resampled, and a player of the game plays on after each action."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.playouts import DEAL, DECISION, ManyGames
from cardgym.engine import batch
from cardgym.engine.binding import code_name
from cardgym.engine.compilation import bound, name_entry_point, template
from cardgym.engine.contract import Float32s, Float64s, Game, Int64s, Options, State
from cardgym.engine.kernel import Kernel, kernel_of
from cardgym.engine.rules import Generator, derive, rule
from cardgym.engine.sight import require_resample
from cardgym.errors import CardgymError
from cardgym.players import PlayerSpec, resolve
from cardgym.players.mixtures import MixturePlayer
from cardgym.statistics import half_widths
from cardgym.table.coach.advice import ActionAdvice, Advice, ranked
from cardgym.table.people import shown_name
from cardgym.table.presentation import text_of

WORLDS = 1000
"""How many times the hidden cards are resampled for one decision."""
_STANDING_WORLDS = 200
_ROWS = 4096
"""Games played in parallel."""

Worth = Callable[[State, int], float]
Resample = Callable[[State, int, Generator], None]
Redeal = Callable[[npt.NDArray[Any], Generator], None]


@rule
def _no_worth(state: State, seat: int) -> float:
    return 0.0


class Playouts:
    """Values of actions in one game, from playouts in which one player takes all seats, or plays an opponent.

    All actions are tried in the same resampled worlds and with the same luck. The worlds depend only on what the seat
    can know, so the same decision always gets the same advice.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        player: PlayerSpec,
        *,
        unit: str = "reward",
        blunder: float = 0.2,
        worth: Worth | None = None,
        resample: Resample | None = None,
        whole_game: bool = True,
        worlds: int = WORLDS,
        opponent: str = "",
    ) -> None:
        """Choose the player and what a playout is worth.

        Args:
            player: the player in all seats, or in that of the decision if there is an `opponent`.
            blunder: the cost from which an action is a blunder.
            worth: a rule `worth(state, seat)`, evaluated at the end of a playout; None for the sum of rewards.
            resample: a rule `resample(state, seat, generator)` that draws the hidden cards; None for the game's own,
                which deals them uniformly.
            whole_game: play to the end of the game instead of the deal.
            worlds: how many times the hidden cards are resampled for one decision.
            unit: the name of what values are counted in.
            opponent: the name of the player in all other seats; empty for `player`.

        Raises:
            CardgymError: for an unknown player, one that does not play these options, or a mixture.
        """
        self.game = game
        self.options = options
        self._player = resolve(player, game, options)
        if isinstance(self._player, MixturePlayer):
            raise CardgymError(f"coach {player}: a mixture does not advise; name one of its players")
        self._opponent = resolve(opponent, game, options) if opponent else None
        self.player = shown_name(self._player.name) + (f" against {shown_name(opponent)}" if opponent else "")
        self._unit, self._blunder = unit, blunder
        self._whole_game = whole_game
        self._worlds = worlds
        self._by_reward = worth is None
        if resample is None:
            require_resample(game)
        kernel = kernel_of(game, game.default_observation)
        self._sample, self._evaluate = _compiled(kernel, worth or _no_worth, resample)
        name_entry_point(f"{game.id} (coach)", self._sample)

    def advise(
        self,
        state: State,
        seat: int,
        kind: str = "decision",
        *,
        base: float = 0.0,
        bounds: Mapping[int, tuple[float, float]] = MappingProxyType({}),
        reason: Callable[[Float64s], str] = lambda values: "",
        redeal: Redeal | None = None,
    ) -> Advice:
        """Return the mean value of every legal action over the worlds, best first; see `Adviser.advise`.

        Args:
            kind: the kind of decision, for the review.
            base: what values are relative to.
            bounds: the least and the most that the rules allow an action to be worth.
            reason: what to say about an action, given its values in all worlds, (worlds,), float64.
            redeal: deals the hidden cards again in worlds, (worlds,), in place; None if `resample` was enough.
        """
        legal, values = self._values(state, seat, redeal)
        values -= base
        means = values.mean(axis=0)
        errors = half_widths(values - values[:, [int(means.argmax())]])
        least, most = np.array([bounds.get(action, (-np.inf, np.inf)) for action in legal]).T
        means = means.clip(least, most)
        actions = []
        for action, value, error, column in zip(legal, means.tolist(), errors.tolist(), values.T, strict=True):
            text = text_of(self.game, state, action)
            actions.append(ActionAdvice(action, text, value, reason(column), error))
        source = f"{self._worlds:,} playouts of {self.player}"
        return Advice(kind, self._unit, source, ranked(actions, self._unit), self._blunder)

    def _values(self, state: State, seat: int, redeal: Redeal | None) -> tuple[list[int], Float64s]:
        """Return the legal actions, and the value of each in each world, (worlds, actions), float64."""
        observation, legal = look(self.game, self.options, state, seat)
        key = _key_of(observation.tobytes())
        parts = []
        step = max(_ROWS // len(legal), 1)
        for first in range(0, self._worlds, step):
            count = min(step, self._worlds - first)
            played, paid = self._play(state, seat, key, first, count, np.array(legal, np.int64), redeal)
            if not self._by_reward:
                self._evaluate(played, True, paid[:, : self.options.num_players])
            parts.append(paid[:, seat].reshape(count, len(legal)))
        return legal, np.concatenate(parts)

    def standing(self, state: State) -> Float64s:
        """Return each seat's mean share of the game, with the actual hidden cards: (num_players,), float64."""
        parts = [np.ascontiguousarray(state[name]).tobytes() for name in self.game.state.names or ()]
        key = _key_of(b"".join(parts))  # Between a state's fields there may be anything.
        played, _ = self._play(state, -1, key, 0, _STANDING_WORLDS, np.array([-1], np.int64))
        shares = np.zeros((len(played), self.options.num_players), np.float64)
        self._evaluate(played, False, shares)
        means: Float64s = shares.mean(axis=0)
        return means

    def _play(
        self,
        root: State,
        seat: int,
        key: np.uint64,
        first: int,
        worlds: int,
        actions: Int64s,
        redeal: Redeal | None = None,
    ) -> tuple[npt.NDArray[Any], Float64s]:  # fmt: skip
        """Play each action (-1 for none) in some worlds and then on; the last states and what each seat was paid.

        Rows are ordered by world, then by action: (worlds x actions,) and (worlds x actions, MAX_PLAYERS).
        """
        rows = worlds * len(actions)
        played = np.zeros(rows, self.game.state)
        played[0] = root
        chance, choice = np.zeros((rows, 2), np.uint64), np.zeros((rows, 2), np.uint64)
        self._sample(played, seat, key, first, len(actions), chance, choice)
        if redeal is not None:
            dealt = played[:: len(actions)].copy()
            redeal(dealt, np.array([derive(key, np.uint64(first)), 1 << 32], np.uint64))
            played[:] = np.repeat(dealt, len(actions))
        # Players in the kernel draw from one generator for all rows, others from one for each row.
        source = np.array([derive(key, np.uint64(first)), 0], np.uint64)
        games = ManyGames(self.game, self.options, played, chance)
        until = DECISION if self._whole_game or seat < 0 else DEAL
        games.play_on(self._player, np.tile(actions, worlds), choice, source, until, self._opponent, seat)
        return played, games.paid


def look(
    game: Game, options: Options, state: State, seat: int, observation_name: str | None = None
) -> tuple[Float32s, list[int]]:
    """Return the observation of the seat to decide, (size,) float32, and its legal actions."""
    seats = np.array([seat], np.int64)
    observations, masks, _ = batch.look(game, options, _alone(game, state), seats, observation_name)
    if not masks.any():
        raise CardgymError(f"{game.id}: seat {seat} has nothing to decide here")
    return observations[0], np.flatnonzero(masks[0]).tolist()


def _alone(game: Game, state: State) -> npt.NDArray[Any]:
    states = np.zeros(1, game.state)
    states[0] = state
    return states


def _key_of(knowledge: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.sha256(knowledge).digest()[:8], "little"))


# -- compiled ---------------------------------------------------------------------------------------------------------


@template
def _sample(states: Any, seat: int, key: Any, first: int, actions: int, chance: Any, choice: Any) -> None:
    """Copy the first state to all rows, resampled for `seat` (not if -1) once for each `actions` rows."""
    generator = np.zeros(2, np.uint64)
    for row in range(states.shape[0] - 1, -1, -1):  # The first state is the last to change.
        world = np.uint64(3 * (first + row // actions))
        fresh = row % actions == actions - 1
        states[row] = states[0 if fresh else row + 1]
        if fresh and seat >= 0:
            generator[0] = derive(key, world)
            generator[1] = np.uint64(0)
            bound.resample(states[row], seat, generator)
        chance[row, 0] = derive(key, world + np.uint64(1))
        choice[row, 0] = derive(key, world + np.uint64(2))


@template
def _evaluate(states: Any, by_worth: bool, out: Any) -> None:
    """Fill `out`, (rows, seats), with the worth of each state to each seat, or each seat's share of the game."""
    for row in range(states.shape[0]):
        state = states[row]
        for seat in range(out.shape[1]):
            if by_worth:
                out[row, seat] = bound.worth(state, seat)
            else:
                out[row, seat] = bound.score(state, seat) / bound.max_score(state)


@cache
def _compiled(
    kernel: Kernel, worth: Worth, resample: Resample | None
) -> tuple[Callable[..., None], Callable[..., None]]:
    sample = kernel.entry_point(_sample)
    if resample is not None:
        sample = kernel.entry_point(_sample, f"_{code_name(kernel.game, [resample])}", resample=resample)
    return sample, kernel.entry_point(_evaluate, f"_{code_name(kernel.game, [worth])}", worth=worth)
