"""The kernel: steps any number of games by the rules of one game, compiled once per game and observation.

Players are expensive to compile, so a kernel includes those of its game only when one of them is seated.

A row is one game. In each seat is a policy, identified by a number: a compiled player of the game (0, 1, ...), a policy
table (the numbers after those), or a negative number for decisions made outside the kernel. The kernel plays chance and
its own policies until a decision is needed from outside or the game ends.

The templates below read a game's rules, and each other, as `bound.NAME`; `Kernel` binds the names.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from cardgym.engine.binding import code_name, rules_of
from cardgym.engine.cache import TARGETS
from cardgym.engine.compilation import array_at, bind, bound, template
from cardgym.engine.contract import Game, State
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.rules import Generator, derive, rule, uniform, uniform_legal

INT8, UINT8, INT32 = np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int32)
INT64, FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)
MAX_PLAYERS = 8
CALLER = -1
"""The policy number of the caller of `Batch.step`. Other negative numbers are other policies outside the kernel."""

NOOP, STEP, RESET = range(3)
"""Commands to a row, uint8: do nothing, play the given action, or start the next game."""

ANY_SEAT, EVERY_SEAT = -1, -2
"""Values of the caller's seat: a random seat in each game, or every seat, each rewarded for its own actions."""

PENALIZE, RANDOM = range(2)
"""An illegal action forfeits the game, or is replaced by a random legal action."""

NOBODY = 0
"""The pending policy of a game that is over."""

ROW = np.dtype(
    [
        ("key", np.uint64),  # The seed of the row: game number `games` uses derive(key, games).
        ("games", np.uint64),  # The number of the next game to start.
        ("chance", np.uint64, (2,)),  # This game's generators, for cards and dice ...
        ("choice", np.uint64, (2,)),  # ... and for the players' choices.
        ("lineup", np.int32, (MAX_PLAYERS,)),  # The policies in order of play, starting at `seat`.
        ("policies", np.int32, (MAX_PLAYERS,)),  # The policies by seat.
        ("requested_seat", np.int32),  # The seat of lineup[0] in future games, ANY_SEAT or EVERY_SEAT.
        ("seat", np.int32),  # The seat of lineup[0] in this game.
        ("current_player", np.int32),  # The seat to decide; -1 at the end.
        ("pending_policy", np.int32),  # The policy of that seat (negative); NOBODY at the end.
        ("forfeited", np.int32),  # The seat that ended the game by an illegal action, or -1.
        ("decisions", np.int64),  # Decisions of all seats since the row was created.
        ("paid", np.float64, (MAX_PLAYERS,)),  # What this step paid each seat.
        ("reward", np.float64),  # The caller's reward: paid to its seat since its last action.
        ("unattributed_reward", np.float64),  # Paid before its first action: part of its first reward.
        ("epsilon", np.float64),  # The probability that a seat explores, in recorded games.
        ("before_first_action", np.int8),  # Whether the caller has not yet acted in this game.
    ],
    align=True,
)

ANSWER: dict[str, np.dtype[Any]] = {
    "reward": FLOAT64,  # The caller's; see `ROW`.
    "info_state_key": INT64,  # The state's key for the seat to decide.
    "current_player": INT32,
    "pending_policy": INT32,
}
"""What is known about a row after a step; a separate array for each, because callers read them separately."""

ADDRESSES = np.dtype(
    [
        *((name, np.int64) for name in ("states", "rows", "tables", "actions", "commands", "paid", *ANSWER)),
        ("num_rows", np.int64),
        ("num_tables", np.int64),
        ("table_size", np.int64),
    ]
)
"""The addresses and lengths of the arrays of a batch, or of a range of its rows; see `_step`."""

PER_ROW = -1
"""In place of a command for all rows: read commands and actions from the arrays."""


# -- players and the next move -----------------------------------------------------------------------------------------


@rule
def choose_random(state: State, seat: int, mask: Any, generator: Generator) -> int:
    """Return the player `random`."""
    return uniform_legal(mask, generator)


@template
def _choose_from_table(policy: int, state: State, seat: int, mask: Any, choice: Generator, tables: Any) -> int:
    """Return the end of the chain of policies: a table's action, or the first legal action if that one is illegal."""
    action = tables[policy - bound.NUMBER, bound.info_state_index(state, seat)]
    if mask[action]:
        return int(action)
    for other in range(mask.shape[0]):
        if mask[other]:
            return int(other)
    return -1


@template
def _choose(policy: int, state: State, seat: int, mask: Any, choice: Generator, tables: Any) -> int:
    """Return a link in the chain of policies: this compiled player, or one further down the chain."""
    if policy == bound.NUMBER:
        return int(bound.player(state, seat, mask, choice))
    return int(bound.otherwise(policy, state, seat, mask, choice, tables))


@template
def _draw(state: State, chance: Generator) -> int:
    """Draw the next chance outcome; -1 at a decision or the end. Every deal of a game uses its own range of draws."""
    n = bound.num_chance_outcomes(state)
    if n == 0:
        return -1
    start = np.uint64(bound.deal(state)) << np.uint64(20)
    if chance[1] < start:
        chance[1] = start
    return int(uniform(chance, n))


