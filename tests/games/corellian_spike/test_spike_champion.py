"""The player `champion`: its solution is an equilibrium by the rules, from the ranges that play has shown."""

from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from spike_driver import SpikeDriver

from cardgym import find
from cardgym.arena.playouts import MOVE, NO_MOVE, Decisions, ManyGames
from cardgym.engine.batch import look
from cardgym.engine.contract import END
from cardgym.games.corellian_spike import placing
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.bets import num_nodes, solve
from cardgym.games.corellian_spike.champion import ChampionPlayer, start_of_betting
from cardgym.games.corellian_spike.ends import SIZES, read_network, worths
from cardgym.games.corellian_spike.hand import hand_rank
from cardgym.games.corellian_spike.posterior import HandPosterior
from cardgym.games.corellian_spike.replay import ranges_of, remember
from cardgym.players import Player, resolve

PAIRS = list(combinations_with_replacement(range(-10, 11), 2))
GAME = find("CorellianSpike-v0")
Numbers = npt.NDArray[np.float64]


def joint_and_wins(counts: list[int], spikes: tuple[int, int]) -> tuple[Numbers, Numbers]:
    """The ways to deal each two pairs, card by card, and whether the first beats the second."""
    ways, wins = np.zeros((231, 231)), np.zeros((231, 231))
    for first, one in enumerate(PAIRS):
        for second, other in enumerate(PAIRS):
            left, product = list(counts), 1.0
            for pair in (one, other):
                for card in pair:
                    product *= max(left[card + 10], 0)
                    left[card + 10] -= 1
                product /= 2 if pair[0] == pair[1] else 1
            ways[first, second] = product
            ranks = hand_rank(*one, spikes[0]), hand_rank(*other, spikes[1])
            wins[first, second] = (ranks[0] > ranks[1]) + (ranks[0] == ranks[1]) / 2
    return ways, wins


class Subgame:
    """A betting by the game's own rules, with dense tables in place of cards."""

    def __init__(
        self, driver: SpikeDriver, joint: Numbers, wins: Numbers, fresh: float, worths: Numbers, strategy: Numbers
    ) -> None:
        self.driver, self.worths, self.strategy = driver, worths, strategy
        self.joint, self.wins, self.better = joint, wins * 5 / 6 + fresh * 5 / 36 + 1 / 72, wins - 0.5
        self.stacks, self.pool = [int(stack) for stack in driver.state.stack[:2]], int(driver.state.pool)

    def value(self, seat: int, reach: Numbers, moves: tuple[int, ...] = (), *, best: bool = True) -> Numbers:
        """What `seat` gets with each pair, weighted by the reach of the other, if it plays its best or the strategy."""
        state = self.driver.state.copy()
        for move in moves:
            GAME.rules.apply_action(state, move)
        joint = self.joint if seat == 0 else self.joint.T
        if state.phase != sabacc.BETTING:
            if state.phase == sabacc.DICE and self.worths.size:
                # Without credits a seat matches without being asked.
                matcher = (self.driver.current_player + len(moves) - (moves[-1] != sabacc.RAISE)) % 2
                ends = self.worths[matcher, :, :, moves.count(sabacc.RAISE)]
                worth = ends[0, :, :-1] @ ends[1, :, :-1].T + np.outer(ends[0, :, -1], ends[1, :, -1]) * self.better
                paid: Numbers = (joint * (worth if seat == 0 else -worth.T)) @ reach
                return paid
            if state.phase == sabacc.DICE:
                put = [self.stacks[at] - int(state.stack[at]) for at in (seat, 1 - seat)]
                won = self.wins if seat == 0 else 1 - self.wins.T
            else:
                put = [2 * len([move for move in moves[at::2] if move == sabacc.RAISE]) for at in (seat, 1 - seat)]
                won = np.full_like(self.wins, float(state.last_winner == seat))
            return (joint * (won * (self.pool + sum(put)) - self.pool / 2 - put[0])) @ reach
        raises = int(state.put_phase[:2].sum()) // 2
        mask = np.zeros(9, np.int8)
        GAME.rules.legal_action_mask(state, mask)
        legal = [move for move in np.flatnonzero(mask).tolist() if move != sabacc.FOLD or raises]
        if raises + 1 == self.strategy.shape[3]:
            legal = [move for move in legal if move != sabacc.RAISE]
        shares = self.strategy[state.turn, :, :, raises]
        own = state.turn == seat
        values = np.stack(
            [self.value(seat, reach if own else reach * shares[move], (*moves, move), best=best) for move in legal]
        )
        chosen: Numbers = (
            values.sum(axis=0) if not own else values.max(axis=0) if best else (values * shares[legal]).sum(0)
        )
        return chosen


