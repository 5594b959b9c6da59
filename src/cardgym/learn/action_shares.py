"""What a learner does at each kind of decision, as a picture."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.console.figures import COLORS, new_figure
from cardgym.engine.contract import Game
from cardgym.learn import tags
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players.actions import Actions, Masks, Observations
from cardgym.players.base import Player

_STRIDE = 7
"""Keep every seventh decision: those of neighboring rows belong to the same deal."""
_MAX_DECISIONS = 50_000
_MAX_KINDS = 5
_MAX_ACTIONS = 6
_MIN_DECISIONS = 50
"""Kinds with fewer decisions share a panel."""
_MIN_SHARE = 0.01
"""So do kinds with a smaller share of all decisions."""
_MAX_NAME_LENGTH = 28


class Watched(Player):
    """A player whose decisions are kept, one in seven: what it does in a match can then be looked at."""

    def __init__(self, player: Player) -> None:
        self.name, self.observation_name, self.samples = player.name, player.observation_name, player.samples
        self._player = player
        self._kept: list[tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]] = []

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        """See `Player.act`."""
        actions = self._player.act(observations, masks, draws)
        first = len(self._kept) % _STRIDE
        self._kept.append((masks[first::_STRIDE].copy(), actions[first::_STRIDE].copy()))
        return actions

    def decisions(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """The masks, (rows, actions) int8, and the actions, (rows,) int64, that were kept; at least one call."""
        masks, actions = (np.concatenate(part) for part in zip(*self._kept, strict=True))
        every = -(-len(actions) // _MAX_DECISIONS) or 1
        return masks[::every], actions[::every]


class ActionShares(NamedTuple):
    """How often each action was taken at one kind of decision.

    Attributes:
        actions: the actions, the most frequent first, (actions,), int64.
        shares: the share of each, (actions,), float64.
        decisions: how many decisions of this kind there were.
        mixed: whether these are decisions of several kinds, each rarer than those shown.
    """

    actions: npt.NDArray[np.int64]
    shares: npt.NDArray[np.float64]
    decisions: int
    mixed: bool = False


def action_shares(
    masks: npt.NDArray[np.int8],
    actions: npt.NDArray[np.int64],
    least: int = _MIN_DECISIONS,
    most: int = _MAX_KINDS,
) -> list[ActionShares]:
    """The share of each action by kind of decision. Decisions are of one kind if the same actions are legal.

    Forced moves are left out. Kinds with too few decisions for meaningful shares are merged.

    Args:
        masks: (rows, actions), int8.
        actions: the actions taken, (rows,), int64.
        least: kinds with fewer decisions, or less than 1 % of all, are merged.
        most: the most kinds to return.

    Returns:
        One entry for each kind, the most frequent first; last the rest, if there is one.
    """
    free = masks.sum(axis=1) > 1
    masks, actions = masks[free], actions[free]
    if not len(actions):
        return []
    kinds, kind_of_row, counts = np.unique(masks, axis=0, return_inverse=True, return_counts=True)
    kind_of_row = kind_of_row.ravel()
    least = max(least, int(np.ceil(_MIN_SHARE * len(actions))))
    frequent = [int(kind) for kind in np.argsort(-counts, kind="stable") if counts[kind] >= least]
    shown = frequent if len(frequent) == len(kinds) <= most else frequent[: most - 1]
    result = [_shares(actions[kind_of_row == kind], np.flatnonzero(kinds[kind])) for kind in shown]
    rest = ~np.isin(kind_of_row, shown)
    if rest.any():
        result.append(_shares(actions[rest], np.unique(actions[rest]))._replace(mixed=bool(shown)))
    return result


def _shares(taken: npt.NDArray[np.int64], legal: npt.NDArray[np.int64]) -> ActionShares:
    shares = np.bincount(taken, minlength=int(legal.max()) + 1)[legal] / len(taken)
    order = np.argsort(-shares, kind="stable")
    return ActionShares(legal[order], shares[order], len(taken))


def action_names(
    game: Game, states: np.recarray[Any, Any], masks: npt.NDArray[np.int8], wanted: Collection[int]
) -> dict[int, str]:
    """Names of actions that are legal in some of these states: their texts, without what is in brackets.

    Args:
        game: the game.
        states: (rows,), each at a decision.
        masks: (rows, actions), int8.
        wanted: the actions to name; those that are legal nowhere get no name.
    """
    names: dict[int, str] = {}
    for action in wanted:
        legal = np.flatnonzero(masks[:, action])
        if len(legal):
            names[action] = re.sub(r" *\(.*", "", game.words.action_text(states[legal[0]], action))
    return names


def draw_action_shares(kinds: Sequence[ActionShares], names: Mapping[int, str], title: str) -> npt.NDArray[np.uint8]:
    """A picture with a panel for each kind of decision and a bar for each action, (height, width, 3), uint8.

    It is narrow and its letters are large: TensorBoard shows pictures small.

    Args:
        kinds: from `action_shares`, at least one.
        names: names of actions; an action without a name is shown by its number.
        title: the text above the panels.
    """
    bars = [len(_bars(kind, names)) for kind in kinds]
    heights = [0.55 + 0.27 * count for count in bars]
    figure = new_figure(4.8, 0.5 + sum(heights), dpi=100)
    figure.suptitle(title, fontsize=11)
    canvas: Any = figure.canvas
    panels = figure.subplots(len(kinds), 1, squeeze=False, gridspec_kw={"height_ratios": heights})
    for panel, kind in zip(panels.flat, kinds, strict=True):
        _draw_kind(panel, kind, _bars(kind, names))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _bars(kind: ActionShares, names: Mapping[int, str]) -> list[tuple[str, float]]:
    """Names and shares: of each action, or of the most frequent and all others together."""
    shown = len(kind.actions) if len(kind.actions) <= _MAX_ACTIONS else _MAX_ACTIONS - 1
    bars = [
        (names.get(action, f"action {action}"), share)
        for action, share in zip(kind.actions[:shown].tolist(), kind.shares[:shown].tolist(), strict=True)
    ]
    if rest := len(kind.actions) - shown:
        bars.append((f"{rest} other actions", float(kind.shares[shown:].sum())))
    return bars


def _draw_kind(panel: Any, kind: ActionShares, bars: list[tuple[str, float]]) -> None:
    places = range(len(bars))
    panel.barh(places, [share for _, share in bars], height=0.7, color=COLORS[0])
    for place, (_, share) in zip(places, bars, strict=True):
        text = "<1%" if 0 < share < 0.005 else f"{share:.0%}"
        panel.text(share + 0.01, place, text, va="center", fontsize=11)
    panel.set_title(f"{kind.decisions:,} {'rarer ' if kind.mixed else ''}decisions", fontsize=11, loc="left")
    labels = [name if len(name) <= _MAX_NAME_LENGTH else f"{name[: _MAX_NAME_LENGTH - 1]}…" for name, _ in bars]
    panel.set_yticks(places, labels, fontsize=11)
    panel.set(xlim=(0, 1.16), ylim=(len(bars) - 0.4, -0.6), xticks=[])
    panel.tick_params(left=False)
    for side in ("top", "right", "bottom"):
        panel.spines[side].set_visible(False)


class ActionPictures:
    """Draws what a learner does in its evaluations, for TensorBoard.

    Args:
        board: where the pictures go.
        rollout: the games that the learner plays: actions get their names from them, and keep these.
    """

    def __init__(self, board: TensorBoard, rollout: SelfPlayRollout) -> None:
        self._board = board
        self._rollout = rollout
        self._names: dict[int, str] = {}

    def draw(self, step: int, watched: Watched) -> None:
        """Draw what was watched in a match, if there was anything to decide."""
        kinds = action_shares(*watched.decisions())
        if not kinds:
            return
        wanted = {action for kind in kinds for action in kind.actions[:_MAX_ACTIONS].tolist()} - self._names.keys()
        rollout = self._rollout
        self._names |= action_names(rollout.game, rollout.states, rollout.turns.masks, wanted)
        picture = draw_action_shares(kinds, self._names, f"What the {watched.name} does in evaluations")
        self._board.picture(tags.ACTIONS, step, picture)
