"""How much likelier `champion` places a bought card in each way than `ppo` does, by a small network.

The network scores each hand that a way of placing leads to, by what the next cards can make of it; `ppo` sees the cards
themselves. `python research/spike_champion.py placing` trains it.
"""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import Float32s, Float64s, Int64s
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.ends import NUM_FEATURES, features_of_pairs, features_of_stakes, read_network
from cardgym.games.corellian_spike.posterior import face_down
from cardgym.games.corellian_spike.replay import States

WAYS = np.array([sabacc.DISCARD, sabacc.SWAP_SPIKE, sabacc.SWAP_LOW, sabacc.SWAP_HIGH])
_MORE = 8
SIZES = NUM_FEATURES + _MORE, 24, 1
"""Of the network; see `cardgym.games.corellian_spike.ends.layout`."""


def features_of_ways(states: States, seats: Int64s) -> Float32s:
    """Return what the network reads about each of `WAYS`, (rows, 4, 36), for states, (rows,), of two seats."""
    rows, others = np.arange(len(states)), 1 - seats
    hands = states["cards"][rows, seats].astype(np.int64) + 10  # Low, high and spike.
    extra = states["extra"].astype(np.int64) + 10
    stacks = np.stack([states["stack"][rows, seats], states["stack"][rows, others]], axis=1)
    stakes = features_of_stakes(states["pool"], stacks, 0)
    seen = [states[name][rows, others] for name in ("raises", "put_phase", "buys", "kept")]
    shared = np.column_stack([seats, seen[0] / 10, seen[1] / 10, seen[2] / 3, seen[3] / 3]).astype(np.float32)
    found = []
    for way, slot in enumerate((-1, sabacc.SPIKE_SLOT, sabacc.LOW_SLOT, sabacc.HIGH_SLOT)):
        after, counts = hands.copy(), face_down(states)
        shown = extra  # The card that everyone sees from then on.
        if slot >= 0:
            after[:, slot] = extra
            shown = extra if slot == sabacc.SPIKE_SLOT else hands[:, slot]
        counts[rows, shown] -= 1
        spikes = np.stack([after[:, sabacc.SPIKE_SLOT], states["cards"][rows, others, sabacc.SPIKE_SLOT] + 10], axis=1)
        number = states["round_number"].astype(np.int64)
        cards = features_of_pairs(after[:, 0], after[:, 1], spikes - 10, counts, number, 0)
        kind = np.zeros((len(rows), 3), np.float32)
        kind[:, min(way, 2)] = 1.0
        found.append(np.hstack([stakes, cards, kind, shared]))
    return np.stack(found, axis=1)


def placed(shares: Float64s, states: States, seats: Int64s) -> Float64s:
    """Return probabilities, (rows, 9), at decisions to place a card, given those of `ppo`."""
    network, outputs = read_network("placing", *SIZES), features_of_ways(states, seats)
    for layer in ("first", "second", "last"):
        outputs = outputs @ network[f"{layer}_weights"] + network[f"{layer}_biases"]
        outputs = outputs if layer == "last" else np.maximum(outputs, 0)
    scores, found = outputs[:, :, 0].astype(np.float64), np.zeros(shares.shape)
    found[:, WAYS] = shares[:, WAYS] * np.exp(scores - scores.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    return found
