"""The kernel: plays any game's rules, one row or thousands, compiled once for each game and observation.

A row is one table. Its seats are taken by policies, whole numbers: compiled players of the game (0, 1, ...), tables of
actions (the numbers after those), or negative numbers for whoever decides outside the kernel. The kernel settles chance
and plays the compiled policies until someone outside must decide or the game ends.

The templates below call the rules by name; `bind` puts a game's rules in the place of the names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.compilation import announce, bind, rule
from cardgym.generator import Generator, derive, uniform
from cardgym.rules import Game, Options, Record

MAX_PLAYERS = 8
CALLER = -1
"""The policy number of the caller of `Batch.step`; other negative numbers stand for other players outside."""

RESTING, ACTING, STARTING = range(3)
"""What a row does in a step: nothing, take the action given, or start its next game."""

PENALIZE, RANDOM = range(2)
"""What an illegal action does: forfeit the game, or be replaced by a random legal one."""

ROW = np.dtype(
    [
        ("key", np.uint64),  # Seed of the row; game number `games` is dealt from derive(key, games).
        ("games", np.uint64),  # The number of the next game to start.
        ("chance", np.uint64, (2,)),  # Generators of this game: of the cards and dice ...
        ("choice", np.uint64, (2,)),  # ... and of the players' own choices.
        ("lineup", np.int32, (MAX_PLAYERS,)),  # Policies in the order of play from `seat` on.
        ("policies", np.int32, (MAX_PLAYERS,)),  # The same by seat.
        ("wish", np.int32),  # The seat for lineup[0] in games to come; -1 draws it anew for each.
        ("seat", np.int32),  # The seat of lineup[0] in this game.
        ("actor", np.int32),  # The seat to decide; -1 at the end.
        ("asked", np.int32),  # The policy of that seat (negative); 0 at the end.
        ("forfeited", np.int32),  # The seat that ended the game by an illegal action, or -1.
        ("decisions", np.int64),  # Decisions taken since the row was made, of all seats.
        ("code", np.int64),  # The state's code for the seat to decide.
        ("paid", np.float64, (MAX_PLAYERS,)),  # What this step paid each seat.
    ],
    align=True,
)


def _unbound(*_: Any) -> Any:
    raise NotImplementedError("a kernel template is used through `kernel_of`")


# Names that `kernel_of` binds to a game's rules ...
setup = outcomes = actor = legal = apply = rewards = observe = code = index = deal = forfeit = _unbound
# ... and to other templates already bound.
settle = choose = run = begin = player = otherwise = _unbound
NUMBER = 0


@rule
def choose_random(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The player `random`: uniform over the legal actions."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    place = uniform(generator, count)
    for action in range(mask.shape[0]):
        if mask[action]:
            if place == 0:
                return action
            place -= 1
    return -1


def _settle(state: Record, chance: Generator, paid: Any, pay: Any) -> None:
    """Play chance until a decision or the end, adding what it pays to `paid`."""
    n = outcomes(state)
    while n > 0:
        start = np.uint64(deal(state)) << np.uint64(20)
        if chance[1] < start:
            chance[1] = start
        apply(state, uniform(chance, n))
        rewards(state, pay)
        for seat in range(state.num_players):
            paid[seat] += pay[seat]
        n = outcomes(state)


def _choose_from_table(
    policy: int, state: Record, seat: int, mask: Any, choice: Generator, tables: Any
) -> int:
    """The end of the chain of policies: a table's action, or the first legal one where that is not legal."""
    action = tables[policy - NUMBER, index(state, seat)]
    if mask[action]:
        return int(action)
    for other in range(mask.shape[0]):
        if mask[other]:
            return int(other)
    return -1


def _choose(policy: int, state: Record, seat: int, mask: Any, choice: Generator, tables: Any) -> int:
    """A link of the chain of policies: this compiled player, or one further on."""
    if policy == NUMBER:
        return int(player(state, seat, mask, choice))
    return int(otherwise(policy, state, seat, mask, choice, tables))


