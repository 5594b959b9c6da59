"""Games that a learner plays: the players in each seat, the learner's turns, and the rewards of each seat."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardgym.engine.contract import Float32s, Float64s, Game, Int8s, Int64s, Options
from cardgym.engine.kernel import ANY_SEAT, CALLER, NOBODY, RESET, STEP
from cardgym.errors import CardgymError
from cardgym.learn import tags
from cardgym.learn.opponents import SELF, SNAPSHOT, OpponentPool, Snapshots
from cardgym.players import Player
from cardgym.players.seats import SeatedBatch, game_keys


class Turns(NamedTuple):
    """The decisions that the learner has to make now.

    Attributes:
        streams: whose turns they are, (turns,), int64. Stream `env * num_seats + seat` is one seat of one env.
        observations: what each of them sees, (turns, size), float32.
        masks: what each of them may do, (turns, actions), int8, 1 where legal.
    """

    streams: Int64s
    observations: Float32s
    masks: Int8s


class SelfPlayRollout:
    """Games played in parallel, with the learner in one seat of each, or in several if it plays itself.

    The learner's seat and the opponents are drawn for each game, each seat independently, from the rollout's own
    generator, so they depend on the seed alone. A game that ends is replaced by a new one at the next step, and games
    in which the learner has nothing to decide are skipped.

    An algorithm needs nothing else: it chooses `actions` for `turns`, calls `step(actions)`, and reads the outcome from
    `rewards` and `ended`. `TransitionBuilder` turns that into n-step transitions; an on-policy algorithm collects the
    turns of each stream instead.

    Attributes:
        num_streams: envs times seats.
        turns: where the learner has to decide.
        rewards: what the last step paid each stream, (num_streams,), float64.
        ended: the streams of the games that the last step ended, (ended,), int64, whether the learner sat there or not.
        snapshots: earlier copies of the learner, if the pool has them.
        decisions: how many decisions the learner has taken.
        games: how many games have ended.
        episodes: returns and lengths of these games, for the log.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_envs: int,
        opponents: OpponentPool,
        learner: Player,
        *,
        seed: int,
        snapshots: int = 1,
        seat: int = ANY_SEAT,
        team: bool = False,
    ) -> None:
        """Start the first games.

        Args:
            learner: a player of the observation to learn from. With snapshots it has a `network`, and is copied.
            seed: decides the deals, the seats, the opponents and what they draw.
            snapshots: how many earlier copies are kept, if the pool has them.
            seat: the learner's seat; ANY_SEAT draws one for each game.
            team: one opponent sits in each game, at a random place, and the learner in all other seats, each of which
                is paid what they win on average.

        Raises:
            CardgymError: for a seat that the game does not have, an opponent that cannot be found, or a team that has
                itself as the opponent.
        """
        self._num_seats = options.num_players
        if seat >= self._num_seats:
            raise CardgymError(
                f"seat={seat}: {game.id} has the seats 0 to {self._num_seats - 1}; -1 draws one for each game"
            )
        if team and (SELF in opponents.specs or opponents.has_snapshots):
            raise CardgymError(f"team: a team plays against named players, not {SELF!r} or {SNAPSHOT!r}")
        self._team = team and self._num_seats > 2
        self.game = game
        self.options = options
        self.num_streams = num_envs * self._num_seats
        self._generator = np.random.default_rng([seed, 1])
        self.snapshots = Snapshots(learner, snapshots if opponents.has_snapshots else 0)
        named = opponents.players(game, options)
        self._seated = SeatedBatch(game, options, num_envs, [*named, *self.snapshots.players], learner.observation_name)
        numbers = self._seated.numbers
        self._pool = opponents
        self._choices, phases = opponents.choices(numbers[: len(named)], numbers[len(named) :])
        self._probabilities = [np.array(weights) / sum(weights) for weights in phases]
        self._seated.seed(game_keys(seed, num_envs))
        self._seated.seat([CALLER], requested_seat=seat)
        self.rewards = np.zeros(self.num_streams)
        self.ended = np.zeros(0, np.int64)
        self.decisions = 0
        self.games = 0
        self.episodes = EpisodeStatistics(self.num_streams)
        self._draw_opponents(np.arange(num_envs))
        self._seated.step(np.zeros(num_envs, np.int64), np.full(num_envs, RESET, np.uint8), skip=True)
        self._update_turns()

    @property
    def states(self) -> np.recarray[Any, Any]:
        """The records of the games in which the learner has to decide, in the order of `turns`."""
        deciding: np.recarray[Any, Any] = self._seated.batch.states[self._deciding]  # type: ignore[assignment]
        return deciding

    def others(self) -> Float32s:
        """Return what the other seats know at `turns`, next seat first, (turns, (seats - 1) * size), float32.

        For critics only: players must not read it.
        """
        seats = self.turns.streams % self._num_seats
        ahead = [(seats + number) % self._num_seats for number in range(1, self._num_seats)]
        seen = [self._seated.look(self._deciding, other)[0] for other in ahead]
        return np.concatenate([np.zeros((len(seats), 0), np.float32), *seen], axis=1)

    def step(self, actions: Int64s) -> None:
        """Play the learner's actions, (turns,), int64, up to its next turns, and replace the games that had ended."""
        rows = self._seated.batch.plain_rows
        all_actions = np.zeros(len(rows), np.int64)
        all_actions[self._deciding] = actions
        commands = np.full(len(rows), RESET, np.uint8)
        commands[self._deciding] = STEP
        starting = np.flatnonzero(commands == RESET)
        if len(starting):
            self._draw_opponents(starting)
        self._seated.step(all_actions, commands, skip=True)
        self.decisions += len(actions)
        acted = self.turns.streams
        paid = self._seated.paid[:, : self._num_seats]
        if self._team:
            members = rows["policies"][:, : self._num_seats] == CALLER
            paid = np.where(members, (paid * members).sum(axis=1, keepdims=True) / (self._num_seats - 1), paid)
        self.rewards = paid.flatten()
        over = np.flatnonzero(rows["pending_policy"] == NOBODY)
        self.games += len(over)
        self.ended = (over[:, None] * self._num_seats + np.arange(self._num_seats)).ravel()
        self.episodes.add(acted, self.rewards, self.ended)
        self._update_turns()

    def _draw_opponents(self, envs: Int64s) -> None:
        probabilities = self._probabilities[self._pool.phase(self.decisions)]
        choices = self._generator.choice(len(self._choices), (len(envs), self._num_seats - 1), p=probabilities)
        seated = self._choices[choices]
        if self._team:
            places = self._generator.integers(0, self._num_seats - 1, (len(envs), 1))
            seated = np.where(np.arange(self._num_seats - 1) == places, seated, CALLER)
        self._seated.batch.plain_rows["lineup"][envs, 1 : self._num_seats] = seated

    def _update_turns(self) -> None:
        rows = self._seated.batch.plain_rows
        self._deciding = np.flatnonzero(rows["pending_policy"] == CALLER)
        self.turns = Turns(
            self._deciding * self._num_seats + rows["current_player"][self._deciding],
            self._seated.observations[self._deciding],
            self._seated.masks[self._deciding],
        )

    # -- resuming -----------------------------------------------------------------------------------------------------

    saved: ClassVar[tuple[str, ...]] = (
        "_seated.batch.plain_states",
        "_seated.batch.plain_rows",
        "_seated.observations",
        "_seated.masks",
        "_generator",
        "snapshots",
        "episodes",
        "decisions",
        "games",
    )

    def restored(self) -> None:
        """Find the turns of a restored state."""
        self._update_turns()


