"""The player `champion`: its chances to win against brute force, near the target and in whole games."""

import functools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cribbage_driver import CribbageDriver, compiled_only, parse_cards

from cardgym.engine.compilation import compiled
from cardgym.games.cribbage.chance_table import load_table
from cardgym.games.cribbage.pegging.champion import TAKERS, make_player
from cardgym.games.cribbage.pegging.hands import NUM_OF_SIZE, SETS
from cardgym.games.cribbage.pegging.inference import Play, Situation, opponent_weights, read_play
from cardgym.games.cribbage.pegging.policy import load_policy
from cardgym.games.cribbage.scoring import explain_hand, points_for
from cardgym.games.cribbage.state import OVER, PLAYING, CribbageOptions
from cardgym.players import Player

pytestmark = compiled_only


@functools.cache
def champion() -> Player:
    return make_player(CribbageOptions())


def values_of(seen: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> npt.NDArray[np.floating[Any]]:
    values = champion().values(seen, mask)
    assert values is not None
    return values


def chances_of(driver: CribbageDriver) -> dict[int, float]:
    """The chance to win by each legal action of the seat to decide."""
    seen, mask = driver.observe(driver.current_player, "plain")[None], driver.legal_action_mask()[None]
    values = values_of(seen, mask)[0]
    return {action: float(values[action]) for action in driver.legal_actions()}


def in_play(
    scores: tuple[int, int], kept: list[str], line: str = "", starter: str = "2D", dealer: int = 1
) -> CribbageDriver:
    """Seat 1 deals unless told; both seats keep these cards, and the cards of `line` are played."""
    driver = CribbageDriver()
    driver.cut(dealer)
    driver.deal_and_toss(kept, ["8S 3H", "9H AC"])
    driver.draw(starter)
    driver.state.scores[:] = scores
    driver.peg(line)
    return driver


# -- against brute force ----------------------------------------------------------------------------------------------


@compiled
def play_of(ranks: Any, sides: Any, number: int, running_count: int, side: int) -> Play:
    """`read_play`, whose code is cached: called by Python, a rule is compiled in every process."""
    return read_play(ranks, sides, number, running_count, side)


@compiled
def fill_weights(policy: Any, at: Situation, equal: Any, taken: Any) -> None:
    """`opponent_weights`, cached in the same way."""
    opponent_weights(policy, at, equal, taken)


def hands_of_opponent(driver: CribbageDriver, seat: int) -> tuple[list[tuple[Any, float]], Situation]:
    """The multisets of ranks that the opponent may hold, and the weight of each, by the policy and as a taker."""
    state = driver.state
    other, dealer = 1 - seat, int(state.dealer == seat)
    theirs = int(state.hand_size[other])
    known = np.zeros(13, np.int8)
    for card in [*state.kept[seat], *state.crib[2 * seat : 2 * seat + 2], state.starter]:
        known[int(card) % 13] += 1
    ranks = state.played % 13
    sides = np.where(state.played_by == state.dealer, 1, 0)
    line = ranks.astype(np.int8), sides.astype(np.int8), int(state.num_played)
    play = play_of(*line, int(state.count), 1 - dealer)
    held = (state.hand[seat][: state.hand_size[seat]] % 13).astype(np.int8)
    at = Situation(held, len(held), theirs, int(state.floor[other]), dealer, int(state.count), known, play)
    weights = np.zeros((2, NUM_OF_SIZE[theirs]))
    fill_weights(load_policy()._replace(takers=TAKERS), at, *weights)
    return list(zip(SETS[theirs], weights.sum(0), strict=True)), at


def with_hand(driver: CribbageDriver, seat: int, ranks: Any, known: set[int]) -> CribbageDriver:
    """The same deal, with cards of these ranks in the opponent's hand; suits that make neither flush nor nobs."""
    again = driver.copy()
    state, other = again.state, 1 - seat
    played = [int(card) for card in state.played[: state.num_played]]
    free = [card for card in range(52) if card not in known and card not in played]
    cards = []
    for rank in ranks:
        cards.append(next(card for card in free if card % 13 == rank and card not in cards))
    state.hand[other][: len(cards)] = sorted(cards, key=lambda card: (card % 13, card))
    mine = [card for card, by in zip(played, state.played_by, strict=False) if by == other]
    state.kept[other] = sorted([*mine, *cards], key=lambda card: (card % 13, card))
    return again


def points_by_ranks(cards: list[int], starter: int) -> int:
    """The points of a hand for fifteens, pairs and runs."""
    return sum(points for why, points in explain_hand(cards, starter) if "flush" not in why and "nobs" not in why)


def chance_at_end(driver: CribbageDriver, seat: int, crib: dict[int, float]) -> float:
    """A seat's chance after the last card, by counting in order; `crib` has the chance of each number of points."""
    state = driver.state
    pone = 1 - int(state.dealer)
    shows = [points_by_ranks(state.kept[one].tolist(), int(state.starter)) for one in range(2)]
    to_go = [121 - int(state.scores[one]) for one in range(2)]
    to_go[pone] -= shows[pone]
    if to_go[pone] <= 0:
        return float(seat == pone)
    chance = 0.0
    for points, share in crib.items():
        left = to_go[1 - pone] - shows[1 - pone] - points
        chance += share * (1.0 if left <= 0 else float(load_table().chances[0, left, to_go[pone]]))
    return 1.0 - chance if seat == pone else chance


def brute_force(driver: CribbageDriver, seat: int) -> dict[int, float]:
    """The chance to win by each card of a seat that has at most two, by playing every hand of the opponent to the end.

    The opponent, with two cards against one, plays one that scores most, any of equals.
    """
    state = driver.state
    hands, at = hands_of_opponent(driver, seat)
    own = {int(card) for card in [*state.kept[seat], *state.crib[2 * seat : 2 * seat + 2], state.starter]}
    crib = crib_shares(state, seat, at.known)
    found, total = dict.fromkeys(driver.legal_actions(), 0.0), 0.0
    for ranks, weight in hands:
        if weight == 0.0:
            continue
        world = with_hand(driver, seat, ranks, own)
        total += weight
        for card in found:
            after = world.copy()
            after.state.shows[:] = 0  # The show is counted below; without points it ends the deal.
            after.state.crib[:] = parse_cards("2C 4D 6H TS")
            after.state.starter = parse_cards("QH")[0]
            found[card] += weight * walk(after, card, seat, world, crib)
    return {card: value / total for card, value in found.items()}


def walk(driver: CribbageDriver, card: int, seat: int, world: CribbageDriver, crib: dict[int, float]) -> float:
    """The chance to win after this card of whoever is to play, and then the best or the greediest cards."""
    deal = int(driver.state.deal_number)
    driver.apply_action(card)
    state = driver.state
    if state.phase == OVER:
        return float(state.scores[seat] >= 121)
    if state.phase != PLAYING or state.deal_number != deal:
        end = world.copy()
        end.state.scores[:] = state.scores
        return chance_at_end(end, seat, crib)
    mover = driver.current_player
    choices = {card % 13: card for card in driver.legal_actions()}
    values, points = [], []
    for choice in choices.values():
        after = driver.copy()
        values.append(walk(after, choice, seat, world, crib))
        points.append(points_for(driver.state, choice))
    if mover == seat:
        return max(values)
    return float(np.mean([value for value, scored in zip(values, points, strict=True) if scored == max(points)]))


def crib_shares(state: Any, seat: int, known: Any) -> dict[int, float]:
    """The chance of each number of points in the crib: the opponent's pair as often as it discards it and the pack has
    it."""
    mine = [int(card) for card in state.crib[2 * seat : 2 * seat + 2]]
    side = int(state.dealer != seat)
    shares: dict[int, float] = {}
    for low in range(13):
        for high in range(low, 13):
            pairs = [(low + 13 * a, high + 13 * b) for a in range(4) for b in range(4) if low != high or a < b]
            left = (4 - known[low]) * (3 - known[low]) / 2 if low == high else (4 - known[low]) * (4 - known[high])
            share = load_table().tossed[side, 13 * low + high] * max(left, 0) / len(pairs)
            pair = next(pair for pair in pairs if not {*pair} & {*mine, int(state.starter)})
            points = points_by_ranks([*mine, *pair], int(state.starter))
            shares[points] = shares.get(points, 0.0) + share
    total = sum(shares.values())
    return {points: share / total for points, share in shares.items() if share}


LATE = [
    ((117, 116), ["4H 6C 9S TC", "3D 6D 8C TD"], "0:TC 1:TD 0:9S 1:8C 0:4H", 1),
    ((110, 114), ["5H 6C 9S TC", "3D 6D 8C TD"], "0:TC 1:TD 0:9S 1:8C 0:5H", 1),
    ((112, 112), ["4H 6C 7S 8H", "3D 6D 8C TD"], "0:8H 1:8C 0:7S 1:6D", 1),
    ((119, 90), ["4H 6C 7S 8H", "3D 6D 8C TD"], "0:8H 1:8C 0:7S 1:6D", 1),
    ((118, 118), ["AH 4C 4D TS", "6C 9C TH KD"], "0:TS 1:TH 0:4C 1:6C 0:AH", 1),
    ((115, 116), ["6C 9C TH KD", "AH 4C 4D TS"], "1:TS 0:TH 1:4C 0:6C 1:AH", 0),
]


@pytest.mark.parametrize(("scores", "kept", "line", "dealer"), LATE)
def test_late_chances_are_those_of_brute_force(
    scores: tuple[int, int], kept: list[str], line: str, dealer: int
) -> None:
    driver = in_play(scores, kept, line, "JD", dealer)  # With a jack as the starter there is no nobs.
    seat = driver.current_player
    assert driver.state.hand_size[seat] <= 2
    expected = brute_force(driver, seat)
    found = chances_of(driver)
    assert found == pytest.approx(expected, abs=2e-3)


# -- near the target --------------------------------------------------------------------------------------------------


def test_chances_are_certain_where_the_game_is() -> None:
    won = in_play((119, 60), ["4H 5C 5S 6C", "TD JD QD KS"])  # Counts first, with more than enough.
    assert min(chances_of(won).values()) > 0.999
    lost = in_play((60, 119), ["TD JD QD KS", "4H 5C 5S 6C"])
    assert max(chances_of(lost).values()) < 0.05


def test_dealer_that_has_to_peg_three_keeps_the_cards_for_it() -> None:
    # `toss_chances` rates other discards the same; the search of the play tells them apart.
    driver = CribbageDriver()
    driver.cut(0)
    driver.state.scores[:] = (118, 113)
    driver.deal_cards([parse_cards("5H 8S 9C 9D KC KS"), parse_cards("3D 6C 8C TC 9H AC")])
    chances = chances_of(driver)
    assert max(chances, key=chances.__getitem__) == driver.toss_action(*parse_cards("KC KS"))


# -- whole games ------------------------------------------------------------------------------------------------------


def test_batches_and_single_decisions_agree() -> None:
    rng = np.random.default_rng(2)
    driver = CribbageDriver()
    seen: list[npt.NDArray[np.float32]] = []
    mask: list[npt.NDArray[np.int8]] = []
    while len(seen) < 30:
        if driver.num_chance_outcomes:
            driver.apply_action(int(rng.integers(driver.num_chance_outcomes)))
            continue
        seen.append(driver.observe(driver.current_player, "plain"))
        mask.append(driver.legal_action_mask())
        driver.apply_action(int(rng.choice(driver.legal_actions())))
    together = values_of(np.array(seen), np.array(mask))
    alone = [values_of(one[None], legal[None])[0] for one, legal in zip(seen, mask, strict=True)]
    np.testing.assert_array_equal(together, alone)
    assert (together[np.array(mask) == 0] == 0).all()


@pytest.mark.slow
def test_chances_are_those_that_come_true() -> None:
    # Over games from close scores between two champions: the chances seen before decisions, and how the games ended.
    rng = np.random.default_rng(8)
    foreseen: list[float] = []
    outcomes: list[float] = []
    for _ in range(150):
        driver = CribbageDriver()
        driver.state.scores[:] = rng.integers(85, 116, 2)
        by_seat: list[list[float]] = [[], []]
        while not driver.over:
            if driver.num_chance_outcomes:
                driver.apply_action(int(rng.integers(driver.num_chance_outcomes)))
                continue
            chances = chances_of(driver)
            action = max(chances, key=chances.__getitem__)
            by_seat[driver.current_player].append(chances[action])
            driver.apply_action(action)
        for seat in range(2):
            foreseen += by_seat[seat]
            outcomes += [float(driver.scores[seat] == 121)] * len(by_seat[seat])
    chance, won = np.array(foreseen), np.array(outcomes)
    for low in np.arange(0.0, 1.0, 0.25):
        chosen = (chance >= low) & (chance < low + 0.25)
        assert abs(won[chosen].mean() - chance[chosen].mean()) < 0.08  # Decisions of one game are not independent.
