"""Players: choosing legal actions, the base class, players in the kernel, and callables."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Float64s, Int8s, Int64s
from cardgym.engine.text import TextView
from cardgym.errors import CardgymError, DecisionError, in_short, of_kind, quoted, real_number, reporting_errors
from cardgym.players.checks import are_legal, check_actions, check_rows, not_legal, whole_action

Observations = Float32s
Masks = Int8s
Actions = Int64s
Found = TypeVar("Found")

GREEDY = ":greedy"
"""After the path of a policy network: play the most probable actions instead of sampling."""

FORFEIT = -1
"""In place of an action, from a `TextPlayer`: it names no legal move and loses the game."""

PYTHON = ".py"
"""The suffix of a file with a player; a colon and the player's name in the file may follow it."""


def split_path(name: str) -> tuple[str, str]:
    """Split a player's name into a path and what may follow it: `:greedy`, or `:choose` after a file in Python."""
    path, colon, rest = name.rpartition(":")
    return (path, colon + rest) if colon + rest == GREEDY or path.endswith(PYTHON) else (name, "")


SMALLEST_SHARE = np.float32(1e-30)
"""What is left of a draw that rounds to 1; see `sample_actions`."""


def absolute(name: str) -> str:
    """Return a player's name that is right in every folder: the path of its file, if it has one, becomes absolute."""
    path, rest = split_path(name)
    return f"{Path(path).resolve()}{rest}" if Path(path).is_file() else name


def sample_actions(probabilities: npt.NDArray[np.floating[Any]], draws: Float64s) -> Actions:
    """Return an action of each row, int64, by inversion: the first whose cumulative probability reaches the draw.

    `probabilities`, (rows, actions), float32 or float64, are exactly 0 for illegal actions, which are never sampled;
    `draws`, (rows,), are uniform in [0, 1).
    """
    check_rows("probabilities", probabilities)
    check_rows("draws", draws, probabilities, dimensions=1)
    dtype = probabilities.dtype
    cumulative = probabilities.cumsum(axis=1, dtype=np.float64).astype(dtype)
    # In (0, total]: above 0, so that a leading action of probability 0 does not reach it, and never beyond the total.
    # A draw that rounds to 1 leaves the smallest share; times a total just below 1 it must still be a normal number,
    # because trainings flush smaller ones to 0.
    goals = np.maximum(1 - np.asarray(draws).astype(dtype), SMALLEST_SHARE) * cumulative[:, -1]
    actions: Actions = (cumulative < goals[:, None]).sum(axis=1)
    return actions


def best_actions(values: npt.NDArray[np.floating[Any]], masks: Masks) -> Actions:
    """Return the legal action of the highest of `values`, (rows, actions), in each row, the first in a tie, (rows,)."""
    check_rows("values", values)
    check_rows("masks", masks, values, kinds="biu")
    actions: Actions = np.where(masks != 0, values, np.finfo(values.dtype).min).argmax(axis=1)
    return actions


def check_temperature(temperature: float) -> float:
    """Return what `softmax` divides by as a float; raise `CardgymError` for one too small for float32, or no number."""
    return real_number("temperature", temperature, float(SMALLEST_SHARE), sys.float_info.max, "numbers from 1e-30")


def softmax(values: npt.NDArray[np.floating[Any]], masks: Masks, temperature: float) -> Float32s:
    """Return shares of exp(`values` / `temperature`) over the legal actions, (rows, actions), float32."""
    check_rows("values", values)
    check_rows("masks", masks, values, kinds="biu")
    legal = np.where(masks != 0, values, -np.inf)
    weights = np.exp((legal - legal.max(axis=1, keepdims=True)) / check_temperature(temperature)).astype(np.float32)
    shares: Float32s = weights / weights.sum(axis=1, keepdims=True)
    return shares


