"""The batch Q-learning of the Corellian Spike paper, for any number of players: `cardgym train batch_q`.

Source: Torres, Nee and Cortinovis (2023), section 4.2. Where the text is silent, it follows the published
program: action values carry over from one iteration to the next, a maximum is over the actions tried so far, and the
lowest action wins a tie. docs/algorithms/more.md describes the algorithm and its results.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, NonNegativeInt, PositiveInt, field_validator

from cardgym.engine.compilation import compiled, name_entry_point
from cardgym.engine.contract import Generator, Int8s, State, rule, uniform
from cardgym.engine.kernel import choose_random
from cardgym.engine.rules import derive
from cardgym.files import write_text
from cardgym.games.corellian_spike.state import (
    BUY,
    DISCARD,
    DONT_BUY,
    FOLD,
    MATCH,
    NUM_ACTIONS,
    RAISE,
    CorellianSpikeOptions,
)
from cardgym.games.corellian_spike.state_index import digits_of, info_state_keys
from cardgym.learn import tags
from cardgym.learn.config import EnvOptions, EvaluationConfig, Items, Share
from cardgym.learn.training import Training
from cardgym.papers.corellian_spike.recording import Explore, record
from cardgym.papers.corellian_spike.recording import Recording as Transitions
from cardgym.players import TablePlayer

ENV: Final = "CorellianSpike-v0"
NEVER = float(np.finfo(np.float64).min)
"""The value of an untried action: the lowest finite number, since saved values are finite."""

Exploration = Literal["published", "legal"]
"""How to explore."""
Recording = Literal["complete", "published", "connected"]
"""Which transitions to learn from."""


class BatchQConfig(EvaluationConfig):
    """The batch Q-learning of the Corellian Spike paper (section 4.2)."""

    length: ClassVar[str] = "num_iterations"

    env_id: Literal["CorellianSpike-v0"] = ENV
    env_options: EnvOptions = Field(default={}, validate_default=True)
    """Options of the game, such as num_players=4 or reward=weighted; reward is credits, the paper's, if not set."""
    num_iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 50
    """Number of iterations; each plays games and learns from them."""
    games_per_iteration: Annotated[int, Field(ge=1, le=10_000_000)] = 2000
    """Games in each iteration."""
    update_epochs: Annotated[int, Field(ge=1, le=1_000_000)] = 20
    """Passes over an iteration's transitions."""
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 0.1
    """The paper's alpha."""
    gamma: Share = 1.0
    """Discount from one decision of a seat to its next."""
    exploration: Exploration = "published"
    """How to explore: published (as the paper's program: never fold, always buy, never swap with the higher card) or
    legal (uniform over the legal actions)."""
    recording: Recording = "complete"
    """Which transitions to learn from: complete; published (as the paper's program, which leaves out how a seat loses a
    hand after it has won one in the same game); or connected (a hand ends in the first state of the seat's next)."""
    exploration_initial_eps: Share = 0.9
    """Share of exploratory decisions in the first iteration."""
    exploration_decay: Share = 0.9556
    """Epsilon is multiplied by this after each iteration."""
    save_every: PositiveInt = 5
    """Iterations between policy files, each saved with its state to resume from."""
    eval_opponents: Items[str] = ("random", "initial")
    eval_every: NonNegativeInt = 5

    algorithm_name: ClassVar[str] = "batch_q"

    @field_validator("env_options")
    @classmethod
    def _paid_in_credits(cls, env_options: EnvOptions) -> EnvOptions:
        return {"reward": "credits", **env_options}


