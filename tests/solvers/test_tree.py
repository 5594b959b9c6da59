"""Trees, best responses and counterfactual regret minimization, against known values and an independent solver."""

import itertools
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.arena import evaluate
from cardgym.engine.jit import JIT_DISABLED
from cardgym.players import Player, resolve
from cardgym.players.base import sample_actions
from cardgym.players.tables import StrategyPlayer
from cardgym.solvers.best_response import (
    best_response,
    expected_returns,
    exploitability,
    nash_conv,
)
from cardgym.solvers.cfr import CFR
from cardgym.solvers.strategies import known_strategy, pairs_of
from cardgym.solvers.tree import GameTree, enumerate_tree


def tree_of(name: str, **options: str) -> GameTree:
    game = find(name)
    return enumerate_tree(game, game.parse_options(options))


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return tree_of("KuhnPoker-v0")


@pytest.fixture(scope="module")
def leduc() -> GameTree:
    return tree_of("LeducPoker-v0")


def test_counts(kuhn: GameTree, leduc: GameTree) -> None:
    # Kuhn: 1 + 3 nodes of dealing, and 6 deals of 9 histories each. Leduc: as OpenSpiel counts them.
    assert (kuhn.num_histories, kuhn.num_info_sets, kuhn.num_choices) == (58, 12, 24)
    # 288 information sets by ranks; OpenSpiel's 936 tell suits apart, which never matter.
    assert (leduc.num_histories, leduc.num_info_sets) == (9457, 288)


def test_uniform_strategy_of_kuhn_poker_by_hand(kuhn: GameTree) -> None:
    # Worked out by hand: half of all first checks are met by a check, and so on down the four lines.
    assert expected_returns(kuhn, kuhn.uniform()).tolist() == pytest.approx([1 / 8, -1 / 8])
    assert nash_conv(kuhn, kuhn.uniform()) == pytest.approx(11 / 12)


def test_best_response_earns_its_value(leduc: GameTree) -> None:
    generator = np.random.default_rng(1)
    weights = generator.random(leduc.num_choices)
    totals = np.add.reduceat(weights, leduc.arrays.first_choice[:-1])
    strategy = weights / np.repeat(totals, np.diff(leduc.arrays.first_choice))
    for seat in range(2):
        response = best_response(leduc, strategy, seat)
        assert expected_returns(leduc, response.strategy)[seat] == pytest.approx(response.value)
        others = np.repeat(leduc.arrays.set_seats != seat, np.diff(leduc.arrays.first_choice))
        assert np.array_equal(response.strategy[others], strategy[others])
        for _ in range(20):  # No other deterministic strategy earns more.
            pure = response.strategy.copy()
            for info_set in generator.choice(np.flatnonzero(leduc.arrays.set_seats == seat), 30):
                first, last = leduc.arrays.first_choice[info_set : info_set + 2]
                pure[first:last] = 0.0
                pure[generator.integers(first, last)] = 1.0
            assert expected_returns(leduc, pure)[seat] <= response.value + 1e-12


def test_cfr_plus_and_dcfr_solve_leduc_poker(leduc: GameTree) -> None:
    for variant in ("cfr+", "dcfr"):
        solver = CFR(leduc, variant)
        solver.run(500)
        solver.run(500)
        assert exploitability(leduc, solver.average) < 3e-4
        assert expected_returns(leduc, solver.average)[0] == pytest.approx(-0.0856, abs=1e-4)


def test_running_in_parts_equals_running_at_once(kuhn: GameTree) -> None:
    one, two = CFR(kuhn, "dcfr"), CFR(kuhn, "dcfr")
    one.run(30)
    two.run(10)
    two.run(20)
    assert np.array_equal(one.average, two.average)


def test_large_games_are_refused() -> None:
    game = find("Coda-v0")
    with pytest.raises(CardgymError, match="tree of more than 10,000 nodes: too many to enumerate"):
        enumerate_tree(game, game.parse_options(), limit=10_000)


@pytest.fixture(scope="module")
def coda() -> GameTree:
    return tree_of("Coda-v0", n="6")


def test_information_sets_remember_what_keys_forget(kuhn: GameTree, leduc: GameTree, coda: GameTree) -> None:
    # Counted before by a walk of its own in plain Python, which shares no states.
    assert (coda.num_histories, coda.num_info_sets) == (22_237, 4_176)
    assert coda.num_nodes < coda.num_histories / 2
    assert forgetful_keys(kuhn) == forgetful_keys(leduc) == 0
    assert forgetful_keys(coda) > 0


def forgetful_keys(tree: GameTree) -> int:
    """How many of the game's keys stand for several information sets."""
    pairs = np.stack((tree.arrays.set_seats, tree.set_keys))
    return int(np.count_nonzero(np.unique(pairs, axis=1, return_counts=True)[1] > 1))


