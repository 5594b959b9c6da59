"""The chance to win from here: a search of the public tree of one deal's play against the opponent's possible hands.

The searching seat knows its own cards and has a weight for each hand the opponent may hold. The opponent plays like
`equilibrium` or, with the policy's share of takers, as a taker. A node carries every hand that is consistent with the
cards played, so nothing is sampled. Near the end of the play the seat takes the card with the greatest chance at each
of its nodes; before that it follows the policy, because the tree of its best cards would be too large. A branch ends
when a side reaches the target, or with the show; `Shows` has the points that each hand then scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardgym.engine.contract import Float32s, Float64s, Int8s, Int64s, rule
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.chance_table import ChanceTable
from cardgym.games.cribbage.pegging.hands import HANDS, LOWEST, SLOTS, WITHOUT, taker_shares
from cardgym.games.cribbage.pegging.policy import PeggingPolicy, find_node, node_key, policy_shares, sequence_code
from cardgym.games.cribbage.pegging.shows import Shows, chance_after_play, new_shows
from cardgym.games.cribbage.scoring import points_of, points_of_next

_NODES = 256
_HANDS = 24 * HANDS
"""Room for the hands of all open nodes: at most one node's for each card and each go on the way to it."""
_MIN_SHARE = 0.15
"""Cards that a hand plays less often than this are left out, and the others scaled up."""
_OWN, _THEIR, _SUM, _BEST = range(4)
"""Values of `turn`: a node to be searched, or one that waits for its children and adds them up or takes the best."""

_HAND = np.dtype(
    [
        ("rest", np.int16),  # The multiset left.
        ("kind", np.int16),  # The kind of the whole hand in `Shows`.
        ("rank", np.int16),  # Of a branch: the card to be played.
        ("equal", np.float64),  # The probability that the hand is an equal's and was played so,
        ("taker", np.float64),  # or a taker's.
    ],
    align=True,
)
_NODE = np.dtype(
    [
        ("parent", np.int64),
        ("turn", np.int64),
        ("first", np.int64),  # Its hands are those from `first` to before `end` ...
        ("end", np.int64),
        ("free", np.int64),  # ... and from here on there is room for others.
        ("number", np.int64),  # The multiset that the seat holds,
        ("cards", np.int64),  # its size,
        ("opponent_cards", np.int64),  # and the number of cards of the opponent.
        ("placed", np.int64),  # Cards played.
        ("count", np.int64),
        ("pile", np.int64),  # The place of the first card since the last restart.
        ("code", np.int64),  # See `policy.sequence_code`.
        ("gain", np.int64),  # The points that the seat,
        ("loss", np.int64),  # and the opponent have won since the root.
        ("rank", np.int64),  # The card played last.
        ("share", np.float64),  # How much the node counts in the sum of its parent.
        ("sum", np.float64),  # The weighted chance to win, as far as it is known.
    ]
)


class Root(NamedTuple):
    """Where a search starts.

    Attributes:
        number: the multiset that the seat holds; `cards`: its size; `opponent_cards`: the opponent's number of cards.
        own_turn: whether the seat is to play; `dealer`: 1 if it deals; `running_count`: the count.
        placed: the number of cards played; `pile`: the place of the first since the last restart; `code`: see
            `policy.sequence_code`.
        to_go: the points that the seat needs; `opponent_to_go`: those that the opponent needs.
        solve_from: with at most this many cards left in both hands, the seat takes its best card.
    """

    number: int
    cards: int
    opponent_cards: int
    own_turn: bool
    dealer: int
    running_count: int
    placed: int
    pile: int
    code: int
    to_go: int
    opponent_to_go: int
    solve_from: int


