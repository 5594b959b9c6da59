"""The tables a learner trains at: who sits there, and the transitions its turns make."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT, CALLER, RESET, ROW, STEP
from cardgym.errors import CardgymError
from cardgym.learn.dqn.replay import Transitions
from cardgym.learn.resume import generator_state, set_generator_state
from cardgym.learn.turns import TurnRecorder
from cardgym.players.base import Player, resolve
from cardgym.players.networks import NetworkPlayer, QNetwork
from cardgym.players.seating import SeatedBatch, game_keys

SELF, SNAPSHOT = "self", "snapshot"


@dataclass(frozen=True)
class Mix:
    """Who may sit opposite the learner, with the weight of each.

    `self` is the learner as it is now, each of its seats learning; `snapshot` an earlier copy of it that does not
    learn; anything else a player as `resolve` takes it.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Mix:
        """A mix from words such as `heuristic=0.7`; a name alone has weight 1.

        Raises:
            CardgymError: for a word of another form, or where no weight is above 0.
        """
        names, weights = [], []
        for word in words:
            name, _, weight = (word if "=" in word else f"{word}=1").rpartition("=")
            try:
                names.append(name)
                weights.append(float(weight))
            except ValueError:
                weights.append(-1.0)
            if not name or not np.isfinite(weights[-1]) or weights[-1] < 0:
                raise CardgymError(f"opponent {word!r}: write it as name=weight, such as heuristic=0.7")
        if not words or sum(weights) <= 0:
            raise CardgymError("opponents: name at least one with a weight above 0, such as random=1")
        return cls(tuple(names), tuple(weights))


