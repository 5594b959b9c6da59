"""What all envs share: arguments, spaces, checks of actions, rendering, and winners."""

from __future__ import annotations

import dataclasses
import importlib
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces

from cardgym.engine.binding import code_name
from cardgym.engine.compilation import bind, bound, name_entry_point, template
from cardgym.engine.contract import Float32s, Game, Int8s, Int64s, Options
from cardgym.engine.declarations import checkpoint_metadata
from cardgym.engine.kernel import ANY_SEAT, CALLER, EVERY_SEAT, PENALIZE, RANDOM
from cardgym.engine.registry import find
from cardgym.engine.text import TextView
from cardgym.errors import (
    CardgymError,
    IllegalActionError,
    UnexpectedArgumentError,
    brief,
    of_kind,
    one_of,
    unknown,
    whole_number,
)
from cardgym.players import Player, PlayerSpec, TextPlayer, check_legal, resolve, seated
from cardgym.players.seats import SeatedBatch

ILLEGAL_ACTIONS = {"penalize": PENALIZE, "random": RANDOM, "raise": PENALIZE}


class MaskedObservation(NamedTuple):
    """A dict of an observation and its action mask: the keys of both, and the dtype of the mask."""

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
"""What an env returns: the observation alone (None), or a dict with the mask in the form a library expects."""
MAX_SEED = 2**128
"""The largest seed of an env; those that Gymnasium draws are smaller."""
RENDER_MODES = ("ansi", "rgb_array")
RENDER_FPS = 2
Opponents = PlayerSpec | Sequence[PlayerSpec]


@dataclass(frozen=True)
class EnvArguments:
    """The keyword arguments of every env, besides the options of its game.

    Attributes:
        illegal_action: "penalize" (the game ends and is lost; the first one warns), "raise" or "random".
        obs: the name of an observation; the game's first if None.
        obs_mode: "flat", "dict", "torchrl", "rllib" or "tianshou"; see `OBS_MODES`.
        opponent: who takes the other seats: one player for all, or a list of one for each in the order of play. A
            player is a name, a path, a bot such as "./bot.py:choose", a callable (observation, action_mask) -> action,
            or a mapping from players to weights, such as {"heuristic": 3, "random": 1}, from which one is drawn for
            each seat of each game.
        render_mode: "ansi", "rgb_array" or None.
        seat: the caller's seat, "random" for a new one in each game, or "all" to play every seat.
        text: whether `info["text"]` has the game in words, as a `cardgym.engine.text.TextView`.
    """

    illegal_action: str = "penalize"
    obs: str | None = None
    obs_mode: str = "flat"
    opponent: Opponents = "random"
    render_mode: str | None = None
    seat: int | str = 0
    text: bool = False

    def __post_init__(self) -> None:
        of_kind("text", self.text, bool, "True and False")
        one_of("obs_mode", self.obs_mode, OBS_MODES)
        one_of("illegal_action", self.illegal_action, ILLEGAL_ACTIONS)
        mode = brief(self.render_mode)
        if mode not in map(repr, (None, *RENDER_MODES)):
            hint = "; gymnasium.make opens a window for 'human'" if mode == repr("human") else ""
            raise CardgymError(f"render_mode={mode}: allowed are 'ansi' and 'rgb_array'{hint}")


def _parse(game: Game, given: Mapping[str, Any], fixed: Mapping[str, Any]) -> tuple[Options, EnvArguments]:
    """Split the user's keyword arguments into the game's options and `EnvArguments`."""
    own = [spec.name for spec in dataclasses.fields(game.options)]
    accepted = [name for name in EnvArguments.__dataclass_fields__ if name not in fixed]
    for name in given:
        if name not in own and name not in accepted:
            message = str(unknown("argument", name, [*own, *accepted]))
            raise UnexpectedArgumentError(f"unexpected keyword argument {name!r}: {message}")
    options = game.parse_options({name: given[name] for name in given if name in own})
    return options, EnvArguments(**{name: given[name] for name in given if name not in own}, **fixed)


