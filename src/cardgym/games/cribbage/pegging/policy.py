"""The solved play of the cards as a file: the probability of each card, up to the last three of a deal.

`research/cribbage_pegging.py` makes it. The file contains what the solver has learned above the leaves of the public
tree, rounded to `LEVELS_OF_CHOICE` steps and compressed with zlib from 22 MB to 2. At the leaves the player computes
its choice instead (`inference.py`).
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Float64s, Int64s, rule
from cardgym.errors import CardgymError
from cardgym.files.documents import Count, Document, Number
from cardgym.files.schema import Field
from cardgym.files.tensors import Arrays, Layout, read_tensors, write_tensors
from cardgym.games.cribbage.pegging.hands import SIZES, playable_slots

FORMAT = "cardgym-cribbage-pegging-1"
LEVELS_OF_CHOICE = 255
"""Probabilities are rounded to this many steps: a byte."""
FLOOR = 0.001
"""Added to every probability in inference, so that no hand becomes impossible."""
PATH = Path(__file__).with_name("policy.safetensors")
"""The policy of the player `equilibrium`."""

RESTART_BIT = 1 << 41


class PeggingPolicy(NamedTuple):
    """A policy for the play of the cards.

    Attributes:
        keys: (nodes,), int64: the public nodes with a choice, sorted; see `node_key`.
        bases: (nodes,), int64: the start of each node's choices.
        choices: (num_choices,), uint8: probabilities in steps, at base of the node + size x multiset + slot.
        kept: (2, 1820), float64: how often the pone and the dealer keep each hand.
        worths: (2, 1820), float64: the points that the pone and the dealer win in the play with each hand, minus the
            opponent's.
        takers: the probability that the opponent is a taker; see `taker_shares`.
    """

    keys: Int64s
    bases: Int64s
    choices: npt.NDArray[np.uint8]
    kept: Float64s
    worths: Float64s
    takers: float


@rule
def sequence_code(code: int, number: int, seat: int, rank: int) -> int:
    """Return the code of a sequence with one more card, number `number` from 0."""
    return int(code | (rank + 1) << 4 * number | seat << 32 + number)


@rule
def node_key(code: int, turn: int, restarted: bool) -> int:
    """Return the key of a public node: its code (`sequence_code`), whose turn it is, and whether the count restarts."""
    return int(code | turn << 40 | (RESTART_BIT if restarted else 0))


@rule
def find_node(policy: PeggingPolicy, key: int) -> int:
    """Return the start of the choices at the node with this key; -1 if it is not in the policy."""
    place = np.searchsorted(policy.keys, key)
    if place == policy.keys.shape[0] or policy.keys[place] != key:
        return -1
    return int(policy.bases[place])


@rule
def policy_shares(policy: PeggingPolicy, base: int, size: int, number: int, room: int, out: Float32s) -> int:
    """Fill `out` with the policy's probability of each slot and return the number of slots that can be played."""
    legal = playable_slots(size, number, room)
    total = np.float32(0.0)
    for slot in range(legal):
        out[slot] = np.float32(policy.choices[base + size * number + slot]) if base >= 0 else np.float32(0.0)
        total += out[slot]
    for slot in range(legal):
        out[slot] = out[slot] / total if total > 0.0 else np.float32(1.0) / np.float32(legal)
    return legal


class PeggingDocument(Document):
    """The metadata in a policy's file."""

    format: Literal["cardgym-cribbage-pegging-1"]
    iterations: Count
    exploitability: Number
    num_choices: Annotated[int, Field(ge=0, le=10**9)]
    takers: Annotated[float, Field(ge=0, le=1)]


def save_policy(path: Path, policy: PeggingPolicy, *, iterations: int, exploitability: float) -> None:
    document = {
        "format": FORMAT, "iterations": iterations, "exploitability": exploitability, "takers": policy.takers,
        "num_choices": len(policy.choices),
    }  # fmt: skip
    choices = np.frombuffer(zlib.compress(policy.choices.tobytes(), 9), np.uint8)
    arrays: Arrays = {
        "keys": policy.keys, "bases": policy.bases, "choices": choices, "kept": policy.kept, "worths": policy.worths,
    }  # fmt: skip
    write_tensors(path, document, arrays)


def load_policy(path: Path = PATH) -> PeggingPolicy:
    what, hands = f"pegging policy {path}", (np.float64, (2, SIZES[4]))
    layout: Layout = {
        "keys": (np.int64, (None,)), "bases": (np.int64, (None,)), "choices": (np.uint8, (None,)), "kept": hands,
        "worths": hands,
    }  # fmt: skip
    document, arrays = read_tensors(path, what, PeggingDocument, layout)
    try:
        choices = zlib.decompressobj().decompress(arrays["choices"].tobytes(), document.num_choices + 1)
    except zlib.error as error:
        raise CardgymError(f"{what}: its choices are damaged ({error})") from None
    if len(choices) != document.num_choices:
        raise CardgymError(f"{what}: its choices are not the {document.num_choices:,} that its metadata declare")
    arrays["choices"] = np.frombuffer(bytearray(choices), np.uint8)
    return PeggingPolicy(**arrays, takers=document.takers)