class Search(NamedTuple):
    """What a search reads, and what it overwrites.

    Attributes:
        policy: the solved play; `table`: the chances to win; `shows`: what follows the play.
        hands: (_HANDS,), records: the opponent's hands at all open nodes; a search starts with those of the root.
        nodes: (_NODES,), records: the open nodes, a stack.
        sequence: (10,), int8: the ranks played.
        branches: records like `hands`: the cards that the opponent may play at a node; `places`: scratch for sorting.
        policy_shares, taker_shares: (4,), float32, by slot.
    """

    policy: PeggingPolicy
    table: ChanceTable
    shows: Shows
    hands: Any
    nodes: Any
    sequence: Int8s
    branches: Any
    places: Int64s
    policy_shares: Float32s
    taker_shares: Float32s


def new_search(policy: PeggingPolicy, table: ChanceTable) -> Search:
    return Search(
        policy, table, new_shows(), np.recarray(_HANDS, _HAND), np.recarray(_NODES, _NODE), np.empty(10, np.int8),
        np.recarray(4 * HANDS, _HAND), np.empty(14, np.int64), np.empty(4, np.float32), np.empty(4, np.float32),
    )  # fmt: skip


class Played(NamedTuple):
    """A card played at the node `at`: what it is worth goes to `parent`, which is `at` if the opponent played it.

    `number` is the multiset that the seat then holds; `side` is 1 if the dealer played, 0 if the pone did.
    """

    at: int
    parent: int
    rank: int
    number: int
    side: int


@rule
def chance_to_win(search: Search, root: Root, hands: int, values: Float64s) -> float:
    """Return the weighted chance to win if the seat follows the policy; divide by the weight of all hands.

    Args:
        search: what the search reads and overwrites.
        root: where the search starts.
        hands: the number of hands at the start of `search.hands`.
        values: (13,), filled at the ranks that the seat may play with the weighted chance by playing each; (0,) if they
            are not wanted.
    """
    nodes, sequence = search.nodes, search.sequence
    _open_root(search, root, hands)
    every = len(values) > 0
    top = 0
    while top >= 0:
        node = nodes[top]
        if node.turn == _OWN or node.turn == _THEIR:
            sequence[max(node.placed - 1, 0)] = node.rank
            if node.turn == _OWN:
                top = _play_own(search, root, top, every and top == 0)
            else:
                top = _play_theirs(search, root, top)
            continue
        if node.parent == 0 and root.own_turn and every:
            values[node.rank] = node.sum
        if node.parent >= 0:
            parent = nodes[node.parent]
            if parent.turn == _BEST:
                parent.sum = max(parent.sum, node.sum)
            else:
                parent.sum += node.share * node.sum
        top -= 1
    return float(nodes[0].sum)


@rule
def _open_root(search: Search, root: Root, hands: int) -> None:
    node = search.nodes[0]
    node.parent = -1
    node.turn = _OWN if root.own_turn else _THEIR
    node.first = 0
    node.end = node.free = hands
    node.number, node.cards, node.opponent_cards = root.number, root.cards, root.opponent_cards
    node.placed, node.count, node.pile, node.code = root.placed, root.running_count, root.pile, root.code
    node.gain = node.loss = 0
    node.rank = search.sequence[max(root.placed - 1, 0)]
    node.sum = 0.0


@rule
def _play_own(search: Search, root: Root, at: int, every: bool) -> int:
    """Open the children of a node at which the seat plays, even those of share 0 if `every`; return the last node."""
    node, shares = search.nodes[at], search.policy_shares
    base = -1
    if node.cards > 1 and node.cards + node.opponent_cards > root.solve_from:
        base = find_node(search.policy, node_key(node.code, root.dealer, node.count == 0 and node.placed > 0))
    legal = policy_shares(search.policy, base, node.cards, node.number, 31 - node.count, shares)
    best = base < 0
    node.turn = _BEST if best else _SUM
    whole = np.float32(0.0)
    for slot in range(legal):
        if shares[slot] < _MIN_SHARE:
            shares[slot] = 0.0
        whole += shares[slot]
    word = points_of_next(search.sequence[node.pile :], node.placed - node.pile)
    top = at
    for slot in range(legal):
        if best or every or shares[slot] > 0.0:
            search.nodes[top + 1].share = shares[slot] / whole
            top = _open_own(search, root, at, top + 1, slot, word)
    return top


