"""The kernel: plays any game's rules, one row or thousands, compiled once for each game and observation.

Players cost more to compile than rules: a kernel has those of its game only where one of them is to be seated.

A row is one game. Its seats are taken by policies, which are whole numbers: compiled players of the game (0, 1, ...),
policy tables (the numbers after those), or negative numbers for whoever decides outside the kernel. The kernel plays
chance and the compiled policies until someone outside must decide or the game ends.

The templates below read a game's rules, and each other, as `bound.NAME`; `Kernel` gives the names.
"""

from __future__ import annotations

import copyreg
import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, State, rewards_from_paid
from cardgym.engine.generator import Generator, derive, uniform, uniform_float
from cardgym.engine.numba.compilation import bind, bound, plain_function, rule, template
from cardgym.engine.numba.intrinsics import array_at, count_32

INT8, UINT8, INT32 = np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int32)
INT64, FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)
MAX_PLAYERS = 8
CALLER = -1
"""The policy number of the caller of `Batch.step`; other negative numbers are other policies outside the kernel."""

NOOP, STEP, RESET = range(3)
"""The commands to a row, uint8: do nothing; take the action given; start its next game."""

ANY_SEAT, EVERY_SEAT = -1, -2
"""In place of the caller's seat: one drawn for each game, or all of them, each paid for its own actions."""

PENALIZE, RANDOM = range(2)
"""What an illegal action does: forfeit the game, or be replaced by a random legal one."""

NOBODY = 0
"""The pending policy of a game that is over."""

ROW = np.dtype(
    [
        ("key", np.uint64),  # Seed of the row; game number `games` is dealt from derive(key, games).
        ("games", np.uint64),  # The number of the next game to start.
        ("chance", np.uint64, (2,)),  # Generators of this game: of the cards and dice ...
        ("choice", np.uint64, (2,)),  # ... and of the players' own choices.
        ("lineup", np.int32, (MAX_PLAYERS,)),  # Policies in the order of play from `seat` on.
        ("policies", np.int32, (MAX_PLAYERS,)),  # The same by seat.
        ("requested_seat", np.int32),  # The seat for lineup[0] in games to come, ANY_SEAT or EVERY_SEAT.
        ("seat", np.int32),  # The seat of lineup[0] in this game.
        ("current_player", np.int32),  # The seat to decide; -1 at the end.
        ("pending_policy", np.int32),  # The policy of that seat (negative); NOBODY at the end.
        ("forfeited", np.int32),  # The seat that ended the game by an illegal action, or -1.
        ("decisions", np.int64),  # Decisions taken since the row was made, of all seats.
        ("paid", np.float64, (MAX_PLAYERS,)),  # What this step paid each seat.
        ("reward", np.float64),  # What the seat that acted for the caller was paid since: its reward.
        ("unattributed_reward", np.float64),  # What it was paid before its first action: part of its first reward.
        ("epsilon", np.float64),  # How often a seat explores, where the game is recorded; see `Kernel.exploring`.
        ("before_first_action", np.int8),  # Whether the caller has not yet acted in this game.
    ],
    align=True,
)

ANSWER: dict[str, np.dtype[Any]] = {
    "reward": FLOAT64,  # Of the row, as it stands after a step.
    "info_state_key": INT64,  # The state's key for the seat to decide.
    "current_player": INT32,
    "pending_policy": INT32,
}
"""How a row stands after a step. Each is an array of its own: they are read one by one, in all rows."""

ADDRESSES = np.dtype(
    [
        *((name, np.intp) for name in ("states", "rows", "tables", "actions", "commands", "paid", *ANSWER)),
        ("num_rows", np.intp),
        ("num_tables", np.intp),
        ("table_size", np.intp),
    ]
)
"""Where the arrays of a batch lie, or of a range of its rows, and how long they are; see `_step`."""

PER_ROW = -1
"""In place of one command for all rows: commands and actions are those of the arrays."""


# -- players ----------------------------------------------------------------------------------------------------------


