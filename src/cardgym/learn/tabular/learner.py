"""Q-learning and Sarsa over a table, compiled, for any registered game.

Sources: Watkins, "Learning from Delayed Rewards" (1989); Sutton and Barto, "Reinforcement Learning", 2nd ed. (2018),
sections 6.4 and 6.5. The two differ in one line of `cardgym.learn.tabular.loop`. A transition runs from one of the
learner's decisions to its next in the same seat, over opponents' turns and chance; only legal actions are taken and
looked ahead to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import announce
from cardgym.engine.contract import Game, Options
from cardgym.engine.generator import derive
from cardgym.engine.kernel import ANY_SEAT, CALLER
from cardgym.errors import CardgymError, unknown
from cardgym.learn.tabular.loop import DECISIONS, ENTRY, FULL, GAMES, STATES, UNTIL, insert, learning_loop
from cardgym.players.base import CompiledPlayer, Player, PlayerSpec, TablePlayer, resolve
from cardgym.players.q_table import Pairs, QTablePlayer
from cardgym.players.seating import SeatedBatch

ALGORITHMS = ("q_learning", "sarsa")
SELF = "self"

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
    """How many pairs of observation and action there is room for, where observations are hashed."""
    seed: int = 1
    """Decides everything: deals, opponents, exploration, ties."""

    decisions: int = 1_000_000
    """How many decisions the learner takes."""
    opponents: tuple[str, ...] = ("random=1",)
    """Who sits opposite, as name=weight: compiled players, tables and policy files, or self."""
    seat: int = ANY_SEAT
    """The learner's seat, in evaluations too; -1 for one drawn for each game."""
    deals: int = 0
    """If not 0, only so many different deals are played, again and again: to study what is learned by heart."""
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
            *((n, getattr(self, n) >= 0, "0 or more") for n in ("eval_every", "final_games", "visits_power")),
            ("seed", 0 <= self.seed < 2**63, "0 to 2^63 - 1"),
            *(
                (n, 0 <= getattr(self, n) <= 1, "0 to 1")
                for n in ("gamma", "epsilon_start", "epsilon_end", "epsilon_share", "step_size_end")
            ),
            ("seat", self.seat >= ANY_SEAT, "-1 (drawn for each game) or a seat's number"),
            ("deals", 0 <= self.deals < 1 << 31, "0 or more"),
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
        values: action values of numbered states, (rows, actions), float64, 0 at first.
        visits: how often each was updated, (rows, actions), int32.
        entries: the dictionary of observations and actions, `learning_loop.ENTRY`; one free entry
            with numbered states.
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
        actions = game.actions(options)
        if config.seat >= options.num_players:
            raise CardgymError(f"seat={config.seat}: {game.id} has seats 0 to {options.num_players - 1} here")
        rows, size, slots = 0, 1, 1
        if config.observation:
            size = game.observation(config.observation).size(options)
            # A third more than asked: a full table is slow to search.
            slots = 1 << int(np.ceil(np.log2(config.table_size * 4 / 3)))
        elif game.state_index.num_info_states is None or not game.state_index.has_indices:
            raise CardgymError(
                f"{game.id} does not number its states: name an observation to hash, such as "
                f"observation={game.default_observation}"
            )
        else:
            rows = game.state_index.num_info_states(options)
        self.entries: npt.NDArray[Any] = np.zeros(slots, ENTRY)
        self.values = np.zeros((rows, actions))
        self.visits = np.zeros((rows, actions), np.int32)

        mix: Mapping[PlayerSpec, float] = opponents or parse_mix(config.opponents)
        roster: list[Player] = [resolve(name, game, options) for name in mix if name != SELF]
        for player in roster:
            if not isinstance(player, CompiledPlayer | TablePlayer):
                raise CardgymError(
                    f"opponent {player.name}: tables learn against compiled players, tables, policy files and self"
                )
        self._played = SeatedBatch(game, options, 1, roster)
        numbers = iter(self._played.numbers)
        self._choices = np.array([CALLER if name == SELF else next(numbers) for name in mix], np.int64)
        self._shares = np.cumsum(list(mix.values())) / sum(mix.values())
        key = np.uint64(config.seed)
        self._played.seed(np.array([derive(key, _PLAY)]))
        self._played.seat([CALLER], requested_seat=config.seat)
        self._generator = np.array([derive(key, _LEARN), 0], np.uint64)
        self._numbers = np.zeros(6, np.int64)
        seats = game.max_players
        self._keys = np.zeros(seats, np.uint64)
        self._opened = np.full(seats, -1, np.int64)
        self._pay = np.zeros((2, seats))
        self._observation = np.zeros(size, np.float32)
        self._learn = learning_loop(self._played.batch.kernel, config.observation)
        announce(f"{game.id} (tabular learning)", self._learn)

    @property
    def decisions(self) -> int:
        """How many decisions the learner has taken."""
        return int(self._numbers[DECISIONS])

    @property
    def games(self) -> int:
        """How many games have ended."""
        return int(self._numbers[GAMES])

    @property
    def states(self) -> int:
        """How many states were met."""
        hashed = bool(self.config.observation)
        return int(self._numbers[STATES]) if hashed else int((self.visits.sum(axis=1) > 0).sum())

    @property
    def deal_key(self) -> np.uint64:
        """The key that the games are dealt from; with `deals`, game number g < deals is one of those deals."""
        return np.uint64(self._played.batch.plain_rows["key"][0])

    def advance(self, decisions: int) -> None:
        """Learn until so many decisions are taken in all.

        Raises:
            CardgymError: where there is no room for another observation.
        """
        config = self.config
        self._numbers[UNTIL] = decisions
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
            batch.policy_tables,
            self._choices,
            self._shares,
            self.values,
            self.visits,
            self.entries,
            self._observation,
            np.zeros(self.values.shape[1]),
            np.zeros(self.values.shape[1], np.int8),
            self._keys,
            self._opened,
            self._pay,
            self._generator,
            self._numbers,
            settings,
            config.algorithm == "sarsa",
            config.deal_ends,
            config.deals,
        )
        if self._numbers[FULL]:
            self._numbers[FULL] = 0
            raise CardgymError(
                f"table_size={config.table_size}: full after {self.decisions:,} decisions; allow more, or use an "
                "observation that tells fewer states apart"
            )

    def policy(self) -> npt.NDArray[np.int8]:
        """The greedy action in each row, (rows,), int8, among those tried; 0 where none was; the first of equals."""
        tried = np.where(self.visits > 0, self.values, -np.inf)
        actions: npt.NDArray[np.int8] = tried.argmax(axis=1).astype(np.int8)
        return actions

    def table(self) -> Pairs:
        """The pairs of observation and action that were tried, in rising order, with their values."""
        tried = self._tried()
        return Pairs(tried["key"].copy(), tried["action"].copy(), tried["value"].copy())

    def _tried(self) -> npt.NDArray[Any]:
        tried = self.entries[self.entries["key"] != 0]
        rising: npt.NDArray[Any] = tried[np.lexsort((tried["action"], tried["key"]))]
        return rising

    def player(self, name: str = "learner") -> Player:
        """The greedy player of what is learned so far."""
        if self.config.observation:
            return QTablePlayer(name, self.config.observation, self.table())
        return TablePlayer(name, self.policy())

    def state_dict(self) -> dict[str, npt.NDArray[Any]]:
        """All that decides how learning goes on, as arrays."""
        batch = self._played.batch
        return {
            "values": self.values,
            "visits": self.visits,
            "entries": self._tried().view(np.uint8),
            "states": batch.plain_states.view(np.uint8),
            "rows": batch.plain_rows.view(np.uint8),
            "keys": self._keys,
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
        pairs = state.get("entries")
        fits = pairs is not None and len(pairs) % ENTRY.itemsize == 0 and len(pairs) <= self.entries.nbytes
        if not fits or any(n not in state or state[n].shape != a.shape for n, a in mine.items() if n != "entries"):
            raise CardgymError("the state to resume from was written by another version; train from the start")
        for name, array in mine.items():
            if name != "entries":
                array[...] = state[name]
        self.entries[:] = np.zeros(1, ENTRY)
        insert(self.entries, np.frombuffer(state["entries"].tobytes(), ENTRY))
