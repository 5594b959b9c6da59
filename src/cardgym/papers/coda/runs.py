"""The experiments behind the results page: learning from fresh deals and from few deals, and win rates."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cardgym.arena import evaluate
from cardgym.arena.match import EVALUATION_SEED
from cardgym.engine.contract import Options
from cardgym.engine.kernel import CALLER, NOOP, RESET, STEP
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.games.coda.state import CodaOptions
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.players import Player, PlayerSpec, resolve
from cardgym.players.seats import SeatedBatch

ENV = "Coda-v0"
ALGORITHMS = {"q_learning": "Q-learning", "sarsa": "Sarsa"}
ON_BITS = TabularConfig(env_id=ENV, observation="paper", seat=0)
"""Learning from the paper's bits, moving first."""
_OPPONENT_STREAM = 2019
"""The random stream of the opponent's guesses on deals that are played again."""


@dataclass(frozen=True)
class Scale:
    """How much is done for the page.

    Attributes:
        games: games of each evaluation on fresh deals.
        seeds: seeds of each method.
        tabular_games: the paper's number of training games for Q-learning and Sarsa.
        network_games: the paper's number of training games for DQN and double DQN.
        batch_sizes: the paper's two batch sizes.
        decisions: decisions of the long training of a table.
        deal_counts: how many deals are played again and again, in each experiment on that.
        test_games: games of each evaluation on those deals.
        small: numbers of tiles with which tables converge, each with the decisions that takes.
        walks: walks of counterfactual regret minimization in the smallest game.
        mini_decisions: decisions of neural fictitious self-play there.
        self_play_decisions: the same with all tiles.
        self_play_seeds: how many of the seeds learn so.
    """

    games: int = 100_000
    seeds: tuple[int, ...] = (1, 2, 3)
    tabular_games: int = 10_000
    network_games: int = 2000
    batch_sizes: tuple[int, ...] = (32, 128)
    decisions: int = 10_000_000
    deal_counts: tuple[int, ...] = (10, 50, 100, 150, 200, 500)
    test_games: int = 2000
    small: tuple[tuple[int, int], ...] = ((6, 1_000_000), (8, 5_000_000))
    walks: tuple[int, ...] = (1000, 10_000, 100_000)
    mini_decisions: int = 100_000
    self_play_decisions: int = 100_000
    self_play_seeds: int = 2


def coda(**settings: int | str) -> CodaOptions:
    """Return the paper's preset with some options changed."""
    return CodaOptions.parse(settings)


def fresh_win_rate(
    player: PlayerSpec, games: int, seed: int, options: Options | None = None, opponent: str = "random"
) -> float:
    """Return the win rate of a player in seat 0 on fresh deals; in the paper's preset by default."""
    players, deals = [player, opponent], EVALUATION_SEED + seed
    return evaluate(ENV, options or coda(), players, games=games, seed=deals, seats="fixed").players[0].win_rate


def learn_games(algorithm: str, games: int, seed: int, num_deals: int = 0, n: int = 24) -> tuple[TabularLearner, float]:
    """Learn for a number of games from the paper's bits and rewards; the learner, and the processor time in seconds.

    Alpha is 0.1 and gamma 0.9. Epsilon falls from 1 to 0.05 in three fifths of the decisions that random play takes.
    With `num_deals`, only so many deals are played, again and again.
    """
    config = ON_BITS.replace(
        algorithm=algorithm, seed=seed, num_deals=num_deals, total_steps=(6 if not num_deals else 4) * games,
        table_size=12 * games, gamma=0.9, exploration_fraction=0.6,
    )  # fmt: skip
    learner = TabularLearner(find(ENV), coda(reward="paper", n=n), config)
    start = time.process_time()
    while learner.games < games:
        learner.advance(learner.decisions + 10)
    return learner, time.process_time() - start


def learn_long(algorithm: str, decisions: int, seed: int, n: int = 24) -> tuple[TabularLearner, float]:
    """Learn for a number of decisions from the paper's bits, with n tiles and rewards of +1 and -1; as `learn_games`.

    Alpha falls with the visits of a pair of state and action, in place of the paper's fixed one.
    """
    config = ON_BITS.replace(
        algorithm=algorithm, seed=seed, total_steps=decisions, table_size=decisions, gamma=1.0, learning_rate=1.0,
        learning_rate_final=1.0, visits_power=0.7, exploration_final_eps=0.02, exploration_fraction=0.8,
    )  # fmt: skip
    learner = TabularLearner(find(ENV), coda(n=n), config)
    start = time.process_time()
    learner.advance(decisions)
    return learner, time.process_time() - start


def replayed_win_rate(learner: TabularLearner, games: int, seed: int) -> float:
    """Return the win rate of a learner's greedy player in seat 0, over the deals it was trained on, each as often.

    The learner must have a limited number of deals. The opponent's guesses are new ones.
    """
    game, options, player = learner.game, learner.options, learner.player()
    seated = SeatedBatch(game, options, games, [resolve("random", game, options)], learner.config.observation)
    seated.seat([CALLER, *seated.numbers])
    deals = np.arange(games, dtype=np.uint64) % np.uint64(learner.config.num_deals)
    seated.seed(np.full(games, learner.deal_key, np.uint64), deals)
    seated.step(0, np.full(games, RESET, np.uint8))
    rows = seated.batch.plain_rows
    # The opponent's generator can be replaced here: seat 0 moves first, so nothing was drawn from it yet.
    rows["choice"][:, 0] = np.random.default_rng([_OPPONENT_STREAM, seed]).integers(0, 2**63, games, dtype=np.uint64)
    while (deciding := np.flatnonzero(rows["pending_policy"] == CALLER)).size:
        actions, commands = np.zeros(games, np.int64), np.full(games, NOOP, np.uint8)
        actions[deciding] = player.act(seated.observations[deciding], seated.masks[deciding])
        commands[deciding] = STEP
        seated.step(actions, commands)
    return float((seated.batch.plain_states["winner"] == 0).mean())


def checkpoint_players(paths: Sequence[Path]) -> list[tuple[Player, str, str]]:
    """Return the players of checkpoints, each with its algorithm and file, and its training in words.

    Raises:
        CardgymError: for a file that is missing, no checkpoint, or made for another game or other options.
    """
    from cardgym.players.checkpoints import load_checkpoint
    from cardgym.players.networks import NetworkPlayer, QNetwork

    players: list[tuple[Player, str, str]] = []
    for path in paths:
        network, metadata = load_checkpoint(path, find(ENV), coda())
        if not isinstance(network, QNetwork):
            raise CardgymError(f"checkpoint {path}: a policy network; give one of a Q-network, as train/dqn.py saves")
        config, observation = metadata.config, metadata.observation
        algorithm = "double DQN" if config.get("double", True) else "DQN"
        training = f"{observation}, {config.get('total_steps', 0):,} decisions, seed {config.get('seed')}"
        players.append((NetworkPlayer(path.name, network, observation), f"{algorithm} (`{path.name}`)", training))
    return players