def _run(state: Record, row: Record, tables: Any, mask: Any, pay: Any) -> None:
    """Play on until someone outside must decide or the game ends; the mask is then that seat's."""
    while True:
        settle(state, row.chance, row.paid, pay)
        seat = actor(state)
        row.actor = seat
        if seat < 0:
            row.asked = 0
            return
        legal(state, mask)
        policy = row.policies[seat]
        if policy < 0:
            row.asked = policy
            return
        apply(state, choose(policy, state, seat, mask, row.choice, tables))
        row.decisions += 1
        rewards(state, pay)
        for other in range(state.num_players):
            row.paid[other] += pay[other]


def _start(state: Record, row: Record, tables: Any, mask: Any, pay: Any, skip: bool) -> None:
    """Start the row's next game; with `skip`, the next in which the caller has something to decide."""
    while True:
        key = derive(row.key, row.games)
        row.games += np.uint64(1)
        row.chance[0] = derive(key, np.uint64(0))
        row.chance[1] = np.uint64(0)
        row.choice[0] = derive(key, np.uint64(1))
        row.choice[1] = np.uint64(0)
        row.forfeited = -1
        for seat in range(MAX_PLAYERS):
            row.paid[seat] = 0.0
        row.seat = row.wish
        if row.wish < 0:
            row.seat = uniform(row.choice, state.num_players)
        for ahead in range(state.num_players):
            row.policies[(row.seat + ahead) % state.num_players] = row.lineup[ahead]
        setup(state)
        run(state, row, tables, mask, pay)
        if not skip or row.asked != 0:
            return


def _step(
    states: Any,
    rows: Any,
    tables: Any,
    actions: Any,
    activity: Any,
    illegal: int,
    skip: bool,
    out: Any,
    masks: Any,
) -> None:
    """One step of every row: rest, act or start; then show the seat to decide what it knows and may do."""
    pay = np.zeros(states[0].reward.shape[0], np.float32)
    for i in range(states.shape[0]):
        state = states[i]
        row = rows[i]
        mask = masks[i]
        if activity[i] == RESTING:
            continue
        if activity[i] == STARTING:
            begin(state, row, tables, mask, pay, skip)
        else:
            for seat in range(MAX_PLAYERS):
                row.paid[seat] = 0.0
            action = actions[i]
            legal(state, mask)
            seat = row.actor
            row.decisions += 1
            allowed = 0 <= action < mask.shape[0] and mask[action] != 0
            if not allowed and illegal == PENALIZE:
                row.paid[seat] += forfeit(state, seat)
                row.forfeited = seat
                row.actor = -1
                row.asked = 0
            else:
                if not allowed:
                    action = choose_random(state, seat, mask, row.choice)
                apply(state, action)
                rewards(state, pay)
                for other in range(state.num_players):
                    row.paid[other] += pay[other]
                run(state, row, tables, mask, pay)
        if row.actor >= 0:
            observe(state, row.actor, out[i])
            row.code = code(state, row.actor)
        else:
            observe(state, row.seat, out[i])
            row.code = code(state, row.seat)
            for other in range(mask.shape[0]):
                mask[other] = 1


def _look(states: Any, seats: Any, out: Any, masks: Any, codes: Any) -> None:
    """What `seats[i]` knows of row i, and what it may do: nothing, unless it is the seat to decide."""
    for i in range(states.shape[0]):
        state = states[i]
        masks[i, :] = 0
        if outcomes(state) == 0 and actor(state) == seats[i]:
            legal(state, masks[i])
        observe(state, seats[i], out[i])
        codes[i] = code(state, seats[i])


