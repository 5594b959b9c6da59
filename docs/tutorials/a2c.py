"""Advantage actor-critic in self-play: `python docs/tutorials/a2c.py --env-id KuhnPoker-v0`."""

import sys

import torch
from torch.nn import functional

from cardgym.learn.config import Items, NetworkConfig
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.run import run_script
from cardgym.learn.turns import TurnBuffer
from cardgym.players import sample_actions
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities


class A2CConfig(NetworkConfig):
    """Advantage actor-critic."""

    opponents: Items[str] = ("self=1",)
    """Who plays the other seats, each as name=weight."""
    num_steps: int = 8
    """Steps of every game from one update to the next."""
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


def train(config: A2CConfig, training: NetworkTraining) -> None:
    """Learn until the last step."""
    network = training.warm_start(training.policy_network(config.hidden_sizes))
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
    player = PolicyPlayer("learner", network, training.observation)
    rollout = training.rollout(player)
    capacity = config.num_envs * config.num_steps + rollout.num_streams
    buffer = TurnBuffer(rollout.num_streams, capacity, training.observation_size, training.num_actions)
    generator = training.generator(2)
    training.start(
        rollout, player, lambda: network,
        network=network, optimizer=optimizer, buffer=buffer, generator=generator,
    )  # fmt: skip

    while training.step < config.total_steps:
        for _ in range(config.num_steps):
            turns = rollout.turns
            with torch.no_grad():
                logits, values = network(torch.from_numpy(turns.observations))
                log_probs = log_probabilities(logits, torch.from_numpy(turns.masks).bool())
            actions = sample_actions(log_probs.exp().numpy(), generator.random(len(log_probs)))
            chosen = log_probs.gather(1, torch.from_numpy(actions)[:, None])[:, 0]
            buffer.act(turns, actions, chosen.numpy(), values.numpy())
            rollout.step(actions)
            buffer.pay(rollout.rewards, rollout.ended)

        optimizer.zero_grad()
        loss(network, buffer.take(gamma=1.0, gae_lambda=0.95), config.ent_coef).backward()
        optimizer.step()
        training.report()


if __name__ == "__main__":
    sys.exit(run_script("a2c.py", A2CConfig, NetworkTraining.running(train), sys.argv[1:]))
