"""One pass over the public tree: down with the reach of the other seat, up with the updater's values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Int8s, Int64s, State, rule
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.pegging.hands import LOWEST, NUM_OF_SIZE, WITH, playable_slots, slot_of, whole_hand
from cribbage_pegging_tree import ANSWERED, CONTINUED, DEALER, DECIDED, FORCED, PONE, RESTARTED

UPDATE, EVALUATE, RESPOND, FINISH = range(4)
"""What the updater does in a pass: learn from regrets, follow its strategy, respond best, or write its best choice of
the last two cards to the strategy."""

Floats = Float32s


@rule
def match_positive(values: Floats, base: int, size: int, number: int, room: int, out: Floats) -> int:
    """Fill `out`, (4,), with a strategy proportional to positive values; uniform if there are none.

    Args:
        values: regrets or sums of strategies; those of the multiset begin at base + size x number.
        base: where those of the node begin; -1 if it has none because only one card is left.
        size: the number of cards left.
        number: the multiset left.
        room: 31 minus the count.
        out: filled, with 0 for slots that cannot be played or do not exist.

    Returns:
        The number of slots that can be played.
    """
    total = np.float32(0.0)
    out[:] = 0.0
    legal = playable_slots(size, number, room)
    if base >= 0:
        for slot in range(legal):
            out[slot] = max(values[base + size * number + slot], np.float32(0.0))
            total += out[slot]
    for slot in range(legal):
        out[slot] = out[slot] / total if total > 0.0 else np.float32(1.0) / np.float32(legal)
    return legal


@rule
def _follows(branch: int, lowest: int, room: int, mover: bool) -> bool:
    """Whether a seat with this lowest card, the mover or the other, is consistent with a branch."""
    if branch == RESTARTED:
        return True
    if branch == ANSWERED:
        return mover or lowest <= room
    if branch == CONTINUED and mover:
        return lowest <= room
    return lowest > room


@rule
def descend(node: State, child: State, seat: int, sigma: Floats, reach: Floats, out: Floats) -> bool:
    """Fill `out` with the reach of the other seat's hands at a child; return whether any is above 0.

    Args:
        node: the parent.
        child: the child.
        seat: the updater.
        sigma: (1820, 4): the other seat's strategy at the parent, if it is to play there.
        reach: its reach at the parent.
        out: filled.
    """
    other = 1 - seat
    rank = int(child.rank)
    room = int(31 - node.count - worth(rank))
    left = int(child.left[other])
    mover = node.turn == other
    branch = int(child.branch)
    alive = False
    for rest in range(NUM_OF_SIZE[left]):
        value = np.float32(0.0)
        if _follows(branch, int(LOWEST[left, rest]), room, mover):
            if mover:
                before = int(WITH[left, rest, rank])
                value = reach[before]
                if value > 0.0:
                    value *= sigma[before, slot_of(left + 1, before, rank)]
            else:
                value = reach[rest]
        out[rest] = value
        alive = alive or bool(value > 0.0)
    return alive


@rule
def strategy_of_other(
    node: State, strategy: Floats, reach: Floats, sigma: Floats, mode: int, sums: Floats, weight: np.float32
) -> None:
    """Fill `sigma`, (1820, 4), with the strategy of the seat to play; in an update, add it to the average."""
    size = int(node.left[node.turn])
    room = int(31 - node.count)
    base = int(node.base)
    for rest in range(NUM_OF_SIZE[size]):
        if reach[rest] > 0.0:
            match_positive(strategy, base, size, rest, room, sigma[rest])
            if mode == UPDATE and base >= 0:
                for slot in range(size):
                    sums[base + size * rest + slot] += weight * reach[rest] * sigma[rest, slot]


@compiled
def walk_down(
    first: int, last: int, seat: int, mode: int, strategy: Floats, sums: Floats, weight: np.float32,
    nodes: npt.NDArray[np.void], places: Int64s, reach: Floats,
) -> None:  # fmt: skip
    """Fill in the reach at the children of the nodes `first` .. `last`."""
    other = 1 - seat
    sigma = np.zeros((1820, 4), np.float32)
    for place in range(first, last):
        node = nodes[place]
        here = reach[places[other, place] :]
        if node.turn == other:
            strategy_of_other(node, strategy, here, sigma, mode, sums, weight)
        for at in range(node.first_child, node.first_child + node.num_children):
            descend(node, nodes[at], seat, sigma, here, reach[places[other, at] :])


@rule
def collect(node: State, child: State, seat: int, below: Floats, gains: Floats, values: Floats) -> None:
    """Add the updater's values at a child to those at the node: to `gains` by slot if it plays, else to `values`."""
    rank = int(child.rank)
    room = int(31 - node.count - worth(rank))
    branch = int(child.branch)
    left = int(child.left[seat])
    mover = node.turn == seat
    for rest in range(NUM_OF_SIZE[left]):
        if _follows(branch, int(LOWEST[left, rest]), room, mover):
            if mover:
                before = int(WITH[left, rest, rank])
                gains[4 * before + slot_of(left + 1, before, rank)] += below[rest]
            else:
                values[rest] += below[rest]