class EpisodeStatistics:
    """Adds up each stream's rewards and decisions, and averages them over the games that end.

    A stream is one seat of one env, as in `SelfPlayRollout`. An episode is what the learner sees of a game from one
    seat; a seat in which it took no decision has none.
    """

    saved: ClassVar[tuple[str, ...]] = ("_returns", "_lengths", "_ended")

    def __init__(self, num_streams: int) -> None:
        self._returns = np.zeros(num_streams)  # So far, in unfinished games.
        self._lengths = np.zeros(num_streams, np.int64)
        self._ended = np.zeros(3)  # Episodes, sums of their returns and lengths since `statistics` was called.

    def add(self, acted: Int64s, rewards: Float64s, ended: Int64s) -> None:
        """Add a step.

        Args:
            acted: the streams that took a decision, (turns,), int64, each once.
            rewards: what the step paid each stream, (streams,), float64.
            ended: the streams whose games it ended, (ended,), int64.
        """
        self._returns += rewards
        self._lengths[acted] += 1
        if len(ended):
            lengths = self._lengths[ended]
            self._ended += (np.count_nonzero(lengths), self._returns[ended][lengths > 0].sum(), lengths.sum())
            self._returns[ended] = 0.0
            self._lengths[ended] = 0

    def statistics(self) -> dict[str, float]:
        """Return the mean return and length of the episodes ended since the last call, by tag; empty if none ended."""
        episodes, returns, lengths = self._ended.tolist()
        self._ended[:] = 0.0
        if not episodes:
            return {}
        return {tags.EPISODIC_RETURN: returns / episodes, tags.EPISODIC_LENGTH: lengths / episodes}