@rule
def _open_own(search: Search, root: Root, at: int, top: int, slot: int, word: int) -> int:
    """Open, at `top`, a node that adds up what may follow one of the seat's cards, and its children."""
    node, card = search.nodes[at], search.nodes[top]
    rank, rest = int(SLOTS[node.cards, node.number, slot]), int(WITHOUT[node.cards, node.number, slot])
    played = Played(at, top, rank, rest, root.dealer)
    gain, after = node.gain + points_of(word, node.count, rank), node.count + worth(rank)
    card.parent, card.turn, card.rank, card.sum = at, _SUM, rank, 0.0
    first, end = node.first, node.end
    if gain >= root.to_go:
        card.sum = _weight(search, first, end)
        return top
    if after < 31:
        first = node.free
        middle = _copy_by_answer(search, at, after)
        end = node.free
        if first < middle:
            top = _open(search, top, played, first, middle, _THEIR, after, gain)
        first = middle
        if first < end and node.cards > 1 and LOWEST[node.cards - 1, rest] <= 31 - after:
            return _open(search, top, played, first, end, _OWN, after, gain)
        gain += 1
    if first == end:
        return top
    if gain >= root.to_go:
        card.sum += _weight(search, first, end)
    elif node.opponent_cards == 0 and node.cards == 1:
        card.sum += _count(search, root, first, end, gain, node.loss)
    else:
        top = _open(search, top, played, first, end, _THEIR if node.opponent_cards > 0 else _OWN, 0, gain)
    return top


@rule
def _copy_by_answer(search: Search, at: int, count: int) -> int:
    """Copy a node's hands to its free places: those that can play on this count, then the others, which start here."""
    node, hands = search.nodes[at], search.hands
    middle = node.free
    for goes in range(2):
        for place in range(node.first, node.end):
            fits = node.opponent_cards > 0 and LOWEST[node.opponent_cards, hands[place].rest] <= 31 - count
            if fits == (goes == 0):
                hands[node.free] = hands[place]
                node.free += 1
        middle = node.free if goes == 0 else middle
    return int(middle)


@rule
def _play_theirs(search: Search, root: Root, at: int) -> int:
    """Open the children of a node at which the opponent plays and return the last open node."""
    node = search.nodes[at]
    node.turn = _SUM
    base = -1
    if node.cards > 0 and node.opponent_cards > 1 and node.cards + node.opponent_cards > 3:
        base = find_node(search.policy, node_key(node.code, 1 - root.dealer, node.count == 0 and node.placed > 0))
    word = points_of_next(search.sequence[node.pile :], node.placed - node.pile)
    branches = 0
    for place in range(node.first, node.end):
        branches = _add_branches(search, at, place, base, word, branches)
    _sort_branches(search, node.free, branches)
    top, end = at, node.free
    node.free += branches
    for rank in range(13):
        first, end = end, int(search.places[rank])
        loss = node.loss + points_of(word, node.count, rank)
        if first < end and loss < root.opponent_to_go:
            top = _open_theirs(search, root, top, Played(at, at, rank, node.number, 1 - root.dealer), first, end, loss)
    return top


@rule
def _add_branches(search: Search, at: int, place: int, base: int, word: int, branches: int) -> int:
    """Append the cards that a hand may play, with their weights, and return the new number of branches."""
    node, hand, shares, taken = search.nodes[at], search.hands[place], search.policy_shares, search.taker_shares
    size, rest, equal, taker = node.opponent_cards, hand.rest, hand.equal, hand.taker
    legal = policy_shares(search.policy, base, size, rest, 31 - node.count, shares)
    if legal > 1:
        taker_shares(word, node.count, size, rest, taken)
        for slot in range(legal):
            if base < 0:
                shares[slot] = taken[slot]
    else:
        taken[0] = 1.0
    least = _MIN_SHARE * (equal + taker)
    total = 0.0
    for slot in range(legal):
        share = equal * shares[slot] + taker * taken[slot]
        total += share if share >= least else 0.0
    scale = (equal + taker) / total if total > 0.0 else 0.0
    for slot in range(legal):
        if equal * shares[slot] + taker * taken[slot] >= least:
            branch = search.branches[branches]
            branch.rest, branch.kind, branch.rank = WITHOUT[size, rest, slot], hand.kind, SLOTS[size, rest, slot]
            branch.equal, branch.taker = equal * shares[slot] * scale, taker * taken[slot] * scale
            branches += 1
    return branches