class SelfPlayRollout:
    """Many tables of one game, stepped together, with the learner in one seat, or in one drawn anew for each game.

    The opponents of each game are drawn from the mix, each seat by itself, with a generator of the tables' own: the
    seed alone decides. Where the learner is to decide stands in the attributes, an entry for each such table.

    Attributes:
        deciding: the tables where the learner is to decide, (deciding,), int64.
        observations: what it knows there, (deciding, size), float32.
        masks: what it may do there, (deciding, actions), int8.
        games: how many games have ended.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_tables: int,
        opponents: Mix,
        learner: QNetwork,
        observation_name: str,
        *,
        seed: int,
        n_step: int = 1,
        gamma: float = 1.0,
        reward_scale: float = 1.0,
        snapshots: int = 1,
        seat: int = ANY_SEAT,
    ) -> None:
        self._seats = options.num_players
        if seat >= self._seats:
            raise CardgymError(
                f"seat={seat}: {game.id} has the seats 0 to {self._seats - 1}; -1 draws one for each game"
            )
        self._reward_scale = reward_scale
        self._generator = np.random.default_rng([seed, 1])
        self._snapshots = [
            NetworkPlayer(f"{SNAPSHOT} {i + 1}", copy.deepcopy(learner).requires_grad_(False), observation_name)
            for i in range(snapshots if SNAPSHOT in opponents.names else 0)
        ]
        self._taken = 0
        named: list[Player] = [
            resolve(Path(name) if name.endswith(".safetensors") else name, game, options)
            for name in opponents.names
            if name not in (SELF, SNAPSHOT)
        ]
        self.played = SeatedBatch(game, options, num_tables, [*named, *self._snapshots], observation_name)
        numbers = iter(self.played.numbers)
        choices: list[int] = []
        weights: list[float] = []
        for name, weight in zip(opponents.names, opponents.weights, strict=True):
            if name == SELF:
                choices.append(CALLER)
                weights.append(weight)
            elif name != SNAPSHOT:
                choices.append(next(numbers))
                weights.append(weight)
        share = sum(w for n, w in zip(opponents.names, opponents.weights, strict=True) if n == SNAPSHOT)
        choices += list(numbers)
        weights += [share / max(len(self._snapshots), 1)] * len(self._snapshots)
        self._choices = np.array(choices, np.int32)
        self._shares = np.array(weights) / sum(weights)
        size = self.played.batch.observation_size
        self.turns = TurnRecorder(num_tables * self._seats, size, n_step, gamma)
        self.games = 0
        self.played.seed(game_keys(seed, num_tables))
        self.played.seat([CALLER], requested_seat=seat)
        self._draw_opponents(np.arange(num_tables))
        self.played.step(np.zeros(num_tables, np.int64), np.full(num_tables, RESET, np.uint8), skip=True)
        self._look()

    def step(self, actions: npt.NDArray[np.int64]) -> list[Transitions]:
        """Play the learner's actions (deciding,), and start a game at every table where one had ended.

        Returns:
            The transitions that this completed.
        """
        rows = self.played.batch.plain_rows
        self.turns.act(self._streams, self.observations, actions)
        moves = np.zeros(len(rows), np.int64)
        moves[self.deciding] = actions
        command = np.full(len(rows), RESET, np.uint8)
        command[self.deciding] = STEP
        starting = np.flatnonzero(command == RESET)
        if len(starting):
            self._draw_opponents(starting)
        self.played.step(moves, command, skip=True)
        self.turns.pay((self.played.paid[:, : self._seats] * self._reward_scale).ravel())
        self._look()
        done = [self.turns.turn(self._streams, self.observations, self.masks)]
        ended = np.flatnonzero(rows["pending_policy"] == 0)
        if len(ended):
            self.games += len(ended)
            streams = (ended[:, None] * self._seats + np.arange(self._seats)).ravel()
            done.append(self.turns.end(streams, self.masks.shape[1]))
        return done

    def take_snapshot(self, learner: QNetwork) -> None:
        """The oldest snapshot becomes a copy of the learner as it is now."""
        if self._snapshots:
            player = self._snapshots[self._taken % len(self._snapshots)]
            player.network.load_state_dict(learner.state_dict())
            self._taken += 1

    def _draw_opponents(self, tables: npt.NDArray[np.int64]) -> None:
        drawn = self._generator.choice(len(self._choices), (len(tables), self._seats - 1), p=self._shares)
        self.played.batch.plain_rows["lineup"][tables, 1 : self._seats] = self._choices[drawn]

    def _look(self) -> None:
        rows = self.played.batch.plain_rows
        self.deciding = np.flatnonzero(rows["pending_policy"] == CALLER)
        self._streams = self.deciding * self._seats + rows["current_player"][self.deciding]
        self.observations = self.played.observations[self.deciding]
        self.masks = self.played.masks[self.deciding]

    # -- resuming -----------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """All that decides how play goes on, as tensors and plain values."""
        return {
            "layout": self._layout(),
            "states": _bytes(self.played.batch.plain_states),
            "rows": _bytes(self.played.batch.plain_rows),
            "observations": torch.from_numpy(self.played.observations.copy()),
            "masks": torch.from_numpy(self.played.masks.copy()),
            "turns": self.turns.state_dict(),
            "generator": generator_state(self._generator),
            "snapshots": [player.network.state_dict() for player in self._snapshots],
            "taken": self._taken,
            "games": self.games,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` gave.

        Raises:
            CardgymError: where it was written by a version with another record.
        """
        if state["layout"] != self._layout():
            raise CardgymError("the state to resume from was written by another version; train from the start")
        batch = self.played.batch
        batch.plain_states[...] = np.frombuffer(state["states"].numpy().tobytes(), batch.plain_states.dtype)
        batch.plain_rows[...] = np.frombuffer(state["rows"].numpy().tobytes(), ROW)
        self.played.observations[...] = state["observations"].numpy()
        self.played.masks[...] = state["masks"].numpy()
        self.turns.load_state_dict(state["turns"])
        set_generator_state(self._generator, state["generator"])
        for player, weights in zip(self._snapshots, state["snapshots"], strict=True):
            player.network.load_state_dict(weights)
        self._taken = state["taken"]
        self.games = state["games"]
        self._look()

    def _layout(self) -> str:
        return repr((self.played.batch.plain_states.dtype.descr, ROW.descr))


def _bytes(array: npt.NDArray[Any]) -> torch.Tensor:
    return torch.frombuffer(bytearray(array.tobytes()), dtype=torch.uint8)