class Kernel:
    """The compiled functions of one game with one of its observations.

    Attributes:
        game: the game.
        encoding: the name of the observation.
        players: the compiled players' names; a name's place is its policy number. `random` is the first.
        step: see `_step`.
        look: see `_look`.
        choose: see `_choose`; for compiled code that plays by itself.
    """

    def __init__(self, game: Game, encoding: str) -> None:
        self.game = game
        self.encoding = encoding
        self.players = ("random", *game.players)
        suffix = f"{game.id}_{encoding}".replace("-", "_")
        rules = {
            name: getattr(game, name)
            for name in (
                "setup",
                "outcomes",
                "actor",
                "legal",
                "apply",
                "rewards",
                "code",
                "index",
                "deal",
                "forfeit",
            )
        }
        rules["observe"] = game.encoding(encoding).write

        def bound(template: Callable[..., Any], extra: str = "", **names: Any) -> Callable[..., Any]:
            return bind(template, suffix + extra, game.sources, **rules, **names)

        settle = bound(_settle)
        choose = bound(_choose_from_table, NUMBER=len(self.players))
        compiled_players = (choose_random, *game.players.values())
        for number in reversed(range(len(compiled_players))):
            choose = bound(
                _choose, f"_{number}", NUMBER=number, player=compiled_players[number], otherwise=choose
            )
        self.choose = choose
        run = bound(_run, settle=settle, choose=choose)
        begin = bound(_start, run=run)
        self.step = bound(_step, run=run, begin=begin)
        self.look = bound(_look)
        self.settle = settle

    def policy_number(self, name: str) -> int | None:
        """The number of a compiled player, or None."""
        return self.players.index(name) if name in self.players else None


@cache
def kernel_of(game: Game, encoding: str) -> Kernel:
    """The kernel of a game with one of its observations; it compiles at its first step, once for a version."""
    return Kernel(game, encoding)


NO_TABLES: npt.NDArray[np.int8] = np.zeros((1, 1), np.int8)


class Batch:
    """Many tables of one game, stepped together.

    Attributes:
        states: the records, one a row, as an `np.recarray`.
        plain_states: the same memory as a structured array, which compiled functions take faster.
        rows: the bookkeeping of each row (`ROW`).
        kernel: the compiled functions.
        observation_size: how many float32 an observation has.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_rows: int,
        encoding: str | None = None,
        tables: npt.NDArray[np.int8] = NO_TABLES,
    ) -> None:
        self.game = game
        self.options = options
        self.kernel = kernel_of(game, encoding or game.default_encoding)
        self.tables = tables
        self.observation_size = game.encoding(self.kernel.encoding).size(options)
        self.plain_states: npt.NDArray[Any] = np.repeat(np.asarray(game.new_state(options)), num_rows)
        self.states = self.plain_states.view(np.recarray)
        self._rows = np.zeros(num_rows, ROW)
        self.rows = self._rows.view(np.recarray)
        self._rows["actor"] = -1
        self._rows["forfeited"] = -1
        self._rows["lineup"] = CALLER
        self._announced = False

    def __len__(self) -> int:
        return len(self._rows)

    def new_outputs(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Fresh arrays for `step` to fill: observations (rows, size), float32, and masks (rows, actions), int8."""
        return (
            np.empty((len(self._rows), self.observation_size), np.float32),
            np.empty((len(self._rows), self.game.num_actions), np.int8),
        )

    def step(
        self,
        actions: npt.NDArray[np.int64],
        activity: npt.NDArray[np.uint8],
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        *,
        illegal: int = PENALIZE,
        skip: bool = False,
    ) -> None:
        """Step every row as `activity` says; write the observation and the mask of the seat to decide then.

        Args:
            actions: (rows,), int64; read where a row is ACTING.
            activity: (rows,), uint8: RESTING, ACTING or STARTING.
            observations: (rows, size), float32, filled but for resting rows.
            masks: (rows, actions), int8, likewise; all ones at the end of a game.
            illegal: PENALIZE or RANDOM.
            skip: start another game where the caller would have nothing to decide in one.
        """
        if not self._announced:
            self._announced = True
            announce(f"{self.game.id} ({self.kernel.encoding})")
        self.kernel.step(
            self.plain_states, self._rows, self.tables, actions, activity, illegal, skip, observations, masks
        )

    def look(
        self, seats: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8], npt.NDArray[np.int64]]:
        """What a seat of each row knows: observations, masks (all 0 unless it is to decide) and state codes."""
        observations, masks = self.new_outputs()
        codes = np.empty(len(self._rows), np.int64)
        self.kernel.look(self.plain_states, seats, observations, masks, codes)
        return observations, masks, codes
