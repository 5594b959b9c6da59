"""The play of the cards as a solved game: its tree against the rules, its solver, and the player `equilibrium`."""

import functools

import numpy as np
import pytest
from cribbage_driver import CribbageDriver, compiled_only

from cardgym.games.cribbage.pegging.hands import SETS, taker_shares
from cardgym.games.cribbage.pegging.inference import Situation, opponent_weights, read_play
from cardgym.games.cribbage.pegging.player import make_player
from cardgym.games.cribbage.pegging.policy import load_policy
from cardgym.games.cribbage.scoring import points_of_next
from cardgym.games.cribbage.state import PLAYING, CribbageOptions
from cribbage_pegging_solver import PeggingSolver, pair_weights
from cribbage_pegging_tree import build_tree

RANKS = (0, 4, 6, 9)
"""The ranks of a smaller play: goes, pairs, fifteens and 31 all occur."""
NAMES = "A23456789TJQK"

pytestmark = compiled_only


@functools.cache
def small_tree():
    return build_tree(RANKS)


def at_lead(pone, dealer):
    """A deal at the lead, with these ranks in hand, which are the pone's and the dealer's, seats 0 and 1."""
    driver = CribbageDriver(deals=1, reward="points", target=1000)
    driver.cut(1)
    left = {rank: iter("CDHS") for rank in range(13)}
    hands = [[NAMES[rank] + next(left[rank]) for rank in ranks] for ranks in (pone, dealer)]
    tossed = [[NAMES[rank] + next(left[rank]) for rank in pair] for pair in ((1, 2), (3, 5))]
    driver.deal_and_toss([" ".join(cards) for cards in hands], [" ".join(cards) for cards in tossed])
    driver.draw("KS")
    return driver


def value_by_rules(driver, choose):
    """What the pone wins in the play, by walking the rules; `choose(seat, values)` says what a decision is worth.

    Whoever alone still has cards plays the best order.
    """
    if driver.state.phase != PLAYING:
        return float(driver.pegged(0) - driver.pegged(1))
    seat = driver.current_player
    values = []
    for action in {action % 13: action for action in driver.legal_actions()}.values():
        after = driver.copy()
        after.apply_action(action)
        values.append(value_by_rules(after, choose))
    return (best_of if driver.state.hand_size[1 - seat] == 0 else choose)(seat, values)


def best_of(seat, values):
    return max(values) if seat == 0 else min(values)


def one_pair(pone, dealer):
    """The weights of a game in which the hands are always these."""
    weights = np.zeros((1820, 1820), np.float32)
    weights[SETS[4].index(pone), SETS[4].index(dealer)] = 1.0
    return weights


PAIRS = [
    ((0, 4, 6, 9), (0, 4, 6, 9)),
    ((0, 0, 9, 9), (4, 4, 6, 6)),
    ((9, 9, 9, 9), (0, 0, 0, 4)),
    ((4, 4, 4, 9), (4, 9, 9, 9)),
    ((0, 0, 0, 0), (6, 6, 9, 9)),
]


@pytest.mark.parametrize(("pone", "dealer"), PAIRS)
@pytest.mark.slow
def test_values_are_those_of_the_rules(pone, dealer):
    solver = PeggingSolver(small_tree(), one_pair(pone, dealer))
    driver = at_lead(pone, dealer)
    random_value = value_by_rules(driver, lambda seat, values: sum(values) / len(values))
    assert solver.value(solver.sums) == pytest.approx(random_value, abs=1e-5)
    best = value_by_rules(driver, best_of)
    assert solver.best_response(solver.sums, 0) >= random_value
    solver.run(100)
    assert solver.value(solver.sums) == pytest.approx(best, abs=0.02)
    assert solver.exploitability(solver.sums) < 0.02


@functools.cache
def small_weights():
    """All hands of the smaller play, each as often as the cards allow."""
    sets = [number for number, ranks in enumerate(SETS[4]) if set(ranks) <= set(RANKS)]
    kept = np.zeros((2, 1820))
    kept[:, sets] = 1.0 / len(sets)
    return pair_weights(kept)


@pytest.mark.slow
def test_cfr_finds_an_equilibrium_of_hidden_hands():
    solver = PeggingSolver(small_tree(), small_weights(), threads=2)
    uniform = solver.exploitability(solver.sums)
    solver.run(12)
    assert solver.exploitability(solver.sums) < 0.05 * uniform
    value = solver.value(solver.sums)
    assert solver.best_response(solver.sums, 0) >= value - 1e-5
    assert solver.best_response(solver.sums, 1) >= -value - 1e-5
    # Counting out the last cards by Bayes costs nothing.
    strategy = solver.sums.copy()
    solver.finish_best(strategy)
    assert solver.exploitability(strategy) < 0.06 * uniform


