"""Games of cardgym for OpenSpiel's algorithms, and games of OpenSpiel for our solvers; each checks the other.

`OpenSpielGame` is any game of cardgym as a Python game of OpenSpiel. Information states are those of
`cardgym.solvers.tree`: what a seat has seen (its observation, key and legal actions) and done at its decisions.
`open_spiel_tree` enumerates any game of OpenSpiel for `CFR`, best responses and exact exploitability. Both run in
Python, so they are for small games.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from cardgym.engine.batch import look
from cardgym.engine.contract import CHANCE, END, Float32s, Float64s, Game, Options
from cardgym.engine.registry import find
from cardgym.engine.states import SingleGame, new_state, record
from cardgym.errors import CardgymError, of_kind, unknown, whole_number, with_method
from cardgym.solvers.tree import ExactTree, Strategy, TreeArrays

try:
    import pyspiel
except ImportError:
    raise CardgymError("cardgym.interop.open_spiel needs OpenSpiel: pip install open_spiel") from None

_MANY = 1_000_000
"""Stands in for bounds that a game of cardgym does not state."""
_NODES = 1_000_000
"""The largest tree of OpenSpiel to enumerate, in nodes."""


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of cardgym as a `pyspiel.Game`."""

    def __init__(self, game: str | Game, options: Mapping[str, object] | None = None) -> None:
        """Wrap a game of one player, or a zero-sum game, as OpenSpiel's `exploitability` demands.

        A game of several players that turns out not to be zero-sum fails at its end.

        Raises:
            CardgymError: for an unknown game or option.
        """
        self.game = find(game)
        self.options: Options = self.game.parse_options(options)
        players, utility = self.options.num_players, pyspiel.GameType.Utility
        kind = pyspiel.GameType(
            short_name="cardgym_" + "".join(letter if letter.isalnum() else "_" for letter in self.game.id),
            long_name=self.game.id,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=utility.GENERAL_SUM if players == 1 else utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=players,
            min_num_players=players,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
        )
        about = pyspiel.GameInfo(
            num_distinct_actions=self.game.actions(self.options),
            max_chance_outcomes=_MANY,
            num_players=players,
            max_game_length=_MANY,
            min_utility=-_MANY,
            max_utility=_MANY,
            utility_sum=None if players == 1 else 0.0,
        )
        super().__init__(kind, about, {})

    def new_initial_state(self) -> OpenSpielState:
        """Return the state before any chance."""
        return OpenSpielState(self)

    def make_py_observer(self, kind: Any = None, parameters: Mapping[str, Any] | None = None) -> OpenSpielObserver:
        """Return an observer of what a seat sees now or, with `kind.perfect_recall`, of its information state.

        Raises:
            CardgymError: for parameters, of which there are none.
        """
        of_kind("parameters", parameters, Mapping | None, "None, because its observer has no parameters")
        with_method("kind", kind, "perfect_recall", "what pyspiel.IIGObservationType makes")
        if parameters:
            names = ", ".join(map(str, parameters))
            raise CardgymError(f"{self.game.id}: its observer has no parameters; leave out {names}")
        return OpenSpielObserver(self, has_recall=kind is not None and kind.perfect_recall)


