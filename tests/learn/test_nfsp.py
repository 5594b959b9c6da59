"""train/nfsp.py: reservoirs are uniform, averages keep to the legal actions, a seat keeps its policy for a game."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from test_learners import LEARNERS

from cardgym.engine.contract import Game
from cardgym.experiments.trainers import Trainer
from cardgym.learn.nfsp import AverageLearner, Behavior, Decisions, NFSPConfig, ReservoirBuffer
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.learn.saved_state import STATE_FILE, load_state
from cardgym.players.network_shapes import NetworkShape, network_shape
from cardgym.players.networks import NetworkPlayer, QNetwork
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer
from learning_game import trainer

SHORT = LEARNERS["nfsp"].config.replace(total_steps=2_000)


@pytest.fixture(scope="module")
def nfsp() -> Trainer:
    return trainer("nfsp")


# -- the reservoir ----------------------------------------------------------------------------------------------------


def decisions(first: int, count: int) -> Decisions:
    """Distinguishable decisions: their observation is their number."""
    numbers = np.arange(first, first + count)
    return Decisions(numbers[:, None].astype(np.float32), np.ones((count, 2), np.bool_), numbers % 2)


def kept_of(total: int, batch: int, capacity: int, seed: int) -> npt.NDArray[np.int64]:
    """The numbers of the decisions that a reservoir keeps, in ascending order."""
    buffer = ReservoirBuffer(capacity, 1, 2, np.random.default_rng(seed))
    for first in range(0, total, batch):
        buffer.add(decisions(first, min(batch, total - first)))
    assert buffer.added == total
    kept = buffer.filled
    numbers: npt.NDArray[np.int64] = np.sort(kept["observations"].reshape(-1).astype(np.int64))
    assert len(numbers) == min(total, capacity)
    assert set(kept["actions"]) <= {0, 1}
    return numbers


@pytest.mark.parametrize("batch", [7, 60, 200])
def test_reservoir_is_a_uniform_sample(batch: int) -> None:
    capacity, total, trials = 20, 200, 500
    counts = np.zeros(total)
    for seed in range(trials):
        numbers = kept_of(total, batch, capacity, seed)
        assert len(set(numbers.tolist())) == capacity  # Each at most once.
        counts[numbers] += 1
    share = capacity / total
    chi_square = float(((counts - trials * share) ** 2).sum() / (trials * share * (1 - share)))
    assert chi_square < total + 4 * np.sqrt(2 * total)  # Its mean and four standard deviations.


# -- the average policy -----------------------------------------------------------------------------------------------


def test_average_policy_learns_the_share_of_each_action_and_never_an_illegal_one() -> None:
    torch.manual_seed(1)
    network = PolicyNetwork(NetworkShape(1, 3, (16,)))
    with torch.no_grad():
        network.policy.bias[2] = 9.0  # Without the mask in the softmax, the illegal action would take nearly all.
    learner = AverageLearner(network, NFSPConfig(sl_learning_rate=0.01), torch.device("cpu"))
    actions = torch.tensor([0, 0, 0, 1] * 16)
    masks = torch.tensor([[True, True, False]]).expand(64, 3)
    batch = Decisions(torch.ones(64, 1), masks, actions)
    frozen = network.policy.bias[2].item()
    for _ in range(400):
        loss = learner.update(batch)
    shares = PolicyPlayer("average", network).probabilities(np.ones((1, 1), np.float32), np.array([[1, 1, 0]], np.int8))
    assert shares[0].tolist() == [pytest.approx(0.75, abs=0.01), pytest.approx(0.25, abs=0.01), 0.0]
    assert network.policy.bias[2].item() == frozen  # No gradient either.
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert loss.item() == pytest.approx(entropy, abs=1e-3)
    statistics = learner.statistics()
    assert set(statistics) == {"losses/sl_loss", "losses/entropy"}
    assert learner.statistics() == {}


# -- who plays what ---------------------------------------------------------------------------------------------------


def make_behavior(tiny: Game, eta: float, turns: int = 3) -> tuple[SelfPlayRollout, Behavior]:
    """A rollout of 64 games of two seats, with a best response that prefers the second of two legal actions."""
    options = tiny.parse_options({"turns": turns})
    torch.manual_seed(1)
    shape = network_shape(tiny, options, "plain", (8,), False)
    q_network, network = QNetwork(shape), PolicyNetwork(shape)
    with torch.no_grad():
        q_network.head.weight.zero_()
        q_network.head.bias.copy_(torch.tensor([0.0, 1.0, 0.0, 1.0, 5.0]))
        network.policy.bias.copy_(torch.tensor([30.0, 0.0, 30.0, 0.0, 50.0]))
    average = PolicyPlayer("average", network, "plain")
    rollout = SelfPlayRollout(tiny, options, 64, OpponentPool.parse(["self"]), average, seed=3)
    best = NetworkPlayer("best", q_network, "plain")
    return rollout, Behavior(best, average, rollout.num_streams, eta, np.random.default_rng(4))


@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
def test_seats_choose_a_policy_for_the_whole_game(tiny: Game, eta: float) -> None:
    rollout, behavior = make_behavior(tiny, eta)
    streams = np.arange(rollout.num_streams)
    played = []
    for _ in range(120):
        turns, before = rollout.turns, behavior.responds(streams)
        actions = behavior.act(turns, 0.0)
        # The best response takes the odd action, the average policy the even one; the fifth is never legal.
        assert (actions % 2 == before[turns.streams]).all()
        assert turns.masks[np.arange(len(actions)), actions].all()
        rollout.step(actions)
        behavior.start(rollout.ended)
        going_on = np.setdiff1d(streams, rollout.ended)
        assert (behavior.responds(going_on) == before[going_on]).all()
        played += behavior.responds(rollout.ended).tolist()
    error = np.sqrt(eta * (1 - eta) / len(played))
    assert np.mean(played) == pytest.approx(eta, abs=4 * error + 1e-12)


def test_only_the_best_response_explores(tiny: Game) -> None:
    rollout, behavior = make_behavior(tiny, 0.5)
    responds = behavior.responds(rollout.turns.streams)
    actions = behavior.act(rollout.turns, 1.0)
    assert (actions[~responds] % 2 == 0).all()
    assert set((actions[responds] % 2).tolist()) == {0, 1}
    assert rollout.turns.masks[np.arange(len(actions)), actions].all()


# -- the script -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [0.1, 1.0])
def test_only_best_response_decisions_enter_the_reservoir(
    nfsp: Trainer, tiny: Game, tmp_path: Path, eta: float
) -> None:
    nfsp.train(SHORT.replace(anticipatory_param=eta), tmp_path, False)
    state = load_state(tmp_path / STATE_FILE)
    decided = state["rollout"]["decisions"]
    assert state["reservoir"]["added"] == pytest.approx(eta * decided, rel=0.0 if eta == 1.0 else 0.3)
    assert state["replay"]["size"] > 0.9 * decided  # Transitions of both policies.
    assert state["best"]["updates"] == state["average"]["updates"] > 50