@rule
def explore_published(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Explore as the paper's program: never fold, always buy, never swap with the higher card.

    Its three ranges of random numbers each stop one short. If a raise or card is too expensive, match or don't buy.
    """
    if mask[MATCH]:
        return RAISE if uniform(generator, 2) == 0 and mask[RAISE] else MATCH
    if mask[DONT_BUY]:
        return BUY if mask[BUY] else DONT_BUY
    return DISCARD + uniform(generator, 3)


EXPLORATIONS: dict[str, Explore] = {"published": explore_published, "legal": choose_random}


class BatchQ:
    """A run of the paper's algorithm.

    Attributes:
        options: the game's options.
        config: the hyper-parameters.
        iteration: the number of finished iterations.
        epsilon: the share of exploratory decisions in the next iteration.
        transitions: the number of transitions in the last iteration.
        visited: the number of states in them.
        paid: the sum of their rewards.
        values: action values, (states, actions) float64; `NEVER` where an action was not tried.
        actions: the policy, (states,) int8.
    """

    saved: ClassVar[tuple[str, ...]] = ("iteration", "epsilon", "values", "actions")

    def __init__(self, options: CorellianSpikeOptions, config: BatchQConfig) -> None:
        self.options = options
        self.config = config
        self.iteration = 0
        self.epsilon = config.exploration_initial_eps
        self.transitions = self.visited = 0
        self.paid = 0.0
        self.actions = initial_actions(options)
        self.values = np.full((len(self.actions), NUM_ACTIONS), NEVER)
        name_entry_point("batch Q-learning", _sweep)

    @property
    def player(self) -> TablePlayer:
        """The current policy as a player."""
        return TablePlayer(f"batch Q, iteration {self.iteration}", self.actions)

    @property
    def met(self) -> npt.NDArray[np.bool_]:
        """Whether each state was met, (states,) bool."""
        met: npt.NDArray[np.bool_] = self.values.max(axis=1) > NEVER
        return met

    def episode_statistics(self) -> dict[str, float]:
        """Mean return and number of decisions of a seat per game of the last iteration, by TensorBoard tag."""
        episodes = self.config.games_per_iteration * self.options.num_players
        return {tags.EPISODIC_RETURN: self.paid / episodes, tags.EPISODIC_LENGTH: self.transitions / episodes}

    def iterate(self) -> None:
        """Play an iteration's games, learn from them, and update the policy in the visited states."""
        transitions = self._play()
        self._learn(transitions)
        self.transitions = len(transitions)
        self.paid = float(transitions.r.sum())
        self.iteration += 1
        self.epsilon *= self.config.exploration_decay

    def _play(self) -> Transitions:
        transitions = record(
            self.options,
            [self.player] * self.options.num_players,
            games=self.config.games_per_iteration,
            seed=int(derive(np.uint64(self.config.seed), np.uint64(self.iteration)) >> np.uint64(1)),
            states="index",
            epsilon=self.epsilon,
            explore=EXPLORATIONS[self.config.exploration],
        )
        return _as_recorded(transitions, self.config.recording)

    def _learn(self, transitions: Transitions) -> None:
        """Update the action values, and pick the best action in each visited state.

        The values of the few visited states are copied to consecutive rows, with only the actions of their decision,
        so that everything updated repeatedly fits in the processor's cache.
        """
        rows, next_rows = transitions.s, transitions.s_next
        met = np.flatnonzero(np.bincount(np.concatenate([rows, next_rows]), minlength=len(self.values)))
        self.visited = len(met)
        place = np.empty(len(self.values), np.int32)  # A state's row among those visited.
        place[met] = np.arange(len(met), dtype=np.int32)
        updates = np.empty(len(transitions), _UPDATE)
        updates["s"], updates["s_next"], updates["r"] = place[rows], place[next_rows], transitions.r
        first_action = np.zeros(len(met), np.int64)
        first_action[updates["s"]] = _FIRST_ACTION[transitions.a]
        updates["column"] = transitions.a - first_action[updates["s"]]

        actions = np.minimum(first_action[:, None] + np.arange(_COLUMNS), NUM_ACTIONS - 1)
        values = self.values[met[:, None], actions]
        _sweep(updates, values, self.config.learning_rate, self.config.gamma, self.config.update_epochs)
        learned = self.values[met]
        np.put_along_axis(learned, actions, values, axis=1)
        self.values[met] = learned
        tried = values.max(axis=1) > NEVER
        self.actions[met[tried]] = (first_action + values.argmax(axis=1))[tried]


def _as_recorded(transitions: Transitions, recording: Recording) -> Transitions:
    if recording == "complete":
        return transitions
    kept = np.ones(len(transitions), np.bool_)
    for seat in range(int(transitions.seat.max(initial=-1)) + 1):
        at = np.flatnonzero(transitions.seat == seat)
        rows = transitions[at].view(np.recarray)
        same_game = rows.game[1:] == rows.game[:-1]
        if recording == "connected":
            transitions.s_next[at[:-1][same_game]] = rows.s[1:][same_game]
            continue
        # Only a pool makes the reward of a hand's last transition positive.
        ends = rows.s_next == 0
        wins = np.cumsum(ends & (rows.r > 0))
        first = np.r_[0, 1 + np.flatnonzero(~same_game)]
        before = np.repeat(np.r_[0, wins][first], np.diff(np.r_[first, len(rows)]))
        kept[at] = ~(ends & (rows.r <= 0) & (rows.a != FOLD) & (wins > before))
    return transitions[kept].view(np.recarray)


# -- policies ---------------------------------------------------------------------------------------------------------


def initial_actions(options: CorellianSpikeOptions) -> Int8s:
    """Return the paper's initial policy by state index, int8: always match, never buy, discard; 0 at the end."""
    actions: Int8s = np.array([MATCH, MATCH, DONT_BUY, DISCARD], np.int8)[digits_of(info_state_keys(options)).decision]
    return actions


def save_policy_file(path: Path, actions: Int8s, options: CorellianSpikeOptions) -> None:
    """Write a policy as the paper's program did: a JSON object from state code to action number.

    Args:
        path: the file to write.
        actions: the action in each state by index, (num_info_states,) int8.
        options: the options that the policy was made for.

    Raises:
        CardgymError: if the file cannot be written.
    """
    keys = map(str, info_state_keys(options).tolist())
    entries = dict(zip(keys, actions.tolist(), strict=True))
    del entries["0"]  # The end.
    write_text(path, json.dumps(entries))


def transferred_policy(actions: Int8s, made_for: CorellianSpikeOptions, options: CorellianSpikeOptions) -> TablePlayer:
    """Return a policy adapted to another number of players; it plays the initial policy in unknown states.

    The paper's program does the same when its 2-player policy plays with 4 and with 8 players (section 5.3).

    Args:
        actions: the action in each state by the index of `made_for`, int8.
        made_for: the options that the policy was made for.
        options: the options of the game to play.
    """
    _, here, there = np.intersect1d(
        info_state_keys(options), info_state_keys(made_for), assume_unique=True, return_indices=True
    )
    result = initial_actions(options)
    result[here] = actions[there]
    return TablePlayer(f"policy for {made_for.num_players} players", result)


# -- compiled ---------------------------------------------------------------------------------------------------------

_UPDATE = np.dtype([("s", np.int32), ("s_next", np.int32), ("r", np.float64), ("column", np.int32)], align=True)

_COLUMNS = 4
"""The largest number of actions of a decision."""
_FIRST_ACTION = np.array([RAISE] * 3 + [BUY] * 2 + [DISCARD] * 4)
"""For each action, the first action of the same decision."""


@compiled
def _sweep(updates: Any, values: Any, learning_rate: float, gamma: float, epochs: int) -> None:
    """Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a)) over the transitions in order, `epochs` times.

    `values`, (states, 4) float64, is `NEVER` where an action was not tried; a maximum over no tried action counts 0.
    """
    for _ in range(epochs):
        for i in range(updates.shape[0]):
            update = updates[i]
            there = update.s_next
            ahead = max(max(values[there, 0], values[there, 1]), max(values[there, 2], values[there, 3]))
            if ahead == NEVER:
                ahead = 0.0
            old = values[update.s, update.column]
            if old == NEVER:
                old = 0.0
            values[update.s, update.column] = old + learning_rate * (update.r + gamma * ahead - old)


# -- training ---------------------------------------------------------------------------------------------------------


def train(config: BatchQConfig, training: Training) -> None:
    """Learn until the last iteration."""
    options: Any = training.options
    run = BatchQ(options, config)

    def save(folder: Path) -> None:
        if run.iteration % config.save_every == 0 or run.iteration == config.num_iterations:
            save_policy_file(folder / f"policy_{run.iteration}.json", run.actions, options)

    training.begin(lambda: run.iteration, lambda: run.player, save, {"run": run}, checkpoint="", log_every=1)
    if run.iteration == 0:
        training.save()
    while run.iteration < config.num_iterations:
        epsilon = run.epsilon
        run.iterate()
        training.report(run.episode_statistics, epsilon=epsilon, states=float(run.met.sum()))