def one_hot(actions: Actions, masks: Masks) -> Float32s:
    """Return probability 1 for one action of each row, (rows, actions), float32; raise `CardgymError` for another."""
    check_actions(actions, masks)
    if not ((actions >= 0) & (actions < masks.shape[1])).all():
        raise CardgymError(f"actions: allowed are 0 to {masks.shape[1] - 1}")
    shares = np.zeros(masks.shape, np.float32)
    shares[np.arange(len(actions)), actions] = 1.0
    return shares


# -- players -----------------------------------------------------------------------------------------------------------


class Player:
    """A player, which chooses actions for many games at once.

    A subclass overrides one method: `values`, to take the action with the highest value; `probabilities`, with
    `samples` set, to draw actions; or `act`, for anything else.

    Attributes:
        observation_name: the observation it reads; None for the one that the games use.
        samples: whether it draws its actions; `act` then expects draws, and without them takes the likeliest action.
        stand_in: of a slow player, a fast one with known probabilities that plays alike in most decisions.
        recalled: of a slow player, one that plays what it has worked out so far and elsewhere as its stand-in.
    """

    name: str
    observation_name: str | None = None
    samples: bool = False
    stand_in: Player | None = None
    recalled: Player | None = None

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """Choose a legal action in each row.

        Args:
            observations: what the deciding seats see, (rows, size), float32.
            masks: their legal actions, (rows, actions), int8.
            draws: (rows,), float64, uniform in [0, 1), for a player that `samples`; None for the likeliest actions.

        Returns:
            (rows,), int64.

        Raises:
            DecisionError: without `values`, `probabilities` and an `act` of its own, or if these do not fit.
        """
        values = self.values(observations, masks)
        if values is None:
            own = type(self).probabilities is not Player.probabilities
            values = known_probabilities(self, observations, masks) if own else None
            if values is None:
                raise DecisionError(self.name, "it has neither values nor probabilities nor an `act` of its own", None)
            if self.samples and draws is not None:
                return sample_actions(values, draws)
        elif is_users(self) and not (_fits(values, masks) and not np.isnan(values).any()):
            raise DecisionError(self.name, f"give values {masks.shape}, an array of floats without NaN", None)
        return best_actions(values, masks)

    def choose(self, observation: Float32s, mask: Masks, draw: float) -> int:
        """Return one action: `act` for an observation (size,) and a mask (actions,); checked, see `legal_actions`.

        `draw` is uniform in [0, 1), for a player that `samples`.
        """
        return int(legal_actions(self, observation[None], mask[None], np.array([draw]))[0])

    def anew(self) -> Player:
        """Return this player as it was before any game, so that what is `recalled` does not depend on earlier ones."""
        return self

    def values(self, observations: Observations, masks: Masks) -> npt.NDArray[np.floating[Any]] | None:
        """Return the value of each action, (rows, actions), illegal ones included; None for a player without values."""
        return None

    def probabilities(
        self, observations: Observations, masks: Masks, temperature: float = 0.0
    ) -> npt.NDArray[np.floating[Any]] | None:
        """Return the probability of each action, (rows, actions); 0 for illegal actions.

        A player that chooses by values returns the softmax of the values divided by `temperature`, which has their
        unit; at 0 the best action has probability 1. A player that draws its actions returns its own probabilities at
        every temperature, or None if they are unknown.
        """
        if temperature and (values := self.values(observations, masks)) is not None:
            return softmax(values, masks, temperature)
        return None if self.samples else one_hot(legal_actions(self, observations, masks), masks)


