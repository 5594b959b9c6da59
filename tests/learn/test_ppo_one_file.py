"""examples/ppo_one_file.py: it learns, and its advantages are those of the library."""

import numpy as np

import ppo_one_file as ppo
from cardgym import find
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.turns import TurnBuffer
from cardgym.solvers.best_response import exploitability
from cardgym.solvers.tree import enumerate_tree


def test_one_file_ppo_approaches_the_equilibrium_of_kuhn_poker() -> None:
    game = find("KuhnPoker-v0")
    tree = enumerate_tree(game, game.parse_options())
    player = ppo.train(ppo.Args(total_steps=200_000))
    found = exploitability(tree, tree.strategy(player.probabilities(*tree.look())))
    assert exploitability(tree, tree.uniform()) > 0.45
    assert found < 0.15


def test_turns_have_the_advantages_of_the_turn_buffer() -> None:
    game = find("KuhnPoker-v0")
    args = ppo.Args(gamma=0.9, gae_lambda=0.8)
    player = ppo.AgentPlayer(ppo.Agent(1, 1, 1))
    rollout = SelfPlayRollout(game, game.parse_options(), 8, OpponentPool.parse(["self=1"]), player, seed=1)
    size = rollout.turns.observations.shape[1]
    buffer = TurnBuffer(rollout.num_streams, 1000, size, rollout.turns.masks.shape[1])
    generator = np.random.default_rng(2)
    steps = []
    for _ in range(3):
        for _ in range(5):
            turns = rollout.turns
            actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in turns.masks])
            log_probs, values = generator.random((2, len(actions))).astype(np.float32)
            buffer.act(turns, actions, log_probs, values)
            rollout.step(actions)
            buffer.pay(rollout.rewards, rollout.ended)
            fields = {"observations": turns.observations, "actions": actions, "log_probs": log_probs, "values": values}
            steps.append(ppo.Step(turns.streams, fields, rollout.rewards, rollout.ended))
        batch, steps = ppo.complete_turns(steps, args)
        expected = buffer.take(args.gamma, args.gae_lambda)
        ours = sorted(zip(batch["log_probs"], batch["advantages"], batch["returns"], strict=True))
        theirs = sorted(zip(expected.log_probs, expected.advantages, expected.returns, strict=True))
        np.testing.assert_allclose(np.array(ours), np.array(theirs), atol=1e-5)
