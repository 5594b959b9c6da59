"""Advantage actor-critic in self-play: `python docs/tutorials/a2c.py --env-id KuhnPoker-v0`."""

import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from cardgym import find
from cardgym.console.progress import Progress
from cardgym.learn.config import EvaluationConfig, GameConfig, HiddenSizes, Items
from cardgym.learn.evaluation import evaluate_learner, log_evaluation, summary, write_results
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.ppo.turns import TurnBuffer
from cardgym.learn.resume import STATE_FILE, load_parts, save_parts
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import crossed
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players.actions import sample_actions
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.networks import network_shape
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities


class A2CConfig(EvaluationConfig, GameConfig):
    """Advantage actor-critic."""

    opponents: Items[str] = ("self=1",)
    """Who plays the other seats, each as name=weight."""
    total_steps: int = 200_000
    """How many decisions the learner takes."""
    num_envs: int = 256
    """How many games are played side by side."""
    num_steps: int = 8
    """Steps of every game from one update to the next."""
    hidden_sizes: HiddenSizes = (64, 64)
    """Units of each hidden layer."""
    learning_rate: float = 1e-3
    """Adam's step size."""
    ent_coef: float = 0.02
    """The weight of the entropy bonus."""

    @property
    def algorithm_name(self) -> str:
        """The name of its runs."""
        return "a2c"


def loss(network: PolicyNetwork, batch, ent_coef: float):
    """The policy gradient with advantages, the critic's squared error, and an entropy bonus."""
    logits, values = network(torch.from_numpy(batch.observations))
    log_probs = log_probabilities(logits, torch.from_numpy(batch.masks))
    advantages = torch.from_numpy(batch.advantages)
    chosen = log_probs.gather(1, torch.from_numpy(batch.actions)[:, None])[:, 0]
    entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
    policy_loss = -(chosen * (advantages - advantages.mean()) / (advantages.std() + 1e-8)).mean()
    value_loss = functional.mse_loss(values, torch.from_numpy(batch.returns))
    return policy_loss + 0.5 * value_loss - ent_coef * entropy


def train(config: A2CConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from the state saved there."""
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    game = find(config.env_id)
    options = game.parse_options(config.env_options)
    observation = config.observation or game.default_observation
    shape = network_shape(game, options, observation, config.hidden_sizes, dueling=False)
    network = PolicyNetwork(shape)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
    player = PolicyPlayer("learner", network, observation)
    pool = OpponentPool.parse(config.opponents)
    rollout = SelfPlayRollout(game, options, config.num_envs, pool, player, seed=config.seed, seat=config.seat)
    capacity = config.num_envs * config.num_steps + rollout.num_streams
    buffer = TurnBuffer(rollout.num_streams, capacity, shape.inputs, shape.actions)
    sampler = torch.Generator().manual_seed(config.seed)

    parts = {"network": network, "optimizer": optimizer, "rollout": rollout, "buffer": buffer}
    if resume and (folder / STATE_FILE).exists():
        load_parts(folder / STATE_FILE, config, parts)
    step = rollout.decisions
    with TensorBoard(folder, step) as board, Progress("training", "steps", total=config.total_steps) as progress:
        while step < config.total_steps:
            last_step = step
            for _ in range(config.num_steps):
                turns = rollout.turns
                with torch.no_grad():
                    logits, values = network(torch.from_numpy(turns.observations))
                    log_probs = log_probabilities(logits, torch.from_numpy(turns.masks).bool())
                    draws = torch.rand(len(log_probs), generator=sampler)
                    actions = sample_actions(log_probs.exp().numpy(), draws.numpy())
                buffer.act(turns, actions, log_probs.numpy()[np.arange(len(actions)), actions], values.numpy())
                rollout.step(actions)
                buffer.pay(rollout.rewards, rollout.ended)
            step = rollout.decisions
            progress(min(step, config.total_steps))

            optimizer.zero_grad()
            loss(network, buffer.take(gamma=1.0, gae_lambda=0.95), config.ent_coef).backward()
            optimizer.step()

            if config.eval_opponents and crossed(config.eval_every, last_step, step):
                results = evaluate_learner(game, options, player, config.eval_opponents, games=config.eval_games)
                progress.note(summary(log_evaluation(board, step, results)))
            if crossed(config.save_every, last_step, step) or step >= config.total_steps:
                save_checkpoint(folder / "model.safetensors", network, game, options, observation, config.model_dump())
                save_parts(folder / STATE_FILE, config, parts)
        results = evaluate_learner(game, options, player, config.eval_opponents, games=config.final_games)
        write_results(folder, board, config.model_dump(), step, results)
    return TrainingResult(f"{step:,} steps", results, ("Checkpoint", folder / "model.safetensors"))


if __name__ == "__main__":
    sys.exit(run_script("a2c.py", A2CConfig, train, sys.argv[1:]))
