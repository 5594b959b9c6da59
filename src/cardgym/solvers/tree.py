"""The tree of a game of hidden information, enumerated from its rules, with its information sets.

An information set is what a seat has seen and done: its observation, its key if the game has keys, and its legal
actions, at this decision and all its earlier ones, and the actions that it took there. So games need no keys, and
recall is perfect. What a seat could see between its decisions counts only if a later observation shows it.

Histories with the same state, payments and memories of the seats have the same future and are one node; see `walk`. So
what is called a tree is an acyclic graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.arena.playouts import Decisions
from cardgym.engine.batch import look
from cardgym.engine.binding import bind_rules
from cardgym.engine.compilation import bound, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import MAX_PLAYERS
from cardgym.engine.states import new_state
from cardgym.errors import CardgymError
from cardgym.solvers import walk
from cardgym.solvers.walk import Found, Frames, insert_all

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Strategy = Floats
"""The probability of each choice of a tree, (num_choices,), summing to 1 over the choices of each information set."""

_NODES_LIMIT = 5_000_000
_MAX_DEPTH = 2048


class TreeArrays(NamedTuple):
    """The shape of a tree, for compiled code. A node comes after those that it leads to; the last one is the root.

    An edge is a move from a node. Ends of the game are numbered from the back, so that `targets` can directly index an
    array with a value for every node and then every end.

    A choice is an action at an information set. The choices of set i are `first_choice[i] : first_choice[i + 1]`, in
    the order of the legal actions, as are the edges of a decision. A set comes after all sets that lead to it.

    Attributes:
        seats: (num_nodes,), int8: the seat to decide; negative at chance nodes.
        info_sets: (num_nodes,), int32: the seat's information set; -1 at chance nodes.
        first_edge: (num_nodes + 1,), int64: the edges of node i are `first_edge[i] : first_edge[i + 1]`.
        targets: (num_edges,), int32: the node that an edge leads to, or -1 - e for end number e.
        chances: (num_edges,), float64: the probability of an outcome; 1 for an action.
        payments: (num_ends, num_players), float64: what each seat is paid in a game that ends here.
        first_choice: (num_info_sets + 1,), int64.
        set_seats: (num_info_sets,), int64: the seat of each information set.
        set_before: (num_info_sets,), int64: the seat's last choice on the way to the set; -1 if this is its first.
    """

    seats: npt.NDArray[np.int8]
    info_sets: npt.NDArray[np.int32]
    first_edge: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    chances: npt.NDArray[np.float64]
    payments: npt.NDArray[np.float64]
    first_choice: npt.NDArray[np.int64]
    set_seats: npt.NDArray[np.int64]
    set_before: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ExactTree:
    """Every history of a game, of this library or another: what CFR and best responses need.

    Attributes:
        arrays: the nodes and information sets.
        num_histories: the number of histories, including the empty one and the complete ones.
        choice_actions: (num_choices,), int64: the action of each choice.
    """

    arrays: TreeArrays
    num_histories: int
    choice_actions: npt.NDArray[np.int64]

    @property
    def num_nodes(self) -> int:
        """The number of nodes without ends; histories that lead to the same state are one."""
        return len(self.arrays.seats)

    @property
    def num_info_sets(self) -> int:
        """The number of information sets of all seats."""
        return len(self.arrays.set_seats)

    @property
    def num_choices(self) -> int:
        """The number of actions in all information sets together."""
        return len(self.choice_actions)

    @property
    def num_players(self) -> int:
        """The number of seats."""
        return int(self.arrays.payments.shape[1])

    def uniform(self) -> Strategy:
        """Return the strategy of `random`, (choices,), float64."""
        return np.repeat(1.0 / self.sizes, self.sizes)

    @property
    def sizes(self) -> npt.NDArray[np.intp]:
        """The number of choices of each information set, (num_info_sets,), for NumPy's `repeat`."""
        return np.diff(self.arrays.first_choice).astype(np.intp)

    def sums(self, values: Floats) -> Floats:
        """Return the sum of the values of the choices, (num_choices,), in each information set."""
        totals: Floats = np.add.reduceat(values, self.arrays.first_choice[:-1].astype(np.intp))
        return totals