def test_information_set_follows_from_the_choice_before(coda: GameTree) -> None:
    arrays = coda.arrays
    later = np.flatnonzero(arrays.set_before >= 0)
    owners = np.searchsorted(arrays.first_choice, arrays.set_before[later], side="right") - 1
    assert np.all(owners < later)
    assert np.array_equal(arrays.set_seats[owners], arrays.set_seats[later])


def test_strategy_by_a_forgetful_observation_is_averaged(coda: GameTree) -> None:
    solver = CFR(coda, "dcfr")
    solver.run(200)
    exact = exploitability(coda, solver.average)
    assert exact < 3e-4
    figures = {}
    for name in ("full", "paper"):
        player = StrategyPlayer("average", name, pairs_of(coda, solver.average, name))
        strategy = known_strategy(coda, player)
        assert strategy is not None
        figures[name] = exploitability(coda, strategy)
    assert figures["full"] == pytest.approx(exact, abs=1e-5)  # Fewer observations than sets, and nothing lost.
    assert figures["paper"] > 0.3  # The paper's observation leaves out past guesses.


class Liar(Player):
    """Says that it plays at random; passes."""

    name = "liar"
    samples = True

    def probabilities(self, observations: Any, masks: Any, temperature: float = 0.0) -> Any:
        return masks / masks.sum(axis=1, keepdims=True)

    def act(self, observations: Any, masks: Any, draws: Any = None) -> Any:
        return masks.argmax(axis=1)


class Honest(Liar):
    """Plays at random."""

    def act(self, observations: Any, masks: Any, draws: Any = None) -> Any:
        return sample_actions(self.probabilities(observations, masks), draws)


class Moody(Player):
    """Passes in small companies; else bets."""

    name = "moody"

    def act(self, observations: Any, masks: Any, draws: Any = None) -> Any:
        return masks.argmax(axis=1) if len(masks) < 20 else masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_strategy_of_a_player_from_python_is_known_only_if_it_plays_as_it_says(kuhn: GameTree) -> None:
    turns = itertools.count()
    known: dict[Any, bool] = {
        Honest(): True,
        lambda observation, mask: int(mask.argmax()): True,
        Liar(): False,
        Moody(): False,
        lambda observation, mask: next(turns) % 2: False,  # An even number of information sets: the same each time.
    }
    for player, same in known.items():
        assert (known_strategy(kuhn, resolve(player, kuhn.game, kuhn.options)) is not None) == same


@pytest.mark.slow
@pytest.mark.skipif(JIT_DISABLED, reason="takes minutes where nothing is compiled")
def test_small_versions_are_as_large_as_their_pages_say() -> None:
    sizes = {"CodaMini-v0": (22_237, 4_176), "CodaMiniOfficial-v0": (197_403, 65_024)}
    for name, expected in sizes.items():
        tree = tree_of(name)
        assert (tree.num_histories, tree.num_info_sets) == expected
    cribbage = tree_of("CribbageMini-v0")
    assert (cribbage.num_histories, cribbage.num_info_sets) == (5_714_081, 31_192)
    # By hand: 56 hands a seat to discard from, and 3 discards and 5 starters later the pone's first card.
    played = cribbage.set_states.num_played
    assert np.count_nonzero(cribbage.set_states.starter < 0) == 2 * 56
    assert np.count_nonzero((cribbage.set_states.starter >= 0) & (played == 0)) == 56 * 3 * 5
    solver = CFR(cribbage, "dcfr")
    solver.run(100)
    assert exploitability(cribbage, solver.average) < 2e-4
    assert expected_returns(cribbage, solver.average) == pytest.approx([-4.3258, 4.3258], abs=2e-4)
    # Billions of histories, because chance draws whole hands again: shared, they are a million nodes.
    spike = tree_of("SpikeMini-v0")
    assert (spike.num_histories, spike.num_info_sets) == (443_276_476_714, 184_452)
    assert spike.num_nodes < 1_100_000
    for seat in range(2):
        response = best_response(spike, spike.uniform(), seat)
        assert expected_returns(spike, response.strategy)[seat] == pytest.approx(response.value)
    for tree in (spike, cribbage):
        uniform = expected_returns(tree, tree.uniform())
        assert uniform.sum() == pytest.approx(0.0, abs=1e-12)
        report = evaluate(tree.game, tree.options, ["random", "random"], games=20_000, seed=1, seats="fixed")
        low, high = report.players[0].mean_return_ci95
        assert low - 0.02 < uniform[0] < high + 0.02  # As played, by code that samples chance.