def legal_actions(
    player: Player,
    observations: Observations,
    masks: Masks,
    draws: Float64s | None = None,
    views: Callable[[], Sequence[TextView]] = list,
    *,
    may_forfeit: bool = False,
) -> Actions:
    """Return the actions that a player chooses, checked, (rows,) int64; see `Player.act`.

    Args:
        views: makes what each row's seat reads, for a `TextPlayer`.
        may_forfeit: whether a `TextPlayer` may answer FORFEIT.

    Raises:
        DecisionError: if one is not legal, or they are not whole numbers; and if a player from Python raises an error.
    """
    if not callable(getattr(player, "act", None)):
        raise CardgymError(f"player={quoted(player)}: give a player, such as resolve returns it")
    if not callable(views):
        raise CardgymError(f"views={quoted(views)}: give a function that makes the views")
    of_kind("may_forfeit", may_forfeit, bool, "True and False")
    check_rows("masks", masks, kinds="biu")
    check_rows("observations", observations)
    if draws is not None:
        check_rows("draws", draws, dimensions=1)  # Empty for a player that does not sample.

    def ask(at: slice) -> Actions:
        some = None if draws is None else draws[at]
        return _checked_actions(player, observations[at], masks[at], some, lambda: views()[at], may_forfeit)

    if isinstance(player, TextPlayer):
        return _locating(ask, len(masks), lambda row: views()[row].state)
    return _locating(ask, len(masks), lambda row: observations[row])


def _locating(ask: Callable[[slice], Found], rows: int, seen: Callable[[int], Any]) -> Found:
    """Return what `ask` answers for all rows; if it fails, its error, its row and what was seen there."""
    try:
        return ask(slice(None))
    except DecisionError as error:
        failed = error
    if failed.row is None:  # Asked about many at once: the first that it also fails at alone.
        for row in range(rows):
            try:
                ask(slice(row, row + 1))
            except DecisionError as error:
                failed, failed.row = error, row
                break
    if failed.row is None:
        raise failed from failed.__cause__
    raise failed.at(failed.row, seen=in_short(seen(failed.row))) from failed.__cause__


def _checked_actions(
    player: Player,
    observations: Observations,
    masks: Masks,
    draws: Float64s | None,
    views: Callable[[], Sequence[TextView]] = list,
    may_forfeit: bool = False,
) -> Actions:
    seen = views() if isinstance(player, TextPlayer) else ()
    with _reporting(player, masks):
        if isinstance(player, TextPlayer):
            actions = np.asarray(player.answers(seen))
        else:
            actions = np.asarray(
                player.act(*_handed(player, observations, masks), *([draws] if player.samples else []))
            )
    if actions.shape != (len(masks),) or not np.issubdtype(actions.dtype, np.integer):
        reason = f"give one whole number a row, not {actions.dtype} {actions.shape}"
        raise DecisionError(player.name, reason, 0 if len(masks) == 1 else None)
    forfeits = isinstance(player, TextPlayer) & (actions == FORFEIT)
    if forfeits.any() and not may_forfeit:
        raise CardgymError(f"player {player.name} names no legal move and cannot forfeit here: add ,illegal=random")
    legal = are_legal(actions, masks) | forfeits
    if not legal.all():
        row = int(np.argmin(legal))
        raise DecisionError(player.name, not_legal(actions[row], np.flatnonzero(masks[row])), row)
    return actions.astype(np.int64)


def known_probabilities(
    player: Player, observations: Observations, masks: Masks, temperature: float = 0.0
) -> npt.NDArray[np.floating[Any]] | None:
    """Return what `Player.probabilities` returns, checked if the player's code is not cardgym's.

    Raises:
        DecisionError: for numbers that are no probabilities, and whatever that code raises.
    """
    if not is_users(player):
        return player.probabilities(observations, masks, temperature)

    def ask(at: slice) -> npt.NDArray[np.floating[Any]] | None:
        legal = masks[at] != 0
        with _reporting(player, legal):
            shares = player.probabilities(*_handed(player, observations[at], masks[at]), temperature)
        fit = shares is None or (_fits(shares, legal) and not shares[~legal].any() and bool((shares >= 0).all()))
        if not fit or (shares is not None and not np.allclose(shares.sum(axis=1), 1.0, atol=1e-4)):
            wanted = f"probabilities {legal.shape}, an array of floats, 0 where illegal, with the sum 1 in each row"
            raise DecisionError(player.name, f"give {wanted}", 0 if len(legal) == 1 else None)
        return shares

    return _locating(ask, len(masks), lambda row: observations[row])


