"""What all envs share: their arguments, spaces, checks of actions, rendering, how games ended, and documentation."""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT, CALLER, EVERY_SEAT, PENALIZE, RANDOM
from cardgym.engine.numba.compilation import bind, bound, name_entry_point, template
from cardgym.engine.registry import find, load
from cardgym.errors import CardgymError, IllegalActionError, UnexpectedArgumentError, unknown
from cardgym.players.actions import check_legal
from cardgym.players.base import PlayerSpec, resolve, seated
from cardgym.players.metadata import checkpoint_metadata
from cardgym.players.seats import SeatedBatch

ENV_ARGUMENTS = ("illegal_action", "obs", "obs_mode", "opponent", "render_mode", "seat")
"""The arguments of every env besides the options of its game."""
ILLEGAL_ACTIONS = {"penalize": PENALIZE, "random": RANDOM, "raise": PENALIZE}


class MaskedObservation(NamedTuple):
    """How an observation and its action mask are shown as one dict.

    Attributes:
        observation: the observation's key.
        mask: the mask's key.
        dtype: the mask's dtype.
    """

    observation: str
    mask: str
    dtype: type[Any]


OBS_MODES: Mapping[str, MaskedObservation | None] = {
    "flat": None,
    "dict": MaskedObservation("observation", "action_mask", np.int8),
    "torchrl": MaskedObservation("observation", "action_mask", np.bool_),
    "rllib": MaskedObservation("observations", "action_mask", np.float32),
    "tianshou": MaskedObservation("obs", "mask", np.bool_),
}
"""What an env shows: the observation alone, or a dict with its mask as a library expects it."""
RENDER_MODES = ("ansi", "rgb_array")
RENDER_FPS = 2
Opponents = PlayerSpec | Sequence[PlayerSpec]