@pytest.mark.parametrize(
    ("stacks", "nodes", "terms"),
    [((8, 6), 8, 0), ((4, 10), 6, 0), ((0, 6), 2, 0), ((6, 0), 2, 0), ((8, 6), 4, 2), ((6, 0), 2, 3)],
)
def test_the_solution_is_an_equilibrium_by_the_rules(stacks: tuple[int, int], nodes: int, terms: int) -> None:
    """No pair of either seat gains by any other strategy, in the game's own tree and with pairs counted one by one.

    With terms, what follows the betting is worth any numbers, and with fewer nodes there are fewer raises.
    """
    driver = SpikeDriver((0, 1), (2, -2), rounds=1, values=3, copies=2, zeros=1)
    driver.act(sabacc.MATCH, sabacc.MATCH)
    driver.draw(1, -2)
    driver.state.stack[:2] = stacks
    driver.act(sabacc.DONT_BUY, sabacc.DONT_BUY)
    counts = sabacc.DECK_COUNTS[3, 2, 1] - driver.state.public
    ranges = np.random.default_rng(1).random((2, 231)) ** 3 + 0.01
    assert nodes <= num_nodes(np.array(stacks))
    worths = np.random.default_rng(2).normal(0, 3, (2, 2, 231, nodes, terms))
    worths[0, :, :, 0] = worths[1, :, :, 0]  # Nobody has paid.
    strategy = np.empty((2, 3, 231, nodes))
    solve(np.array(stacks), int(driver.state.pool), np.array([1, -2]), 0, counts, ranges, 400, worths, strategy)
    np.testing.assert_allclose(strategy.sum(axis=1), 1.0)
    ways, wins = joint_and_wins(counts.tolist(), (1, -2))
    joint = ways * ranges[0][:, None] * ranges[1]
    fresh = float((ways * wins).sum() / ways.sum())
    subgame = Subgame(driver, joint / joint.sum(), wins, fresh, worths, strategy)
    ones = np.ones(231)
    gains = [subgame.value(seat, ones).sum() for seat in range(2)]
    own = [subgame.value(seat, ones, best=False).sum() for seat in range(2)]
    assert sum(own) == pytest.approx(0.0, abs=1e-9)
    assert 0.0 <= sum(gains) < 0.005, f"best responses gain {gains} where the solution gives {own}"


DECISIONS = (sabacc.BETTING, sabacc.BUYING, sabacc.PLACING)


def champion(**options: Any) -> ChampionPlayer:
    parsed = GAME.parse_options(options)
    player = resolve("champion", GAME, parsed)
    assert isinstance(player, ChampionPlayer)
    return player


