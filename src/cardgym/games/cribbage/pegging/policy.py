"""The solved play of the cards as a file: how probable each card is, up to the last three cards of a deal.

The file is an archive of NumPy arrays (`.npz`). It keeps what `PeggingSolver` has learned above the leaves of the
public tree, rounded to `LEVELS_OF_CHOICE` steps. At the leaves the player counts instead (`inference.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.files.atomic import replacing
from cardgym.games.cribbage.pegging.hands import SIZES
from cardgym.games.cribbage.pegging.solver import PeggingSolver
from cardgym.games.cribbage.pegging.tree import PublicTree

FORMAT = "cardgym cribbage pegging 2"
LEVELS_OF_CHOICE = 255
"""Into how many steps a probability is rounded: a byte."""
FLOOR = 0.001
"""What the player adds to every probability when it infers: a hand is hardly ever impossible."""
PATH = Path(__file__).with_name("policy.npz")
"""The policy of the player `equilibrium`."""

_RESTART = 1 << 41


class PeggingPolicy(NamedTuple):
    """A policy for the play of the cards.

    Attributes:
        keys: (nodes,), int64: the public nodes with something to choose, sorted; see `node_key`.
        bases: (nodes,), int64: where the choices of each begin.
        choices: (num_choices,), uint8: probabilities in steps, size x multiset + slot from a node's base on.
        kept: (2, 1820), float64: how often the pone and the dealer keep each hand.
        worths: (2, 1820), float64: what the pone and the dealer win in the play with each hand, in points less the
            opponent's.
        takers: with which probability the opponent was a taker (`takers.py`).
    """

    keys: npt.NDArray[np.int64]
    bases: npt.NDArray[np.int64]
    choices: npt.NDArray[np.uint8]
    kept: npt.NDArray[np.float64]
    worths: npt.NDArray[np.float64]
    takers: float


@rule
def node_key(code: int, turn: int, restarted: bool) -> int:
    """The key of a public node: its code (`tree.sequence_code`), whose turn it is, and whether the count restarts."""
    return int(code | turn << 40 | (_RESTART if restarted else 0))


@rule
def find_node(policy: PeggingPolicy, key: int) -> int:
    """Where the choices of the node with a key begin; -1 if there is none."""
    keys = policy.keys
    low = 0
    high = keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low == keys.shape[0] or keys[low] != key:
        return -1
    return int(policy.bases[low])


def rounded(tree: PublicTree, sums: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """A strategy above the leaves as steps, (inner choices,), uint8, in the order of the tree."""
    inner = tree.nodes[: tree.levels[-2]]
    inner = inner[inner["base"] >= 0]
    sizes = np.take_along_axis(inner["left"], inner["turn"].astype(np.int64)[:, None], 1)[:, 0]
    steps = np.zeros(_num_inner(tree), np.uint8)
    for size in range(2, 5):
        for base in inner["base"][sizes == size].tolist():
            values = sums[base : base + SIZES[size] * size].reshape(-1, size)
            totals = values.sum(1, keepdims=True)
            shares = np.where(totals > 0, values / np.where(totals > 0, totals, 1.0), 1.0)
            steps[base : base + values.size] = np.rint(shares * LEVELS_OF_CHOICE).astype(np.uint8).ravel()
    return steps


def whole_strategy(solver: PeggingSolver, steps: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """The strategy of a player that knows the steps and counts at the leaves, (num_choices,), not normalised."""
    strategy = np.zeros(solver.tree.num_choices, np.float32)
    strategy[: len(steps)] = steps.astype(np.float32) / LEVELS_OF_CHOICE + FLOOR
    solver.finish_best(strategy)
    strategy[: len(steps)] = steps
    return strategy


def pack(
    tree: PublicTree,
    steps: npt.NDArray[np.uint8],
    kept: npt.NDArray[np.float64],
    worths: npt.NDArray[np.float64],
    takers: float = 0.0,
) -> PeggingPolicy:
    """The policy of a tree: its nodes sorted by key."""
    inner = tree.nodes[: tree.levels[-2]]
    inner = inner[inner["base"] >= 0]
    restarted = (inner["length"] == 0) & (inner["left"].sum(1) < 8)
    keys = inner["code"] | inner["turn"].astype(np.int64) << 40 | np.where(restarted, _RESTART, 0)
    order = np.argsort(keys)
    if len(np.unique(keys)) != len(keys):
        raise AssertionError("two public nodes have one key")
    return PeggingPolicy(keys[order], inner["base"][order], steps, kept, worths, takers)


def save_policy(path: Path, policy: PeggingPolicy, **about: str | int | float) -> None:
    """Write a policy, and in words what made it."""
    arrays: dict[str, Any] = {"format": np.array(FORMAT), **{name: np.array(text) for name, text in about.items()}}
    arrays |= policy._asdict()
    with replacing(path) as temporary, open(temporary, "wb") as stream:
        np.savez_compressed(stream, **arrays)


def load_policy(path: Path = PATH) -> PeggingPolicy:
    """Read a policy that `save_policy` wrote."""
    with np.load(path, allow_pickle=False) as archive:
        keys, bases, choices, kept, worths, takers = (archive[name] for name in PeggingPolicy._fields)
        return PeggingPolicy(keys, bases, choices, kept, worths, float(takers))


def _num_inner(tree: PublicTree) -> int:
    leaves = tree.nodes["base"][tree.levels[-2] :]
    return int(leaves[leaves >= 0].min())
