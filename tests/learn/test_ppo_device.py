"""PPO on one device: its games, turns and steps are those of `cardgym.learn.ppo`, and a GPU could record the steps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_learners import LEARNERS
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from cardgym.engine.contract import Game
from cardgym.engine.kernel import ANY_SEAT
from cardgym.errors import CardgymError
from cardgym.learn.ppo_device import DeviceGames, DeviceLearner, DeviceTurns
from cardgym.learn.rollouts import Turns
from cardgym.learn.turns import TurnBatch, TurnBuffer
from cardgym.players.network_shapes import NetworkShape
from cardgym.players.policy_networks import PolicyNetwork
from learning_game import trainer

CPU = torch.device("cpu")
CONFIG: Any = LEARNERS["ppo"].config.replace(device_games=True, opponents=("self=1",))


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_turns_have_the_advantages_of_the_turn_buffer(tiny: Game, opponent: str) -> None:
    games = DeviceGames(tiny, tiny.parse_options({"turns": 2}), 3, "plain", opponent, ANY_SEAT, 1, CPU)
    turns = DeviceTurns(games, 5)
    expected = TurnBuffer(games.num_streams, turns.size, games.observations.shape[1], 5)
    generator = torch.Generator().manual_seed(1)
    for _ in range(4):
        for _ in range(5):
            live, seen = (games.streams < games.num_streams).numpy(), games.observations.numpy().copy()
            masks, streams = games.masks.numpy(), games.streams.numpy()
            actions = torch.multinomial(games.masks.float(), 1, generator=generator)[:, 0]
            log_probs, values = torch.randn(3, generator=generator), torch.randn(3, generator=generator)
            given = [array.numpy()[live] for array in (actions, log_probs, values)]
            turns.act(games, actions, log_probs, values)
            expected.act(Turns(streams[live], seen[live], masks[live]), *given)
            games.step(actions)
            turns.pay(games.rewards, games.ended)
            expected.pay(games.rewards.numpy(), np.flatnonzero(games.ended))
        batch, complete = turns.take(0.9, 0.8)
        wanted = expected.take(0.9, 0.8)
        found = [field[complete].numpy() for field in batch]
        for one, two in zip(found, wanted, strict=True):  # In the order of their values, which differ.
            np.testing.assert_allclose(one[found[5].argsort()], two[wanted.values.argsort()], rtol=1e-5, atol=1e-6)
    games.count()
    assert games.decisions > 40


def test_episodes_are_those_that_ended(tiny: Game) -> None:
    games = DeviceGames(tiny, tiny.parse_options({"turns": 2}), 3, "plain", "self", ANY_SEAT, 1, CPU)
    assert games.statistics() == {}
    paid = torch.zeros(6)
    for _ in range(4):  # Two turns of each of two seats.
        games.step(games.masks.argmax(1))
        paid += games.rewards
    assert games.ended.all()
    assert games.statistics() == {
        "charts/episodic_return": pytest.approx(paid.mean().item()),
        "charts/episodic_length": 2,
    }


@pytest.mark.parametrize("changes", [{"critic": "all"}, {"opponents": ("self=1", "random=1")}])
def test_what_cannot_be_done_on_a_device_is_refused(tiny: Game, tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(CardgymError, match=f"device_games: not with this {next(iter(changes))}"):
        trainer("ppo").train(CONFIG.replace(**changes), tmp_path, False)


def rows(count: int) -> TurnBatch:
    """Turns of 3 inputs and 4 actions; the magnet is uniform and every turn counts."""
    numbers = [torch.zeros(count) for _ in range(4)]
    magnet = torch.full((count, 4), -np.log(4.0))
    others, actions = torch.cat([torch.ones(count, 1), magnet], dim=1), torch.zeros(count, dtype=torch.int64)
    return TurnBatch(torch.ones(count, 3), others, torch.ones(count, 4).bool(), actions, *numbers)


@pytest.mark.filterwarnings("ignore:Accessing the data pointer of FakeTensor")  # PyTorch's own copy of a network.
def test_steps_that_a_gpu_records_read_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PolicyNetwork, "to", lambda self, device: self)  # Such tensors cannot be moved.
    with FakeTensorMode():  # Tensors without numbers: to read one, or to make a shape of some, raises.
        learner = DeviceLearner(PolicyNetwork(NetworkShape(3, 4, (8,))), CONFIG, CPU, np.random.default_rng(1))
        learner.device = torch.device("cuda")  # On a processor a loss that is not finite is noticed at once.
        learner._seen = torch.ones(5, 3), torch.ones(5, 4).bool(), torch.zeros(5, 1)
        learner._choose()
        learner._rows, learner._numbers = rows(40), (torch.zeros(10, dtype=torch.int64),)
        learner._learn()
        with pytest.raises(DataDependentOutputException):
            float(learner._sums[0])


def test_steps_that_a_gpu_records_find_their_tensors_where_they_were() -> None:
    learner = DeviceLearner(PolicyNetwork(NetworkShape(3, 4, (8,))), CONFIG, CPU, np.random.default_rng(1))

    def places() -> list[int]:
        state = [part for parts in learner.optimizer.state.values() for part in parts.values()]
        rate = learner.optimizer.param_groups[0]["lr"]
        read = [*learner._rows, *learner._numbers, learner._ent_coef, learner._sums, rate]  # type: ignore[misc]
        return [tensor.data_ptr() for tensor in (*read, *learner.network.parameters(), *state)]

    found = []
    for rate in (0.01, 0.005, 0.0):
        learner.learning_rate, learner.ent_coef = rate, rate
        learner.learn(rows(40), torch.ones(40).bool())
        found.append(places())
        assert learner.learning_rate == pytest.approx(rate)
    assert found[0] == found[1] == found[2]
