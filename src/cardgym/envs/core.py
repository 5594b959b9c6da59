"""What the single and the vector env share: their arguments, spaces and pictures."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from cardgym.engine.contract import Game, Options, Record
from cardgym.engine.kernel import ANY_SEAT, CALLER, EVERY_SEAT, PENALIZE, RANDOM
from cardgym.engine.registry import find
from cardgym.errors import CardgymError, IllegalActionError, unknown
from cardgym.players.base import PlayerSpec, resolve, seated
from cardgym.players.seating import SeatedBatch

ENV_ARGUMENTS = ("illegal_action", "obs", "obs_mode", "opponent", "render_mode", "seat")
"""What every env takes beside the options of its game."""
ILLEGAL_ACTIONS = {"penalize": PENALIZE, "random": RANDOM, "raise": PENALIZE}
OBS_MODES = ("flat", "dict")
Opponents = PlayerSpec | Sequence[PlayerSpec]


class Setting:
    """An env's arguments, checked, and what follows from them.

    Args:
        game: a game's id, or a game.
        opponent: who takes the other seats: one player for all, or one for each in the order of play.
        seat: the caller's seat, "random" for a new one each game, or "all" to play every seat.
        obs: the name of an observation, the game's first by default.
        obs_mode: "flat", or "dict" for `Dict(observation, action_mask)`.
        illegal_action: "penalize" (the game ends and is lost), "raise" or "random".
        num_rows: how many tables.
        options: the game's options.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        opponent: Opponents,
        seat: int | str,
        obs: str | None,
        obs_mode: str,
        illegal_action: str,
        num_rows: int,
        options: dict[str, Any],
    ) -> None:
        self.game = find(game)
        own = [spec.name for spec in dataclasses.fields(self.game.options)]
        for name in options:
            if name not in own:
                raise unknown("argument", name, [*own, *ENV_ARGUMENTS])
        self.options: Options = self.game.parse_options(options)
        self.observation_name = obs or self.game.default_observation
        self.observation = self.game.observation(self.observation_name)
        if obs_mode not in OBS_MODES:
            raise unknown("obs_mode", obs_mode, OBS_MODES)
        self.as_dict = obs_mode == "dict"
        if illegal_action not in ILLEGAL_ACTIONS:
            raise unknown("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        self.raises = illegal_action == "raise"
        self.illegal = ILLEGAL_ACTIONS[illegal_action]
        seats = self.options.num_players
        named = isinstance(seat, str)
        if (named and seat not in ("random", "all")) or (not named and seat not in range(seats)):
            raise CardgymError(f"seat={seat!r}: allowed are 0 to {seats - 1}, 'random' and 'all'")
        self.plays_all = seat == "all"
        self.requested_seat = EVERY_SEAT if seat == "all" else ANY_SEAT if seat == "random" else int(seat)
        if (seats == 1 or self.plays_all) and opponent not in ("random", []):
            why = "seat='all' leaves" if self.plays_all else f"{self.game.id} has"
            raise CardgymError(f"opponent={opponent!r}: {why} no other seats; leave it out")
        specs = [] if self.plays_all else seated(opponent, seats - 1)
        roster = [resolve(spec, self.game, self.options) for spec in specs]
        self.tables = SeatedBatch(self.game, self.options, num_rows, roster, self.observation_name)
        self.tables.seat(
            [CALLER] * seats if self.plays_all else [CALLER, *self.tables.numbers], requested_seat=self.requested_seat
        )
        self.has_code = self.game.state_index.num_info_states is not None

    @property
    def skips(self) -> bool:
        """Whether games in which the caller has nothing to decide are passed over."""
        return not self.plays_all

    def observation_space(self) -> spaces.Space[Any]:
        """The space of one observation."""
        mask = spaces.Box(0, 1, (self.game.actions(self.options),), np.int8)
        observation: spaces.Space[Any]
        if self.observation.discrete is not None:
            observation = spaces.Discrete(self.observation.discrete(self.options))
        else:
            low, high = self.observation.bounds(self.options)
            observation = spaces.Box(low, high, dtype=np.float32)
        return spaces.Dict(observation=observation, action_mask=mask) if self.as_dict else observation

    def draw_key(self, generator: np.random.Generator) -> int:
        """The key of a row's games, drawn from its generator."""
        return int(generator.integers(0, 2**64 - 1, dtype=np.uint64, endpoint=True))

    def viewers(self) -> npt.NDArray[np.int64]:
        """The seat of each row through whose eyes it is shown, (rows,) int64."""
        rows = self.tables.batch.plain_rows
        shown = (
            np.where(rows["current_player"] >= 0, rows["current_player"], rows["seat"])
            if self.plays_all
            else rows["seat"]
        )
        return shown.astype(np.int64)

    def seen_now(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """What each row shows, written anew: observations (rows, size), masks (rows, actions), all ones at the end."""
        observations, masks, _ = self.tables.batch.look(self.viewers())
        masks[self.tables.batch.plain_rows["current_player"] < 0] = 1
        return observations, masks

    def one_action(self, action: Any) -> int:
        """An action for an env of one row: a whole number, and legal where illegal ones are to raise."""
        try:
            chosen: int = operator.index(action)
        except TypeError:
            raise CardgymError(f"action {action!r} is not a whole number") from None
        if self.raises:
            self.refuse_illegal(np.array([chosen]), np.array([True]))
        return chosen

    def refuse_illegal(self, actions: npt.NDArray[np.int64], acting: npt.NDArray[np.bool_]) -> None:
        """Raise `IllegalActionError` if an acting row's action is not legal."""
        masks = self.seen_now()[1]
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & (masks[np.arange(len(masks)), np.where(inside, actions, 0)] != 0)
        if not legal[acting].all():
            row = int(np.flatnonzero(acting & ~legal)[0])
            allowed = ", ".join(map(str, np.flatnonzero(masks[row])))
            where = f" in env {row}" if len(masks) > 1 else ""
            raise IllegalActionError(f"action {actions[row]} is not legal{where}; allowed are {allowed}")


def check_reset_options(options: Mapping[str, Any] | None, allowed: Sequence[str]) -> None:
    """Refuse what `reset` would not heed."""
    for name in options or ():
        if name not in allowed:
            raise unknown("option of reset", name, allowed)


def picture(game: Game, state: Record, seat: int) -> npt.NDArray[np.uint8]:
    """The table as `seat` sees it, drawn as text, (height, width, 3) uint8."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(16)
    text = f"{game.id}\n\n{game.words.describe(state, seat)}"
    image = Image.new("RGB", (760, 60 + 22 * (len(text.splitlines()) + 1)), (18, 32, 47))
    ImageDraw.Draw(image).multiline_text((24, 24), text, fill=(240, 228, 66), font=font, spacing=6)
    return np.asarray(image)
