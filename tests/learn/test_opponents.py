"""Opponents of a learner: parsed, drawn by weight, and copied from the learner itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import torch
from learning_game import SEAT
from test_dqn_transitions import make_player, make_rollout, play

from cardgym.engine.contract import Game
from cardgym.engine.kernel import CALLER
from cardgym.errors import CardgymError
from cardgym.learn.opponents import OpponentPool, Snapshots
from cardgym.players.networks import NetworkPlayer


def weights_of(player: NetworkPlayer) -> torch.Tensor:
    return torch.cat([values.flatten() for values in player.network.parameters()])


def test_pool_is_parsed_from_words() -> None:
    pool = OpponentPool.parse(["random=0.5", "a=b.json=2", "self"])
    assert pool == OpponentPool(("random", "a=b.json", "self"), (0.5, 2.0, 1.0))


@pytest.mark.parametrize(
    "words", [[], ["random=x"], ["=1"], ["random=-1"], ["random=0"], ["random=nan"], ["randm"], ["no.safetensors"]]
)
def test_bad_opponents_are_refused_in_one_line(tiny: Game, words: list[str]) -> None:
    with pytest.raises(CardgymError) as caught:
        make_rollout(tiny, words)
    assert "\n" not in str(caught.value)


def test_choices_are_policy_numbers_with_snapshots_last(tiny: Game) -> None:
    pool = OpponentPool.parse(["snapshot=3", "random=1", "self=2"])
    numbers, weights = pool.choices([0], [-2, -3, -4])
    assert numbers.tolist() == [0, CALLER, -2, -3, -4]
    assert weights == [1.0, 2.0, 1.0, 1.0, 1.0]
    with pytest.raises(CardgymError, match="keeps no copies of itself"):
        pool.choices([0])


def test_opponents_are_drawn_by_weight_and_by_the_seed_alone(tiny: Game) -> None:
    def opponents_of(words: list[str]) -> npt.NDArray[np.int32]:
        numbers: npt.NDArray[np.int32] = (
            make_rollout(tiny, words, num_envs=4000)._seated.batch.plain_rows["lineup"][:, 1].copy()
        )
        return numbers

    numbers = opponents_of(["random=1", "perfect=3"])
    assert abs((numbers == 1).mean() - 0.75) < 5 * (0.75 * 0.25 / 4000) ** 0.5
    np.testing.assert_array_equal(numbers, opponents_of(["random=1", "perfect=3"]))


def test_snapshots_change_only_when_they_are_taken(tiny: Game) -> None:
    torch.manual_seed(1)
    learner = make_player(tiny)
    snapshots = Snapshots(learner, 2)
    first = weights_of(learner)
    with torch.no_grad():
        learner.network.head.bias.add_(1.0)
    assert all(torch.equal(weights_of(player), first) for player in snapshots.players)
    snapshots.take(learner)
    second = weights_of(learner)
    assert not torch.equal(first, second)
    assert torch.equal(weights_of(snapshots.players[0]), second)
    assert torch.equal(weights_of(snapshots.players[1]), first)
    snapshots.take(learner)
    assert torch.equal(weights_of(snapshots.players[1]), second)
    assert not any(values.requires_grad for player in snapshots.players for values in player.network.parameters())


def test_learner_plays_against_its_snapshots(tiny: Game) -> None:
    transitions = play(make_rollout(tiny, ["snapshot"], snapshots=2), 12)
    going = ~transitions.done
    assert (transitions.next_observations[going, SEAT] == transitions.observations[going, SEAT]).all()
