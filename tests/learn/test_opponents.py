"""Opponents of a learner: parsed, drawn by weight, and copied from the learner itself."""

import numpy as np
import numpy.typing as npt
import pytest
import torch
from test_dqn_transitions import make_player, make_rollout

from cardgym.engine.contract import Game
from cardgym.engine.kernel import CALLER, NOBODY
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.learn.opponents import OpponentPool, Snapshots
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players import resolve
from cardgym.players.networks import NetworkPlayer


def weights_of(player: NetworkPlayer) -> torch.Tensor:
    return torch.cat([values.flatten() for values in player.network.parameters()])


def test_pool_is_parsed_from_words() -> None:
    pool = OpponentPool.parse(["random=0.5", "a=b.json=2", "self"])
    assert pool == OpponentPool(({"random": 0.5, "a=b.json": 2.0, "self": 1.0},))


def test_weights_change_by_share_of_the_training() -> None:
    pool = OpponentPool.parse(["random=3@:0.2", "a@b/c@1:x.json=1@0.2:0.7", "self@.5:1", "random=1"], 1_000)
    phases = [tuple(phase.values()) for phase in pool.phases]
    assert pool.specs == ("random", "a@b/c@1:x.json", "self")
    assert dict(zip(pool.starts, phases, strict=True)) == {
        0: (4.0, 0.0, 0.0), 200: (1.0, 1.0, 0.0), 500: (1.0, 1.0, 1.0), 700: (1.0, 0.0, 1.0),
    }  # fmt: skip
    assert [pool.phase(step) for step in (0, 199, 200, 499, 999, 5_000)] == [0, 0, 1, 1, 3, 3]
    with pytest.raises(CardgymError, match="only a training with total_steps can have them"):
        OpponentPool.parse(["random@:0.2", "self@0.2:"])


@pytest.mark.parametrize(
    "words",
    [
        [], ["random=x"], ["=1"], ["random=-1"], ["random=0"], ["random=nan"], ["randm"], ["no.safetensors"],
        ["random=1e308", "self=1e308"], ["random", "self@0.5:0.5"], ["random", "self@-1:"], ["random", "self@:2"],
        ["random", "self@..:1"], ["random@:0.4", "self@0.6:"], ["random=0@:0.4", "self=1@0.4:"], ["random@0.5:x"],
        ["random", "self@nan:"],
    ],
)  # fmt: skip
def test_bad_opponents_are_refused_in_one_line(tiny: Game, words: list[str]) -> None:
    with pytest.raises(CardgymError):
        make_rollout(tiny, words)


def test_choices_are_policy_numbers_with_snapshots_last(tiny: Game) -> None:
    pool = OpponentPool.parse(["snapshot=3", "random=1", "self=2"])
    numbers, weights = pool.choices([0], [-2, -3, -4])
    assert numbers.tolist() == [0, CALLER, -2, -3, -4]
    assert weights == [[1.0, 2.0, 1.0, 1.0, 1.0]]
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


def test_opponents_follow_their_schedule(tiny: Game) -> None:
    """Whoever is drawn for a game that starts is one of its part of the training."""
    rollout = make_rollout(tiny, ["random@:0.5", "perfect@0.5:"], total_steps=960)
    seen = set()
    while rollout.decisions < 960:
        starting = rollout._seated.batch.plain_rows["pending_policy"] == NOBODY
        before = rollout.decisions
        rollout.step(rollout.turns.masks.argmax(axis=1))
        drawn = rollout._seated.batch.plain_rows["lineup"][starting, 1]
        assert (drawn == (0 if before < 480 else 1)).all()
        seen |= set(drawn.tolist())
    assert seen == {0, 1}


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


def test_a_team_sits_in_all_seats_but_one_and_shares_what_it_wins(tiny: Game) -> None:
    game = find("CorellianSpike-v0")
    options = game.parse_options({"num_players": 3, "hands": 1})
    pool = OpponentPool.parse(["heuristic=1", "random=1"])
    rollout = SelfPlayRollout(game, options, 200, pool, resolve("random", game, options), seed=1, team=True)
    rows, generator = rollout._seated.batch.plain_rows, np.random.default_rng(1)
    opponents, won = [], 0.0
    for _ in range(20):
        rollout.step((rollout.turns.masks * generator.random(rollout.turns.masks.shape)).argmax(axis=1))
        members = rows["policies"][:, :3] == CALLER
        assert (members.sum(axis=1) == 2).all()
        shares = np.where(members, rows["paid"][:, :3], 0.0).sum(axis=1, keepdims=True) / 2
        np.testing.assert_array_equal(rollout.rewards.reshape(200, 3), np.where(members, shares, rows["paid"][:, :3]))
        opponents.append((~members).argmax(axis=1))
        won += np.abs(shares).sum()
    assert won > 0.0
    assert set(np.concatenate(opponents).tolist()) == {0, 1, 2}
    with pytest.raises(CardgymError, match="plays against named players"):
        make_rollout(tiny, ["self=1"], team=True)