def _requested_seat(seat: int | str, options: Options) -> int:
    """Return the caller's seat as the kernel has it."""
    if isinstance(seat, str) and seat in ("all", "random"):
        return EVERY_SEAT if seat == "all" else ANY_SEAT
    try:
        return whole_number("seat", seat, 0, options.num_players - 1)
    except CardgymError:
        shown = f"seat={brief(seat)}"
        raise CardgymError(f"{shown}: allowed are 0 to {options.num_players - 1}, 'random' and 'all'") from None


class EnvCore:
    """The validated arguments of an env and its games.

    Attributes:
        masked: how an observation is shown together with its mask; None if it is shown alone.
        render_mode: "ansi", "rgb_array" or None.
        illegal: what the kernel does with an illegal action, PENALIZE or RANDOM.
        plays_all: whether the caller plays every seat; if not, games in which it has no decision are skipped.
        shows_as_is: whether the env returns the kernel's observation unchanged.
        shows_keys: whether infos contain `info_state_key`, which needs a game whose keys have indices.
        shows_text: whether infos contain `text`.
        seated: the games, one in each row.
    """

    def __init__(
        self, game: str | Game, given: Mapping[str, Any], *, num_rows: int = 1, num_threads: int = 1, **fixed: Any
    ) -> None:
        """Check the arguments and create the games.

        Args:
            given: the user's keyword arguments: `EnvArguments` and options of the game.
            num_rows: the number of games.
            num_threads: the maximum number of threads that share a step.
            fixed: `EnvArguments` that the env sets itself, and so does not accept from users.

        Raises:
            CardgymError: for an unknown name or a value that is not allowed.
        """
        whole_number("num_threads", num_threads, 1)
        self.game = find(game)
        self.options, arguments = _parse(self.game, given, fixed)
        obs = self.game.default_observation if arguments.obs is None else arguments.obs
        self.observation_name = one_of("observation", obs, self.game.observations)
        self.observation = self.game.observation(self.observation_name)
        self.masked = OBS_MODES[arguments.obs_mode]
        self.raises = arguments.illegal_action == "raise"
        self.illegal = ILLEGAL_ACTIONS[arguments.illegal_action]
        self.render_mode = arguments.render_mode
        self.plays_all = isinstance(arguments.seat, str) and arguments.seat == "all"
        self.shows_keys = self.game.state_index.has_indices
        self.shows_text = arguments.text
        self.shows_as_is = self.observation.discrete is None and self.masked is None
        self._warned = False
        requested_seat = _requested_seat(arguments.seat, self.options)
        roster = self._opponents(arguments.opponent)
        self.seated = SeatedBatch(self.game, self.options, num_rows, roster, self.observation_name, num_threads)
        num_callers = self.options.num_players if self.plays_all else 1
        self.seated.seat([CALLER] * num_callers + self.seated.numbers, requested_seat=requested_seat)
        if self.shows_text or self.render_mode == "ansi":
            self.seated.tell([CALLER])

    def _opponents(self, opponent: Opponents) -> list[Player]:
        """Return the players of the other seats, in the order of play."""
        seats = self.options.num_players
        alone = isinstance(opponent, str | list) and opponent in ("random", [])
        if (seats == 1 or self.plays_all) and not alone:
            why = "seat='all' leaves" if self.plays_all else f"{self.game.id} has"
            raise CardgymError(f"opponent={opponent!r}: {why} no other seats; leave it out")
        specs = [] if self.plays_all else seated(opponent, seats - 1)
        # Each player is resolved once, even if several seats share it: its decisions in all of them are then one batch.
        players = {id(spec): resolve(spec, self.game, self.options) for spec in specs}
        return [players[id(spec)] for spec in specs]

    def observation_space(self) -> spaces.Space[Any]:
        """Return the space of one observation."""
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

    def shown(self, observation: Any, mask: Int8s) -> Any:
        """Return an observation, (size,), or rows of them, with their `mask`, in the form of the observation space."""
        if self.observation.discrete is not None:
            observation = observation.T[0].astype(np.int64)
        if self.masked is None:
            return observation
        return {self.masked.observation: observation, self.masked.mask: mask.astype(self.masked.dtype)}

    def action_space(self) -> spaces.Discrete:
        """Return the space of one action; saved players are checked against the metadata in its `cardgym`."""
        space = spaces.Discrete(self.game.actions(self.options))
        metadata = checkpoint_metadata(self.game, self.options, self.observation_name)
        vars(space)["cardgym"] = {**metadata, "as_dict": self.masked is not None}
        return space

    def draw_key(self, generator: np.random.Generator) -> int:
        """Return a new key, from 0 to 2**64 - 1, for the games of a row."""
        return int(generator.integers(0, 2**64 - 1, dtype=np.uint64, endpoint=True))

    def stack(self, options: Mapping[str, Any] | None, row: int = 0) -> bool:
        """Let a row's next game deal from `deck`, if it is in the `options` of `reset`; return whether it is.

        Raises:
            CardgymError: for another option or an impossible deck.
        """
        check_reset_options(options, ("deck",))
        if not options:
            return False
        self.game.rules.stack_deck(self.seated.batch.states[row], options["deck"])
        return True

    def player(self, spec: PlayerSpec) -> Callable[[], Int64s]:
        """Return a function that chooses an action in each row, (rows,), as a player would, for a loop of one's own.

        In a seat where the function decides everything, the games are those of an env with this opponent in that seat:
        it draws from the same generator. See `SeatedBatch.choose`.

        Raises:
            CardgymError: as `cardgym.players.resolve`.
        """
        player = resolve(spec, self.game, self.options)
        if isinstance(player, TextPlayer):
            self.seated.tell([CALLER])
        return partial(self.seated.choose, player)

    def text(self, row: int, seat: int, parses: bool = True) -> TextView:
        """Return the game of a row in words, as `seat` knows it; it reads moves if it `parses`: see `view_in_text`.

        Raises:
            CardgymError: if the env was made with neither `text=True` nor `render_mode="ansi"`.
        """
        if self.seated.chronicle is None:
            raise CardgymError('no words are kept of these games: make the env with text=True or render_mode="ansi"')
        view: TextView = self.seated.chronicle.view(row, seat, parses)
        return view

    def viewers(self) -> Int64s:
        """Return the seat that each row shows, (rows,) int64: the caller's; the seat to decide if it plays all."""
        rows = self.seated.batch.plain_rows
        seats = rows["seat"]
        if self.plays_all:
            seats = np.where(rows["current_player"] >= 0, rows["current_player"], seats)
        return seats.astype(np.int64)

    def observe_now(self) -> tuple[Float32s, Int8s]:
        """Return new observations (rows, size) float32 and masks (rows, actions) int8, all ones if the game is over."""
        observations, masks, _ = self.seated.look(None, self.viewers())
        masks[self.seated.batch.plain_rows["current_player"] < 0] = 1
        return observations, masks

    def one_action(self, action: Any) -> int:
        """Return the action of an env with one row as an int.

        Raises:
            CardgymError: if it is not an integer.
            IllegalActionError: for an illegal action with `illegal_action="raise"`.
        """
        try:
            given: Any = None if isinstance(action, bool) else action
            chosen: int = operator.index(given)
        except Exception:  # Whatever the action's own code raises.
            shown = brief(action)
            raise CardgymError(f"action {shown} is not a whole number") from None
        chosen = max(-1, min(chosen, 2**31 - 1))  # The kernel has no larger integers; none of these is legal.
        if self.raises:
            check_legal(np.array([chosen]), self.observe_now()[1], lambda row: "", IllegalActionError)
        return chosen

    def one_seat(self, seat: Any) -> int:
        """Return a seat as an int; `CardgymError` if the game has no such seat."""
        return whole_number("seat", seat, 0, self.options.num_players - 1)

    def ends(self, over: npt.NDArray[np.bool_]) -> dict[str, npt.NDArray[Any]]:
        """Say how the rows `over`, (rows,) bool, ended by the rules or a forfeit.

        Returns:
            New arrays: `winner`, (rows,) int64, a seat or -1 (see `winners`), and `illegal_action`, (rows,) bool; -1
            and False in the other rows.
        """
        batch = self.seated.batch
        if not over.any():
            return {"winner": np.full(len(batch), -1), "illegal_action": np.zeros(len(batch), np.bool_)}
        return {
            "winner": winners(self.game, batch, over),
            "illegal_action": over & (batch.plain_rows["forfeited"] >= 0),
        }

    def warn_of_illegal_action(self, consequence: str = "ended the game, which counts as lost") -> None:
        """Warn through `gymnasium.logger`, once for each env, that an illegal action had a `consequence`."""
        if not self._warned:
            self._warned = True
            logger.warn(
                f"{self.game.id}: an illegal action {consequence}. Choose among the legal actions, those with a 1 in "
                'info["action_mask"] or in env.action_masks(), or train with an algorithm that takes masks. '
                'illegal_action="random" replaces illegal actions without a warning, "raise" makes them errors.',
                stacklevel=3,
            )

    def render(self, row: int, seat: int) -> str | npt.NDArray[np.uint8] | None:
        """Get a row as `seat` sees it: text, or a picture (720, 960, 3), uint8; None and a warning without a mode."""
        if self.render_mode == "ansi":
            return str(self.text(row, seat, parses=False))
        if self.render_mode == "rgb_array":
            # By name: the module is above the envs and takes a second to load.
            drawings = importlib.import_module("cardgym.table.drawings.picture")
            picture: npt.NDArray[np.uint8] = drawings.picture_of(self.game, self.seated.batch.states[row], seat)
            return picture
        logger.warn(  # As Gymnasium's own envs.
            "You are calling render method without specifying any render mode. You can specify the render_mode at "
            f'initialization, e.g. gym.make("{self.game.id}", render_mode="rgb_array")',
            stacklevel=3,
        )
        return None