def test_rebuilt_ranges_equal_those_tracked_in_play() -> None:
    """What is rebuilt from an observation is what following the game move by move gives, after redraws too."""
    generator, count = np.random.default_rng(5), 3
    options = GAME.parse_options({})
    base = resolve("ppo", GAME, options)
    games = ManyGames.of_new_games(GAME, options, generator.integers(0, 2**63, count, np.uint64))
    tracked = HandPosterior(GAME, options, base, np.full(count, -1), generator)
    checked: Counter[int] = Counter()
    redrawn = 0
    while (games.who != END).any() and (min(checked[phase] for phase in DECISIONS) < 5 or not redrawn):
        tracked.start(games.states, games.who, games.deals)
        live = np.flatnonzero(games.who >= 0)
        for row in live:
            seen = look(GAME, options, games.states[row : row + 1], games.who[row : row + 1], "plain")[0]
            end = remember(GAME, options, seen)[0]
            opens = end["phase"][0] == sabacc.BETTING and not end["bets"][0, :, end["round_number"][0]].any()
            for each in [end, start_of_betting(end)] if opens else [end]:
                found, kept = ranges_of(GAME, options, base, each), tracked.ranges[row]
                assert found is not None
                np.testing.assert_allclose(found / found.sum(1)[:, None], kept / kept.sum(1)[:, None], atol=1e-6)
            checked[int(games.states["phase"][row])] += 1
            redrawn += int(games.states["fresh_round"][row] > 0)
        moves, draws = np.full(count, NO_MOVE), generator.random(len(live))
        moves[live] = games.decisions(live).actions_of(base, draws, np.zeros(2, np.uint64))
        before, previous = games.who.copy(), games.states.copy()
        games.advance(moves, MOVE)
        tracked.follow(previous, games.states, before, moves, games.who, games.deals)
    assert min(checked[phase] for phase in DECISIONS) >= 5
    assert redrawn


def last_betting(*bets: int, **options: Any) -> SpikeDriver:
    """Two players in the last betting, after these bets in round 0 and only matches in the others."""
    driver = SpikeDriver((0, 1), (2, -2), **options)
    for number in range(3):
        driver.act(*(bets if number == 0 else ()))
        if driver.state.phase == sabacc.BETTING:
            driver.act(sabacc.MATCH, sabacc.MATCH)
        driver.draw(3, -4) if number == 0 else driver.roll(1, 2)
        driver.act(sabacc.DONT_BUY, sabacc.DONT_BUY)
    assert driver.state.phase == sabacc.BETTING
    assert driver.state.round_number == 3
    return driver


def shares_of(player: Player, drivers: list[SpikeDriver]) -> npt.NDArray[np.floating[Any]]:
    states = np.concatenate([np.atleast_1d(np.asarray(driver.state)).view(GAME.state) for driver in drivers])
    seats = np.array([driver.current_player for driver in drivers])
    seen, masks, _ = look(GAME, drivers[0].options, states, seats, player.observation_name)
    shares = player.probabilities(seen, masks)
    assert shares is not None
    assert (shares[masks == 0] == 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)
    return shares


def test_it_plays_as_ppo_before_the_spikes_and_bets_by_what_its_seat_sees() -> None:
    """The opponent's cards and the pile change nothing, and neither do other games in the batch or who asks first."""
    player, base = champion(), resolve("ppo", GAME, GAME.parse_options({}))
    first, last = SpikeDriver((0, 1), (2, -2)), last_betting()
    np.testing.assert_allclose(shares_of(player, [first]), shares_of(base, [first]), atol=1e-6)
    assert np.abs(shares_of(player, [last]) - shares_of(base, [last])).max() > 0.01
    other = last_betting()
    other.state.cards[1, :2] = (-9, 5)
    answer = last_betting()
    answer.act(sabacc.RAISE)
    later = last_betting()
    later.act(sabacc.MATCH, sabacc.RAISE)
    alone = [shares_of(player, [driver]) for driver in (first, last, answer, later)]
    assert len(player._kept) == 3, "one solution serves both seats in each betting, and the ranges that follow"
    again = shares_of(champion(), [answer, later, other, first])
    for number, row in enumerate((2, 3, 1)):
        np.testing.assert_array_equal(again[number], alone[row][0])


def test_a_betting_is_solved_once_whatever_the_hand_before_has_left() -> None:
    player = champion()
    for left in range(2):
        driver = SpikeDriver((0, 1), (2, -2))
        driver.act(sabacc.MATCH, sabacc.MATCH)
        driver.draw(3, -4)
        driver.act(sabacc.DONT_BUY, sabacc.DONT_BUY)
        driver.state.turned_up[:2, 2] = driver.state.spike_before[:2, 3] = left
        shares_of(player, [driver])
    assert len(player._kept) == 1