@pytest.mark.parametrize(
    ("pile", "held", "shares"),
    [
        ((), (0, 4, 6, 9), (0.25, 0.25, 0.25, 0.25)),  # Nothing scores.
        ((9,), (0, 4, 6, 9), (0, 0.5, 0, 0.5)),  # Fifteen or a pair.
        ((9, 9), (0, 4, 6, 9), (0, 0, 0, 1)),  # Three of a kind are 6 points.
        ((9, 9, 8), (0, 1, 8, 9), (0, 1, 0, 0)),  # Only 31 scores; the nine makes no pair that fits ...
        ((9, 9, 8), (0, 8, 9, 9), (1, 0, 0, 0)),  # ... and may not be played.
    ],
)
def test_taker_plays_the_card_with_the_most_points(pile, held, shares):
    count = sum(min(rank + 1, 10) for rank in pile)
    ranks = np.full(10, -1, np.int8)
    ranks[: len(pile)] = pile
    out = np.full(4, 9.0, np.float32)
    taker_shares(points_of_next(ranks, len(pile)), count, 4, SETS[4].index(held), out)
    assert out.tolist() == list(shares)


@pytest.mark.slow
def test_half_a_taker_wins_half_of_what_takers_win():
    solver = PeggingSolver(small_tree(), small_weights())
    solver.run(2)
    strategy = solver.sums.copy()
    for seat in range(2):
        equal, taker = (solver.value(strategy, seat, share) for share in (0.0, 1.0))
        assert solver.value(strategy, seat, 0.5) == pytest.approx((equal + taker) / 2, abs=1e-5)
        assert solver.value(strategy, seat) != pytest.approx(taker, abs=1e-3)
    np.testing.assert_array_equal(strategy, solver.sums)  # As it was.


@pytest.mark.slow
def test_play_that_expects_takers_wins_more_from_them():
    wary = PeggingSolver(small_tree(), small_weights())
    expecting = PeggingSolver(small_tree(), small_weights(), takers=0.1)
    won, lost = [], []
    for solver in (wary, expecting):
        solver.run(12)
        strategy = solver.sums.copy()
        solver.finish_best(strategy)
        won.append(sum(solver.value(strategy, seat, 1.0) for seat in range(2)) / 2)
        lost.append(solver.exploitability(strategy))
    assert won[1] > won[0] + 0.05
    assert lost[0] < lost[1] < 0.1


@pytest.mark.slow
def test_policy_covers_every_reachable_node():
    policy = load_policy()
    assert (np.diff(policy.keys) > 0).all()
    tree = small_tree()
    inner = tree.nodes[: tree.levels[-2]]
    inner = inner[inner["base"] >= 0]
    restarted = (inner["length"] == 0) & (inner["left"].sum(1) < 8)
    keys = inner["code"] | inner["turn"].astype(np.int64) << 40 | restarted.astype(np.int64) << 41
    assert np.isin(keys, policy.keys).all()


@pytest.mark.slow
def test_last_card_is_inferred_from_what_takers_would_have_played():
    # The dealer answered a ten with a seven: a taker that held a five or a ten would have scored.
    played, by = np.full(8, -1, np.int8), np.full(8, -1, np.int8)
    played[:5], by[:5] = (9, 6, 0, 6, 11), (0, 1, 0, 1, 1)
    known = np.zeros(13, np.int8)
    shares = []
    for takers in (0.0, 0.5):
        chances = np.zeros((2, 13))
        at = Situation(played, 2, 1, 1, 0, 0, known, read_play(played, by, 5, 0, 1))
        opponent_weights(load_policy()._replace(takers=takers), at, *chances)
        shares.append(chances.sum(0) / chances.sum())
    for rank in (4, 9):
        assert 0 < shares[1][rank] < shares[0][rank]


@pytest.mark.slow
def test_equilibrium_teaches_what_it_plays():
    player = make_player(CribbageOptions())
    rng = np.random.default_rng(6)
    mixed = 0
    driver = CribbageDriver()
    while not driver.over and driver.deal < 3:
        if driver.num_chance_outcomes:
            driver.apply_action(int(rng.integers(driver.num_chance_outcomes)))
            continue
        seen = driver.observe(driver.current_player, "plain")[None]
        mask = driver.legal_action_mask()[None]
        cold, warm = (player.probabilities(seen, mask, temperature)[0] for temperature in (0.0, 0.5))
        action = int(player.act(seen, mask)[0])
        for shares in (cold, warm):
            assert shares.sum() == pytest.approx(1.0, abs=1e-5)
            assert (shares[mask[0] == 0] == 0).all()
        if action >= 52:
            assert cold[action] == cold.max() > warm[action] == warm.max()  # The best tosses alone, or others too.
        else:  # Cards of a rank share their probability.
            by_rank = [cold[:52].reshape(4, 13).sum(0), warm[:52].reshape(4, 13).sum(0)]
            assert by_rank[0].argmax() == by_rank[1].argmax() == action % 13
            mixed += by_rank[0].max() < 0.999
        driver.apply_action(action)
    assert mixed > 0


def choose(player, driver, seat, draws):
    observation = driver.observe(seat, "plain")
    return int(player.act(observation[None], driver.legal_action_mask()[None], draws)[0])


@pytest.mark.slow
def test_equilibrium_does_not_lead_a_five():
    driver = at_lead((4, 9, 10, 12), (5, 5, 6, 7))
    player = make_player(CribbageOptions())
    seen = set()
    for draw in np.linspace(0, 0.999, 50):
        seen.add(choose(player, driver, 0, np.array([draw])) % 13)
    assert 4 not in seen  # Nobody leads a five.
    assert seen <= {9, 10, 12}