@dataclass(frozen=True, eq=False)
class GameTree(ExactTree):
    """Every history of a game of cardgym.

    Attributes:
        observation_name: the observation that defines what a seat sees.
        symmetric: whether states that the game's `canonical` makes equal are one.
        set_keys: (num_info_sets,), int64: the game's key of each information set; -1 in a game without keys.
        set_states: (num_info_sets,): a state of each information set, as an `np.recarray`.
        paid_before: (num_nodes, num_players), float64: what each seat has been paid when a node is reached.
    """

    game: Game
    options: Options
    observation_name: str
    symmetric: bool
    set_keys: Integers
    set_states: np.recarray[Any, Any]
    paid_before: Floats

    def look(self, observation_name: str | None = None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Get what is observed at each information set, (sets, size) float32, and the masks, (sets, actions) int8."""
        observations, masks, _ = look(self.game, self.options, self.set_states, self.arrays.set_seats, observation_name)
        return observations, masks

    def decisions(self) -> Decisions:
        """Return the decisions at the information sets, in a state of each."""
        return Decisions(self.game, self.options, np.asarray(self.set_states), self.arrays.set_seats)

    def strategy(self, probabilities: npt.NDArray[np.floating[Any]]) -> Strategy:
        """Return a strategy from probabilities of all actions at each information set, (num_info_sets, actions)."""
        rows = np.repeat(np.arange(self.num_info_sets), self.sizes)
        chosen = probabilities[rows, self.choice_actions].astype(np.float64)
        return chosen / self.sums(chosen)[rows]

    @property
    def rewards(self) -> Floats:
        """What each seat is paid on each edge, (num_edges, num_players), float64."""
        paid = np.concatenate([self.paid_before, self.arrays.payments[::-1]])
        source = np.repeat(np.arange(self.num_nodes), np.diff(self.arrays.first_edge).astype(np.intp))
        rewards: Floats = paid[self.arrays.targets] - paid[source]
        return rewards

    def find(self, states: np.recarray[Any, Any]) -> Integers:
        """Get the information sets of states in a tree by whole states, (len(states),) int64; -1 for other states."""
        known = {key: number for number, key in enumerate(_keys(self.set_states))}
        return np.array([known.get(key, -1) for key in self.keys_of(states)], np.int64)

    def keys_of(self, states: npt.NDArray[Any]) -> list[bytes]:
        """Return what identifies each state, (rows,), in a tree by whole states."""
        rows = np.array(states)
        if self.symmetric:
            bind_rules(_make_canonical, self.game)(rows)
        return _keys(rows)


def _keys(states: npt.NDArray[Any]) -> list[bytes]:
    """Return the bytes of each state, in which payments do not count."""
    rows = np.zeros(len(states), states.dtype)  # Zeros, because assignment skips the gaps between fields.
    rows[:] = states
    rows["paid"] = 0
    return [row.tobytes() for row in rows]


@template
def _make_canonical(states: Any) -> None:
    for i in range(states.shape[0]):
        bound.canonical(states[i])


def enumerate_tree(
    game: Game, options: Options, *, whole_state: bool = False, symmetric: bool = True, limit: int = _NODES_LIMIT
) -> GameTree:
    """Enumerate every history of a game, as its default observation shows it.

    Args:
        game: the game.
        options: its options.
        whole_state: what a seat knows is the whole state and nothing of the past, so that all histories that lead to a
            state are one: for games of one player, who sees everything. `set_before` then means nothing.
        symmetric: make one of states that the game's `canonical` makes equal.
        limit: the largest number of nodes.

    Returns:
        The tree, for `CFR`, best responses and exact exploitability.

    Raises:
        CardgymError: for a game with more nodes than `limit`, or with games that are too long or do not end.
    """
    name = game.default_observation
    walker = walk.walk_of(game)
    growing = _GrowingTree(game, options)
    observation = np.empty(game.observation(name).size(options), np.float32)
    scratch = observation, np.zeros(MAX_PLAYERS)
    found = growing.found
    while full := walker(
        growing.states, growing.frames, Found(**found), growing.counters, *scratch, limit, whole_state, symmetric
    ):
        if growing.counters[walk.NODES] >= limit:
            raise CardgymError(f"{game.id} has a tree of more than {limit:,} nodes: too many to enumerate")
        if full == walk.DEPTH:
            raise CardgymError(f"{game.id}: more than {_MAX_DEPTH:,} moves in a game: too many to enumerate")
        growing.grow(full)
    growing.trim()
    return GameTree(
        game=game,
        options=options,
        observation_name=name,
        symmetric=symmetric,
        arrays=TreeArrays(**{name: found[name] for name in TreeArrays._fields}),
        num_histories=int(growing.frames.histories[0]),
        set_keys=found["set_keys"],
        choice_actions=found["choice_actions"],
        set_states=found["set_words"].reshape(-1).view(game.state).view(np.recarray),
        paid_before=found["paid_before"],
    )


class _GrowingTree:
    """The arrays of a walk: the history being walked, and what was found, which grows."""

    def __init__(self, game: Game, options: Options) -> None:
        players, actions, depth = options.num_players, game.actions(options), _MAX_DEPTH
        start = np.array(new_state(game, options))
        self.states = np.zeros(depth, start.dtype)
        self.states[0] = start[0]
        self.states["paid"] = 0
        size = start.dtype.itemsize
        word = np.uint64 if size % 8 == 0 else np.uint32 if size % 4 == 0 else np.uint8
        words = self.states.view(word).reshape(depth, -1)
        columns = {"": (), "actions": (actions,), "players": (players,), "words": words.shape[1:]}
        self.frames = Frames(words, *(np.zeros((depth, *columns[of]), dtype) for dtype, of in walk.FRAMES.values()))
        self.frames.memory[0] = np.arange(1, players + 1)
        self.frames.choices[0] = -1
        self.counters = np.zeros(walk.DEPTH + 1, np.int64)
        room = {
            walk.NODES: 1024, walk.EDGES: 4096, walk.ENDS: 64, walk.SETS: 256, walk.CHOICES: 1024 + actions,
            walk.PENDING: 4096, walk.PLACES: 4096, walk.SET_PLACES: 1024,
        }  # fmt: skip
        self.found = {
            name: np.zeros((room[kind], *columns[of]), dtype or words.dtype)
            for name, (dtype, of, kind) in walk.FOUND.items()
        }

    def grow(self, full: int) -> None:
        """Double the arrays that are full."""
        names = [name for name, (_, _, kind) in walk.FOUND.items() if kind == full]
        if full in (walk.PLACES, walk.SET_PLACES):
            self._rehash(*names)
            return
        for name in names:
            array = self.found[name]
            array.resize((2 * len(array), *array.shape[1:]), refcheck=False)

    def _rehash(self, keys: str, *values: str) -> None:
        old = self.found[keys]
        used = np.flatnonzero(old)
        places = np.empty(len(used), np.int64)
        self.found[keys] = np.zeros(2 * len(old), np.uint64)
        insert_all(old[used], self.found[keys], places)
        for name in values:
            array = np.zeros(2 * len(old), np.int64)
            array[places] = self.found[name][used]
            self.found[name] = array

    def trim(self) -> None:
        """Cut the arrays of the finished tree to their sizes."""
        for name, (_, _, kind) in walk.FOUND.items():
            if kind <= walk.CHOICES:
                array = self.found[name]
                array.resize((self.counters[kind], *array.shape[1:]), refcheck=False)
        for first, of in (("first_edge", "targets"), ("first_choice", "choice_actions")):
            self.found[first] = np.append(self.found[first], len(self.found[of]))