def test_what_is_recalled_is_what_was_solved_and_else_the_base() -> None:
    """Playouts of a search never wait for a solution."""
    player, last = champion(), last_betting()
    assert player.recalled is not None
    assert player.stand_in is not None
    before = shares_of(player.recalled, [last])
    np.testing.assert_allclose(before, shares_of(player.stand_in, [last]), atol=1e-6)
    np.testing.assert_array_equal(shares_of(player, [last]), shares_of(player.recalled, [last]))
    anew = player.anew()
    assert anew.recalled is not None
    np.testing.assert_array_equal(shares_of(anew.recalled, [last]), before)
    np.testing.assert_array_equal(shares_of(anew, [last]), shares_of(player, [last]))


def test_it_solves_a_betting_after_what_no_pair_of_cards_would_have_done() -> None:
    """`heuristic` plays what `ppo` was not trained for, and never raises 20 times; no pair is then likelier."""
    player = champion(hands=1)
    shares = shares_of(player, [last_betting(*[sabacc.RAISE] * 20, sabacc.MATCH, hands=1)])
    assert shares[0, sabacc.RAISE] > 0.0


def by_hand(
    hand: tuple[int, int, int], other_spike: int, counts: list[int], pool: int, stacks: tuple[int, int], number: int
) -> list[float]:
    """What the networks read about low card, high card and spike, card by card; `stacks` are the own and the other."""
    left = list(counts)
    for card in hand[:2]:
        left[card + 10] = max(left[card + 10] - 1, 0)
    best = [min(abs(sum(hand)), *(abs(sum(hand) - gone + new) for gone in hand)) for new in range(-10, 11)]
    reach = [sum(n for n, far in zip(left, best, strict=True) if far <= by) for by in (0, 1, 2, 3, 5, 7)]
    stakes = [pool / 50, stacks[0] / 50, stacks[1] / 50, min(stacks) / 50, min(stacks) == 0]
    own = [*(min(abs(sum(hand)), 9) == far for far in range(10)), abs(sum(hand)) / 10, sum(hand) >= 0]
    spikes = [abs(other_spike) / 10, abs(hand[2]) / 10]
    spikes += [sum(card for card in hand if card > 0) / 30, max(*hand, 0) / 10]
    return [float(one) for one in [*stakes, *(one / sum(left) for one in reach), *own, number - 1, *spikes]]


def through(units: list[float], arrays: Any, seat: int | None = None) -> Numbers:
    """The outputs of a network; `seat` is for those of both seats."""
    numbers = np.array(units)
    for layer in ("first", "second", "last"):
        weights, biases = (arrays[f"{layer}_{part}"] for part in ("weights", "biases"))
        numbers = numbers @ (weights if seat is None else weights[seat]) + (biases if seat is None else biases[seat])
        numbers = numbers if layer == "last" else np.maximum(numbers, 0)
    return numbers


