"""The Markov decision process of a game, enumerated from its rules.

Two states are the same if their records agree in every byte except `reward`. So a policy may depend on the whole
record; in a game that hides cards from its one player, that is more than the player knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import bound, compiled, name_entry_point, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import MAX_PLAYERS, bind_rules
from cardgym.errors import CardgymError

DECISION, CHANCE, END = range(3)
_CHUNK = 1 << 16  # Moves played in one call.
_STATES_LIMIT = 2_000_000


@dataclass(frozen=True, eq=False)
class Mdp:
    """A game of one player as a graph, in arrays.

    The nodes are the decision states, numbered from 0, the chance nodes, from `num_states`, and one terminal node
    (`end`). The edges of node i are `offsets[i] : offsets[i + 1]`: its legal actions, or its equally likely outcomes.

    Attributes:
        states: the records of the decision states, (num_states,), as an `np.recarray`.
        num_chance: the number of chance nodes.
        num_ends: the number of different states in which the game can end.
        start: the node at which the game starts.
        offsets: (num_nodes + 1,), int64.
        moves: (num_edges,), int64: the action, or the number of the outcome.
        targets: (num_edges,), int64: the node an edge leads to.
        rewards: (num_edges,), float64: the reward on an edge.
        order: (num_nodes - 1,), int64: all nodes but the terminal one, each before those that it leads to.
        symmetric: whether states that differ only by a symmetry of the rules are one node.
        places: the number of each decision state by the bytes of its record.
    """

    game: Game
    options: Options
    states: np.recarray[Any, Any]
    num_chance: int
    num_ends: int
    start: int
    offsets: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]
    symmetric: bool
    places: dict[bytes, int]

    @property
    def num_states(self) -> int:
        """The number of decision states."""
        return len(self.states)

    @property
    def end(self) -> int:
        """The number of the terminal node."""
        return self.num_states + self.num_chance

    def find(self, states: np.recarray[Any, Any]) -> npt.NDArray[np.int64]:
        """The numbers of decision states, (len(states),) int64; -1 for a record that is not one of them."""
        rows = np.array(states)
        if self.symmetric:
            bind_rules(_merge, self.game)(rows)
        return np.array([self.places.get(key, -1) for key in _keys(self.game, rows)], np.int64)


def enumerate_game(game: Game, options: Options, *, symmetric: bool = False, limit: int = _STATES_LIMIT) -> Mdp:
    """Enumerate every state that play can reach.

    Args:
        game: a game of one player.
        symmetric: make one node of states that the game's `canonical` makes equal.
        limit: the maximum number of states of all kinds.

    Raises:
        CardgymError: for a game of several seats, of more states than `limit`, or with a cycle.
    """
    if options.num_players != 1:
        raise CardgymError(
            f"{game.id} has {options.num_players} seats: only games of one player are enumerated and solved; add "
            "--by dcfr for an equilibrium"
        )
    classify, play, merge = (bind_rules(part, game) for part in (_classify, _play, _merge))
    name_entry_point(f"{game.id} (solver)", play)
    dealt = game.blank_state(options)
    game.rules.setup(dealt[0])
    layer = np.array(dealt)
    if symmetric:
        merge(layer)
    numbers = dict.fromkeys(_keys(game, layer), 0)
    states, kinds_found, degrees_found, edges = [], [], [], []
    while len(layer):
        kind, counts = np.empty(len(layer), np.int8), np.empty(len(layer), np.int64)
        classify(layer, game.num_actions, kind, counts)
        states.append(layer)
        kinds_found.append(kind)
        degrees_found.append(counts)
        new_states = []
        for first, last in _chunks(counts):
            children = _repeated(layer[first:last], counts[first:last])
            moves, payments = np.empty(len(children), np.int64), np.zeros((len(children), MAX_PLAYERS))
            play(children, counts[first:last], kind[first:last], game.num_actions, symmetric, moves, payments)
            targets, new = _interned(numbers, _keys(game, children))
            if len(numbers) > limit:
                raise CardgymError(f"{game.id} has more than {limit:,} states: too many to enumerate")
            new_states.append(children[new])
            edges.append((moves, targets, payments[:, 0]))
        layer = np.concatenate(new_states) if new_states else layer[:0]
    kinds, degrees = np.concatenate(kinds_found), np.concatenate(degrees_found)
    moves, targets, rewards = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    offsets = np.concatenate(([0], np.cumsum(degrees)))
    order = topological_order(offsets, targets)
    if len(order) < len(kinds):
        raise CardgymError(f"{game.id}: play can come back to a state; such games cannot be solved")
    # Number the nodes: decisions, then chance nodes, then one node for all ends.
    decisions, chance = np.flatnonzero(kinds == DECISION), np.flatnonzero(kinds == CHANCE)
    old = np.concatenate((decisions, chance))
    node = np.full(len(kinds), len(old))
    node[old] = np.arange(len(old))
    edge = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in old]) if len(old) else old
    decision_states = np.concatenate(states)[decisions].view(np.recarray)
    return Mdp(
        game=game,
        options=options,
        states=decision_states,
        num_chance=len(chance),
        num_ends=int(np.count_nonzero(kinds == END)),
        start=int(node[0]),
        offsets=np.concatenate(([0], np.cumsum(degrees[old]), [len(edge)])),
        moves=moves[edge],
        targets=node[targets[edge]],
        rewards=rewards[edge],
        order=node[order[kinds[order] != END]],
        symmetric=symmetric,
        places={key: place for place, key in enumerate(_keys(game, decision_states))},
    )


def _chunks(counts: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of states with about `_CHUNK` moves each."""
    block = (np.cumsum(counts) - counts) // _CHUNK
    bounds = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(counts)]
    yield from itertools.pairwise(bounds)


