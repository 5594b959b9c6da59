"""Why PPO stays exploitable in Leduc poker: too few updates, advantages that are mostly luck, or actions given up?

    python research/ppo_noise.py

It trains a policy network for Leduc poker, but nothing is sampled: the tree gives the advantage of every action at
every information set, and each set counts as often as self-play reaches it. Then noise is added, as much as the mean of
a batch's sampled advantages has. The loss is the expected advantage with PPO's entropy bonus and magnet, or with the
divergences from both to the policy (`forward_kl`); the entropy bonus falls and the learning rate fades as in training.
"""

from __future__ import annotations

import copy
import itertools
import time

import numpy as np
import numpy.typing as npt
import torch

from cardgym import find
from cardgym.engine.compilation import compiled
from cardgym.learn.learner import entropy
from cardgym.learn.ppo_loss import uniform_log_probs
from cardgym.players.network_shapes import network_shape
from cardgym.players.policy_networks import PolicyNetwork, log_probabilities
from cardgym.solvers.best_response import exploitability, reach_probabilities
from cardgym.solvers.tree import GameTree, Strategy, TreeArrays, enumerate_tree

Floats = npt.NDArray[np.float64]
SCALE = 3.0
"""The standard deviation of a sampled advantage, in chips; PPO divides by it."""
BATCH = 16_384
STEPS = 8
"""Steps of Adam in an update, on all information sets; training takes 16, on minibatches."""
UPDATES = 488
"""As many as 8,000,000 decisions make."""
NOISES = (0.0, 1 / 3, 1.0)
"""Shares of the noise that sampling has."""


def kl_divergence(all_log_probs: torch.Tensor, other_log_probs: torch.Tensor) -> torch.Tensor:
    """KL(p || q) of each row, in nats."""
    return (all_log_probs.exp() * (all_log_probs - other_log_probs)).sum(dim=1)


def main() -> None:
    """Print a table in Markdown."""
    game = find("LeducPoker-v0")
    tree = enumerate_tree(game, game.parse_options())
    print("| forward_kl | noise | last weights | average weights | average policy | processor time |")
    print("|---|---|---|---|---|---|")
    for forward, noise in itertools.product((False, True), NOISES):
        start = time.process_time()
        last, weights, policy = (exploitability(tree, found) for found in train(tree, noise, forward))
        seconds = time.process_time() - start
        print(f"| {forward} | {noise:.2f} | {last:.3f} | {weights:.3f} | {policy:.3f} | {seconds:.0f} s |", flush=True)


def train(tree: GameTree, noise: float, forward: bool) -> tuple[Strategy, Strategy, Strategy]:
    """The strategies of the last weights, of the averaged weights, and the average of all policies by reach."""
    torch.manual_seed(1)
    generator = np.random.default_rng(1)
    observations, legal = (torch.from_numpy(array) for array in tree.look())
    masks = legal.bool()
    network = PolicyNetwork(network_shape(tree.game, tree.options, tree.observation_name, (128, 128), False))
    uniform = uniform_log_probs(masks)
    magnet, averaged = (copy.deepcopy(network).requires_grad_(False) for _ in range(2))
    optimizer = torch.optim.Adam(network.parameters(), eps=1e-5)
    sets = np.repeat(np.arange(tree.num_info_sets), np.diff(tree.arrays.first_choice))

    def strategy(of: PolicyNetwork) -> Strategy:
        with torch.no_grad():
            return tree.strategy(log_probabilities(of(observations)[0], masks).exp().numpy())

    total = np.zeros(tree.num_choices)
    for update in range(UPDATES):
        left = 1 - update / UPDATES
        optimizer.param_groups[0]["lr"] = 2e-3 * left + 1e-5
        current = strategy(network)
        advantages, reach, own_reach = exact_advantages(tree, current, sets)
        total += own_reach[sets] * current * (update + 1)
        shares = reach / reach.sum()
        visits = np.maximum(BATCH * shares[sets] * current, 1.0)
        advantages = advantages / SCALE + generator.normal(size=len(sets)) * noise / np.sqrt(visits)
        table = torch.zeros(masks.shape)
        table[sets, tree.choice_actions] = torch.tensor(advantages, dtype=torch.float32)
        weights = torch.tensor(shares, dtype=torch.float32)
        with torch.no_grad():
            attractor = log_probabilities(magnet(observations)[0], masks)
        for _ in range(STEPS):
            log_probs = log_probabilities(network(observations)[0], masks)
            gain = (log_probs.exp() * table).sum(1)
            if forward:
                bonus, pull = -kl_divergence(uniform, log_probs), kl_divergence(attractor, log_probs)
            else:
                bonus, pull = entropy(log_probs), kl_divergence(log_probs, attractor)
            loss = -(weights * (gain + (0.01 + 0.14 * left) * bonus - 0.5 * pull)).sum()
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
        for follower, tau in ((magnet, 0.05), (averaged, max(0.01, 1 / (update + 1)))):
            for old, new in zip(follower.parameters(), network.parameters(), strict=True):
                old.lerp_(new.detach(), tau)
    policy = total / np.add.reduceat(total, tree.arrays.first_choice[:-1])[sets]
    return strategy(network), strategy(averaged), policy


def exact_advantages(tree: GameTree, strategy: Strategy, sets: npt.NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """The advantage of each choice, how often play reaches each set, and how far its seat's own actions lead there."""
    values, weights, reach = np.zeros(len(sets)), np.zeros(tree.num_info_sets), np.zeros(tree.num_info_sets)
    everyone = reach_probabilities(tree, strategy, -1)
    for seat in range(2):
        _add_values(
            tree.arrays, strategy, seat, reach_probabilities(tree, strategy, seat), everyone, values, weights, reach
        )
    values /= np.maximum(weights, 1e-300)[sets]
    advantages = values - np.add.reduceat(strategy * values, tree.arrays.first_choice[:-1])[sets]
    return advantages, reach, reach / np.maximum(weights, 1e-300)


@compiled
def _add_values(
    tree: TreeArrays,
    strategy: Floats,
    seat: int,
    others: Floats,
    everyone: Floats,
    values: Floats,
    weights: Floats,
    reach: Floats,
) -> None:
    """Add the seat's values of its choices times the others' reach, and both kinds of reach of its sets."""
    worth = np.zeros(others.shape[0])
    for end in range(tree.payments.shape[0]):
        worth[worth.shape[0] - 1 - end] = tree.payments[end, seat]
    for node in range(tree.seats.shape[0]):
        found = tree.info_sets[node]
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            choice = tree.first_choice[found] + edge - tree.first_edge[node] if found >= 0 else 0
            share = tree.chances[edge] if found < 0 else strategy[choice]
            worth[node] += share * worth[tree.targets[edge]]
            if tree.seats[node] == seat:
                values[choice] += others[node] * worth[tree.targets[edge]]
        if tree.seats[node] == seat:
            weights[found] += others[node]
            reach[found] += everyone[node]


if __name__ == "__main__":
    main()
