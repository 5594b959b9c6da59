"""Q-learning and Sarsa over a table, compiled, for any card game of cardgym.

Sources: Watkins, "Learning from Delayed Rewards" (1989); Sutton and Barto, "Reinforcement Learning" (2018). The two
differ in one line of `cardgym.learn.tabular_loop`. A transition runs from one of the learner's decisions to its next in
the same seat, over opponents' turns and chance. Only legal actions are taken and looked ahead to.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, NonNegativeFloat

from cardgym.engine.compilation import name_entry_point
from cardgym.engine.contract import Game, Int8s, Options
from cardgym.engine.kernel import CALLER, MAX_PLAYERS
from cardgym.engine.rules import derive
from cardgym.errors import CardgymError
from cardgym.files.limits import check_memory
from cardgym.learn import tags
from cardgym.learn.config import ExplorationConfig, GameConfig, Items, Share
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.tabular_loop import (
    COUNTERS,
    ENTRY,
    PENDING,
    SETTINGS,
    Memory,
    Opponents,
    Scratch,
    insert,
    learning_loop,
)
from cardgym.learn.training import Training
from cardgym.players import CompiledPlayer, Player, PlayerSpec, TablePlayer
from cardgym.players.policy_file import save_policy
from cardgym.players.seats import SeatedBatch
from cardgym.players.tables import Pairs, QTablePlayer, save_q_table


class TabularConfig(GameConfig, ExplorationConfig):
    """Q-learning or Sarsa over a table: one seat of a card game, against a mix of opponents."""

    observation: str = ""
    """The observation whose hash identifies the state; if empty, the game's own numbering of states."""
    opponents: Items[str] = ("random=1",)
    """Who plays the other seats, each as name=weight: compiled players, tables, policy files, or `self`;
    name=weight@from:to, such as random=1@0:0.3, for a part of the training."""
    num_deals: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """Play only this many different deals, over and over, to study memorization; 0 for no limit."""
    terminal_on_deal_end: bool = False
    """End the learner's episode with the deal: later rewards do not count for decisions in it."""

    algorithm: Literal["q_learning", "sarsa"] = "q_learning"
    """q_learning looks ahead to the best legal action, sarsa to the one taken."""
    table_size: Annotated[int, Field(ge=1, le=2**40)] = 1 << 20
    """Capacity of the table in pairs of observation and action, if observations are hashed."""
    gamma: Share = 1.0
    """Discount between consecutive decisions of the learner."""
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 0.1
    """Alpha at the start."""
    learning_rate_final: Share = 0.1
    """Alpha at the end; it falls linearly."""
    visits_power: NonNegativeFloat = 0.0
    """Alpha is divided by the number of updates of the pair of state and action, to this power; 0 leaves it
    unchanged."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return self.algorithm


_PLAY, _LEARN = np.uint64(0x7AB1E), np.uint64(0x7AB1F)
"""The streams, below the seed's key, of the games and of the learner's own choices."""


class TabularLearner:
    """A table of action values that learns by playing against the config's opponents, or others given with weights.

    Attributes:
        values: action values of numbered states, (rows, actions), float64, 0 at first; no rows if the config names an
            observation.
        visits: the number of updates of each, (rows, actions), int32.
        entries: the dictionary of observations and actions, `loop.ENTRY`; one free entry with numbered states.

    Raises:
        CardgymError: for a seat that the game does not have, a game that does not number its states, an unknown
            observation, or an opponent that compiled code cannot play.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        config: TabularConfig,
        opponents: Mapping[PlayerSpec, float] | None = None,
    ) -> None:
        self.game = game
        self.options = options
        self.config = config
        actions = game.actions(options)
        if config.seat >= options.num_players:
            raise CardgymError(f"seat={config.seat}: {game.id} has seats 0 to {options.num_players - 1} here")
        rows, size, slots = 0, 1, 1
        if config.observation:
            size = game.observation(config.observation).size(options)
            # A third more than requested: a full dictionary is slow to search. At least room for what all seats add at
            # the end of a game, before it is seen to be full: a search ends at a free slot.
            slots = max(1 << int(np.ceil(np.log2(config.table_size * 4 / 3))), 8 * MAX_PLAYERS)
        elif game.state_index.num_info_states is None or not game.state_index.has_indices:
            raise CardgymError(
                f"{game.id} does not number its states: name an observation to hash, such as "
                f"observation={game.default_observation}"
            )
        else:
            rows = game.state_index.num_info_states(options)
        needed = slots * ENTRY.itemsize + rows * actions * 12
        what = f"table_size={config.table_size}: room for that many pairs" if slots > 1 else f"{rows:,} states"
        check_memory(what, needed, "lower it" if slots > 1 else "choose other options, or an observation to hash")
        self.entries: npt.NDArray[Any] = np.zeros(slots, ENTRY)
        self.values = np.zeros((rows, actions))
        self.visits = np.zeros((rows, actions), np.int32)

        self._pool = OpponentPool.parse(opponents or config.opponents, config.total_steps)
        named = self._pool.players(game, options)
        for player in named:
            if not isinstance(player, CompiledPlayer | TablePlayer):
                raise CardgymError(
                    f"opponent {player.name}: tables learn against compiled players, tables, policy files and self"
                )
        self._played = SeatedBatch(game, options, 1, named)
        choices, phases = self._pool.choices(self._played.numbers)
        self._opponents = [Opponents(choices, np.cumsum(weights) / sum(weights)) for weights in phases]
        key = np.uint64(config.seed)
        self._played.seed(np.array([derive(key, _PLAY)]))
        self._played.seat([CALLER], requested_seat=config.seat)
        self._generator = np.array([derive(key, _LEARN), 0], np.uint64)
        self._counters = np.zeros(1, COUNTERS)
        self._logged: dict[str, float] = {}
        self._pending = np.zeros(game.max_players, PENDING)
        self._pending["action"] = -1
        self._settings = _settings(config)
        self._scratch = Scratch(
            np.zeros(size, np.float32), np.zeros(actions), np.zeros(actions, np.int8), np.zeros(game.max_players)
        )
        self._learn = learning_loop(self._played.batch.kernel, config.observation)
        name_entry_point(f"{game.id} (tabular learning)", self._learn)

    @property
    def decisions(self) -> int:
        """How many decisions the learner has taken."""
        return int(self._counters["decisions"][0])

    @property
    def games(self) -> int:
        """How many games have ended."""
        return int(self._counters["games"][0])

    def episode_statistics(self) -> dict[str, float]:
        """Return the mean return and length per seat of the learner in the games since the last call, by tag.

        Rewards and decisions of unfinished games so far are included.
        """
        names = ("episodes", "returns", "decisions")
        episodes, returns, decisions = (float(self._counters[name][0]) - self._logged.get(name, 0.0) for name in names)
        if not episodes:
            return {}
        self._logged = {name: float(self._counters[name][0]) for name in names}
        return {tags.EPISODIC_RETURN: returns / episodes, tags.EPISODIC_LENGTH: decisions / episodes}

    @property
    def states(self) -> int:
        """How many states were met."""
        hashed = bool(self.config.observation)
        return int(self._counters["states"][0]) if hashed else int((self.visits.sum(axis=1) > 0).sum())

    @property
    def deal_key(self) -> np.uint64:
        """The key that games are dealt from; with `num_deals`, the deals are its games 0 to num_deals - 1."""
        return np.uint64(self._played.batch.plain_rows["key"][0])

    def advance(self, decisions: int) -> None:
        """Learn until this many decisions are taken in all.

        Raises:
            CardgymError: if the table is full.
        """
        batch, counters = self._played.batch, self._counters
        records = (array.view(np.recarray) for array in (self.entries, self._pending, counters))
        memory = Memory(self.values, self.visits, *records)
        while self.decisions < decisions:
            phase = self._pool.phase(self.decisions)
            counters["until"] = min([decisions, *self._pool.starts[phase + 1 :]])
            self._learn(
                batch.plain_states, batch.plain_rows, batch.policy_tables, self._opponents[phase], memory,
                self._scratch, self._generator, self._settings,
            )  # fmt: skip
            if counters["full"][0]:
                counters["full"] = 0
                raise CardgymError(
                    f"table_size={self.config.table_size}: full after {self.decisions:,} decisions; use a larger one, "
                    "or an observation that distinguishes fewer states"
                )

    def policy(self) -> Int8s:
        """Return each row's greedy action among those tried, (rows,), int8: the first in a tie; 0 if none was tried."""
        tried = np.where(self.visits > 0, self.values, -np.inf)
        actions: Int8s = tried.argmax(axis=1).astype(np.int8)
        return actions

    def table(self) -> Pairs:
        """Return the pairs of observation and action that were tried, sorted by key and action, with their values."""
        tried = self._tried()
        return Pairs(tried["key"].copy(), tried["action"].copy(), tried["value"].copy())

    def _tried(self) -> npt.NDArray[Any]:
        tried = self.entries[self.entries["key"] != 0]
        in_order: npt.NDArray[Any] = tried[np.lexsort((tried["action"], tried["key"]))]
        return in_order

    def player(self, name: str = "learner") -> Player:
        """Return the greedy player of the values as they are now."""
        if self.config.observation:
            return QTablePlayer(name, self.config.observation, self.table())
        return TablePlayer(name, self.policy())

    def save(self, path: Path) -> None:
        """Write the table or the policy as a player's file."""
        config = self.config
        if config.observation:
            save_q_table(path, self.table(), self.game, self.options, config.observation, config.model_dump())
        else:
            save_policy(path, self.policy(), self.game, self.options, algorithm=config.algorithm)

    # -- the state to resume from; see cardgym.learn.saved_state ------------------------------------------------------

    saved: ClassVar[tuple[str, ...]] = (
        "values", "visits", "tried", "_played.batch.plain_states", "_played.batch.plain_rows", "_pending",
        "_generator", "_counters",
    )  # fmt: skip

    @property
    def tried(self) -> list[npt.NDArray[Any]]:
        """The dictionary without its free entries, as bytes."""
        return [self._tried().view(np.uint8)]

    @tried.setter
    def tried(self, state: list[npt.NDArray[Any]]) -> None:
        if state[0].nbytes > self.entries.nbytes:
            raise ValueError("a larger dictionary")
        self.entries[:] = np.zeros(1, ENTRY)
        insert(self.entries, np.frombuffer(state[0].tobytes(), ENTRY))

    def restored(self) -> None:
        """Begin the statistics of games here."""
        self.episode_statistics()