class OpenSpielObserver:
    """What a seat sees, as OpenSpiel's observers show it.

    Attributes:
        tensor: the observation, float32, of the length that the env's observation has; None for an information state
            (`has_recall`), which is all that a seat has ever seen and has no fixed length.
        dict: the tensor by name.
    """

    def __init__(self, game: OpenSpielGame, *, has_recall: bool) -> None:
        size = game.game.observation(game.game.default_observation).size(game.options)
        self.tensor = None if has_recall else np.zeros(size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what the seat `player` sees into the tensor."""
        if self.tensor is not None:
            self.tensor[:] = state._position.observation(player)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return what the seat `player` sees, in words; its information state with perfect recall."""
        if self.tensor is None:
            return state.information_state_string(player)
        return state.observation_string(player)


class _Position:
    """A game in progress with what each seat remembers; it is copied along with its state."""

    def __init__(self, game: Game, options: Options) -> None:
        self.single = SingleGame(game, options, new_state(game, options))
        self.single.refresh()
        self.memory = [b""] * options.num_players
        self.returns = np.zeros(options.num_players)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = copy.copy(self)
        other.single = SingleGame(self.single.game, self.single.options, self.single.states.copy())
        other.single.refresh()
        other.memory, other.returns = self.memory.copy(), self.returns.copy()
        return other

    def information(self, seat: int) -> bytes:
        """Return the digest of all that a seat has seen and done, at its decision with what it sees now."""
        single = self.single
        if single.current_player != seat:
            return self.memory[seat]
        observation, mask, key = look(single.game, single.options, single.states, np.array([seat]))
        seen = self.memory[seat] + (observation + 0.0).tobytes() + mask.tobytes() + key.tobytes()  # -0 is 0.
        return hashlib.sha256(seen).digest()

    def observation(self, seat: int) -> Float32s:
        """Return what a seat sees, float32."""
        single = self.single
        seen: Float32s = look(single.game, single.options, single.states, np.array([seat]))[0][0]
        return seen

    def play(self, move: int) -> None:
        """Play a move, and let the seat that decided remember it."""
        seat = self.single.current_player
        if seat >= 0:
            self.memory[seat] = hashlib.sha256(self.information(seat) + move.to_bytes(4, "little")).digest()
        self.returns += self.single.apply_action(move)[: len(self.returns)]


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A state of an `OpenSpielGame`."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._position = _Position(game.game, game.options)

    def current_player(self) -> int:
        """Return the seat to decide, or OpenSpiel's ids for chance and the end."""
        player = self._position.single.current_player
        return int({CHANCE: pyspiel.PlayerId.CHANCE, END: pyspiel.PlayerId.TERMINAL}.get(player, player))

    def _legal_actions(self, player: int) -> list[int]:
        return self._position.single.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes with their probabilities."""
        count = self._position.single.num_chance_outcomes
        return [(outcome, 1.0 / count) for outcome in range(count)]

    def _apply_action(self, action: int) -> None:
        self._position.play(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player < 0:
            return f"outcome {action}"
        single = self._position.single
        return single.game.action_text(record(single.states), int(action))

    def is_terminal(self) -> bool:
        """Say whether the game is over."""
        return self._position.single.over

    def returns(self) -> Float64s:
        """Return what each seat has been paid; 0 before the end, as OpenSpiel expects of terminal rewards.

        Raises:
            CardgymError: if the game that ended was not zero-sum.
        """
        returns = self._position.returns
        if not self.is_terminal():
            return np.zeros_like(returns)
        if len(returns) > 1 and abs(total := float(returns.sum())) > 1e-6:
            raise CardgymError(
                f"{self._position.single.game.id}: a game paid {total:g} in all, but OpenSpiel's exploitability needs "
                "payments that sum to 0; solve it with cardgym.solvers instead"
            )
        return returns

    def information_state_string(self, player: int | None = None) -> str:
        """Return the information state of a seat, as a digest in hexadecimal digits."""
        return self._position.information(self.current_player() if player is None else player).hex()

    def observation_tensor(self, player: int | None = None) -> Float32s:
        """Return what a seat sees, float32: the observation of cardgym's envs."""
        return self._position.observation(self.current_player() if player is None else player)

    def observation_string(self, player: int | None = None) -> str:
        """Return what a seat sees, in words."""
        single = self._position.single
        seat = self.current_player() if player is None else player
        return single.game.describe(record(single.states), seat)

    def __str__(self) -> str:
        return " ".join(map(str, self.history()))


# -- their games for our solvers --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OpenSpielTree(ExactTree):
    """Every history of a game of OpenSpiel; `set_states` has a state of each information set."""

    game: Any
    set_states: list[Any]

    def strategy(self, policy: Any) -> Strategy:
        """Return a `policy` of OpenSpiel, in Python or C++, as a strategy over this tree, (choices,), float64."""
        actions = np.split(self.choice_actions, self.arrays.first_choice[1:-1])
        shares = [dict(policy.action_probabilities(state)) for state in self.set_states]
        return np.array([part.get(action, 0.0) for part, own in zip(shares, actions, strict=True) for action in own])

    def policy(self, strategy: Strategy) -> Any:
        """Return a strategy over this tree, (choices,), as a `pyspiel.TabularPolicy`."""
        pairs = list(zip(self.choice_actions.tolist(), strategy.tolist(), strict=True))
        first = self.arrays.first_choice.tolist()
        return pyspiel.TabularPolicy(
            {
                state.information_state_string(): pairs[first[i] : first[i + 1]]
                for i, state in enumerate(self.set_states)
            }
        )


def open_spiel_tree(game: Any, *, limit: int = _NODES) -> OpenSpielTree:
    """Return the tree of a game of OpenSpiel; an information set is an information state's string.

    Args:
        game: a `pyspiel.Game`, or its name as `pyspiel.load_game` takes it.
        limit: the largest number of nodes.

    Raises:
        CardgymError: for an unknown game, one without information states or with simultaneous moves, one with
            imperfect recall, whose information states forget what their seat did, one with more nodes than `limit`, and
            one whose games are too long.
    """
    whole_number("limit", limit, 1)
    of_kind("game", game, str | pyspiel.Game, "names of OpenSpiel's games and what pyspiel.load_game returns")
    if isinstance(game, str):
        if (name := game.partition("(")[0]) not in (known := pyspiel.registered_names()):
            raise unknown("game of OpenSpiel", name, known)
        game = pyspiel.load_game(game)
    walk = _Walk(game, limit)
    try:
        walk.visit(game.new_initial_state(), [-1] * game.num_players())
    except RecursionError:
        raise CardgymError(f"OpenSpiel's {walk.name} has games with too many moves; choose a smaller one") from None
    arrays = TreeArrays(
        seats=np.array(walk.seats, np.int8),
        info_sets=np.array(walk.info_sets, np.int32),
        first_edge=np.cumsum([0, *map(len, walk.targets)]),
        targets=np.array([target for targets in walk.targets for target in targets], np.int32),
        chances=np.array([chance for chances in walk.chances for chance in chances], np.float64),
        payments=np.array(list(walk.ends), np.float64).reshape(len(walk.ends), game.num_players()),
        first_choice=np.array([*walk.first_choice, len(walk.actions)]),
        set_seats=np.array([state.current_player() for state in walk.states], np.int64),
        set_before=np.array(walk.before, np.int64),
    )
    return OpenSpielTree(arrays, walk.histories, np.array(walk.actions, np.int64), game, walk.states)


class _Walk:
    """A walk over a game of OpenSpiel, depth first: `TreeArrays` as lists."""

    def __init__(self, game: Any, limit: int) -> None:
        self.name, self.limit = game.get_type().short_name, limit
        if not game.get_type().provides_information_state_string:
            raise CardgymError(f"OpenSpiel's {self.name} has no information states; choose another game")
        self.histories = 0
        self.seats: list[int] = []
        self.info_sets: list[int] = []
        self.targets: list[list[int]] = []
        self.chances: list[list[float]] = []
        self.ends: dict[tuple[float, ...], int] = {}
        self.sets: dict[tuple[int, str], int] = {}
        self.states: list[Any] = []
        self.before: list[int] = []
        self.first_choice: list[int] = []
        self.actions: list[int] = []

    def visit(self, state: Any, choices: list[int]) -> int:
        """Add all that follows a state, reached by these last choices of the seats, and return its target."""
        self.histories += 1
        if state.is_terminal():
            return -1 - self.ends.setdefault(tuple(state.returns()), len(self.ends))
        if state.is_simultaneous_node():
            raise CardgymError(f"OpenSpiel's {self.name} has simultaneous moves; use pyspiel.load_game_as_turn_based")
        seat = max(state.current_player(), -1)
        info_set, first = -1, 0
        moves = state.chance_outcomes() if seat < 0 else [(action, 1.0) for action in state.legal_actions()]
        if seat >= 0:
            info_set = self._info_set(state, seat, choices[seat])
            first = self.first_choice[info_set]
        targets = []
        for number, (move, _) in enumerate(moves):
            after = choices if seat < 0 else [*choices[:seat], first + number, *choices[seat + 1 :]]
            targets.append(self.visit(state.child(move), after))
        if len(self.seats) >= self.limit:
            raise CardgymError(
                f"OpenSpiel's {self.name} has a tree of more than {self.limit:,} nodes; choose a smaller one"
            )
        self.seats.append(seat)
        self.info_sets.append(info_set)
        self.targets.append(targets)
        self.chances.append([chance for _, chance in moves])
        return len(self.seats) - 1

    def _info_set(self, state: Any, seat: int, before: int) -> int:
        info_set = self.sets.setdefault((seat, state.information_state_string()), len(self.sets))
        if info_set == len(self.states):
            self.states.append(state)
            self.before.append(before)
            self.first_choice.append(len(self.actions))
            self.actions += state.legal_actions()
        elif self.before[info_set] != before:
            raise CardgymError(
                f"OpenSpiel's {self.name} has imperfect recall: its information states forget what their seat did; "
                "choose another game"
            )
        return info_set