@rule
def choose_random(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The player `random`: uniform over the legal actions."""
    return uniform_legal(mask, generator)


@rule
def uniform_legal(mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """An action uniform over those that the mask allows."""
    size = mask.shape[0]
    whole = size & ~31
    count = 0
    for start in range(0, whole, 32):
        count += count_32(mask, start)
    for action in range(size - whole):
        count += int(mask[np.uint64(whole + action)])  # Unsigned: a negative index would be checked for.
    place = uniform(generator, count)
    start = 0
    while start < whole and count_32(mask, start) <= place:
        place -= count_32(mask, start)
        start += 32
    seen = 0
    chosen = start
    for action in range(32 if start < whole else size - whole):
        # No early exit: the branch is unpredictable and costs more than finishing.
        seen += int(mask[np.uint64(start + action)])
        chosen += seen <= place
    return chosen


@template
def _choose_from_table(policy: int, state: State, seat: int, mask: Any, choice: Generator, tables: Any) -> int:
    """The end of the chain of policies: a table's action, or the first legal one where that is not legal."""
    action = tables[policy - bound.NUMBER, bound.info_state_index(state, seat)]
    if mask[action]:
        return int(action)
    for other in range(mask.shape[0]):
        if mask[other]:
            return int(other)
    return -1


@template
def _choose(policy: int, state: State, seat: int, mask: Any, choice: Generator, tables: Any) -> int:
    """A link of the chain of policies: this compiled player, or one further on."""
    if policy == bound.NUMBER:
        return int(bound.player(state, seat, mask, choice))
    return int(bound.otherwise(policy, state, seat, mask, choice, tables))


# -- the next move ----------------------------------------------------------------------------------------------------


@template
def _draw(state: State, chance: Generator) -> int:
    """The next chance outcome, drawn; -1 at a decision or the end. Each deal of a game has draws of its own."""
    n = bound.num_chance_outcomes(state)
    if n == 0:
        return -1
    start = np.uint64(bound.deal(state)) << np.uint64(20)
    if chance[1] < start:
        chance[1] = start
    return int(uniform(chance, n))


@template
def _seated_action(state: State, row: State, seat: int, mask: Any, tables: Any) -> int:
    """The action of the policy at a seat; -1, with the policy pending, where it is outside the kernel."""
    policy = row.policies[seat]
    if policy < 0:
        row.pending_policy = policy
        return -1
    return int(bound.choose(policy, state, seat, mask, row.choice, tables))


@template
def _exploring_action(state: State, row: State, seat: int, mask: Any, tables: Any) -> int:
    """With probability `row.epsilon` what `bound.explore` does, in any seat; otherwise as `_seated_action`."""
    if row.epsilon > 0.0 and uniform_float(row.choice) < row.epsilon:
        return int(bound.explore(state, seat, mask, row.choice))
    return int(bound.seated_action(state, row, seat, mask, tables))


@template
def _next_move(state: State, row: State, tables: Any, mask: Any) -> int:
    """Chance's next outcome, or a seated policy's action; -1 where someone outside must decide or the game is over.

    At a decision `row.current_player` is the seat and the mask is that seat's.
    """
    move = bound.draw(state, row.chance)
    if move >= 0:
        return int(move)
    seat = bound.current_player(state)
    row.current_player = seat
    if seat < 0:
        row.pending_policy = NOBODY
        return -1
    bound.legal_action_mask(state, mask)
    move = bound.seated_action(state, row, seat, mask, tables)
    if move >= 0:
        row.decisions += 1
    return int(move)


@template
def _play_on(state: State, row: State, tables: Any, mask: Any, move: int) -> None:
    """Play a move, if it is one, and on until someone outside must decide or the game ends.

    What this pays is added to `row.paid`.
    """
    while True:
        if move >= 0:
            bound.apply_action(state, move)
            bound.rewards(state, row.paid)
        move = bound.next_move(state, row, tables, mask)
        if move < 0:
            return


@template
def _prepare(state: State, row: State) -> None:
    """Set up the row's next game, before any chance."""
    key = derive(row.key, row.games)
    row.games += np.uint64(1)
    row.chance[0] = derive(key, np.uint64(0))
    row.chance[1] = np.uint64(0)
    row.choice[0] = derive(key, np.uint64(1))
    row.choice[1] = np.uint64(0)
    row.forfeited = -1
    row.reward = 0.0
    row.unattributed_reward = 0.0
    row.before_first_action = 1
    row.seat = max(row.requested_seat, 0)
    if row.requested_seat == ANY_SEAT:
        row.seat = uniform(row.choice, state.num_players)
    for ahead in range(state.num_players):
        row.policies[(row.seat + ahead) % state.num_players] = row.lineup[ahead]
    bound.setup(state)


# -- one step of many rows --------------------------------------------------------------------------------------------


@template
def _accept(state: State, row: State, action: int, illegal: int, mask: Any) -> int:
    """The move that an action from outside makes: itself, a random legal one, or -1 where the game is forfeited."""
    if row.pending_policy == CALLER:
        row.reward = 0.0
        row.before_first_action = 0
    bound.legal_action_mask(state, mask)
    seat = row.current_player
    row.decisions += 1
    if 0 <= action < mask.shape[0] and mask[action] != 0:
        return action
    if illegal == RANDOM:
        return uniform_legal(mask, row.choice)
    row.paid[seat] += bound.forfeit(state, seat)
    row.forfeited = seat
    row.current_player = -1
    row.pending_policy = NOBODY
    return -1


@template
def _step(
    addresses: int,
    action: int,
    command: int,
    illegal: int,
    skip: bool,
    observations: Any,
    masks: Any,
) -> tuple[float, int]:
    """One step of every row as its command says; then show the seat to decide what it knows and may do.

    With `skip`, a row that resets goes on to a game in which the caller has something to decide.

    Args:
        addresses: where an array of one `ADDRESSES` is.
        action: the action of every row ...
        command: ... and its command; or PER_ROW.
        illegal: PENALIZE or RANDOM.
        skip: see above.
        observations: one row after the other, float32; filled but for rows that do nothing.
        masks: likewise, int8.

    Returns:
        Of row 0: the caller's reward, and the seat to decide (-1 at the end).
    """
    at = array_at(addresses, (1,), ADDRESSES)[0]
    num_rows = at.num_rows
    states = array_at(at.states, (num_rows,), bound.STATE)
    rows = array_at(at.rows, (num_rows,), ROW)
    tables = array_at(at.tables, (at.num_tables, at.table_size), INT8)
    actions = array_at(at.actions, (num_rows,), INT64)
    commands = array_at(at.commands, (num_rows,), UINT8)
    rewards = array_at(at.reward, (num_rows,), FLOAT64)
    keys = array_at(at.info_state_key, (num_rows,), INT64)
    current_players = array_at(at.current_player, (num_rows,), INT32)
    pending_policies = array_at(at.pending_policy, (num_rows,), INT32)
    paid = array_at(at.paid, (num_rows, states[0].num_players), FLOAT64)
    observation_size = observations.shape[0] // num_rows
    num_actions = masks.shape[0] // num_rows
    for i in range(num_rows):
        state = states[i]
        row = rows[i]
        mask = masks[i * num_actions : (i + 1) * num_actions]
        todo = command
        if todo == PER_ROW:
            todo = commands[i]
            action = actions[i]
        if todo == NOOP:
            continue
        earner = row.current_player if todo == STEP and row.requested_seat == EVERY_SEAT else -1
        while True:  # Once, but for games skipped. One call of each big part keeps the compiled code small.
            for seat in range(state.num_players):
                row.paid[seat] = 0.0
            move = -1
            if todo == STEP:
                move = bound.accept(state, row, action, illegal, mask)
            else:
                bound.prepare(state, row)
            if todo != STEP or move >= 0:
                bound.play_on(state, row, tables, mask, move)
            if todo == STEP or not (skip and row.pending_policy == NOBODY):
                break
        if earner < 0:
            earner = row.seat
        if row.before_first_action:
            row.unattributed_reward += row.paid[earner]
        else:
            row.reward += row.paid[earner] + row.unattributed_reward
            row.unattributed_reward = 0.0
        if row.current_player < 0:
            for other in range(mask.shape[0]):
                mask[other] = 1
        viewer = row.current_player if row.current_player >= 0 else row.seat
        bound.observe(state, viewer, observations[i * observation_size : (i + 1) * observation_size])
        rewards[i] = row.reward
        keys[i] = bound.info_state_key(state, viewer)
        current_players[i] = row.current_player
        pending_policies[i] = row.pending_policy
        for seat in range(state.num_players):
            paid[i, seat] = row.paid[seat]
    return rewards[0], current_players[0]


# -- the kernel of a game ---------------------------------------------------------------------------------------------


@template
def _apply_action(state: State, move: int) -> None:
    """Play a move; `paid` holds what this move paid and nothing else."""
    for seat in range(state.num_players):
        state.paid[seat] = 0.0
    bound.rule(state, move)


@cache
def _clearing(rule: Callable[..., Any]) -> Callable[..., Any]:
    plain = plain_function(rule)
    return bind(_apply_action, f"{plain.__module__}_{plain.__qualname__}", inline=True, rule=rule)


def rules_of(game: Game) -> dict[str, Any]:
    """A game's compiled rules by the names that templates know them by."""
    names = (
        "setup num_chance_outcomes current_player legal_action_mask apply_action rewards deal forfeit resample "
        "canonical score max_score"
    )
    rules = {name: getattr(game.rules, name) for name in names.split()}
    if game.rules.rewards is rewards_from_paid:
        rules["apply_action"] = _clearing(game.rules.apply_action)
    return rules | {name: getattr(game.state_index, name) for name in ("info_state_key", "info_state_index")}


def code_name(game: Game, functions: Iterable[Callable[..., Any]]) -> str:
    """A name on disk for code of a game that holds these functions; the game's other ids share it."""
    names = [f"{plain.__module__}.{plain.__qualname__}" for plain in map(plain_function, functions)]
    if any("<locals>" in name for name in names):  # Two such functions may have one name.
        names.append(game.id)
    return hashlib.sha256(repr(names).encode()).hexdigest()[:12]


class Kernel:
    """The compiled functions of one game with one of its observations.

    Attributes:
        game: the game.
        observation_name: the name of the observation.
        players: the names of the compiled players in it; a name's place is its policy number. `random` is the first.
        step: see `_step`.
    """

    def __init__(self, game: Game, observation_name: str, *, with_players: bool) -> None:
        self.game = game
        self.observation_name = observation_name
        functions = {"random": choose_random, **(game.compiled_players if with_players else {})}
        self.players = tuple(functions)
        self._parts = {**rules_of(game), "observe": game.observation(observation_name).write}
        self._suffix = f"{observation_name}_{code_name(game, [*self._parts.values(), *functions.values()])}"
        choose = self.inlined(_choose_from_table, NUMBER=len(functions))
        for number, function in reversed(list(enumerate(functions.values()))):
            choose = self.inlined(_choose, f"_{number}", NUMBER=number, player=function, otherwise=choose)
        self._parts |= {"draw": self.inlined(_draw), "choose": choose, "prepare": self.inlined(_prepare)}
        self._parts["seated_action"] = self.inlined(_seated_action)
        self._parts["next_move"] = self.inlined(_next_move)
        play_on = self.inlined(_play_on)
        self.step = self.entry_point(_step, STATE=game.state, play_on=play_on, accept=self.inlined(_accept))

    def inlined(self, function: Callable[..., Any], suffix: str = "", **names: Any) -> Callable[..., Any]:
        """A template with this kernel's rules and players, for compiled code only; `names` come on top.

        A template reads the rules (`bound.apply_action`, ...), `observe`, `draw`, `choose`, `prepare`, `next_move`.
        """
        return bind(function, self._suffix + suffix, inline=True, **(self._parts | names))

    def entry_point(self, function: Callable[..., Any], suffix: str = "", **names: Any) -> Callable[..., Any]:
        """The same to be called by Python, cached on disk."""
        return bind(function, self._suffix + suffix, **(self._parts | names))

    def exploring(self, explore: Callable[..., Any], suffix: str) -> dict[str, Any]:
        """A `next_move` whose seats explore, with probability `row.epsilon`, instead of following their policies."""
        seated = self.inlined(_exploring_action, suffix, explore=explore)
        return {"next_move": self.inlined(_next_move, suffix, seated_action=seated)}


def _reduce_kernel(kernel: Kernel) -> tuple[Any, ...]:
    """A copy in another process must have the same policy numbers: the very same players, and no more."""
    return _kernel, (kernel.game, kernel.observation_name, len(kernel.players) > 1)


copyreg.pickle(Kernel, _reduce_kernel)

_with_players: set[tuple[Game, str]] = set()


@cache
def _kernel(game: Game, observation_name: str, with_players: bool) -> Kernel:
    if with_players:
        _with_players.add((game, observation_name))
    return Kernel(game, observation_name, with_players=with_players)


def kernel_of(game: Game, observation_name: str, players: Iterable[str] = ()) -> Kernel:
    """A kernel of a game with one of its observations that has `players`, compiled players' names, and may have more.

    It compiles at its first step, once for a version. One with all players serves again for fewer.
    """
    with_players = not set(players) <= {"random"} or (game, observation_name) in _with_players
    return _kernel(game, observation_name, with_players)