def _settings(config: TabularConfig) -> npt.NDArray[Any]:
    settings = np.zeros(1, SETTINGS)
    assert SETTINGS.names is not None
    for name in SETTINGS.names:
        if name in type(config).model_fields:
            settings[name] = getattr(config, name)
    settings["exploration_steps"] = config.exploration_fraction * config.total_steps
    settings["sarsa"] = config.algorithm == "sarsa"
    return settings


CHUNK = 50_000
"""The compiled loop runs for at most this many steps before the progress bar moves."""


def train(config: TabularConfig, training: Training) -> None:
    """Learn until the last step."""
    learner = TabularLearner(training.game, training.options, config)
    training.begin(
        lambda: learner.decisions, learner.player, learner.save, {"learner": learner},
        checkpoint="q_table.safetensors" if config.observation else "policy.json", log_every=1,
    )  # fmt: skip

    # -- the training loop; a step is a decision of the learner --------------------------------------------------------
    while training.step < config.total_steps:
        learner.advance(next_stop(training.step, config))
        # The compiled loop computes the same two schedules at each step.
        epsilon = training.linear(
            config.exploration_initial_eps, config.exploration_final_eps, config.exploration_fraction
        )
        alpha = training.linear(config.learning_rate, config.learning_rate_final)
        training.report(learner.episode_statistics, epsilon=epsilon, learning_rate=alpha, states=learner.states)


def next_stop(step: int, config: TabularConfig) -> int:
    """Return the step at which the learner has to pause next."""
    intervals = [every for every in (config.save_every, config.eval_every) if every]
    return min(step + CHUNK, config.total_steps, *((step // every + 1) * every for every in intervals))