def check_reset_options(options: Mapping[str, Any] | None, allowed: Sequence[str]) -> None:
    """Raise `CardgymError` for an option of `reset` that is not `allowed`."""
    if options is not None:
        of_kind("options", options, Mapping, f"None and a dict with {' or '.join(allowed)}")
    for name in options or ():
        if name not in allowed:
            raise unknown("option of reset", name, allowed)


# -- how games ended --------------------------------------------------------------------------------------------------


@template
def _find_winners(states: Any, forfeited: Any, over: Any, num_seats: int, winners: Any) -> None:
    """Find the winner of each finished row: the seat with the highest score, or -1."""
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
def winners_of(game: Game) -> Any:
    """Return `_find_winners` compiled for a game."""
    rules: dict[str, Any] = {"score": game.rules.score, "max_score": game.rules.max_score}
    found = bind(_find_winners, code_name(game, rules.values()), **rules)
    name_entry_point(f"{game.id} (winners)", found)
    return found


def winners(game: Game, batch: Any, over: npt.NDArray[np.bool_]) -> Int64s:
    """Return the winner of each row of a batch, (rows,) int64: a seat, or -1.

    The winner is the seat with the highest score, as in the win rates of `cardgym evaluate`; in a game with one seat it
    wins with more than half of the maximum score. A tie, or a forfeit with more than two seats, has no winner. `over`,
    (rows,) bool, says whether the game ended by the rules or a forfeit; other rows have no winner.
    """
    found = np.empty(len(batch), np.int64)
    forfeited = batch.plain_rows["forfeited"].astype(np.int64)
    winners_of(game)(batch.plain_states, forfeited, over, batch.options.num_players, found)
    return found