def _fits(values: Any, masks: npt.NDArray[Any]) -> bool:
    """Whether it is an array of floats in the shape of the masks."""
    return isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.shape == masks.shape


def is_users(player: Player) -> bool:
    """Whether a player's code is not cardgym's: its errors are reported in one line, and its answers are checked."""
    return not type(player).__module__.startswith("cardgym.")


def _handed(player: Player, observations: Observations, masks: Masks) -> tuple[Observations, Masks]:
    """Return what a player is handed: copies if its code is not cardgym's, since it may write to them."""
    return (observations.copy(), masks.copy()) if is_users(player) else (observations, masks)


def _reporting(player: Player, masks: npt.NDArray[Any]) -> contextlib.AbstractContextManager[None]:
    if not is_users(player):
        return contextlib.nullcontext()
    return reporting_errors(player.name, 0 if len(masks) == 1 else None)


# -- players that read -------------------------------------------------------------------------------------------------


class TextPlayer(Player):
    """A player that reads the game in words; a subclass overrides `answers`."""

    def answers(self, views: Sequence[TextView]) -> Sequence[int] | Actions:
        """Return a legal action for each of `views`, (rows,); the rows are games that wait at the same time."""
        raise NotImplementedError

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """Not possible from observations; raises `CardgymError`."""
        raise CardgymError(f"player {self.name} reads words, not observations: it can only play where games have words")

    def summary(self) -> dict[str, Any] | None:
        """Return what a report says about it, such as how many answers were illegal; None for nothing."""
        return None


def summaries(players: Sequence[Player]) -> tuple[dict[str, Any], ...]:
    """Return what reports say about players that read, each once."""
    readers = dict.fromkeys(player for player in players if isinstance(player, TextPlayer))
    return tuple(summary for player in readers if (summary := player.summary()) is not None)


@dataclass(eq=False)
class TextFunction(TextPlayer):
    """A function of a `TextView` as a player; it returns an action, or words or an ID that `TextView.parse` reads."""

    name: str
    function: Callable[[TextView], int | str]

    def answers(self, views: Sequence[TextView]) -> Sequence[int] | Actions:
        """Return what the function returns for each view.

        Raises:
            DecisionError: for words that name no legal move, and whatever the function raises.
        """
        return [self._answer(row, view) for row, view in enumerate(views)]

    def _answer(self, row: int, view: TextView) -> int:
        with reporting_errors(self.name, row):
            answer = self.function(view)
        if not isinstance(answer, str):
            action = whole_action(self.name, answer, row, view.moves)
            if action not in view.moves:  # FORFEIT, for one.
                raise DecisionError(self.name, not_legal(action, view.moves), row)
            return action
        try:
            return view.parse(answer)
        except CardgymError as error:
            raise DecisionError(self.name, str(error), row) from None


# -- players in the kernel --------------------------------------------------------------------------------------------


class KernelPlayer(Player):
    """A player inside the kernel, which looks at states instead of observations.

    Attributes:
        policy: what `cardgym.engine.states.choose_actions` takes: a compiled player's name, or a policy table.
    """

    policy: str | Int8s

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """Not possible from observations; raises `CardgymError`."""
        raise CardgymError(
            f"player {self.name} chooses by states, not by observations: name it as an opponent, or call "
            f"env.unwrapped.player({self.name!r}), which returns a function that chooses its action in an env"
        )


@dataclass(unsafe_hash=True)
class CompiledPlayer(KernelPlayer):
    """A player that its game provides as compiled code, under its name there; every game has `random`."""

    name: str

    def __post_init__(self) -> None:
        self.policy = self.name


@dataclass(eq=False)
class TablePlayer(KernelPlayer):
    """A player that takes its actions from a policy table, int8 by the game's info state index."""

    name: str
    actions: Int8s

    def __post_init__(self) -> None:
        self.policy = self.actions
