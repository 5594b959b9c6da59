"""Q-learning and Sarsa over a table, compiled, for any registered game.

Sources: Watkins, "Learning from Delayed Rewards" (1989); Sutton and Barto, "Reinforcement Learning", 2nd ed. (2018),
sections 6.4 and 6.5. The two differ in one line of `_learn`. A transition runs from one of the learner's decisions to
its next in the same seat, over opponents' turns and chance; only legal actions are taken and looked ahead to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.compilation import announce, bind, rule
from cardgym.errors import CardgymError, unknown
from cardgym.generator import derive, uniform, uniform_float
from cardgym.kernel import ANY_SEAT, CALLER, Kernel, uniform_legal
from cardgym.players.base import CompiledPlayer, Player, PlayerSpec, TablePlayer, resolve
from cardgym.players.hashed import HashedPlayer, hash_of
from cardgym.players.played import PlayedBatch
from cardgym.rules import Game, Options, no_code

ALGORITHMS = ("q_learning", "sarsa")
SELF = "self"

_DECISIONS, _GAMES, _STATES, _UNTIL, _FULL = range(5)
"""Places in the whole numbers that `_learn` reads and writes."""

_PLAY, _LEARN = np.uint64(0x7AB1E), np.uint64(0x7AB1F)
"""The streams of the games and of the learner's own choices below the seed's key."""


@dataclass(frozen=True)
class TabularConfig:
    """Q-learning or Sarsa of one seat of a card game, against a mix of opponents."""

    env: str = ""
    """The game's id, such as CorellianSpike-v0."""
    set: tuple[str, ...] = ()
    """Options of the game, each as name=value, such as num_players=4."""
    algorithm: str = "q_learning"
    """q_learning looks ahead to the best legal action, sarsa to the one taken."""
    observation: str = ""
    """Empty for the game's own numbering of states; else an observation, whose hash is the state."""
    table_size: int = 1 << 20
    """How many different observations there is room for, where observations are hashed."""
    seed: int = 1
    """Decides everything: deals, opponents, exploration, ties."""

    decisions: int = 1_000_000
    """How many decisions the learner takes."""
    opponents: tuple[str, ...] = ("random=1",)
    """Who sits opposite, as name=weight: compiled players, tables and policy files, or self."""
    deal_ends: bool = False
    """Whether a deal is learned by itself: in a game of hands, nothing after a hand counts for what was done in it."""
    gamma: float = 1.0
    """Discount from one of the learner's decisions to its next."""
    step_size: float = 0.1
    """The learning rate, alpha, at the start."""
    step_size_end: float = 0.1
    """Alpha at the end; it falls in a straight line."""
    visits_power: float = 0.0
    """Alpha is divided by this power of how often the action was taken in its state; 0 leaves it."""
    epsilon_start: float = 1.0
    """The share of random decisions at the start."""
    epsilon_end: float = 0.05
    """The share of random decisions from `epsilon_share` of the training on."""
    epsilon_share: float = 0.5
    """The share of the training in which epsilon falls, in a straight line."""

    eval_opponents: tuple[str, ...] = ("random",)
    """Whom the greedy learner is matched with as training goes."""
    eval_every: int = 200_000
    """Decisions from one evaluation to the next; 0 for none but the last."""
    eval_games: int = 1000
    """Games against each opponent in an evaluation."""
    final_games: int = 10_000
    """Games against each opponent at the end; 0 for none."""
    save_every: int = 1_000_000
    """Decisions from one state to resume from, and checkpoint, to the next."""

    def __post_init__(self) -> None:
        for name, allowed, words in (
            *((n, getattr(self, n) >= 1, "1 or more") for n in ("decisions", "eval_games", "save_every", "table_size")),
            *((n, getattr(self, n) >= 0, "0 or more") for n in ("seed", "eval_every", "final_games", "visits_power")),
            *(
                (n, 0 <= getattr(self, n) <= 1, "0 to 1")
                for n in ("gamma", "epsilon_start", "epsilon_end", "epsilon_share", "step_size_end")
            ),
            ("step_size", 0 < self.step_size <= 1, "more than 0, at most 1"),
        ):
            if not allowed:
                raise CardgymError(f"{name}={getattr(self, name)!r}: allowed: {words}")
        if self.algorithm not in ALGORITHMS:
            raise unknown("algorithm", self.algorithm, ALGORITHMS)