@rule
def _choose(
    gains: Floats, first: int, base: int, size: int, rest: int, room: int, mode: int, strategy: Floats, sigma: Floats
) -> np.float32:
    """Return the updater's value of a decision and each slot's gain from `first` on; an update changes its regrets."""
    legal = match_positive(strategy, base, size, rest, room, sigma)
    value = np.float32(0.0)
    if legal == 0:
        return value
    if mode == RESPOND:
        value = gains[first]
        for slot in range(1, legal):
            value = max(value, gains[first + slot])
        return value
    for slot in range(legal):
        value += sigma[slot] * gains[first + slot]
    if mode == UPDATE and base >= 0:
        for slot in range(legal):
            at = base + size * rest + slot
            strategy[at] = max(strategy[at] + gains[first + slot] - value, np.float32(0.0))
    return value


@rule
def settle(node: State, seat: int, mode: int, strategy: Floats, gains: Floats, sigma: Floats, values: Floats) -> None:
    """Settle the updater's values at a node where it plays, from the gains of its slots."""
    size = int(node.left[seat])
    room = int(31 - node.count)
    for rest in range(NUM_OF_SIZE[size]):
        values[rest] = _choose(gains, 4 * rest, int(node.base), size, rest, room, mode, strategy, sigma)


@compiled
def walk_up(
    first: int, last: int, seat: int, mode: int, strategy: Floats, sums: Floats, weight: np.float32,
    nodes: npt.NDArray[np.void], places: Int64s, reach: Floats, values: Floats,
) -> None:  # fmt: skip
    """Fill in the updater's values at the nodes `first` .. `last` from those of their children."""
    gains = np.zeros(4 * 1820, np.float32)
    sigma = np.zeros(4, np.float32)
    for place in range(first, last):
        node = nodes[place]
        here = values[places[seat, place] : places[seat, place + 1]]
        gains[:] = np.float32(0.0)
        here[:] = np.float32(0.0)
        for at in range(node.first_child, node.first_child + node.num_children):
            collect(node, nodes[at], seat, values[places[seat, at] :], gains, here)
        if node.turn == seat:
            settle(node, seat, mode, strategy, gains, sigma, here)


@compiled
def walk_leaves(
    first: int, last: int, seat: int, mode: int, strategy: Floats, sums: Floats, weight: np.float32,
    nodes: npt.NDArray[np.void], places: Int64s, reach: Floats, values: Floats,
    decided: Int8s, forced: Int8s, alone: Int8s,
    pone_weights: Floats, dealer_weights: Floats,
) -> None:  # fmt: skip
    """Fill in the updater's values at nodes whose children are leaves."""
    other = 1 - seat
    sigma = np.zeros((1820, 4), np.float32)
    chosen = np.zeros(4, np.float32)
    gains = np.zeros(4 * 1820, np.float32)
    leaf_reach = np.zeros(455, np.float32)
    leaf_values = np.zeros(455, np.float32)
    hands = np.zeros(16, np.int64)
    for place in range(first, last):
        node = nodes[place]
        above = reach[places[other, place] : places[other, place + 1]]
        if not (above > 0.0).any():
            continue
        here = values[places[seat, place] : places[seat, place + 1]]
        gains[:] = np.float32(0.0)
        if node.turn == other:
            strategy_of_other(node, strategy, above, sigma, mode, sums, weight)
        for at in range(node.first_child, node.first_child + node.num_children):
            leaf = nodes[at]
            if not descend(node, leaf, seat, sigma, above, leaf_reach):
                continue
            leaf_values[: NUM_OF_SIZE[leaf.left[seat]]] = 0.0
            if leaf.kind == DECIDED:
                holder = int(leaf.turn)
                weights = pone_weights if holder == PONE else dealer_weights
                table = decided[leaf.ending]
                if holder == seat:
                    _decide(leaf, seat, mode, strategy, leaf_reach, weights, table, hands, chosen, leaf_values)
                else:
                    _meet(
                        leaf, seat, mode, strategy, sums, weight, leaf_reach, weights, table, hands, chosen, leaf_values
                    )
            elif leaf.kind == FORCED:
                weights = pone_weights if leaf.turn == DEALER else dealer_weights
                _force(leaf, seat, leaf_reach, weights, forced[leaf.ending], hands, leaf_values)
            else:
                _finish(leaf, seat, leaf_reach, pone_weights, alone[leaf.ending], leaf_values)
            collect(node, leaf, seat, leaf_values, gains, here)
        if node.turn == seat:
            settle(node, seat, mode, strategy, gains, chosen, here)


