"""What a learner does at each kind of decision, as a picture."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game
from cardgym.figures import COLOURS, new_figure

_MIN_LABELLED_SHARE = 0.08
"""A bar's part has room for a label from this share on."""


class ActionShares(NamedTuple):
    """How often each action was taken at one kind of decision.

    Attributes:
        actions: the legal actions, (legal,), int64.
        shares: the share of each, (legal,), float64.
        decisions: how many decisions of this kind there were.
    """

    actions: npt.NDArray[np.int64]
    shares: npt.NDArray[np.float64]
    decisions: int


def action_shares(masks: npt.NDArray[np.int8], actions: npt.NDArray[np.int64], most: int = 8) -> list[ActionShares]:
    """The share of each action by kind of decision. Decisions are of one kind if the same actions are legal.

    Args:
        masks: (rows, actions), int8.
        actions: the actions taken, (rows,), int64.
        most: how many kinds to return at most.

    Returns:
        One entry for each kind, the most frequent first.
    """
    kinds, kind_of_row, counts = np.unique(masks, axis=0, return_inverse=True, return_counts=True)
    shares = []
    for kind in np.argsort(-counts, kind="stable")[:most]:
        legal = np.flatnonzero(kinds[kind])
        taken = np.bincount(actions[kind_of_row.ravel() == kind], minlength=masks.shape[1])
        shares.append(ActionShares(legal, taken[legal] / counts[kind], int(counts[kind])))
    return shares


def action_names(
    game: Game, states: np.recarray[Any, Any], masks: npt.NDArray[np.int8], most: int = 64
) -> dict[int, str]:
    """Names of the actions that are legal in these states: their texts, without what is in brackets.

    Args:
        game: the game.
        states: (rows,), each at a decision.
        masks: (rows, actions), int8.
        most: how many names to return at most.
    """
    names: dict[int, str] = {}
    for state, mask in zip(states, masks, strict=True):
        for action in np.flatnonzero(mask).tolist():
            if action not in names and len(names) < most:
                names[action] = re.sub(r" *\(.*", "", game.words.action_text(state, action))
    return names


def draw_action_shares(kinds: Sequence[ActionShares], names: Mapping[int, str]) -> npt.NDArray[np.uint8]:
    """A picture with a bar for each kind of decision, (height, width, 3), uint8.

    Args:
        kinds: from `action_shares`.
        names: names of actions; an action without a name is shown by its number.
    """
    figure = new_figure(9, 0.8 + 0.7 * len(kinds), dpi=100)
    canvas: Any = figure.canvas
    axes = figure.add_subplot()
    for row, kind in enumerate(kinds):
        left = 0.0
        for index in np.argsort(-kind.shares, kind="stable")[: len(COLOURS)]:
            share, action = float(kind.shares[index]), int(kind.actions[index])
            # Ordered by share, coloured by action: an action has the same colour in every bar.
            axes.barh(row, share, left=left, color=COLOURS[action % len(COLOURS)], edgecolor="white")
            if share > _MIN_LABELLED_SHARE:
                label = f"{names.get(action, action)}\n{share:.0%}"
                axes.text(left + share / 2, row, label, ha="center", va="center", fontsize=8, color="white")
            left += share
        axes.text(1.01, row, f"{kind.decisions:,} decisions", va="center", fontsize=8)
    axes.set(xlim=(0, 1.15), xticks=[0, 0.5, 1], xticklabels=["0 %", "50 %", "100 %"], yticks=[])
    axes.invert_yaxis()
    axes.set_title("Share of each action by kind of decision (greedy)", fontsize=9)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()
