"""Policies of One Play Poker: the player `optimal`, policy files, networks and functions of observations, valued."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from poker_brute_force import BruteForce

from cardgym import CardgymError
from cardgym.engine.contract import offsets
from cardgym.games.one_play_poker import observations
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.observations import full_features
from cardgym.games.one_play_poker.rules import BET, OnePlayPokerOptions
from cardgym.players import TablePlayer, batched, resolve
from cardgym.players.policy_file import load_policy, save_policy
from cardgym.solvers.optimum import indices, optimal_table, policy_of, policy_table, solve, solver

OPTIONS = OnePlayPokerOptions()
START = offsets(full_features(OPTIONS))


@pytest.mark.parametrize("decisions", [3, 4])
@pytest.mark.parametrize("ranking", ["flush_first", "pair_first"])
def test_player_optimal_maximizes_the_undiscounted_reward(decisions: int, ranking: str) -> None:
    options = OnePlayPokerOptions(decisions=decisions, ranking=ranking)
    known = solver(GAME, options)
    player = resolve("optimal", GAME, options)
    assert isinstance(player, TablePlayer)
    assert np.array_equal(player.actions, optimal_table(GAME, options))
    assert known.value(policy_of(known.tree, "optimal")).mean == known.solve(1).value


@pytest.mark.parametrize("decisions", [3, 4])
def test_every_state_has_one_index_key_and_label(decisions: int) -> None:
    options = OnePlayPokerOptions(decisions=decisions)
    known = solver(GAME, options)
    places = indices(known.tree)
    assert sorted(places.tolist()) == list(range(1, observations.num_info_states(options)))
    keys = observations.info_state_keys(options)
    assert len(set(keys.tolist())) == len(keys)
    assert keys[places].tolist() == [int(observations.info_state_key(state, 0)) for state in known.tree.set_states]
    assert len(set(observations.info_state_labels(options))) == len(keys)
    actions = np.arange(known.tree.num_info_sets) % 2
    player = TablePlayer("parity", policy_table(known.tree, actions))
    assert np.array_equal(policy_of(known.tree, player).argmax(axis=1), actions)


# -- networks and functions of observations ---------------------------------------------------------------------------


def test_network_is_valued(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from cardgym.players.checkpoints import save_checkpoint
    from cardgym.players.network_shapes import network_shape
    from cardgym.players.networks import QNetwork

    network = QNetwork(network_shape(GAME, OPTIONS, "full", (), False))
    with torch.no_grad():
        network.head.weight.zero_()
        network.head.bias.zero_()
        network.head.weight[BET, START["own_paired"]] = 1.0
        network.head.bias[0] = 0.5
    path = tmp_path / "pairs.safetensors"
    save_checkpoint(path, network, GAME, OPTIONS, "full", {})
    brute = BruteForce(3, "flush_first", 1, lambda own, house: int(len({rank for rank, _ in own}) < len(own)))
    assert Fraction(solve(GAME, {}, [path]).report["policies"][str(path)]["undiscounted"]) == brute.value()


def test_function_of_the_papers_observation_is_valued() -> None:
    known = solver(GAME, OPTIONS)
    never = batched(lambda observations, masks: (observations[:, 0] < 0).astype(int), observation_name="paper")
    assert known.value(policy_of(known.tree, never)).mean == 1


@pytest.mark.parametrize(
    "answer",
    [lambda states: np.ones(3, np.int64), lambda states: np.ones(states), lambda states: np.full(states, 5)],
    ids=["too short", "floats", "illegal"],
)
def test_function_of_another_shape_is_refused(answer: Callable[[int], npt.NDArray[Any]]) -> None:
    tree = solver(GAME, OPTIONS).tree
    with pytest.raises(CardgymError, match=r"give one whole number a row|not legal"):
        policy_of(tree, batched(lambda observations, masks: answer(tree.num_info_sets)))


# -- policy files -----------------------------------------------------------------------------------------------------


def test_saved_policy_is_the_policy_loaded(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    solved = solve(GAME, {"gamma": "0.9"})
    solved.save(path)
    table = load_policy(path, GAME, OPTIONS)
    assert np.array_equal(policy_of(solved.tree, TablePlayer("saved", table)).argmax(axis=1), solved.actions)
    again = tmp_path / "again.json"
    save_policy(again, table, GAME, OPTIONS, gamma="9/10")
    assert again.read_bytes() == path.read_bytes()
    valued = solve(GAME, {"gamma": "0.9"}, [path]).report["policies"]
    assert valued[str(path)] == valued["optimal"]
    assert '"AH,KS QD 4": ' in path.read_text()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda c: c["options"].update(ranking="pair_first"), "made for ranking=pair_first, not ranking="),
        (lambda c: c.update(env="Another-v0"), "made for Another-v0"),
        (lambda c: c["actions"].pop("KS - 2"), "1 state missing, such as KS - 2"),
        (lambda c: c["actions"].update({"KS - 2": 2}), "action 2 in state KS - 2"),
        (lambda c: c["actions"].update({"KS - 2": True}), "action True"),
        (lambda c: c["actions"].update({"XX - 2": 1}), "unknown state 'XX - 2'"),
    ],
)
def test_policy_file_that_does_not_fit_is_refused(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], None], words: str
) -> None:
    path = tmp_path / "policy.json"
    save_policy(path, optimal_table(GAME, OPTIONS), GAME, OPTIONS)
    content = json.loads(path.read_text())
    del content["sha256"]  # A file that people edit has none.
    spoil(content)
    path.write_text(json.dumps(content))
    with pytest.raises(CardgymError) as caught:
        policy_of(solver(GAME, OPTIONS).tree, path)
    assert words in str(caught.value)
