"""What the end of a betting before the last is worth, by two small networks, one for the cards of each seat.

The worth is the pool times a sum over terms of the product of one output of either network, so that it can be summed
over the pairs of a seat without listing those of the other. The last product is won by the better hand: a sum of few
others says badly which of two strong hands that is. `python research/spike_champion.py ends` trains the networks.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Float64s, Int64s
from cardgym.files.documents import Document
from cardgym.files.tensors import Arrays, Layout, read_tensors
from cardgym.games.corellian_spike.bets import credits_put
from cardgym.games.corellian_spike.posterior import HIGH, LOW, NUM_PAIRS

FORMAT = "cardgym-spike-network-1"
UNITS, TERMS = 32, 5
NUM_STAKES, NUM_FEATURES = 5, 28
SIZES = NUM_FEATURES, UNITS, TERMS, 2
"""Of the two networks; see `layout`."""
_SCALE = 50.0
_NEAR = (0, 1, 2, 3, 5, 7)
_VALUES = np.arange(-10, 11)


def layout(inputs: int, units: int, outputs: int, *seats: int) -> Layout:
    """Return the arrays of a network with two hidden layers; with `seats`, one of that many is for each seat."""
    return {
        f"{layer}_{part}": (np.float32, (*seats, *shape))
        for layer, rows, columns in (("first", inputs, units), ("second", units, units), ("last", units, outputs))
        for part, shape in (("weights", (rows, columns)), ("biases", (columns,)))
    }


class _Metadata(Document):
    format: Literal["cardgym-spike-network-1"]
    command: str


@cache
def read_network(name: str, *sizes: int) -> Arrays:
    """Read `ends` or `placing`; the sizes are the arguments of `layout`."""
    path = Path(__file__).with_name(f"{name}.safetensors")
    return read_tensors(path, f"network {path}", _Metadata, lambda _: layout(*sizes))[1]


def features_of_stakes(pool: npt.NDArray[np.integer], stacks: npt.NDArray[np.integer], seat: int) -> Float32s:
    """Return what a seat's network reads about the credits, (rows, 5), for pools, (rows,), and stacks, (rows, 2)."""
    lowest = stacks.min(axis=1)
    columns = [pool / _SCALE, stacks[:, seat] / _SCALE, stacks[:, 1 - seat] / _SCALE, lowest / _SCALE, lowest <= 0]
    return np.stack(columns, axis=1).astype(np.float32)


def features_of_pairs(
    low: Int64s, high: Int64s, spikes: Int64s, counts: Int64s, number: Int64s, seat: int
) -> Float32s:  # fmt: skip
    """Return what a seat's network reads about its cards, (rows, 23).

    Args:
        low: one hand card, 0 to 20, (rows,).
        high: the other, (rows,).
        spikes: of both seats, -10 to 10, (rows, 2).
        counts: cards of each value that are not face up, (rows, 21).
        number: of the round, (rows,).
        seat: whose cards they are.
    """
    rows, spike = np.arange(len(low)), spikes[:, seat]
    total = low + high - 20 + spike
    left = counts.astype(np.float64)
    left[rows, low] -= 1
    left[rows, high] -= 1
    left = np.maximum(left, 0)
    left /= left.sum(axis=1, keepdims=True)
    # How far from 0 the sum can get by each next card.
    rest = np.stack([total - spike, total - low + 10, total - high + 10])
    best = np.minimum(np.abs(rest[:, :, None] + _VALUES).min(axis=0), np.abs(total)[:, None])
    distance = np.abs(total)
    columns = [(left * (best <= near)).sum(axis=1) for near in _NEAR]
    columns += [np.minimum(distance, 9) == far for far in range(10)]
    columns += [distance / 10, total >= 0, number - 1, np.abs(spikes[:, 1 - seat]) / 10, np.abs(spike) / 10]
    positive = np.maximum([low - 10, high - 10, spike], 0)  # They break ties.
    columns += [positive.sum(axis=0) / 30, positive.max(axis=0) / 10]
    return np.stack(columns, axis=1).astype(np.float32)


def worths(stacks: Int64s, pool: int, spikes: Int64s, counts: Int64s, number: int, nodes: int) -> Float64s:
    """Return the argument `worths` of `cardgym.games.corellian_spike.bets.solve`, (2, 2, 231, nodes, terms).

    Args:
        stacks: the credits of each seat before the betting, (2,).
        pool: the pool before it.
        spikes: the spikes, -10 .. 10, (2,).
        counts: cards of each value that are not face up, (21,).
        number: of the round, 1 or 2.
        nodes: of each seat.
    """
    networks, every = read_network("ends", *SIZES), np.ones((NUM_PAIRS, 1), np.int64)
    put = credits_put(stacks, nodes).reshape(-1, 2)
    pools = pool + put.sum(axis=1)
    found = np.empty((2, 2, NUM_PAIRS, nodes, TERMS))
    for seat in range(2):
        cards = features_of_pairs(LOW, HIGH, every * spikes, every * counts, every[:, 0] * number, seat)
        stakes = features_of_stakes(pools, stacks - put, seat)
        first = networks["first_weights"][seat]
        inner = (stakes @ first[:NUM_STAKES])[:, None] + cards @ first[NUM_STAKES:] + networks["first_biases"][seat]
        # By end, (231, units): products this small do not wake a library's threads, which would wait for each other.
        hidden = np.maximum(inner, 0) @ networks["second_weights"][seat]
        hidden = np.maximum(hidden + networks["second_biases"][seat], 0)
        terms = (hidden @ networks["last_weights"][seat] + networks["last_biases"][seat]).astype(np.float64)
        terms[:, :, 1 - seat] = 1.0  # The first term is of seat 0's pair alone, the second of seat 1's.
        if seat == 0:
            terms *= pools[:, None, None]
            terms[:, :, 0] += (put[:, 1:] - put[:, :1]) / 2.0
        found[:, seat] = terms.reshape(2, nodes, NUM_PAIRS, TERMS).transpose(0, 2, 1, 3)
    return found