@rule
def _whole_hands(leaf: State, seat: int, hands: Int64s) -> None:
    """Fill `hands` with the hands of four of a seat that has one card left, by its rank."""
    for rank in range(13):
        hands[rank] = whole_hand(3, int(leaf.played[seat]), rank)


@rule
def _lead(leaf: State, seat: int) -> np.float32:
    return np.float32(leaf.lead if seat == PONE else -leaf.lead)


@rule
def _decide(
    leaf: State, seat: int, mode: int, strategy: Floats, reach: Floats, weights: Floats, table: Int8s, hands: Int64s,
    sigma: Floats, values: Floats,
) -> None:  # fmt: skip
    """Let the updater play, who holds two cards; the other holds one. `reach` is (13,), `values` (91,)."""
    _whole_hands(leaf, 1 - seat, hands)
    lead = _lead(leaf, seat)
    base = int(leaf.base)
    for held in range(91):
        row = weights[whole_hand(2, int(leaf.played[seat]), held)]
        low = np.float32(0.0)
        high = np.float32(0.0)
        mass = np.float32(0.0)
        for rank in range(13):
            share = row[hands[rank]] * reach[rank]
            mass += share
            low += share * np.float32(table[held, 0, rank])
            high += share * np.float32(table[held, 1, rank])
        low += mass * lead
        high += mass * lead
        legal = match_positive(strategy, base, 2, held, int(31 - leaf.count), sigma)
        at = base + 2 * held
        if legal < 2:
            values[held] = low if legal == 1 else np.float32(0.0)
        elif mode == RESPOND or mode == FINISH:
            values[held] = max(low, high)
            if mode == FINISH:
                strategy[at] = np.float32(1.0 if low >= high else 0.0)
                strategy[at + 1] = np.float32(0.0 if low >= high else 1.0)
        else:
            value = sigma[0] * low + sigma[1] * high
            values[held] = value
            if mode == UPDATE:
                strategy[at] = max(strategy[at] + low - value, np.float32(0.0))
                strategy[at + 1] = max(strategy[at + 1] + high - value, np.float32(0.0))


@rule
def _meet(
    leaf: State, seat: int, mode: int, strategy: Floats, sums: Floats, weight: np.float32, reach: Floats,
    weights: Floats, table: Int8s, hands: Int64s, sigma: Floats, values: Floats,
) -> None:  # fmt: skip
    """Let the other play, who holds two cards; the updater holds one. `reach` is (91,), `values` (13,)."""
    _whole_hands(leaf, seat, hands)
    lead = _lead(leaf, seat)
    room = int(31 - leaf.count)
    base = int(leaf.base)
    for held in range(91):
        if reach[held] > 0.0:
            match_positive(strategy, base, 2, held, room, sigma)
            low = sigma[0] * reach[held]
            high = sigma[1] * reach[held]
            if mode == UPDATE:
                sums[base + 2 * held] += weight * low
                sums[base + 2 * held + 1] += weight * high
            row = weights[whole_hand(2, int(leaf.played[1 - seat]), held)]
            for rank in range(13):
                points = low * np.float32(table[held, 0, rank]) + high * np.float32(table[held, 1, rank])
                values[rank] += row[hands[rank]] * ((low + high) * lead - points)


@rule
def _force(leaf: State, seat: int, reach: Floats, weights: Floats, table: Int8s, hands: Int64s, values: Floats) -> None:
    """Let the holder of one card play it, then the other its two. `reach`, `values`: (13,) and (91,) or reversed."""
    turn = int(leaf.turn)
    _whole_hands(leaf, turn, hands)
    lead = _lead(leaf, seat)
    for held in range(91):
        row = weights[whole_hand(2, int(leaf.played[1 - turn]), held)]
        if turn == seat:
            if reach[held] > 0.0:
                for rank in range(13):
                    values[rank] += reach[held] * row[hands[rank]] * (lead - np.float32(table[held, rank]))
        else:
            value = np.float32(0.0)
            for rank in range(13):
                value += reach[rank] * row[hands[rank]] * (lead + np.float32(table[held, rank]))
            values[held] = value


@rule
def _finish(leaf: State, seat: int, reach: Floats, pone_weights: Floats, table: Int8s, values: Floats) -> None:
    """One seat holds three cards, the other none. `reach` and `values` are (455,) and (1,) or reversed."""
    turn = int(leaf.turn)
    lead = _lead(leaf, seat)
    for held in range(455):
        pone = int(leaf.played[PONE]) if turn == DEALER else whole_hand(1, int(leaf.played[PONE]), held)
        dealer = int(leaf.played[DEALER]) if turn == PONE else whole_hand(1, int(leaf.played[DEALER]), held)
        share = pone_weights[pone, dealer]
        if turn == seat:
            values[held] = reach[0] * share * (lead + np.float32(table[held]))
        else:
            values[0] += reach[held] * share * (lead - np.float32(table[held]))