@template
def _seated_action(state: State, row: State, seat: int, mask: Any, tables: Any) -> int:
    """Return the action of the policy in a seat; -1, with the policy pending, if it is outside the kernel."""
    policy = row.policies[seat]
    if policy < 0:
        row.pending_policy = policy
        return -1
    return int(bound.choose(policy, state, seat, mask, row.choice, tables))


@template
def find_next_move(state: State, row: State, tables: Any, mask: Any) -> int:
    """Return the next chance outcome or action of a policy in the kernel; -1 for a decision from outside or the end.

    At a decision this sets `row.current_player` and the mask for that seat.
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
    """Play a move (none if -1), then continue to the next decision from outside or the end.

    Payments are added to `row.paid`.
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
    """Return the move for an action from outside: the action, a random legal one, or -1 if it forfeits the game."""
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
def _execute(
    state: State, row: State, tables: Any, mask: Any, command: int, action: int, illegal: int, skip: bool
) -> None:
    """Play the action, or start the next game; then play on. `row.paid` is what that paid each seat."""
    while True:  # Repeats only for skipped games. A single call of each large part keeps the compiled code small.
        for seat in range(state.num_players):
            row.paid[seat] = 0.0
        move = -1
        if command == STEP:
            move = bound.accept(state, row, action, illegal, mask)
        else:
            bound.prepare(state, row)
        if command != STEP or move >= 0:
            bound.play_on(state, row, tables, mask, move)
        if command == STEP or not (skip and row.pending_policy == NOBODY):
            return


@template
def _credit(row: State, earner: int) -> None:
    """Add what the step paid `earner` to the caller's reward, or keep it until the caller's first action."""
    if row.before_first_action:
        row.unattributed_reward += row.paid[earner]
    else:
        row.reward += row.paid[earner] + row.unattributed_reward
        row.unattributed_reward = 0.0


@template
def _step(
    addresses: int, action: int, command: int, illegal: int, skip: bool, observations: Any, masks: Any
) -> tuple[float, int]:
    """Execute every row's command, then write the observation and mask of the seat to decide.

    This is `Batch.step` with arrays at `addresses`, the address of one `ADDRESSES`, and with flat `observations` and
    `masks`. With PER_ROW as `command`, actions and commands are those of the arrays.
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
        row_command = command
        if row_command == PER_ROW:
            row_command = commands[i]
            action = actions[i]
        if row_command == NOOP:
            continue
        earner = row.current_player if row_command == STEP and row.requested_seat == EVERY_SEAT else -1
        bound.execute(state, row, tables, mask, row_command, action, illegal, skip)
        bound.credit(row, earner if earner >= 0 else row.seat)
        if row.current_player < 0:
            for other in range(num_actions):
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


class Kernel:
    """The compiled functions of one game with one of its observations.

    Attributes:
        players: the names of its compiled players; the position is the policy number. The first is `random`.
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
        self._parts["next_move"] = self.inlined(find_next_move)
        execute = self.inlined(_execute, play_on=self.inlined(_play_on), accept=self.inlined(_accept))
        self.step = self.entry_point(_step, STATE=game.state, execute=execute, credit=self.inlined(_credit))

    def inlined(self, function: Callable[..., Any], suffix: str = "", **names: Any) -> Callable[..., Any]:
        """Bind a template to this kernel's rules and players, for compiled callers only; `names` adds to them.

        Bound are the rules (`bound.apply_action`, ...), `observe`, `draw`, `choose`, `prepare` and `next_move`.
        """
        return bind(function, self._suffix + suffix, inline=True, **(self._parts | names))

    def entry_point(self, function: Callable[..., Any], suffix: str = "", **names: Any) -> Callable[..., Any]:
        """Bind a template in the same way, for calls from Python; cached on disk."""
        return bind(function, self._suffix + suffix, **(self._parts | names))


def _reduce_kernel(kernel: Kernel) -> tuple[Any, ...]:
    """Pickle by arguments: a copy in another process must have the same policy numbers, so the same players."""
    return _kernel, (kernel.game, kernel.observation_name, len(kernel.players) > 1)


copyreg.pickle(Kernel, _reduce_kernel)

_with_players: set[tuple[Game, str]] = set()


@cache
def _kernel(game: Game, observation_name: str, with_players: bool) -> Kernel:
    if with_players:
        _with_players.add((game, observation_name))
    return Kernel(game, observation_name, with_players=with_players)


def kernel_of(game: Game, observation_name: str, players: Iterable[str] = ()) -> Kernel:
    """Return the kernel of a game and an observation, with at least the compiled `players` of these names.

    It compiles at its first step. A kernel that already includes the players is reused for calls without them.
    """
    one_for_all = JIT_DISABLED or bool(TARGETS)  # A page has compiled code for one of the two kernels.
    with_players = one_for_all or not set(players) <= {"random"} or (game, observation_name) in _with_players
    return _kernel(game, observation_name, with_players)
