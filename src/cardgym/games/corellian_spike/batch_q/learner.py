"""The batch Q-learning of the Corellian Spike paper, for any number of players.

Source: Torres, Nee and Cortinovis (2023), section 4.2. Where the text is silent, as its published program has it:
action values are kept from one iteration to the next, a maximum is over the actions tried so far, and equal values go
to the lowest action.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.recording import Explore, record
from cardgym.engine.compilation import announce, compiled
from cardgym.engine.contract import Record, rule, uniform
from cardgym.engine.generator import Generator, derive
from cardgym.engine.kernel import choose_random
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.games.corellian_spike.batch_q.config import ENV, BatchQConfig
from cardgym.games.corellian_spike.batch_q.state_models import CodeStates, States, codes_of, state_model
from cardgym.games.corellian_spike.state import BUY, DISCARD, DONT_BUY, MATCH, RAISE, CorellianSpikeOptions
from cardgym.players.base import Player, TablePlayer

NEVER = -np.inf
"""The value of an action not tried yet."""


@rule
def explore_published(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """What the paper's program did when exploring: never fold, always buy, never swap with the higher card.

    Its three ranges of random numbers each stop one short. Where a raise or a card cannot be paid, match or don't buy.
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
        iteration: how many iterations are done.
        epsilon: the share of exploring decisions in the next.
        transitions: how many transitions the last iteration recorded.
        states: the states met, with a row of action values and a chosen action each.
    """

    def __init__(self, options: CorellianSpikeOptions, config: BatchQConfig) -> None:
        self.options = options
        self.config = config
        self.iteration = 0
        self.epsilon = config.exploration_initial_eps
        self.transitions = 0
        self._game = find(ENV)
        self.states: States = state_model(config.state)(self._game, options)
        announce("batch Q-learning")

    @property
    def player(self) -> Player:
        """The policy as it is now."""
        return self.states.player(f"batch Q, iteration {self.iteration}")

    def iterate(self) -> None:
        """Play an iteration's games, learn from them, and change the policy in the states seen."""
        config, states = self.config, self.states
        seed = int(derive(np.uint64(config.seed), np.uint64(self.iteration)) >> np.uint64(1))
        told = record(
            self._game,
            self.options,
            [self.player] * self.options.num_players,
            games=config.games_per_iteration,
            seed=seed,
            states=states.name,
            epsilon=self.epsilon,
            explore=EXPLORATIONS[config.exploration],
        )
        self.transitions = len(told)
        here, there = states.places(told.s), states.places(told.s_next)
        seen = np.flatnonzero(np.bincount(np.concatenate([here, there]), minlength=len(states.values)))
        compact = np.empty(len(states.values), np.int32)
        compact[seen] = np.arange(len(seen), dtype=np.int32)
        moves = np.empty(len(told), _MOVE)
        moves["s"], moves["s_next"], moves["r"] = compact[here], compact[there], told.r
        first = np.zeros(len(seen), np.int64)
        first[moves["s"]] = _FIRST[told.a]
        moves["slot"] = told.a - first[moves["s"]]
        # A copy of the few rows in play, and of the few columns: it fits in the processor's cache.
        columns = np.minimum(first[:, None] + np.arange(_SLOTS), self._game.num_actions - 1)
        values = states.values[seen[:, None], columns]
        _sweep(moves, values, config.learning_rate, config.gamma, config.update_epochs)
        np.put_along_axis(learned := states.values[seen], columns, values, axis=1)
        states.values[seen] = learned
        tried = values.max(axis=1) > NEVER
        states.actions[seen[tried]] = (first + values.argmax(axis=1))[tried]
        self.iteration += 1
        self.epsilon *= config.exploration_decay

    def save_policy(self, path: Path) -> None:
        """Write the policy as the paper's program did: a JSON object from state code to action number.

        Raises:
            CardgymError: where the file cannot be written, or states are not the paper's codes.
        """
        if not isinstance(self.states, CodeStates):
            raise CardgymError(f"state={self.config.state!r}: policy files are of the paper's states, state=code")
        save_plain_policy(path, self.states.actions, self.options)

    def state_dict(self) -> dict[str, Any]:
        """All that decides how the run goes on: plain values and arrays."""
        return {"iteration": self.iteration, "epsilon": self.epsilon, **self.states.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` gave."""
        self.iteration = state["iteration"]
        self.epsilon = state["epsilon"]
        self.states.load_state_dict(state)


def train(
    options: CorellianSpikeOptions,
    config: BatchQConfig,
    progress: Callable[[int, int], None] | None = None,
    each: Callable[[BatchQ], None] | None = None,
) -> BatchQ:
    """Run the whole algorithm.

    Args:
        options: the game's options.
        config: the hyper-parameters.
        progress: told the iterations done and the iterations in all.
        each: told of the run after each iteration.
    """
    run = BatchQ(options, config)
    while run.iteration < config.num_iterations:
        run.iterate()
        if each is not None:
            each(run)
        if progress is not None:
            progress(run.iteration, config.num_iterations)
    return run


def save_plain_policy(path: Path, actions: npt.NDArray[np.int8], options: CorellianSpikeOptions) -> None:
    """Write actions by state index as the paper's program did: a JSON object from state code to action number."""
    game = find(ENV)
    codes = codes_of(game, options).tolist()[1:]
    entries = dict(zip(map(str, codes), actions.tolist()[1:], strict=True))
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(entries), encoding="utf-8")


def transferred(
    actions: npt.NDArray[np.int8], made_for: CorellianSpikeOptions, options: CorellianSpikeOptions
) -> TablePlayer:
    """A policy for one number of players at a table of another; in states that it does not have, the initial policy.

    So did the paper's program, where its 2-player policy sat at tables of 4 and 8 (section 5.3).
    """
    game = find(ENV)
    codes, known = codes_of(game, options), codes_of(game, made_for)
    order = np.argsort(known)
    place = np.minimum(np.searchsorted(known, codes, sorter=order), len(known) - 1)
    there = order[place]
    found = CodeStates(game, options).actions
    same = known[there] == codes
    found[same] = actions[there[same]]
    return TablePlayer(f"policy for {made_for.num_players} players", found)


# -- compiled ---------------------------------------------------------------------------------------------------------

_MOVE = np.dtype([("s", np.int32), ("s_next", np.int32), ("r", np.float64), ("slot", np.int32)], align=True)

_SLOTS = 4
"""No decision has more actions."""
_FIRST = np.array([RAISE] * 3 + [BUY] * 2 + [DISCARD] * 4)
"""The first action of the decision that an action belongs to."""


@compiled
def _sweep(moves: Any, values: Any, step_size: float, gamma: float, sweeps: int) -> None:
    """Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a)) over the transitions in order, `sweeps` times.

    `values` (states, 4) is NEVER where an action was not tried; a maximum over untried actions only counts 0.
    """
    for _ in range(sweeps):
        for i in range(moves.shape[0]):
            move = moves[i]
            there = move.s_next
            ahead = max(max(values[there, 0], values[there, 1]), max(values[there, 2], values[there, 3]))
            if ahead == -np.inf:
                ahead = 0.0
            old = values[move.s, move.slot]
            if old == -np.inf:
                old = 0.0
            values[move.s, move.slot] = old + step_size * (move.r + gamma * ahead - old)
