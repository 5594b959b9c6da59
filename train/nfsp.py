"""Neural fictitious self-play for any card game of cardgym.

Usage:
    python train/nfsp.py --config examples/leduc_poker/configs/nfsp.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/nfsp.md describes the algorithm. Best responses are learned as in
train/dqn.py; the average policy is in cardgym.learn.nfsp.learner, who plays which in cardgym.learn.nfsp.behavior.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from cardgym import find
from cardgym.learn import tags
from cardgym.learn.denormals import flushing_denormals
from cardgym.learn.device import choose_device
from cardgym.learn.dqn.learner import DQNLearner
from cardgym.learn.dqn.replay import ReplayBuffer
from cardgym.learn.nfsp.behavior import Behavior
from cardgym.learn.nfsp.config import NFSPConfig
from cardgym.learn.nfsp.learner import AverageLearner
from cardgym.learn.nfsp.reservoir import Decisions, ReservoirBuffer
from cardgym.learn.resume import Stateful
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import linear
from cardgym.learn.transitions import TransitionBuilder
from cardgym.learn.upkeep import Upkeep
from cardgym.learn.warm_start import load_weights
from cardgym.players.base import resolve
from cardgym.players.networks import NetworkPlayer, NetworkShape, network_shape
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer


@flushing_denormals()
def train(config: NFSPConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
    torch.manual_seed(config.seed)
    game = find(config.env_id)
    options = game.parse_options(config.env_options)
    observation = config.observation or game.default_observation
    shape = network_shape(game, options, observation, config.hidden_sizes, config.dueling, config.wide)
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name fails now, not after minutes of training.

    # -- the parts: each has a state that is saved --------------------------------------------------------------------
    device = choose_device(config.device)
    best = DQNLearner(
        shape,
        double=config.double,
        discount=config.gamma**config.n_step,
        learning_rate=config.learning_rate,
        adam_epsilon=config.adam_epsilon,
        max_grad_norm=config.max_grad_norm,
        target_update_interval=config.target_update_interval,
        tau=config.tau,
        device=device,
    )
    network = PolicyNetwork(NetworkShape(shape.inputs, shape.actions, shape.hidden_sizes))
    if config.init_from:
        load_weights(network, Path(config.init_from), game, options, observation)
    average = AverageLearner(network, config.sl_learning_rate, config.adam_epsilon, device)
    player = PolicyPlayer("learner", average.network, observation)
    rollout = SelfPlayRollout.configured(config, game, options, player)
    response = NetworkPlayer("best response", best.online, observation)
    seeds = iter(np.random.SeedSequence([config.seed, 2]).spawn(3))
    behavior = Behavior(
        response, player, rollout.num_streams, config.anticipatory_param, np.random.default_rng(next(seeds))
    )
    builder = TransitionBuilder(rollout.num_streams, shape.inputs, shape.actions, config.n_step, config.gamma)
    replay = ReplayBuffer(config.buffer_size, shape.inputs, shape.actions, np.random.default_rng(next(seeds)))
    reservoir = ReservoirBuffer(config.reservoir_size, shape.inputs, shape.actions, np.random.default_rng(next(seeds)))

    parts: dict[str, Stateful] = {
        "best": best, "average": average, "rollout": rollout, "behavior": behavior, "builder": builder,
        "replay": replay, "reservoir": reservoir,
    }  # fmt: skip
    upkeep = Upkeep(
        config, folder, rollout, player, lambda: average.network, observation, parts,
        log_every=config.log_every, resume=resume,
    )  # fmt: skip

    # -- the training loop; a step is a decision of the learner -------------------------------------------------------
    step = rollout.decisions
    with upkeep:
        while step < config.total_steps:
            # Act: each seat by its best response or by the average policy, whichever it plays in this game.
            turns = rollout.turns
            decay_steps = int(config.exploration_fraction * config.total_steps)
            epsilon = linear(step, config.exploration_initial_eps, config.exploration_final_eps, decay_steps)
            actions = behavior.act(turns, epsilon)
            responds = behavior.responds(turns.streams)
            builder.act(turns, actions)
            rollout.step(actions)
            step = rollout.decisions
            upkeep.progress(min(step, config.total_steps))

            # Store: all that happened for the best response, what best responses did for the average.
            for transitions in builder.complete(rollout.rewards * config.reward_scale, rollout.turns, rollout.ended):
                replay.add(transitions)
            masks = turns.masks[responds] != 0
            reservoir.add(Decisions(turns.observations[responds], masks, actions[responds]))
            behavior.start(rollout.ended)

            # Update both networks.
            best.learning_rate = linear(step, config.learning_rate, config.learning_rate_final, config.total_steps)
            average.learning_rate = linear(
                step, config.sl_learning_rate, config.sl_learning_rate_final, config.total_steps
            )
            updates_due = max(step - config.learning_starts, 0) // config.train_frequency
            while best.updates < updates_due and replay.size and reservoir.size:
                best.update(replay.sample(config.batch_size, device))
                average.update(reservoir.sample(config.batch_size, device))
            schedules = {tags.EPSILON: epsilon, tags.LEARNING_RATE: best.learning_rate}
            upkeep(step, schedules, best.statistics, average.statistics)
        results = upkeep.finish()
    return TrainingResult(f"{config.total_steps:,} steps", results, ("Checkpoint", upkeep.checkpoint))


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return run_script("nfsp.py", NFSPConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
