"""One Play Poker solved: against a solver written from the rules alone, known values, simulation, files, the chart."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.engine.contract import rule
from cardgym.engine.generator import uniform
from cardgym.papers import poker_chart, poker_page
from cardgym.players.base import resolve
from cardgym.players.policy_file import load_policy, save_policy
from cardgym.solvers.policies import observed_policy, indices, policy_of, policy_table, table_policy
from cardgym.solvers.solve import optimal_table, solve, solver
from cardgym.solvers.value_iteration import policy_value

GAME = find("OnePlayPoker-v0")
ALL_OPTIONS = [(3, "flush_first"), (3, "pair_first"), (4, "flush_first"), (4, "pair_first")]


# -- a solver written from the rules, sharing nothing with the package -------------------------------------------------


class BruteForce:
    """Cards are (rank, suit), hands frozen sets; `policy(own, house)` is the probability of a bet, None the best."""

    def __init__(self, decisions, ranking, gamma, policy=None):
        self.decisions, self.ranking, self.gamma, self.policy = decisions, ranking, Fraction(gamma), policy
        self.deck = [(rank, suit) for rank in (11, 12, 13, 14) for suit in "shcd"]
        self.decide = functools.lru_cache(None)(self._decide)
        self.draw = functools.lru_cache(None)(self._draw)

    def value(self):
        firsts = [self.decide(frozenset([card]), frozenset(), 0) for card in self.deck]
        return Fraction(sum(firsts), len(firsts))

    def strength(self, hand):
        (first, suit), (second, other) = sorted(hand, reverse=True)
        order = ["high", "pair", "flush"] if self.ranking == "flush_first" else ["high", "flush", "pair"]
        kind = "pair" if first == second else "flush" if suit == other else "high"
        return order.index(kind), first, second

    def showdown(self, own, house, bets):
        mine, theirs = self.strength(own), self.strength(house)
        return Fraction(2 + 2 * bets) * (Fraction(1) if mine > theirs else Fraction(1, 2) if mine == theirs else 0)

    def _decide(self, own, house, bets):
        stay, bet = self.draw(own, house, bets), -1 + self.draw(own, house, bets + 1)
        if self.policy is None:
            return max(stay, bet)
        chance = self.policy(own, house)
        return chance * bet + (1 - chance) * stay

    def _draw(self, own, house, bets):
        if len(own) + len(house) == 4:
            return self.showdown(own, house, bets)
        total = Fraction(0)
        left = [card for card in self.deck if card not in own and card not in house]
        for card in left:
            mine, theirs = (own | {card}, house) if len(own) == len(house) else (own, house | {card})
            if len(mine) + len(theirs) == 4 and self.decisions == 3:
                total += self.showdown(mine, theirs, bets)
            else:
                total += self.gamma * self.decide(mine, theirs, bets)
        return total / len(left)


def by_hand(brute):
    def policy(own, house):
        mine = sorted(own)
        if len(own) + len(house) == 1:
            return int(mine[0][0] >= 13)
        if len(own) + len(house) == 2:
            return int(mine[0][0] > min(house)[0])
        if len(own) + len(house) == 3:
            return int(mine[0][0] == mine[1][0] or mine[0][1] == mine[1][1])
        return int(brute.strength(own) > brute.strength(house))

    return policy


@pytest.mark.parametrize(("decisions", "ranking"), ALL_OPTIONS)
def test_values_agree_with_a_solver_written_from_the_rules(decisions, ranking):
    report = solve(GAME, {"decisions": decisions, "ranking": ranking, "gamma": "9/10"}).report
    brute = BruteForce(decisions, ranking, "9/10")
    assert Fraction(report["optimal"]["value"]) == brute.value()
    if (decisions, ranking) == (4, "flush_first"):
        handcrafted = BruteForce(decisions, ranking, "9/10")
        handcrafted.policy = by_hand(handcrafted)
        assert Fraction(report["policies"]["handcrafted"]["discounted"]) == handcrafted.value()


def test_undiscounted_values_agree_with_a_solver_written_from_the_rules():
    report = solve(GAME, {"gamma": 1}).report
    assert Fraction(report["optimal"]["value"]) == BruteForce(3, "flush_first", 1).value() == Fraction(1949, 1365)
    handcrafted = BruteForce(3, "flush_first", 1)
    handcrafted.policy = by_hand(handcrafted)
    assert Fraction(report["policies"]["handcrafted"]["undiscounted"]) == handcrafted.value()


# -- values known by argument -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decisions", "ranking"), [(3, "pair_first"), (4, "flush_first")])
def test_policies_that_ignore_the_cards_are_even_without_discount(decisions, ranking):
    # Player and house are dealt alike, so a blind player's share of the pot is one half: of every bet's 2, and of the
    # antes' 2. Discounted, the pot is paid at the last decision, each bet at its own.
    gamma = Fraction(9, 10)
    report = solve(GAME, {"decisions": decisions, "ranking": ranking, "gamma": gamma}).report["policies"]
    late = gamma ** (decisions - 1)
    costs = sum(gamma**k for k in range(decisions))
    for name, bets in (("never", Fraction(0)), ("random", Fraction(1, 2)), ("always", Fraction(1))):
        assert Fraction(report[name]["undiscounted"]) == 1
        assert Fraction(report[name]["discounted"]) == late * (1 + decisions * bets) - bets * costs


@pytest.mark.parametrize("gamma", ["9/10", "1"])
def test_the_best_decision_does_not_depend_on_the_bets_made(gamma):
    # A bet wins or loses the same whatever is in the pot already.
    known = solver(GAME, GAME.options(ranking="pair_first"))
    best = known.solve_exactly(gamma)
    hands = {}
    for state, optimal in zip(known.mdp.states, best.optimal.tolist(), strict=True):
        hands.setdefault((state.player.tobytes(), state.house.tobytes()), set()).add(tuple(optimal))
    assert all(len(found) == 1 for found in hands.values())


def test_gamma_09_differs_from_no_discount_in_the_first_king_only():
    difference = poker_page.gamma_difference(solver(GAME, GAME.options()))
    assert difference.by_cards_out == (4, 0, 0, 0)
    assert difference.kinds == (("KS - 2", 1),)
    assert difference.cost == Fraction(19, 2730)


def test_the_last_of_four_decisions_is_a_bet_if_winning():
    known = solver(GAME, GAME.options(decisions=4))
    best = known.solve_exactly("9/10")
    for place in np.flatnonzero(known.mdp.states["dealt"] == 4)[::17].tolist():
        share = GAME.rules.score(known.mdp.states[place], 0)
        expected = {1.0: [False, True], 0.5: [True, True], 0.0: [True, False]}[share]
        assert best.optimal[place].tolist() == expected


# -- simulation -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decisions", "ranking"), [(3, "flush_first"), (4, "pair_first")])
def test_simulated_means_and_deviations_agree_with_the_exact_ones(decisions, ranking):
    games = 20_000
    rows = poker_page.paper_rows(GAME.options(decisions=decisions, ranking=ranking), games, seed=3)
    for row in rows:
        assert abs(row.rewards.mean() - float(row.exact)) < 4 * row.std / games**0.5
        assert row.rewards.std() == pytest.approx(row.std, rel=0.03)
    difference = rows[3].rewards - rows[1].rewards
    mean, half = poker_page.mean_interval(difference)
    assert half < 0.4 * poker_page.mean_interval(rows[3].rewards)[1]  # The same deals: differences vary less.
    assert abs(mean - float(rows[3].exact - rows[1].exact)) < 2 * half


def test_the_same_seed_gives_the_same_games():
    options = GAME.options()
    player = [resolve("handcrafted", GAME, options)]
    one, other = (poker_page.simulate(options, player, 200, seed) for seed in (5, 5))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, poker_page.simulate(options, player, 200, 6))


def test_the_results_page(tmp_path):
    page = tmp_path / "docs" / "page.md"
    poker_page.write_results(page, games=300, seed=1)
    told = page.read_text(encoding="utf-8")
    assert "| optimal, gamma 1 |" in told
    assert "1949/1365 | 1.427839" in told
    assert "Gamma 0.9 costs 19/2730 = 0.006960" in told
    assert [path.name for path in page.parent.iterdir()] == ["page.md"]


# -- the report, policies and their files -----------------------------------------------------------------------------


def test_the_report_of_solve():
    report = solve("OnePlayPoker-v0", {"gamma": "9/10", "decisions": "3"}).report
    assert json.loads(json.dumps(report)) == report
    assert list(report)[:6] == ["env", "settings", "states", "states_canonical", "sweeps", "residual"]
    assert report["settings"] == {"decisions": 3, "ranking": "flush_first", "gamma": "9/10", "theta": 1e-10}
    assert report["optimal"] == {"value": "194269/182000", "value_float": 194269 / 182000}
    assert list(report["policies"]) == ["random", "handcrafted", "always", "never", "optimal"]
    assert report["policies"]["optimal"]["discounted"] == report["optimal"]["value"]
    assert report["sweeps"] == 4  # As many as the paper reports.


def test_theta_says_when_to_stop():
    # No value changes by as much as 3 in the last of three sweeps; the paper's 0.05 needs the fourth, as 1e-10 does.
    rough = solve(GAME, {"theta": 3, "decisions": 4}).report
    fine = solve(GAME, {"theta": "0.05", "decisions": 4}).report
    assert rough["sweeps"] < fine["sweeps"] == 5
    assert 0.05 < rough["residual"] < 3
    assert fine["residual"] == 0.0
    assert rough["settings"]["theta"] == 3.0


def deals_played(bets_in, gamma):
    """The mean return over all deals and its deviation, by counting, for a policy of (own, house)."""
    strength = BruteForce(3, "flush_first", 1).strength
    deck = BruteForce(3, "flush_first", 1).deck
    returns = []
    for a, b, c, d in itertools.permutations(deck, 4):
        seen = [([a], []), ([a], [b]), ([a, c], [b])]
        bets = [bets_in(frozenset(own), frozenset(house)) for own, house in seen]
        mine, theirs = strength([a, c]), strength([b, d])
        pot = (2 + 2 * sum(bets)) * (1.0 if mine > theirs else 0.5 if mine == theirs else 0.0)
        returns.append(gamma**2 * pot - sum(gamma**step * bet for step, bet in enumerate(bets)))
    return np.mean(returns), np.std(returns)


def test_deviations_agree_with_all_deals_played_through():
    report = solve(GAME, {"gamma": "9/10"}).report["policies"]["handcrafted"]
    policy = by_hand(BruteForce(3, "flush_first", 1))
    for kind, gamma in (("discounted", 0.9), ("undiscounted", 1.0)):
        mean, std = deals_played(policy, gamma)
        assert report[f"{kind}_float"] == pytest.approx(mean, abs=1e-9)
        assert report[f"{kind}_std"] == pytest.approx(std, abs=1e-9)
    assert report["undiscounted_std"] == pytest.approx(2.4275816, abs=1e-6)


def test_a_network_and_a_table_of_observations_are_valued(tmp_path):
    torch = pytest.importorskip("torch")
    from cardgym.players.networks import QNetwork, network_shape, save_checkpoint

    options = GAME.options()
    network = QNetwork(network_shape(GAME, options, "full", (), False))
    with torch.no_grad():
        network.head.weight.zero_()
        network.head.bias.zero_()
        network.head.weight[1, 5] = 1.0  # Bet with a pair, `own_paired`.
        network.head.bias[0] = 0.5
    path = tmp_path / "pairs.safetensors"
    save_checkpoint(path, network, GAME, options, "full", {})
    brute = BruteForce(3, "flush_first", 1, lambda own, house: int(len({rank for rank, _ in own}) < len(own)))
    assert Fraction(solve(GAME, {}, [path]).report["policies"][str(path)]["undiscounted"]) == brute.value()


def test_the_name_optimal_is_the_reports_own():
    with pytest.raises(CardgymError, match="its own gamma"):
        solve(GAME, {}, ["optimal"])


def test_players_that_choose_at_random_are_left_out():
    game = dataclasses.replace(GAME, id="Dicey-v0", players={"dicey": dicey, "never": GAME.players["never"]})
    assert list(solve(game, {}).report["policies"]) == ["random", "never", "optimal"]
    with pytest.raises(CardgymError, match="chooses at random"):
        solve(game, {}, ["dicey"])


@rule
def dicey(state, seat, mask, generator):
    """Bets on the toss of a coin."""
    return uniform(generator, 2)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"gamma": "1.1"}, "gamma=1.1: allowed are numbers from 0 to 1"),
        ({"gamma": "-0.1"}, "gamma=-0.1"),
        ({"gamma": "nan"}, "gamma=nan"),
        ({"gamma": "1/0"}, "gamma=1/0"),
        ({"gamma": "much"}, "gamma=much"),
        ({"gamma": "1e-5000"}, "gamma=1e-5000: allowed are numbers from 0 to 1"),
        ({"gamma": "1e-99"}, "of at most 30 digits"),
        ({"gamma": "1e99999999"}, "gamma=1e99999999"),
        ({"gamma": "9" * 5000}, "gamma=9999999999999999999999999999999999999999..: allowed"),
        ({"theta": "1e999"}, "theta=1e999"),
        ({"theta": 0}, "theta=0"),
        ({"theta": "nan"}, "theta=nan"),
        ({"decision": 3}, "did you mean 'decisions'"),
        ({"gama": 1}, "did you mean 'gamma'"),
    ],
)
def test_settings_that_are_not_allowed(wrong, words):
    with pytest.raises(CardgymError) as caught:
        solve("OnePlayPoker-v0", wrong)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_policy_saved_is_the_policy_loaded(tmp_path):
    path = tmp_path / "policy.json"
    solved = solve(GAME, {"gamma": "0.9"})
    solved.save(path)
    table = load_policy(path, GAME, GAME.options())
    assert np.array_equal(table_policy(solved.mdp, table), solved.actions)
    again = tmp_path / "again.json"
    save_policy(again, table, GAME, GAME.options(), gamma="9/10")
    assert again.read_bytes() == path.read_bytes()
    valued = solve(GAME, {"gamma": "0.9"}, [path]).report["policies"]
    assert valued[str(path)] == valued["optimal"]
    assert '"AH,KS QD 4": ' in path.read_text()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda c: c["options"].update(ranking="pair_first"), "made for decisions=3, ranking=pair_first, not for"),
        (lambda c: c.update(env="Coda-v0"), "made for Coda-v0"),
        (lambda c: c.update(format="policy 9"), "its head does not say"),
        (lambda c: c["actions"].pop("KS - 2"), "1 state missing, such as KS - 2"),
        (lambda c: c["actions"].update({"KS - 2": 2}), "action 2 in state KS - 2"),
        (lambda c: c["actions"].update({"KS - 2": True}), "action True"),
        (lambda c: c["actions"].update({"XX - 2": 1}), "unknown state 'XX - 2'"),
        (lambda c: c.update(actions=[]), "no object `actions`"),
    ],
)
def test_policy_files_that_do_not_fit(tmp_path, spoil, words):
    path = tmp_path / "policy.json"
    options = GAME.options()
    save_policy(path, optimal_table(GAME, options), GAME, options)
    content = json.loads(path.read_text())
    spoil(content)
    path.write_text(json.dumps(content))
    with pytest.raises(CardgymError) as caught:
        policy_of(solver(GAME, options).mdp, path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"format": 1, "format": 2}', "\udcff"])
def test_files_that_are_no_policies(tmp_path, content):
    path = tmp_path / "policy.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(CardgymError, match=r"policy file .*policy\.json"):
        load_policy(path, GAME, GAME.options())
    with pytest.raises(CardgymError, match="no such file"):
        load_policy(tmp_path / "none.json", GAME, GAME.options())


def test_the_player_optimal_maximises_the_undiscounted_reward():
    for decisions, ranking in ALL_OPTIONS:
        options = GAME.options(decisions=decisions, ranking=ranking)
        known = solver(GAME, options)
        player = resolve("optimal", GAME, options)
        assert np.array_equal(player.actions, optimal_table(GAME, options))
        assert known.value(policy_of(known.mdp, "optimal")).mean == known.solve_exactly(1).value


def test_whoever_answers_observations_is_valued_alike():
    known = solver(GAME, GAME.options())

    def bet_on_kings_and_aces(observations, masks):
        assert observations.shape == (known.mdp.num_states, 41)
        assert masks.all()
        first = observations[:, 0] == 1.0
        return (first & (observations[:, 11:13].sum(axis=1) > 0)).astype(np.int64)

    policy = observed_policy(known.mdp, bet_on_kings_and_aces)
    assert policy[known.mdp.states["dealt"] > 1].sum() == 0
    # One bet, on half of the cards: worth 2 x share - 1 each time; shares of 0.5139 and 0.6297 of the pot.
    exact = known.value(policy)
    worth = known.value(policy_of(known.mdp, "never")).mean
    assert 0 < exact.mean - worth < Fraction(1, 4)
    assert policy_value(known.mdp, policy).mean == pytest.approx(float(exact.mean), abs=1e-12)
    for answers in (np.ones(3, np.int64), np.ones(known.mdp.num_states), np.full(known.mdp.num_states, 5)):
        with pytest.raises(CardgymError, match=r"allowed are|not legal"):
            observed_policy(known.mdp, lambda seen, masks, answers=answers: answers)
    paper = observed_policy(known.mdp, lambda seen, masks: (seen[:, 0] > 9).astype(int) * 0, "paper")
    assert known.value(paper).mean == 1


def test_every_state_has_one_index_code_and_name():
    for decisions in (3, 4):
        options = GAME.options(decisions=decisions)
        known = solver(GAME, options)
        places = indices(known.mdp)
        assert sorted(places.tolist()) == list(range(1, GAME.state_index.num_info_states(options)))
        codes = GAME.state_index.info_state_keys(options)
        assert len(set(codes.tolist())) == len(codes)
        assert codes[places].tolist() == [int(GAME.state_index.info_state_key(state, 0)) for state in known.mdp.states]
        assert len(set(GAME.state_index.info_state_labels(options))) == len(codes)
        table = policy_table(known.mdp, np.arange(known.mdp.num_states) % 2)
        assert np.array_equal(table_policy(known.mdp, table), np.arange(known.mdp.num_states) % 2)


# -- the chart --------------------------------------------------------------------------------------------------------


def test_the_chart_says_when_to_bet():
    cells = poker_chart.chart_cells(GAME.options())
    assert len(cells[1]) == 4
    assert len(cells[2]) == 4 * 4 + 4 * 3  # A card of the same suit is of another rank.
    assert len(cells[3]) == (4 + 6 + 6) * 4
    assert {own: cell.words for (own, _), cell in cells[1].items()} == {
        "J": "don't",
        "Q": "don't",
        "K": "bet",
        "A": "bet",
    }
    for (own, house), cell in cells[2].items():
        order = "JQKA".index(own) - "JQKA".index(house[0])
        assert cell.words == ("bet" if order > 0 else "don't" if order < 0 else "either")
    assert cells[3]["KK", "A"].words == "bet"
    assert cells[3]["AQ", "K"].words == "don't"
    assert cells[3]["KQ", "A"].share_text == "0 %"
    # The ring: where the paper's gamma does not bet although it pays.
    assert [own for (own, _), cell in cells[1].items() if cell.bets == {True} != cell.discounted_bets] == ["K"]
    assert all(cell.bets == cell.discounted_bets or None in cell.bets for cell in (cells[2] | cells[3]).values())


def test_the_chart_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    poker_chart.draw_chart(tmp_path / "chart.png", GAME.options(ranking="pair_first"))
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