@rule
def _sort_branches(search: Search, free: int, branches: int) -> None:
    """Copy the branches to the free places, sorted by rank; `places` then has the end of each rank's."""
    places = search.places
    places[:] = 0
    places[0] = free
    for branch in range(branches):
        places[search.branches[branch].rank + 1] += 1
    for rank in range(13):
        places[rank + 1] += places[rank]
    for branch in range(branches):
        rank = search.branches[branch].rank
        search.hands[places[rank]] = search.branches[branch]
        places[rank] += 1


@rule
def _open_theirs(search: Search, root: Root, top: int, played: Played, first: int, end: int, loss: int) -> int:
    """Open the children of a node after a card of the opponent, held by these hands, and return the last open node."""
    node, hands = search.nodes[played.at], search.hands
    after = node.count + worth(played.rank)
    if after < 31:
        if node.cards > 0 and LOWEST[node.cards, node.number] <= 31 - after:
            return _open(search, top, played, first, end, _OWN, after, loss)
        middle = first  # Hands that can play another card come first.
        for place in range(first, end):
            if node.opponent_cards > 1 and LOWEST[node.opponent_cards - 1, hands[place].rest] <= 31 - after:
                search.branches[0] = hands[middle]  # To swap the two.
                hands[middle] = hands[place]
                hands[place] = search.branches[0]
                middle += 1
        if first < middle:
            top = _open(search, top, played, first, middle, _THEIR, after, loss)
        first = middle
        loss += 1
    if first == end or loss >= root.opponent_to_go:
        return top
    if node.cards == 0 and node.opponent_cards == 1:
        node.sum += _count(search, root, first, end, node.gain, loss)
        return top
    return _open(search, top, played, first, end, _OWN if node.cards > 0 else _THEIR, 0, loss)


@rule
def _open(search: Search, top: int, played: Played, first: int, end: int, turn: int, count: int, points: int) -> int:
    """Push the node after a card onto the stack, above `top`, and return its place.

    Its hands are those from `first` to before `end`; `count` is 0 if it restarts; `points` are those won since the root
    by the side that played.
    """
    top += 1
    node, before = search.nodes[top], search.nodes[played.at]
    own, placed = played.parent != played.at, before.placed
    node.parent, node.turn, node.rank = played.parent, turn, played.rank
    node.first, node.end, node.free = first, end, before.free
    node.number, node.count = played.number, count
    node.cards = before.cards - (1 if own else 0)
    node.opponent_cards = before.opponent_cards - (0 if own else 1)
    node.placed = placed + 1
    node.pile = before.pile if count > 0 else placed + 1
    node.code = sequence_code(before.code, placed, played.side, played.rank)
    node.gain = points if own else before.gain
    node.loss = before.loss if own else points
    node.share, node.sum = 1.0, 0.0
    return top


@rule
def _weight(search: Search, first: int, end: int) -> float:
    total = 0.0
    for place in range(first, end):
        total += search.hands[place].equal + search.hands[place].taker
    return total


@rule
def _count(search: Search, root: Root, first: int, end: int, gain: int, loss: int) -> float:
    """Return the weighted chance to win after the play, with these points won in it, over the hands of a node."""
    total = 0.0
    for place in range(first, end):
        hand = search.hands[place]
        chance = chance_after_play(
            search.table, search.shows, root.dealer, hand.kind, root.to_go, root.opponent_to_go, gain, loss
        )
        total += (hand.equal + hand.taker) * chance
    return total
