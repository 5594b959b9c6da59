"""The learner of DQN: its update, its target network and its state."""

from typing import Any

import pytest
import torch
from torch.nn.functional import smooth_l1_loss

from cardgym.errors import CardgymError
from cardgym.learn.dqn import DQNConfig, DQNLearner, td_target
from cardgym.learn.network_training import choose_device
from cardgym.learn.replay import Transitions
from cardgym.players.network_shapes import NetworkShape
from cardgym.players.networks import QNetwork


def make_learner(**settings: Any) -> DQNLearner:
    torch.manual_seed(2)
    shape = NetworkShape(inputs=3, actions=4, hidden_sizes=(8,))
    defaults: dict[str, Any] = {"double": True, "gamma": 0.9, "learning_rate": 0.01, "target_update_interval": 1000}
    return DQNLearner(QNetwork(shape), DQNConfig(**{**defaults, **settings}))


def make_batch(rows: int = 64) -> Transitions:
    generator = torch.Generator().manual_seed(3)
    return Transitions(
        torch.randn(rows, 3, generator=generator),
        torch.randint(4, (rows,), generator=generator),
        torch.randn(rows, generator=generator),
        torch.randn(rows, 3, generator=generator),
        torch.ones(rows, 4, dtype=torch.bool),
        torch.arange(rows) % 5 == 0,
    )


def weights_of(network: QNetwork) -> torch.Tensor:
    return torch.cat([values.detach().flatten() for values in network.parameters()])


@pytest.mark.parametrize("double", [True, False])
def test_update_returns_and_lowers_the_huber_loss(double: bool) -> None:
    learner, batch = make_learner(double=double), make_batch()
    with torch.no_grad():
        learner.network.head.weight.mul_(-1.0)  # The two networks are equal at the start, and so would the targets be.
        ahead = learner.target(batch.next_observations)
        chosen_by = learner.network(batch.next_observations) if double else ahead
        target = td_target(batch.rewards, batch.done, 0.9, chosen_by, ahead, batch.next_masks)
        values = learner.network(batch.observations)[torch.arange(64), batch.actions]
    first = learner.update(batch)
    assert torch.equal(first, smooth_l1_loss(values, target))
    assert not first.requires_grad
    for _ in range(200):
        last = learner.update(batch)
    assert last < 0.5 * first
    assert learner.updates == 201


@pytest.mark.parametrize("tau", [1.0, 0.25])
def test_target_network_moves_at_its_interval(tau: float) -> None:
    learner, batch = make_learner(target_update_interval=3, tau=tau), make_batch()
    start = weights_of(learner.target)
    for _ in range(2):
        learner.update(batch)
        assert torch.equal(weights_of(learner.target), start)
    learner.update(batch)
    torch.testing.assert_close(weights_of(learner.target), start + tau * (weights_of(learner.network) - start))


def test_long_gradients_are_clipped() -> None:
    learner = make_learner(max_grad_norm=1e-3)
    learner.update(make_batch())
    norm = torch.cat(
        [values.grad.flatten() for values in learner.network.parameters() if values.grad is not None]
    ).norm()
    assert norm.item() == pytest.approx(1e-3, rel=1e-3)


def test_statistics_are_means_since_the_last_call() -> None:
    learner, batch = make_learner(), make_batch()
    assert learner.statistics() == {}
    losses = [learner.update(batch).item() for _ in range(4)]
    statistics = learner.statistics()
    assert statistics["losses/td_loss"] == pytest.approx(sum(losses) / 4)
    assert set(statistics) == {"losses/td_loss", "losses/q_values"}
    assert learner.statistics() == {}


def test_cuda_without_a_gpu_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(CardgymError, match="no GPU"):
        choose_device("cuda")
    assert choose_device("auto") == choose_device("cpu") == torch.device("cpu")