class EnvCore:
    """The checked arguments of an env, and the games it plays.

    Attributes:
        game: the game.
        options: its options.
        observation_name: the name of the observation.
        observation: the observation.
        masked: how an observation is shown with its mask; None where it is shown alone.
        render_mode: "ansi", "rgb_array" or None.
        raises: whether an illegal action is an error.
        illegal: what the kernel does with an illegal action, PENALIZE or RANDOM.
        plays_all: whether the caller plays every seat.
        skips: whether games without a decision of the caller are skipped.
        num_threads: how many threads may share the rows of a step.
        shows_as_is: whether an observation is the kernel's array itself.
        shows_keys: whether infos hold `info_state_key`: in games whose keys are numbered.
        seated: the games, a row each.
    """

    def __init__(
        self,
        game: str | Game,
        options: dict[str, Any],
        *,
        num_rows: int = 1,
        opponent: Opponents = "random",
        seat: int | str = 0,
        obs: str | None = None,
        obs_mode: str = "flat",
        illegal_action: str = "penalize",
        render_mode: str | None = None,
        num_threads: int = 1,
    ) -> None:
        """Check the arguments and make the games.

        Args:
            game: a game's id, or a game.
            options: the game's options.
            num_rows: how many games are played side by side.
            opponent: who takes the other seats: one player for all, or one for each in the order of play.
            seat: the caller's seat, "random" for a new one each game, or "all" to play every seat.
            obs: the name of an observation; the game's first by default.
            obs_mode: "flat", "dict", "torchrl", "rllib" or "tianshou"; see `OBS_MODES`.
            illegal_action: "penalize" (the game ends and is lost), "raise" or "random".
            render_mode: "ansi", "rgb_array" or None.
            num_threads: how many threads share the rows of a step.

        Raises:
            CardgymError: for an unknown name or a value that is not allowed.
        """
        if not isinstance(num_threads, int) or num_threads < 1:
            raise CardgymError(f"num_threads={num_threads!r}: allowed are whole numbers from 1")
        self.game = find(game)
        own = [spec.name for spec in dataclasses.fields(self.game.options)]
        for name in options:
            if name not in own:
                message = str(unknown("argument", name, [*own, *ENV_ARGUMENTS]))
                raise UnexpectedArgumentError(f"unexpected keyword argument {name!r}: {message}")
        self.options: Options = self.game.parse_options(options)
        self.observation_name = obs or self.game.default_observation
        self.observation = self.game.observation(self.observation_name)
        if obs_mode not in OBS_MODES:
            raise unknown("obs_mode", obs_mode, OBS_MODES)
        self.masked = OBS_MODES[obs_mode]
        if illegal_action not in ILLEGAL_ACTIONS:
            raise unknown("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        self.raises = illegal_action == "raise"
        self.illegal = ILLEGAL_ACTIONS[illegal_action]
        if render_mode is not None and render_mode not in RENDER_MODES:
            hint = "; gymnasium.make opens a window for 'human'" if render_mode == "human" else ""
            raise CardgymError(f"render_mode={render_mode!r}: allowed are 'ansi' and 'rgb_array'{hint}")
        self.render_mode = render_mode
        seats = self.options.num_players
        if seat not in ("random", "all") and (isinstance(seat, str) or seat not in range(seats)):
            raise CardgymError(f"seat={seat!r}: allowed are 0 to {seats - 1}, 'random' and 'all'")
        self.plays_all = seat == "all"
        self.skips = not self.plays_all
        if (seats == 1 or self.plays_all) and opponent not in ("random", []):
            why = "seat='all' leaves" if self.plays_all else f"{self.game.id} has"
            raise CardgymError(f"opponent={opponent!r}: {why} no other seats; leave it out")
        specs = [] if self.plays_all else seated(opponent, seats - 1)
        roster = [resolve(spec, self.game, self.options) for spec in specs]
        self.seated = SeatedBatch(self.game, self.options, num_rows, roster, self.observation_name, num_threads)
        lineup = [CALLER] * seats if self.plays_all else [CALLER, *self.seated.numbers]
        requested_seat = EVERY_SEAT if seat == "all" else ANY_SEAT if seat == "random" else int(seat)
        self.seated.seat(lineup, requested_seat=requested_seat)
        self.shows_keys = self.game.state_index.has_indices
        self.num_threads = num_threads
        self.shows_as_is = self.observation.discrete is None and self.masked is None

    def observation_space(self) -> spaces.Space[Any]:
        """The space of one observation."""
        observation: spaces.Space[Any]
        if self.observation.discrete is not None:
            observation = spaces.Discrete(self.observation.discrete(self.options))
        else:
            low, high = self.observation.bounds(self.options)
            observation = spaces.Box(low, high, dtype=np.float32)
        if self.masked is None:
            return observation
        mask = spaces.Box(0, 1, (self.game.actions(self.options),), self.masked.dtype)
        return spaces.Dict({self.masked.observation: observation, self.masked.mask: mask})

    def shown(self, observation: Any, mask: npt.NDArray[np.int8]) -> Any:
        """An observation, or a batch of them, as the observation space has it."""
        if self.masked is None:
            return observation
        return {self.masked.observation: observation, self.masked.mask: mask.astype(self.masked.dtype)}

    def action_space(self) -> spaces.Discrete:
        """The space of one action; its attribute `cardgym` says what the env shows, as saved players say it."""
        space = spaces.Discrete(self.game.actions(self.options))
        metadata = checkpoint_metadata(self.game, self.options, self.observation_name)
        vars(space)["cardgym"] = {**metadata, "as_dict": self.masked is not None}
        return space

    def draw_key(self, generator: np.random.Generator) -> int:
        """The key of a row's games, drawn from its generator."""
        return int(generator.integers(0, 2**64 - 1, dtype=np.uint64, endpoint=True))

    def viewers(self) -> npt.NDArray[np.int64]:
        """The seat that each row is shown to, (rows,) int64: the caller's, or the seat to decide if it plays all."""
        rows = self.seated.batch.plain_rows
        seats = rows["seat"]
        if self.plays_all:
            seats = np.where(rows["current_player"] >= 0, rows["current_player"], seats)
        return seats.astype(np.int64)

    def observe_now(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Fresh observations (rows, size), float32, and masks (rows, actions), int8; all ones where a game is over."""
        observations, masks, _ = self.seated.batch.look(self.viewers())
        masks[self.seated.batch.plain_rows["current_player"] < 0] = 1
        return observations, masks

    def one_action(self, action: Any) -> int:
        """The action of an env with one row, as an int.

        Raises:
            CardgymError: for what is no whole number.
            IllegalActionError: for an illegal action with `illegal_action="raise"`.
        """
        try:
            chosen: int = operator.index(action)
        except TypeError:
            raise CardgymError(f"action {action!r} is not a whole number") from None
        if self.raises:
            check_legal(np.array([chosen]), self.observe_now()[1], lambda row: "", IllegalActionError)
        return chosen

    def refuse_illegal(self, actions: npt.NDArray[np.integer[Any]], rows: npt.NDArray[np.intp]) -> None:
        """Raise `IllegalActionError` if the action (of (all rows,)) of one of `rows` is not legal."""
        masks = self.observe_now()[1]
        check_legal(actions[rows], masks[rows], lambda place: f"env {rows[place]}: ", IllegalActionError)

    def render(self, row: int, seat: int) -> str | npt.NDArray[np.uint8]:
        """A row as `seat` sees it: text, or a picture (720, 960, 3), uint8.

        Raises:
            CardgymError: without a render mode.
        """
        state = self.seated.batch.states[row]
        if self.render_mode == "ansi":
            return self.game.words.describe(state, seat)
        if self.render_mode == "rgb_array":
            # By reference: pictures belong to the table, above the envs, and take a second to load.
            draw = load("cardgym.table.drawings.picture:picture_of")
            drawn: npt.NDArray[np.uint8] = draw(self.game, state, seat)
            return drawn
        raise CardgymError("render() needs an env made with render_mode='ansi' or 'rgb_array'")


def check_reset_options(options: Mapping[str, Any] | None, allowed: Sequence[str]) -> None:
    """Raise `CardgymError` for an option of `reset` that is not `allowed`."""
    for name in options or ():
        if name not in allowed:
            raise unknown("option of reset", name, allowed)


# -- how games ended --------------------------------------------------------------------------------------------------

FINISHED, ILLEGAL_ACTION, TRUNCATED = "finished", "illegal_action", "truncated"
"""Reasons: the rules ended the game; a seat forfeited it by an illegal action; the env's limit of steps is reached."""


@template
def _find_winners(states: Any, forfeited: Any, over: Any, num_seats: int, winners: Any) -> None:
    """The winner of each row that is over: the one seat of the highest score, or -1."""
    for i in range(states.shape[0]):
        winners[i] = -1
        if not over[i]:
            continue
        if forfeited[i] >= 0:
            if num_seats == 2:
                winners[i] = 1 - forfeited[i]
            continue
        best = 0.5 * bound.max_score(states[i]) if num_seats == 1 else 0.0
        for seat in range(num_seats):
            score = bound.score(states[i], seat)
            if score > best:
                best = score
                winners[i] = seat
            elif score == best:
                winners[i] = -1


@cache
def _winners_of(game: Game) -> Any:
    found = bind(_find_winners, f"{game.id}_winners", score=game.rules.score, max_score=game.rules.max_score)
    name_entry_point(f"{game.id} (winners)", found)
    return found


def winners(game: Game, batch: Any, over: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The winner of each row of a batch, (rows,) int64: a seat, or -1.

    The winner has the highest score, by which `cardgym evaluate` counts win rates; in a game of one seat, more than
    half of the score to be had. Nobody has won where seats share the highest score, or where a game of more than two
    seats was forfeited.

    Args:
        game: the game.
        batch: the batch.
        over: the rows whose games have ended by the rules or a forfeit, (rows,) bool; the others have no winner.
    """
    found = np.empty(len(batch), np.int64)
    forfeited = batch.plain_rows["forfeited"].astype(np.int64)
    _winners_of(game)(batch.plain_states, forfeited, over, batch.options.num_players, found)
    return found


def reasons(batch: Any, over: npt.NDArray[np.bool_], truncated: npt.NDArray[np.bool_]) -> npt.NDArray[np.object_]:
    """Why the game of each row is over, (rows,) of strings; None where it is not."""
    found: npt.NDArray[np.object_] = np.empty(len(batch), object)  # All None.
    ended = np.flatnonzero(over)  # A few of many rows: the others cost nothing.
    found[truncated.nonzero()] = TRUNCATED
    found[ended] = FINISHED
    found[ended[batch.plain_rows["forfeited"][ended] >= 0]] = ILLEGAL_ACTION
    return found


# -- env classes with their game's documentation ----------------------------------------------------------------------


class Documented:
    """An env whose instances have a class made for their game, so that `help(env)` shows the game's documentation.

    A class derived from such an env keeps its own name and docstring.
    """

    game: Game

    def __new__(cls, game: str | Game | None = None, *args: Any, **kwargs: Any) -> Any:
        """An instance of the game's class, not yet initialised. Pickle names no game, and gets one of `cls`."""
        return object.__new__(cls) if game is None or Documented not in cls.__bases__ else _new(cls, game)


def _new(cls: type, game: str | Game) -> Any:
    return object.__new__(_class_of(cls, find(game)))


@cache
def _class_of(cls: type, game: Game) -> type:
    def reduce(self: Any) -> tuple[Any, ...]:
        return _new, (cls, self.game), vars(self)  # Pickle cannot import a class made here, but the one it is made of.

    name = re.sub(r"\W", "", re.sub(r"-v\d+$", "", game.id)) + cls.__name__.removeprefix("Card")
    return type(name, (cls,), {"__doc__": game.documentation, "__module__": cls.__module__, "__reduce__": reduce})