def _bytes(states: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(states).view(np.uint8).reshape(len(states), states.dtype.itemsize)


def _repeated(states: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """`counts[i]` copies of record i, gaps between fields included."""
    return np.repeat(_bytes(states), counts, axis=0).reshape(-1).view(states.dtype)


def _keys(game: Game, states: npt.NDArray[Any]) -> list[bytes]:
    """The identity of each record: its bytes, with those of `paid` set to 0."""
    rows = _bytes(states).copy()
    kind, start = game.state.fields["paid"][:2]  # type: ignore[index]
    rows[:, start : start + kind.itemsize] = 0
    return rows.view(f"V{rows.shape[1]}").ravel().tolist()


def _interned(numbers: dict[bytes, int], keys: list[bytes]) -> tuple[npt.NDArray[np.int64], list[int]]:
    """The number of each key, and the places of the keys that were new."""
    targets, new = [], []
    for place, key in enumerate(keys):
        before = len(numbers)
        targets.append(numbers.setdefault(key, before))
        if len(numbers) > before:
            new.append(place)
    return np.array(targets, np.int64), new


@compiled
def topological_order(offsets: npt.NDArray[np.int64], targets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The nodes in an order in which every edge leads to a later one (Kahn, 1962); a cycle leaves some out.

    The edges of node i, `offsets[i] : offsets[i + 1]`, lead to `targets`.
    """
    num_nodes = offsets.shape[0] - 1
    entering = np.zeros(num_nodes, np.int64)
    for edge in range(targets.shape[0]):
        entering[targets[edge]] += 1
    order = np.empty(num_nodes, np.int64)
    count = 0
    for node in range(num_nodes):
        if entering[node] == 0:
            order[count] = node
            count += 1
    done = 0
    while done < count:
        node = order[done]
        done += 1
        for edge in range(offsets[node], offsets[node + 1]):
            target = targets[edge]
            entering[target] -= 1
            if entering[target] == 0:
                order[count] = target
                count += 1
    return order[:count]


# -- the templates, compiled for each game ----------------------------------------------------------------------------


@template
def _classify(states: Any, num_actions: int, kinds: Any, counts: Any) -> None:
    """Write the kind of node of each state, and its number of moves."""
    mask = np.empty(num_actions, np.int8)
    for i in range(states.shape[0]):
        counts[i] = bound.num_chance_outcomes(states[i])
        kinds[i] = CHANCE
        if counts[i] == 0:
            if bound.current_player(states[i]) < 0:
                kinds[i] = END
            else:
                kinds[i] = DECISION
                bound.legal_action_mask(states[i], mask)
                for action in range(num_actions):
                    counts[i] += mask[action]


@template
def _play(children: Any, counts: Any, kinds: Any, num_actions: int, symmetric: bool, moves: Any, payments: Any) -> None:
    """Play every move of every state on its own copy; write the moves and what they pay each seat."""
    mask = np.empty(num_actions, np.int8)
    at = 0
    for i in range(counts.shape[0]):
        if counts[i] == 0:
            continue
        if kinds[i] == DECISION:
            bound.legal_action_mask(children[at], mask)
        move = -1
        for _ in range(counts[i]):
            move += 1
            while kinds[i] == DECISION and mask[move] == 0:
                move += 1
            child = children[at]
            bound.apply_action(child, move)
            bound.rewards(child, payments[at])
            moves[at] = move
            if symmetric:
                bound.canonical(child)
            at += 1


@template
def _merge(states: Any) -> None:
    """Replace every state by its canonical representative."""
    for i in range(states.shape[0]):
        bound.canonical(states[i])