def parse_mix(words: tuple[str, ...]) -> dict[PlayerSpec, float]:
    """Opponents and their weights from words such as `initial=0.7`; a name alone has weight 1."""
    mix: dict[PlayerSpec, float] = {}
    for word in words:
        name, _, weight = (word if "=" in word else f"{word}=1").rpartition("=")
        try:
            mix[name] = float(weight)
        except ValueError:
            mix[name] = -1.0
        if not name or not 0 <= mix[name] < np.inf:
            raise CardgymError(f"opponent {word!r}: write it as name=weight, such as initial=0.7")
    if sum(mix.values()) <= 0:
        raise CardgymError("opponents: name at least one with a weight above 0, such as random=1")
    return mix


class TabularLearner:
    """A table of action values that learns as it plays.

    Attributes:
        game: the game.
        options: its options.
        config: the hyper-parameters.
        values: action values (rows, actions), float64, 0 at first.
        visits: how often each was updated, (rows, actions), int32.
        keys: the hash of each row's observation, (rows,), uint64, 0 where there is none; empty with numbered states.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        config: TabularConfig,
        opponents: Mapping[PlayerSpec, float] | None = None,
    ) -> None:
        """Start from nothing; `opponents`, players with their weights, take the place of the config's."""
        self.game = game
        self.options = options
        self.config = config
        self.keys = np.zeros(0, np.uint64)
        if config.observation:
            size = game.encoding(config.observation).size(options)
            # A third more than asked: a full table is slow to search.
            rows = 1 << int(np.ceil(np.log2(config.table_size * 4 / 3)))
            self.keys = np.zeros(rows, np.uint64)
        elif game.num_indices is None or game.index is no_code:
            raise CardgymError(
                f"{game.id} does not number its states: name an observation to hash, such as "
                f"observation={game.default_encoding}"
            )
        else:
            size, rows = 1, game.num_indices(options)
        self.values = np.zeros((rows, game.num_actions))
        self.visits = np.zeros((rows, game.num_actions), np.int32)

        mix: Mapping[PlayerSpec, float] = opponents or parse_mix(config.opponents)
        roster: list[Player] = [resolve(name, game, options) for name in mix if name != SELF]
        for player in roster:
            if not isinstance(player, CompiledPlayer | TablePlayer):
                raise CardgymError(
                    f"opponent {player.name}: tables learn against compiled players, tables, policy files and self"
                )
        self._played = PlayedBatch(game, options, 1, roster)
        numbers = iter(self._played.numbers)
        self._choices = np.array([CALLER if name == SELF else next(numbers) for name in mix], np.int64)
        self._shares = np.cumsum(list(mix.values())) / sum(mix.values())
        key = np.uint64(config.seed)
        self._played.seed(np.array([derive(key, _PLAY)]))
        self._played.seat([CALLER], wish=ANY_SEAT)
        self._generator = np.array([derive(key, _LEARN), 0], np.uint64)
        self._numbers = np.zeros(5, np.int64)
        seats = game.max_players
        self._opened = np.full((seats, 2), -1, np.int64)
        self._pay = np.zeros((2, seats))
        self._observation = np.zeros(size, np.float32)
        announce(f"{game.id} (tabular learning)")
        self._learn = _compiled(self._played.batch.kernel, config.observation)

    @property
    def decisions(self) -> int:
        """How many decisions the learner has taken."""
        return int(self._numbers[_DECISIONS])

    @property
    def games(self) -> int:
        """How many games have ended."""
        return int(self._numbers[_GAMES])

    @property
    def states(self) -> int:
        """How many states were met."""
        return int(self._numbers[_STATES]) if len(self.keys) else int((self.visits.sum(axis=1) > 0).sum())

    def advance(self, decisions: int) -> None:
        """Learn until so many decisions are taken in all.

        Raises:
            CardgymError: where there is no room for another observation.
        """
        config = self.config
        self._numbers[_UNTIL] = decisions
        settings = np.array(
            [
                config.decisions,
                config.epsilon_start,
                config.epsilon_end,
                config.epsilon_share * config.decisions,
                config.step_size,
                config.step_size_end,
                config.visits_power,
                config.gamma,
            ]
        )
        batch = self._played.batch
        self._learn(
            batch.plain_states,
            batch.plain_rows,
            batch.tables,
            self._choices,
            self._shares,
            self.values,
            self.visits,
            self.keys,
            self._observation,
            np.zeros(self.game.num_actions, np.int8),
            self._opened,
            self._pay,
            self._generator,
            self._numbers,
            settings,
            config.algorithm == "sarsa",
            config.deal_ends,
        )
        if self._numbers[_FULL]:
            raise CardgymError(
                f"table_size={config.table_size}: full after {self.decisions:,} decisions; allow more, or use an "
                "observation that tells fewer states apart"
            )

    def policy(self) -> npt.NDArray[np.int8]:
        """The greedy action in each row, (rows,), int8, among those tried; 0 where none was; the first of equals."""
        tried = np.where(self.visits > 0, self.values, -np.inf)
        actions: npt.NDArray[np.int8] = tried.argmax(axis=1).astype(np.int8)
        return actions

    def table(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
        """The keys met, in rising order, and their action values, minus infinity where not tried."""
        met = np.flatnonzero(self.keys)
        met = met[np.argsort(self.keys[met])]
        return self.keys[met], np.where(self.visits[met] > 0, self.values[met], -np.inf)

    def player(self, name: str = "learner") -> Player:
        """The greedy player of what is learned so far."""
        if self.config.observation:
            return HashedPlayer(name, self.config.observation, *self.table())
        return TablePlayer(name, self.policy())

    def state_dict(self) -> dict[str, npt.NDArray[Any]]:
        """All that decides how learning goes on, as arrays."""
        batch = self._played.batch
        return {
            "values": self.values,
            "visits": self.visits,
            "keys": self.keys,
            "states": batch.plain_states.view(np.uint8),
            "rows": batch.plain_rows.view(np.uint8),
            "opened": self._opened,
            "pay": self._pay,
            "generator": self._generator,
            "numbers": self._numbers,
        }

    def load_state_dict(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take up what `state_dict` gave.

        Raises:
            CardgymError: where it was written by a version with other records.
        """
        mine = self.state_dict()
        if any(name not in state or state[name].shape != array.shape for name, array in mine.items()):
            raise CardgymError("the state to resume from was written by another version; train from the start")
        for name, array in mine.items():
            array[...] = state[name]


# -- compiled ---------------------------------------------------------------------------------------------------------


def _unbound(*_: Any) -> Any:
    raise NotImplementedError("a template is used through `_compiled`")


draw = actor = legal = apply = rewards = choose = prepare = observe = index = row_of = deal = _unbound


def _row_by_index(state: Any, seat: int, observation: Any, keys: Any, numbers: Any) -> int:
    return int(index(state, seat))


def _row_by_hash(state: Any, seat: int, observation: Any, keys: Any, numbers: Any) -> int:
    """The row of the observation, made if need be; -1 if there is no room. Linear probing."""
    observe(state, seat, observation)
    key = hash_of(observation)
    last = np.uint64(keys.shape[0] - 1)
    place = key & last
    while keys[place] != key:
        if keys[place] == np.uint64(0):
            if numbers[_STATES] * 4 >= keys.shape[0] * 3:
                return -1
            keys[place] = key
            numbers[_STATES] += 1
            break
        place = (place + np.uint64(1)) & last
    return np.int64(place)  # type: ignore[return-value]  # int() would keep it unsigned when compiled.


@rule
def best_legal(values: npt.NDArray[np.float64], mask: npt.NDArray[np.int8]) -> float:
    """The highest value of a legal action."""
    best = -np.inf
    for action in range(mask.shape[0]):
        if mask[action] and values[action] > best:
            best = values[action]
    return float(best)


@rule
def greedy_legal(values: npt.NDArray[np.float64], mask: npt.NDArray[np.int8], generator: Any) -> int:
    """A legal action of the highest value, at random among equals."""
    best = best_legal(values, mask)
    equals = 0
    for action in range(mask.shape[0]):
        equals += mask[action] != 0 and values[action] == best
    place = uniform(generator, equals) if equals > 1 else 0
    for action in range(mask.shape[0]):
        if mask[action] and values[action] == best:
            if place == 0:
                return action
            place -= 1
    return -1


@rule
def linear(step: float, start: float, end: float, steps: float) -> float:
    """From `start` to `end` in `steps`, in a straight line; `end` from there on."""
    return end if step >= steps else start + (end - start) * step / steps


@rule
def update(values: Any, visits: Any, opened: Any, seat: int, target: float, numbers: Any, settings: Any) -> None:
    """Move the value of what the seat did last towards `target`, if that waits; then nothing waits."""
    state = opened[seat, 0]
    if state < 0:
        return
    action = opened[seat, 1]
    visits[state, action] += 1
    size = linear(float(numbers[_DECISIONS]), settings[4], settings[5], settings[0])
    if settings[6] > 0.0:
        size /= float(visits[state, action]) ** settings[6]
    values[state, action] += size * (target - values[state, action])
    opened[seat, 0] = -1


def _learn(
    states: Any,
    rows: Any,
    tables: Any,
    choices: Any,
    shares: Any,
    values: Any,
    visits: Any,
    keys: Any,
    observation: Any,
    mask: Any,
    opened: Any,
    pay: Any,
    generator: Any,
    numbers: Any,
    settings: Any,
    sarsa: bool,
    deal_ends: bool,
) -> None:
    """Play and learn until the learner has taken `numbers[_UNTIL]` decisions.

    `opened[seat]` is the state and the action that wait for the seat's next decision, or -1; `pay[0, seat]` what the
    seat was paid since.
    """
    state = states[0]
    row = rows[0]
    while numbers[_DECISIONS] < numbers[_UNTIL]:
        if row.actor < 0:
            for place in range(1, state.num_players):
                drawn = uniform_float(generator)
                number = 0
                while number < shares.shape[0] - 1 and shares[number] <= drawn:
                    number += 1
                row.lineup[place] = choices[number]
            prepare(state, row)
            row.actor = 0
        before_deal = deal(state)
        move = draw(state, row.chance)
        seat = -1
        ended = False
        if move < 0:
            seat = actor(state)
            ended = seat < 0
        learns = False
        here = -1
        if seat >= 0:
            legal(state, mask)
            policy = row.policies[seat]
            learns = policy < 0
            if learns:
                here = row_of(state, seat, observation, keys, numbers)
                if here < 0:
                    numbers[_FULL] = 1
                    return
                step = float(numbers[_DECISIONS])
                if uniform_float(generator) < linear(step, settings[1], settings[2], settings[3]):
                    move = uniform_legal(mask, generator)
                else:
                    move = greedy_legal(values[here], mask, generator)
            else:
                move = choose(policy, state, seat, mask, row.choice, tables)
        for other in range(state.num_players):
            if ended or (learns and other == seat):
                ahead = 0.0
                if not ended:
                    ahead = values[here, move] if sarsa else best_legal(values[here], mask)
                update(values, visits, opened, other, pay[0, other] + settings[7] * ahead, numbers, settings)
        if ended:
            row.actor = -1
            numbers[_GAMES] += 1
            continue
        if learns:
            numbers[_DECISIONS] += 1
            opened[seat, 0] = here
            opened[seat, 1] = move
            pay[0, seat] = 0.0
        apply(state, move)
        for other in range(state.num_players):
            pay[1, other] = 0.0
        rewards(state, pay[1])
        for other in range(state.num_players):
            pay[0, other] += pay[1, other]
        if deal_ends and deal(state) != before_deal:
            for other in range(state.num_players):
                update(values, visits, opened, other, pay[0, other], numbers, settings)


@cache
def _compiled(kernel: Kernel, encoding: str) -> Callable[..., Any]:
    game, suffix = kernel.game, f"{kernel.suffix}_{encoding or 'index'}"
    if encoding:
        row = bind(_row_by_hash, suffix, game.sources, observe=game.encoding(encoding).write)
    else:
        row = bind(_row_by_index, suffix, game.sources, index=game.index)
    rules = {name: getattr(game, name) for name in ("actor", "legal", "apply", "rewards", "deal")}
    return bind(
        _learn,
        suffix,
        game.sources,
        **rules,
        row_of=row,
        draw=kernel.draw,
        choose=kernel.choose,
        prepare=kernel.prepare,
    )
