"""Values of actions from rollouts: hidden cards are resampled, and a player of the game plays on after each action."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine import states
from cardgym.engine.contract import Game, Options, State
from cardgym.engine.generator import derive
from cardgym.engine.kernel import Kernel, choose_random, code_name, kernel_of
from cardgym.engine.numba.compilation import bound, name_entry_point, template
from cardgym.engine.numba.rules import rule
from cardgym.errors import CardgymError, unknown
from cardgym.statistics import half_widths
from cardgym.table.advice import ActionAdvice, Advice, legal_of, ranked

WORLDS = 1000
"""How often the hidden cards are resampled for one decision."""
_STANDING_WORLDS = 200

Worth = Callable[[State, int], float]


@rule
def _no_worth(state: State, seat: int) -> float:
    return 0.0


class Rollouts:
    """Values of actions in one game, from rollouts in which one compiled player takes all seats.

    All actions are tried in the same resampled worlds and with the same luck. The worlds depend only on what the seat
    can know, so the same decision always gets the same advice.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        player: str,
        *,
        unit: str = "reward",
        blunder: float = 0.2,
        worth: Worth | None = None,
        whole_game: bool = True,
        worlds: int = WORLDS,
    ) -> None:
        """Choose the player and what a rollout is worth.

        Args:
            game: the game.
            options: its options.
            player: the compiled player in all seats.
            unit: what values are in.
            blunder: the cost from which an action is a blunder.
            worth: a rule `worth(state, seat)`, evaluated at the end of a rollout; None for the sum of rewards.
            whole_game: play to the end of the game instead of the deal.
            worlds: how often the hidden cards are resampled for one decision.

        Raises:
            CardgymError: if the player is not compiled.
        """
        players = {"random": choose_random, **game.compiled_players}
        if player not in players:
            raise unknown("compiled player", player, players)
        self.game = game
        self.options = options
        self.player = player
        self._unit, self._blunder = unit, blunder
        self._whole_game = whole_game
        self._worlds = worlds
        self._by_reward = worth is None
        kernel = kernel_of(game, game.default_observation)
        self._try_actions, self._play_on = _compiled(kernel, players[player], worth or _no_worth)
        self._states = np.zeros(3, game.state)
        self._mask = np.zeros(game.actions(options), np.int8)
        name_entry_point(f"{game.id} (coach)", self._try_actions)

    def advise(self, state: State, seat: int, kind: str = "decision") -> Advice:
        """The mean value of every legal action over the worlds, best first; see `Adviser.advise`."""
        observation, mask = look(self.game, self.options, state, seat)
        legal = np.array(legal_of(mask), np.int64)
        values = np.zeros((self._worlds, len(legal)), np.float64)
        key = _key_of(observation.tobytes())
        self._states[:1] = state
        self._try_actions(self._states, seat, legal, self._mask, key, self._by_reward, self._whole_game, values)
        means = values.mean(axis=0)
        errors = half_widths(values - values[:, [int(means.argmax())]])
        words = self.game.words.action_text
        actions = [
            ActionAdvice(int(action), words(state, int(action)), float(mean), error=float(error))
            for action, mean, error in zip(legal, means, errors, strict=True)
        ]
        return Advice(kind, self._unit, f"{self._worlds:,} rollouts of {self.player}", ranked(actions), self._blunder)

    def standing(self, state: State) -> npt.NDArray[np.float64]:
        """Each seat's mean share of the game, with the actual hidden cards: (num_players,), float64."""
        out = np.zeros(self.options.num_players, np.float64)
        self._states[:1] = state
        key = _key_of(state.tobytes())
        self._play_on(self._states, self._mask, key, _STANDING_WORLDS, out)
        return out


def look(
    game: Game, options: Options, state: State, seat: int, observation_name: str | None = None
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    """The observation of the seat to decide, (size,) float32, and its mask of legal actions, (actions,) int8."""
    copy = np.zeros(1, game.state)
    copy[:1] = state
    observations, masks, _ = states.look(game, options, copy, np.array([seat], np.int64), observation_name)
    if not masks.any():
        raise CardgymError(f"{game.id}: seat {seat} has nothing to decide here")
    return observations[0], masks[0]


def _key_of(knowledge: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.sha256(knowledge).digest()[:8], "little"))


# -- compiled ---------------------------------------------------------------------------------------------------------

_ROOT, _WORLD, _PLAY = range(3)


@template
def _try_actions(
    states: Any, seat: int, actions: Any, mask: Any, key: Any, by_reward: bool, whole_game: bool, values: Any
) -> None:
    """Fill `values`, (worlds, actions), with the outcome of each action in each world."""
    generator = np.zeros(2, np.uint64)
    chance = np.zeros(2, np.uint64)
    choice = np.zeros(2, np.uint64)
    paid = np.zeros(8, np.float64)
    for world in range(values.shape[0]):
        generator[0] = derive(key, np.uint64(3 * world))
        generator[1] = np.uint64(0)
        states[_WORLD] = states[_ROOT]
        bound.resample(states[_WORLD], seat, generator)
        deal = bound.deal(states[_WORLD])
        for place in range(actions.shape[0]):
            states[_PLAY] = states[_WORLD]
            state = states[_PLAY]
            chance[0] = derive(key, np.uint64(3 * world + 1))
            chance[1] = np.uint64(0)
            choice[0] = derive(key, np.uint64(3 * world + 2))
            choice[1] = np.uint64(0)
            paid[:] = 0.0
            move = actions[place]
            while move >= 0:
                bound.apply_action(state, move)
                bound.rewards(state, paid)
                move = -1
                if whole_game or bound.deal(state) == deal:
                    move = bound.move_of(state, mask, chance, choice)
            values[world, place] = paid[seat] if by_reward else bound.worth(state, seat)


@template
def _play_on(states: Any, mask: Any, key: Any, worlds: int, out: Any) -> None:
    """Fill `out` with each seat's mean share of the game, over rollouts from the root."""
    chance = np.zeros(2, np.uint64)
    choice = np.zeros(2, np.uint64)
    for world in range(worlds):
        states[_PLAY] = states[_ROOT]
        state = states[_PLAY]
        chance[0] = derive(key, np.uint64(2 * world))
        chance[1] = np.uint64(0)
        choice[0] = derive(key, np.uint64(2 * world + 1))
        choice[1] = np.uint64(0)
        move = bound.move_of(state, mask, chance, choice)
        while move >= 0:
            bound.apply_action(state, move)
            move = bound.move_of(state, mask, chance, choice)
        for seat in range(out.shape[0]):
            out[seat] += bound.score(state, seat) / bound.max_score(state) / worlds


@template
def _move_of(state: State, mask: Any, chance: Any, choice: Any) -> int:
    """Chance's next outcome or the player's action; -1 at the end."""
    move = bound.draw(state, chance)
    if move >= 0:
        return int(move)
    seat = bound.current_player(state)
    if seat < 0:
        return -1
    bound.legal_action_mask(state, mask)
    return int(bound.player(state, seat, mask, choice))


@cache
def _compiled(
    kernel: Kernel, player: Callable[..., int], worth: Worth
) -> tuple[Callable[..., None], Callable[..., None]]:
    suffix = f"_{code_name(kernel.game, [player, worth])}"
    move_of = kernel.inlined(_move_of, suffix, player=player)
    return (
        kernel.entry_point(_try_actions, suffix, move_of=move_of, worth=worth),
        kernel.entry_point(_play_on, suffix, move_of=move_of),
    )
