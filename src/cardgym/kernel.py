"""The kernel: plays any game's rules, one row or thousands, compiled once for each game and observation.

Players cost more to compile than rules: a kernel has those of its game only where one of them is to be seated.

A row is one table. Its seats are taken by policies, whole numbers: compiled players of the game (0, 1, ...), tables of
actions (the numbers after those), or negative numbers for whoever decides outside the kernel. The kernel settles chance
and plays the compiled policies until someone outside must decide or the game ends.

The templates below call the rules by name; `bind` puts a game's rules in the place of the names.
"""

from __future__ import annotations

import copyreg
import hashlib
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.compilation import bind, rule
from cardgym.generator import Generator, derive, uniform
from cardgym.rules import Game, Record

MAX_PLAYERS = 8
CALLER = -1
"""The policy number of the caller of `Batch.step`; other negative numbers stand for other players outside."""

RESTING, ACTING, STARTING = range(3)
"""What a row does in a step: nothing; take the action given; start its next game."""

ANY_SEAT, EVERY_SEAT = -1, -2
"""In the place of the caller's seat: one drawn for each game, or all of them, each paid for its own actions."""

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
        ("wish", np.int32),  # The seat for lineup[0] in games to come, ANY_SEAT or EVERY_SEAT.
        ("seat", np.int32),  # The seat of lineup[0] in this game.
        ("actor", np.int32),  # The seat to decide; -1 at the end.
        ("asked", np.int32),  # The policy of that seat (negative); 0 at the end.
        ("forfeited", np.int32),  # The seat that ended the game by an illegal action, or -1.
        ("decisions", np.int64),  # Decisions taken since the row was made, of all seats.
        ("paid", np.float64, (MAX_PLAYERS,)),  # What this step paid each seat.
        ("reward", np.float64),  # What the seat that acted for the caller was paid since: its reward.
        ("carry", np.float64),  # What it was paid before its first decision: part of its first reward.
        ("fresh", np.int8),  # Whether the caller has not yet decided in this game.
    ],
    align=True,
)

ANSWER = np.dtype(
    [
        ("reward", np.float64),  # Of the row, as they stand after a step: close together, for whoever reads them all.
        ("code", np.int64),  # The state's code for the seat to decide.
        ("actor", np.int32),
        ("asked", np.int32),
    ],
    align=True,
)


def _unbound(*_: Any) -> Any:
    raise NotImplementedError("a kernel template is used through `kernel_of`")


# Names that `kernel_of` binds to a game's rules ...
setup = outcomes = actor = legal = apply = rewards = observe = code = index = deal = forfeit = _unbound
# ... and to other templates already bound.
draw = settle = choose = run = prepare = act = player = otherwise = _unbound
NUMBER = 0