def test_worths_are_those_of_the_networks_card_by_card() -> None:
    """Of a few ends and pairs."""
    stacks, pool, spikes, nodes = np.array([9, 30]), 14, (3, -4), 7
    counts = sabacc.DECK_COUNTS[10, 3, 2].copy()
    counts[[13, 6, 0]] -= 1
    found = worths(stacks, pool, np.array(spikes), counts, 2, nodes)
    for matcher, node, pairs in ((0, 0, (PAIRS[0], PAIRS[230])), (1, 3, ((-2, 5), (0, 0))), (0, 6, ((1, 1), (-9, 4)))):
        put = [2 * (node // 2 + (node > 0)), 2 * ((node + 1) // 2)][:: -1 if matcher else 1]
        after, whole = (stacks - put).tolist(), pool + sum(put)
        first, second = (
            through(
                by_hand((*pairs[seat], spikes[seat]), spikes[1 - seat], counts.tolist(), whole,
                        (after[seat], after[1 - seat]), 2),
                read_network("ends", *SIZES), seat,
            )
            for seat in range(2)
        )  # fmt: skip
        worth = whole * (first[0] + second[1] + first[2:-1] @ second[2:-1]) + (put[1] - put[0]) / 2
        one, other = [found[matcher, seat, PAIRS.index(pair), node] for seat, pair in enumerate(pairs)]
        assert one[:-1] @ other[:-1] == pytest.approx(worth, abs=1e-4)
        assert one[-1] * other[-1] == pytest.approx(whole * first[-1] * second[-1], abs=1e-4)


def test_a_bought_card_is_placed_by_the_network_card_by_card() -> None:
    """Seat 1 holds 3 and -1 with the spike -4, and has bought a 6."""
    player, base = champion(), resolve("ppo", GAME, GAME.parse_options({}))
    driver = SpikeDriver((0, 1), (3, -1))
    driver.act(sabacc.RAISE, sabacc.MATCH)
    driver.draw(3, -4)
    driver.act(sabacc.DONT_BUY, sabacc.BUY)
    driver.draw(6)
    state = driver.state
    assert state.phase == sabacc.PLACING
    usual, shares = shares_of(base, [driver])[0], shares_of(player, [driver])[0]
    counts = (sabacc.DECK_COUNTS[10, 3, 2] - state.public).tolist()
    scores = []
    for way, (hand, shown) in enumerate(
        [((-1, 3, -4), 6), ((-1, 3, 6), 6), ((6, 3, -4), -1), ((-1, 6, -4), 3)]
    ):  # fmt: skip
        left = list(counts)
        left[shown + 10] -= 1
        stacks = int(state.stack[1]), int(state.stack[0])
        units = by_hand(hand, 3, left, int(state.pool), stacks, 1)
        units += [float(way == kind) for kind in range(2)] + [float(way >= 2), 1.0, 1 / 10, 2 / 10, 0.0, 0.0]
        scores.append(through(units, read_network("placing", *placing.SIZES))[0])
    expected = usual[5:] * np.exp(scores)
    np.testing.assert_allclose(shares[5:], expected / expected.sum(), atol=1e-5)


def test_a_record_that_may_lack_bets_is_not_believed() -> None:
    """A count stops at `MAX_BETS`: then the order of the bets is unknown, and the player goes on as `ppo`."""
    player, base = champion(), resolve("ppo", GAME, GAME.parse_options({}))
    most = last_betting(*[sabacc.RAISE] * 41, sabacc.MATCH)
    assert most.state.bets[0, 0].max() == sabacc.MAX_BETS
    np.testing.assert_allclose(shares_of(player, [most]), shares_of(base, [most]), atol=1e-6)
    fewer = last_betting(*[sabacc.RAISE] * 39, sabacc.MATCH)
    assert shares_of(player, [most])[0, sabacc.FOLD] > 0.0
    assert shares_of(player, [fewer])[0, sabacc.FOLD] == 0.0, "a solution never folds where a match is free"


@pytest.mark.parametrize("options", [{"num_players": 3}, {"betting": "matched"}, {"max_raises": 1}])
def test_other_games_are_played_as_before(options: dict[str, Any]) -> None:
    """Where the last betting is not between two seats with flat betting, nothing is solved."""
    driver = SpikeDriver((0, 1), (2, -2), *[(3, 4)] * (options.get("num_players", 2) - 2), **options)
    name = "ppo_three_players" if "num_players" in options else "heuristic"
    player = champion(**driver.options.asdict())
    driver.state.round_number = 3
    shares = shares_of(player, [driver])[0]
    states, seats = np.atleast_1d(np.asarray(driver.state)).view(GAME.state), np.zeros(1, np.int64)
    base = resolve(name, GAME, driver.options)
    known = Decisions(GAME, driver.options, states, seats).probabilities_of(base, np.zeros(1), np.zeros(2, np.uint64))
    np.testing.assert_allclose(shares, known[0], atol=1e-6)
