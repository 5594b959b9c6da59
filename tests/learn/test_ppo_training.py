"""PPO: its learner, normalized inputs, a critic of all seats, and its player."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_learners import LEARNERS

from cardgym import find
from cardgym.arena import evaluate
from cardgym.engine.cache import plain_function
from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.experiments.trainers import Trainer
from cardgym.learn import tags
from cardgym.learn.distinct import Distinct
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.ppo import PPOConfig, PPOLearner
from cardgym.learn.ppo_networks import CentralCritic, folded, insert, measure
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.tensorboard import read_curves
from cardgym.learn.turns import TurnBatch
from cardgym.players import resolve
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.network_shapes import NetworkShape, network_shape
from cardgym.players.networks import QNetwork
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer
from cardgym.solvers.exact import tree_exploitability
from cardgym.solvers.strategies import known_strategy
from cardgym.solvers.tree import enumerate_tree
from learning_game import trainer

QUICK: Any = LEARNERS["ppo"].config


@pytest.fixture(scope="module")
def ppo() -> Trainer:
    return trainer("ppo")


# -- the learner ------------------------------------------------------------------------------------------------------


def learner_and_batch(**changes: Any) -> tuple[PPOLearner, TurnBatch]:
    torch.manual_seed(1)
    config = QUICK.replace(update_epochs=1, num_minibatches=1, **changes)
    learner = PPOLearner(PolicyNetwork(NetworkShape(3, 4, (8,))), config, torch.device("cpu"), np.random.default_rng(1))
    generator = np.random.default_rng(2)
    observations = generator.normal(size=(64, 3)).astype(np.float32)
    masks = generator.random((64, 4)) < 0.6
    masks[np.arange(64), generator.integers(0, 4, 64)] = True
    actions, log_probs, values = learner.act(observations, masks.astype(np.int8))
    assert masks[np.arange(64), actions].all()
    advantages = generator.normal(size=64).astype(np.float32)
    others = np.zeros((64, 0), np.float32)
    return learner, TurnBatch(observations, others, masks, actions, log_probs, values, advantages, values + advantages)


@pytest.mark.parametrize("magnet", ["none", "ema", "uniform"])
def test_first_step_of_an_update_has_ratio_1(magnet: str) -> None:
    learner, batch = learner_and_batch(magnet=magnet)
    learner.update(batch)
    statistics = learner.statistics()
    assert statistics["losses/approx_kl"] == pytest.approx(0.0, abs=1e-7)
    assert statistics["losses/clipfrac"] == 0.0
    assert statistics["losses/policy_loss"] == pytest.approx(
        0.0, abs=1e-6
    )  # Advantages are normalized: their mean is 0.
    if magnet != "uniform":
        assert statistics["losses/magnet_kl"] == pytest.approx(0.0, abs=1e-7)


def test_strong_magnet_keeps_the_policy_close() -> None:
    drifts = {}
    for coef in (0.0, 10.0):
        learner, batch = learner_and_batch(magnet_tau=0.0, magnet_coef=coef, learning_rate=0.01)
        before = torch.cat([values.detach().flatten() for values in learner.magnet.parameters()])
        for _ in range(100):
            learner.update(batch)
        after = torch.cat([values.detach().flatten() for values in learner.magnet.parameters()])
        assert torch.equal(before, after)
        drifts[coef] = learner.statistics()["losses/approx_kl"]
    assert drifts[10.0] < 0.2 * drifts[0.0]


def test_forward_divergence_brings_back_an_action_that_was_given_up() -> None:
    shares = {}
    for forward in (False, True):
        learner, batch = learner_and_batch(forward_kl=forward, magnet="none", ent_coef=0.1, norm_adv=False)
        with torch.no_grad():
            learner.network.policy.bias[0] = -15.0
        for _ in range(200):
            learner.update(batch._replace(advantages=np.zeros(64, np.float32)))
        logits = learner.network(torch.tensor(batch.observations))[0]
        shares[forward] = torch.softmax(logits, dim=1)[:, 0].mean().item()
    assert shares[False] < 0.001
    assert shares[True] > 0.1


# -- the inputs, and a critic of the whole table ----------------------------------------------------------------------


def rollout_of(tiny: Game, player: PolicyPlayer) -> SelfPlayRollout:
    return SelfPlayRollout(tiny, tiny.parse_options(), 64, OpponentPool.parse(("self=1",)), player, seed=3)


def test_normalized_inputs_have_mean_0_and_deviation_1_and_fold_into_the_first_layer(tiny: Game) -> None:
    options = tiny.parse_options()
    network = PolicyNetwork(network_shape(tiny, options, "plain", (8,), dueling=False))
    player = PolicyPlayer("first", network, "plain")
    normalizer = measure(rollout_of(tiny, player), player, np.random.default_rng(1), others=True)

    rollout, seen = rollout_of(tiny, player), []
    while rollout.decisions < 20_000:
        seen.append(np.concatenate([rollout.turns.observations, rollout.others()], axis=1))
        rollout.step(player.act(rollout.turns.observations, rollout.turns.masks, np.random.random(len(seen[-1]))))
    inputs = torch.tensor(np.concatenate(seen))
    normal = normalizer(inputs)
    differing = inputs.std(0) > 0
    assert 2 * network.shape.inputs == len(differing) >= differing.sum() > 4
    torch.testing.assert_close(normal.mean(0), torch.zeros(len(differing)), atol=0.05, rtol=0)
    torch.testing.assert_close(normal.std(0)[differing], torch.ones(int(differing.sum())), atol=0.05, rtol=0)

    own = inputs[:100, : network.shape.inputs]
    plain = copy.deepcopy(network)
    insert(network, normalizer, same_function=False)
    torch.testing.assert_close(folded(network)(own), network(own))
    insert(plain, normalizer, same_function=True)
    before, after = folded(plain)(own), plain(own)
    torch.testing.assert_close(before, after)
    assert not torch.allclose(network(own)[1], after[1])  # The same new weights mean another function.


def test_others_are_the_observations_of_the_other_seats(tiny: Game) -> None:
    options = tiny.parse_options()
    network = PolicyNetwork(network_shape(tiny, options, "plain", (8,), dueling=False))
    write = plain_function(tiny.observation("plain").write)
    rollout = rollout_of(tiny, PolicyPlayer("first", network, "plain"))
    for _ in range(5):
        streams, _, masks = rollout.turns
        states, seats = rollout.states, 1 - streams % 2
        expected = np.zeros((len(seats), network.shape.inputs), np.float32)
        for row, seat in enumerate(seats):
            write(states[row], int(seat), expected[row])
        np.testing.assert_array_equal(rollout.others(), expected)
        rollout.step(masks.argmax(axis=1))


def test_critic_of_all_seats_learns_from_their_observations(tiny: Game) -> None:
    torch.manual_seed(1)
    config = QUICK.replace(critic="all", magnet="none", vf_coef=1.0, norm_adv=False)
    critic = CentralCritic(3 + 3, (16,))
    learner = PPOLearner(
        PolicyNetwork(NetworkShape(3, 4, (8,))), config, torch.device("cpu"), np.random.default_rng(1), critic
    )
    generator = np.random.default_rng(2)
    observations, others = generator.normal(size=(2, 256, 3)).astype(np.float32)
    returns = others[:, 0]  # The seat itself sees nothing of it.
    masks = np.ones((256, 4), np.bool_)
    for _ in range(100):
        actions, log_probs, values = learner.act(observations, masks.astype(np.int8), others)
        no_advantage = np.zeros(256, np.float32)
        learner.update(TurnBatch(observations, others, masks, actions, log_probs, values, no_advantage, returns))
    values = learner.act(observations, masks.astype(np.int8), others)[2]
    assert np.corrcoef(values, returns)[0, 1] > 0.95
    own = learner.network(torch.tensor(observations))[1].detach().numpy()
    assert np.corrcoef(own, returns)[0, 1] < 0.8


def test_network_reads_equal_rows_once_and_gives_every_row_its_own_output() -> None:
    torch.manual_seed(1)
    network = PolicyNetwork(NetworkShape(3, 4, (8,)))
    generator = torch.Generator().manual_seed(2)
    for kinds, kept in ((5, 5), (1, 1), (2000, 1000)):
        numbers = torch.randint(kinds, (1000,), generator=generator) if kinds < 1000 else torch.arange(1000)
        rows = torch.randn(kinds, 3, generator=generator)[numbers]
        table = Distinct.of(rows)
        taken = torch.randperm(1000, generator=generator)[:300]
        assert (len(table.table), len(table.take(taken).table)) == (kept, min(kept, 300))
        for some, shown in ((table, rows), (table.take(taken), rows[taken])):
            outputs, expected = some.through(network), network(shown)
            gradients = [
                torch.autograd.grad(of[1].square().sum(), network.value.weight)[0] for of in (outputs, expected)
            ]
            for pair in (*zip(outputs, expected, strict=True), gradients):
                torch.testing.assert_close(*pair, rtol=1e-4, atol=1e-4)


# -- the player -------------------------------------------------------------------------------------------------------


def test_sampling_player_draws_from_its_games_own_generators(ppo: Trainer, tiny: Game, tmp_path: Path) -> None:
    ppo.train(QUICK.replace(total_steps=300), tmp_path, False)
    options = tiny.parse_options()
    path = tmp_path / "model.safetensors"
    reports = [
        evaluate(tiny, options, [path, "perfect"], games=games, seed=1).players[0].win_rate for games in (200, 200)
    ]
    assert reports[0] == reports[1]
    greedy = evaluate(tiny, options, [f"{path}:greedy", "perfect"], games=200, seed=1).players[0].win_rate
    assert greedy != reports[0]


def test_greedy_is_for_policy_networks(tiny: Game, tmp_path: Path) -> None:
    options = tiny.parse_options()
    shape = network_shape(tiny, options, "plain", (8,), dueling=False)
    save_checkpoint(tmp_path / "q.safetensors", QNetwork(shape), tiny, options, "plain")
    with pytest.raises(CardgymError, match="a Q-network, which is always greedy"):
        resolve(f"{tmp_path / 'q.safetensors'}:greedy", tiny, options)
    with pytest.raises(CardgymError, match="no such file"):
        resolve(f"{tmp_path / 'none.safetensors'}:greedy", tiny, options)


def test_exact_exploitability_is_logged_where_the_game_is_small(ppo: Trainer, tmp_path: Path) -> None:
    config = QUICK.replace(env_id="KuhnPoker-v0", eval_opponents=(), eval_every=5_000, threshold=0.2)
    ppo.train(config, tmp_path, False)
    steps, values = read_curves(tmp_path)[tags.EXPLOITABILITY]
    assert len(steps) == 2
    assert all(0 < value < 0.5 for value in values)
    game = find("KuhnPoker-v0")
    player = resolve(tmp_path / "model.safetensors", game, game.parse_options())
    strategy = known_strategy(enumerate_tree(game, game.parse_options()), player)
    assert strategy is not None
    assert strategy[strategy > 0].min() >= 0.2
    assert (strategy == 0).any()
    exact = tree_exploitability(game, game.parse_options(), player)
    assert exact is not None
    assert json.loads((tmp_path / "results.json").read_text())["exploitability"] == pytest.approx(exact[0], rel=1e-4)


# -- a small game -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "magnet_coef"),
    [
        (["--env-id", "KuhnPoker-v0"], 0.3),
        (["--env-id", "KuhnPoker-v0", "--magnet-coef", "0.2"], 0.2),
        (["--env-id", "KuhnPoker-v0", "--config", "corellian_spike/ppo"], 0.5),
        (["--env-id", "CorellianSpike-v0"], 0.1),
    ],
    ids=["small", "flag", "config", "large"],
)
def test_small_game_is_regularized_more(words: list[str], magnet_coef: float, tmp_path: Path) -> None:
    configs: list[PPOConfig] = []

    def train(config: PPOConfig, folder: Path, resume: bool) -> TrainingResult:
        configs.append(config)
        return TrainingResult("0 steps", {}, ("Checkpoint", folder))

    assert run_script("ppo.py", PPOConfig, train, [*words, "--out", str(tmp_path)]) == 0
    assert configs[0].magnet_coef == magnet_coef