@rule
def choose_random(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The player `random`: uniform over the legal actions."""
    return uniform_legal(mask, generator)


@rule
def uniform_legal(mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """An action uniform over those that the mask allows."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    place = uniform(generator, count)
    seen = 0
    chosen = 0
    for action in range(mask.shape[0]):  # No early way out: a branch nobody can foresee costs more than the rest.
        seen += mask[action]
        chosen += seen <= place
    return chosen


def _draw(state: Record, chance: Generator) -> int:
    """The next chance outcome, drawn; -1 at a decision or the end. Each deal of a game has draws of its own."""
    n = outcomes(state)
    if n == 0:
        return -1
    start = np.uint64(deal(state)) << np.uint64(20)
    if chance[1] < start:
        chance[1] = start
    return int(uniform(chance, n))


def _settle(state: Record, chance: Generator, paid: Any) -> None:
    """Play chance until a decision or the end, adding what it pays to `paid`."""
    move = draw(state, chance)
    while move >= 0:
        apply(state, move)
        rewards(state, paid)
        move = draw(state, chance)


def _choose_from_table(policy: int, state: Record, seat: int, mask: Any, choice: Generator, tables: Any) -> int:
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


def _run(state: Record, row: Record, tables: Any, mask: Any) -> None:
    """Play on until someone outside must decide or the game ends; the mask is then that seat's."""
    while True:
        settle(state, row.chance, row.paid)
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
        rewards(state, row.paid)


def _prepare(state: Record, row: Record) -> None:
    """Set up the row's next game, before any chance."""
    key = derive(row.key, row.games)
    row.games += np.uint64(1)
    row.chance[0] = derive(key, np.uint64(0))
    row.chance[1] = np.uint64(0)
    row.choice[0] = derive(key, np.uint64(1))
    row.choice[1] = np.uint64(0)
    row.forfeited = -1
    row.reward = 0.0
    row.carry = 0.0
    row.fresh = 1
    row.seat = max(row.wish, 0)
    if row.wish == ANY_SEAT:
        row.seat = uniform(row.choice, state.num_players)
    for ahead in range(state.num_players):
        row.policies[(row.seat + ahead) % state.num_players] = row.lineup[ahead]
    setup(state)


def _act(state: Record, row: Record, action: int, illegal: int, mask: Any) -> bool:
    """Play an action; whether the game goes on."""
    if row.asked == CALLER:
        row.reward = 0.0
        row.fresh = 0
    legal(state, mask)
    seat = row.actor
    row.decisions += 1
    if not (0 <= action < mask.shape[0] and mask[action] != 0):
        if illegal == PENALIZE:
            row.paid[seat] += forfeit(state, seat)
            row.forfeited = seat
            row.actor = -1
            row.asked = 0
            return False
        action = uniform_legal(mask, row.choice)
    apply(state, action)
    rewards(state, row.paid)
    return True


def _step(
    states: Any,
    rows: Any,
    tables: Any,
    actions: Any,
    activities: Any,
    illegal: int,
    skip: bool,
    out: Any,
    masks: Any,
    answers: Any,
) -> tuple[float, int, int]:
    """One step of every row as its activity says; then show the seat to decide what it knows and may do.

    With `skip`, a row that starts goes on to a game in which the caller has something to decide.

    Returns:
        Of row 0: the caller's reward, the seat to decide, and the state's code.
    """
    for i in range(states.shape[0]):
        state = states[i]
        row = rows[i]
        mask = masks[i]
        activity = activities[i]
        if activity == RESTING:
            continue
        earner = row.actor if activity == ACTING and row.wish == EVERY_SEAT else -1
        while True:  # Once, but for games skipped. One call of each big part keeps the compiled code small.
            for seat in range(state.num_players):
                row.paid[seat] = 0.0
            goes_on = True
            if activity == ACTING:
                goes_on = act(state, row, actions[i], illegal, mask)
            else:
                prepare(state, row)
            if goes_on:
                run(state, row, tables, mask)
            if activity == ACTING or not (skip and row.asked == 0):
                break
        if earner < 0:
            earner = row.seat
        if row.fresh:
            row.carry += row.paid[earner]
        else:
            row.reward += row.paid[earner] + row.carry
            row.carry = 0.0
        if row.actor < 0:
            for other in range(mask.shape[0]):
                mask[other] = 1
        viewer = row.actor if row.actor >= 0 else row.seat
        observe(state, viewer, out[i])
        answer = answers[i]
        answer.reward = row.reward
        answer.code = code(state, viewer)
        answer.actor = row.actor
        answer.asked = row.asked
    return answers[0].reward, answers[0].actor, answers[0].code


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
        players: the names of the compiled players in it; a name's place is its policy number. `random` is the first.
        suffix: tells apart on disk what is compiled for this kernel.
        step: see `_step`.
        look: see `_look`.
        choose: see `_choose`; for compiled code that plays by itself.
        prepare: see `_prepare`; likewise.
        draw: see `_draw`; likewise.
    """

    def __init__(self, game: Game, encoding: str, *, whole: bool) -> None:
        self.game = game
        self.encoding = encoding
        compiled_players = {"random": choose_random, **(game.players if whole else {})}
        self.players = tuple(compiled_players)
        self.suffix = suffix = f"{game.id}_{encoding}_{_digest(compiled_players)}".replace("-", "_")
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

        def inner(template: Callable[..., Any], extra: str = "", **names: Any) -> Callable[..., Any]:
            return bind(template, suffix + extra, None, **rules, **names)

        def bound(template: Callable[..., Any], **names: Any) -> Callable[..., Any]:
            return bind(template, suffix, game.sources, **rules, **names)

        self.draw = inner(_draw)
        settle = inner(_settle, draw=self.draw)
        choose = inner(_choose_from_table, NUMBER=len(self.players))
        for number, player in reversed(list(enumerate(compiled_players.values()))):
            choose = inner(_choose, f"_{number}", NUMBER=number, player=player, otherwise=choose)
        self.choose = choose
        run = inner(_run, settle=settle, choose=choose)
        self.prepare = inner(_prepare)
        self.step = bound(_step, run=run, act=inner(_act), prepare=self.prepare)
        self.look = bound(_look)

    def policy_number(self, name: str) -> int | None:
        """The number of a compiled player, or None."""
        return self.players.index(name) if name in self.players else None


def _digest(players: dict[str, Callable[..., Any]]) -> str:
    """Tells apart on disk the kernels of games of one name with different players."""
    named = [(name, inspect.unwrap(player).__qualname__) for name, player in players.items()]
    return hashlib.sha256(repr(named).encode()).hexdigest()[:8]


def _reduce_kernel(kernel: Kernel) -> tuple[Any, ...]:
    """A copy in another process must have the same policy numbers: the very same players, and no more."""
    return _kernel, (kernel.game, kernel.encoding, len(kernel.players) > 1)


copyreg.pickle(Kernel, _reduce_kernel)

_whole: set[tuple[Game, str]] = set()


@cache
def _kernel(game: Game, encoding: str, whole: bool) -> Kernel:
    if whole:
        _whole.add((game, encoding))
    return Kernel(game, encoding, whole=whole)


def kernel_of(game: Game, encoding: str, players: Iterable[str] = ()) -> Kernel:
    """A kernel of a game with one of its observations that has `players`, compiled players' names, and may have more.

    It compiles at its first step, once for a version. One with all players serves again for fewer.
    """
    return _kernel(game, encoding, not set(players) <= {"random"} or (game, encoding) in _whole)
