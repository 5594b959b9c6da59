"""The tree of a game of hidden information, enumerated from its rules, with its information sets."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.engine.numba.compilation import compiled, name_entry_point
from cardgym.engine.states import look
from cardgym.errors import CardgymError
from cardgym.solvers.enumeration import DECISION, chunks, expansion

Strategy = npt.NDArray[np.float64]
"""The probability of each choice of a tree, (num_choices,), summing to 1 over the choices of each information set."""

_NODES_LIMIT = 5_000_000


class TreeArrays(NamedTuple):
    """The shape of a tree, as compiled code takes it. A node comes after its parent; its children are consecutive.

    A choice is an action at an information set. The choices of set i are `first_choice[i] : first_choice[i + 1]`, in
    the order of the legal actions.

    Attributes:
        seats: (num_nodes,), int64: the seat to decide; -1 at chance nodes and ends.
        info_sets: (num_nodes,), int64: the seat's information set; -1 at chance nodes and ends.
        first_child: (num_nodes,), int64.
        num_children: (num_nodes,), int64: how many moves there are; 0 at ends.
        payments: (num_nodes, num_players), float64: what each seat has been paid on the way to the node.
        first_choice: (num_info_sets + 1,), int64.
        set_seats: (num_info_sets,), int64: the seat of each information set.
    """

    seats: npt.NDArray[np.int64]
    info_sets: npt.NDArray[np.int64]
    first_child: npt.NDArray[np.int64]
    num_children: npt.NDArray[np.int64]
    payments: npt.NDArray[np.float64]
    first_choice: npt.NDArray[np.int64]
    set_seats: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GameTree:
    """Every history of a game.

    Attributes:
        game: the game.
        options: its options.
        arrays: the nodes and information sets.
        set_keys: (num_info_sets,), int64: the game's key of each information set.
        choice_actions: (num_choices,), int64: the action of each choice.
        set_states: (num_info_sets,): a state of each information set, as an `np.recarray`.
    """

    game: Game
    options: Options
    arrays: TreeArrays
    set_keys: npt.NDArray[np.int64]
    choice_actions: npt.NDArray[np.int64]
    set_states: np.recarray[Any, Any]

    @property
    def num_nodes(self) -> int:
        """How many histories there are, the empty one and the ends included."""
        return len(self.arrays.seats)

    @property
    def num_info_sets(self) -> int:
        """How many information sets there are, of all seats."""
        return len(self.arrays.set_seats)

    @property
    def num_choices(self) -> int:
        """How many actions all information sets have together."""
        return len(self.choice_actions)

    @functools.cached_property
    def own_turns(self) -> npt.NDArray[np.int64]:
        """How many decisions each seat has taken on the way to each node, (num_nodes, num_players), int64."""
        turns = np.zeros((self.num_nodes, self.options.num_players), np.int64)
        _count_turns(self.arrays, turns)
        return turns

    def uniform(self) -> Strategy:
        """The strategy of `random`."""
        sizes = np.diff(self.arrays.first_choice)
        return np.repeat(1.0 / sizes, sizes)

    def look(self, observation_name: str | None = None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """What is observed at each information set, (sets, size) float32, and the masks, (sets, actions) int8."""
        observations, masks, _ = look(self.game, self.options, self.set_states, self.arrays.set_seats, observation_name)
        return observations, masks

    def strategy(self, probabilities: npt.NDArray[np.floating[Any]]) -> Strategy:
        """A strategy from probabilities of all actions at each information set, (num_info_sets, actions)."""
        rows = np.repeat(np.arange(self.num_info_sets), np.diff(self.arrays.first_choice))
        chosen = probabilities[rows, self.choice_actions].astype(np.float64)
        return chosen / np.add.reduceat(chosen, self.arrays.first_choice[:-1])[rows]


def enumerate_tree(game: Game, options: Options, *, limit: int = _NODES_LIMIT) -> GameTree:
    """Enumerate every history of a game.

    Args:
        game: a game whose key, `info_state_key`, tells apart whatever the seat to decide can tell apart.
        options: its options.
        limit: the most nodes.

    Raises:
        CardgymError: for a game without keys, of more nodes than `limit`, or whose keys forget what a seat knew.
    """
    if not game.state_index.has_keys:
        raise CardgymError(f"{game.id} has no keys for its information sets, so its tree cannot be solved")
    opener = expansion(game)
    name_entry_point(f"{game.id} (solver)", opener.play_moves)
    layer = np.array(game.new_state(options))
    paid = np.zeros((1, options.num_players))
    parts: dict[str, list[npt.NDArray[Any]]] = {
        name: [] for name in ("kinds", "counts", "seats", "keys", "payments", "moves", "sample_states", "sample_nodes")
    }
    layer_moves = np.array([-1])
    size = 0
    known: set[tuple[int, int]] = set()
    while len(layer):
        kinds, counts, seats, keys = opener.classify(layer)
        size += len(layer)
        if size + int(counts.sum()) > limit:
            raise CardgymError(f"{game.id} has a tree of more than {limit:,} nodes: too many to enumerate")
        fresh = _first_of_sets(kinds, seats, keys, known)
        found: tuple[npt.NDArray[Any], ...] = (
            kinds,
            counts,
            seats,
            keys,
            paid,
            layer_moves,
            layer[fresh],
            fresh + size - len(layer),
        )
        for name, values in zip(parts, found, strict=True):
            parts[name].append(values)
        children, moves, payments = [layer[:0]], [layer_moves[:0]], [paid[:0]]
        for first, last in chunks(counts):
            part, part_moves, part_pay = opener.play(layer[first:last], counts[first:last], kinds[first:last], False)
            children.append(part)
            moves.append(part_moves)
            before = np.repeat(paid[first:last], counts[first:last], axis=0)
            payments.append(before + part_pay[:, : options.num_players])
        layer, layer_moves, paid = np.concatenate(children), np.concatenate(moves), np.concatenate(payments)
    return _assembled(game, options, **{name: np.concatenate(values) for name, values in parts.items()})


def _first_of_sets(
    kinds: npt.NDArray[np.int8],
    seats: npt.NDArray[np.int64],
    keys: npt.NDArray[np.int64],
    known: set[tuple[int, int]],
) -> npt.NDArray[np.int64]:
    """The places of decisions whose information set is new; it becomes known."""
    places = []
    for place in np.flatnonzero(kinds == DECISION):
        pair = int(seats[place]), int(keys[place])
        if pair not in known:
            known.add(pair)
            places.append(place)
    return np.array(places, np.int64)


def _assembled(
    game: Game,
    options: Options,
    *,
    kinds: npt.NDArray[np.int8],
    counts: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    keys: npt.NDArray[np.int64],
    payments: npt.NDArray[np.float64],
    moves: npt.NDArray[np.int64],
    sample_states: npt.NDArray[Any],
    sample_nodes: npt.NDArray[np.int64],
) -> GameTree:
    """The tree, from nodes in the order of their layers."""
    first_child = 1 + np.cumsum(counts) - counts
    numbers = {(int(seats[node]), int(keys[node])): i for i, node in enumerate(sample_nodes)}
    info_sets = np.full(len(kinds), -1)
    for node in np.flatnonzero(kinds == DECISION):
        info_sets[node] = numbers[int(seats[node]), int(keys[node])]
    sizes = counts[sample_nodes]
    choices = [moves[first_child[node] : first_child[node] + counts[node]] for node in sample_nodes]
    arrays = TreeArrays(
        seats=seats,
        info_sets=info_sets,
        first_child=first_child,
        num_children=counts,
        payments=payments,
        first_choice=np.concatenate(([0], np.cumsum(sizes))),
        set_seats=seats[sample_nodes],
    )
    tree = GameTree(
        game=game,
        options=options,
        arrays=arrays,
        set_keys=keys[sample_nodes],
        choice_actions=np.concatenate(choices) if choices else moves[:0],
        set_states=sample_states.view(np.recarray),
    )
    _check_recall(tree)
    return tree


def _check_recall(tree: GameTree) -> None:
    """Perfect recall: all histories of an information set have the same last choice of its seat behind them."""
    last_choice = np.full((tree.num_nodes, tree.options.num_players), -1)
    before = np.full(tree.num_info_sets, -2)
    wrong = _last_choices(tree.arrays, last_choice, before)
    if wrong >= 0:
        raise CardgymError(
            f"{tree.game.id}: the key {tree.set_keys[wrong]} of seat {tree.arrays.set_seats[wrong]} merges histories "
            "that the seat could tell apart earlier, or whose moves differ; exact solvers need keys that never forget"
        )


@compiled
def _count_turns(tree: TreeArrays, turns: npt.NDArray[np.int64]) -> None:
    for node in range(tree.seats.shape[0]):
        for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
            for seat in range(turns.shape[1]):
                turns[child, seat] = turns[node, seat]
            if tree.seats[node] >= 0:
                turns[child, tree.seats[node]] += 1


@compiled
def _last_choices(tree: TreeArrays, last_choice: npt.NDArray[np.int64], before: npt.NDArray[np.int64]) -> int:
    """Follow each seat's last choice down the tree; the first information set that has two of them, or -1."""
    for node in range(tree.seats.shape[0]):
        info_set = tree.info_sets[node]
        if info_set >= 0:
            own = last_choice[node, tree.seats[node]]
            if before[info_set] == -2:
                before[info_set] = own
            size = tree.first_choice[info_set + 1] - tree.first_choice[info_set]
            if before[info_set] != own or size != tree.num_children[node]:
                return int(info_set)
        for number in range(tree.num_children[node]):
            child = tree.first_child[node] + number
            for seat in range(last_choice.shape[1]):
                last_choice[child, seat] = last_choice[node, seat]
            if info_set >= 0:
                last_choice[child, tree.seats[node]] = tree.first_choice[info_set] + number
    return -1
