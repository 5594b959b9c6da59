"""The observation `belief` against brute force: every deal that fits what a seat has seen, by the rules themselves."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from spike_driver import SpikeDriver

from cardgym.engine.contract import CHANCE
from cardgym.engine.declarations import offsets
from cardgym.games.corellian_spike.action_models import PLACES, SHARES
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import (
    BETTING,
    BUY,
    BUYING,
    CHEATING,
    DECK_COUNTS,
    DICE,
    DISCARD,
    DONT_BUY,
    EMPTY,
    FOLD,
    MATCH,
    PLACING,
    RAISE,
    SPIKE_SLOT,
    SWAP_HIGH,
    SWAP_LOW,
    SWAP_SPIKE,
)
from moody import Histories, Moody, key_of


class Watcher(Histories):
    """One seat's view of a hand: all states that fit what it has seen; the other acts as the model says."""

    def __init__(self, real: SpikeDriver, seat: int) -> None:
        super().__init__(GAME, real.options, Moody(), seat)
        self.real, self._world, self.seat, self.other = real, real.copy(), seat, 1 - seat
        self.worlds = {key_of(real.state): (real.states.copy(), 1.0)}

    def _moves(self, state: Any, who: int, action: int) -> list[tuple[int, float]]:
        if state.phase == DICE or who == self.seat:
            return [(action, 1.0)]
        if who == CHANCE:
            pile = state.deck[: state.deck_size].tolist()
            return [(pile.index(card), pile.count(card) / len(pile)) for card in {*pile}]
        unseen = state.phase in (PLACING, CHEATING) and action in (SWAP_LOW, SWAP_HIGH)
        self._world.states[0] = state
        self._world.refresh()
        return [(move, probability(self._world, move)) for move in ((SWAP_LOW, SWAP_HIGH) if unseen else (action,))]

    def compare(self) -> None:
        """Compare the observation with the probabilities of the worlds."""
        features = GAME.observation("belief").features(self.real.options)
        start = offsets(features)
        observed = self.real.observe(self.seat, "belief")
        cards, sizes = np.zeros(21), np.zeros(12)
        beaten = np.zeros(4)
        for states, weight in self.worlds.values():
            own, theirs = (states["cards"][0, seat].tolist() for seat in (self.seat, self.other))
            for card in theirs[:2]:
                cards[card + 10] += weight / 2
            held = sum(card for card in theirs if card != EMPTY)
            sizes[min(abs(held), 11)] += weight
            total = sum(card for card in own if card != EMPTY)
            totals = [total]
            if (extra := int(states["extra"][0])) != EMPTY and states["turn"][0] == self.seat:
                totals += [total + extra - own[slot] for slot in (SPIKE_SLOT, 0, 1)]
            for place, mine in enumerate(totals):
                beaten[place] += weight * (0.5 if mine == held else better(mine, held))
        expected = {
            "opponent_1_cards": cards,
            "opponent_1_size": sizes,
            "opponent_1_beaten": beaten[:1],
            "opponent_1_placed": beaten[1:],
        }
        for name, values in expected.items():
            np.testing.assert_allclose(observed[start[name] :][: len(values)], values, atol=2e-6, err_msg=name)


def better(mine: int, theirs: int) -> bool:
    return (abs(mine), mine < 0) < (abs(theirs), theirs < 0)


def probability(world: Any, action: int) -> float:
    """How likely the model's player acts so with the cards that it holds in this world."""
    state = world.state
    seat, number = int(state.turn), int(state.round_number)
    held = [card for card in world.cards(seat) if card != EMPTY]
    size = min(abs(sum(held)), 20)
    checks, calls, calls_short, opens, reraises, buys = SHARES[:, number, size]
    if state.phase == BUYING:
        if world.legal_actions() == [DONT_BUY]:
            return 1.0
        return float(buys if action == BUY else 1 - buys)
    if state.phase == BETTING:
        paid = world.copy()
        paid.apply_action(MATCH)
        if paid.credits[seat] == world.credits[seat]:
            return float({MATCH: checks, RAISE: opens}[action]) if RAISE in world.legal_actions() else 1.0
        if RAISE not in world.legal_actions():
            return float(calls_short)
        return float({MATCH: calls, RAISE: reraises}[action])
    low, high, spike = held
    new = int(state.extra)
    sums = {DISCARD: low + high + spike, SWAP_SPIKE: low + high + new}
    sums |= {SWAP_LOW: new + high + spike, SWAP_HIGH: low + new + spike}
    weights = {which: PLACES[abs(total)] for which, total in sums.items()}
    return float(weights[action] / sum(weights.values()))


def small_deck(game: SpikeDriver, cards: list[int]) -> None:
    """Leave these cards in the draw pile; all have seen the others being put away."""
    game.state.public[:] += DECK_COUNTS[10, 3, 2]
    for card in cards:
        game.state.public[card + 10] -= 1
    game.state.deck[: len(cards)] = cards
    game.state.deck_size = len(cards)
    game.refresh()


@pytest.mark.parametrize("betting", ["flat", pytest.param("matched", marks=pytest.mark.slow)])
@pytest.mark.parametrize("cheat", ["no", "0", "1"])
def test_belief_is_the_posterior_of_brute_force(betting: str, cheat: str) -> None:
    seen: dict[str, int] = defaultdict(int)
    cheats = cheat != "no"  # With a fourth card there are many more deals.
    for seed in range(2 if cheats else 4):
        rng = np.random.default_rng([seed, betting == "flat", int(cheat == "no")])
        credits = (12, 30, 60)[seed % 3]
        max_raises = seed % 2  # Without the right to raise, a free match says nothing about the hand.
        game = SpikeDriver(betting=betting, cheat=cheat, credits=credits, max_raises=max_raises, hands=1)
        values = rng.choice(np.arange(-10, 11), 5 if cheats else 7, replace=False).tolist()
        small_deck(game, [card for card in values for _ in range(2 if card == 0 else 3)])
        watchers = [Watcher(game, seat) for seat in range(2)]
        while not game.over:
            for watcher in watchers:
                if game.current_player == watcher.seat:
                    watcher.compare()
                    seen["compared"] += 1
            move, who = choose(game, rng, seen), game.current_player
            game.apply_action(move)
            if game.over:
                break
            for watcher in watchers:
                watcher.follow(who, move, game.state)
    assert seen["compared"] > 20
    kinds = ("in hand", "raise") if cheats else ("in hand", "raise", "new spike", "laid down", "doubles")
    assert min(seen[name] for name in kinds) > 0, dict(seen)


def choose(game: SpikeDriver, rng: np.random.Generator, seen: dict[str, int]) -> int:
    """A move, often a rare one; nobody folds."""
    state = game.state
    if state.phase == DICE:
        doubles = state.deck_size >= 11 and rng.random() < 0.4  # The pile is not used up: two players never do.
        seen["doubles"] += doubles
        return int(7 * rng.integers(6)) if doubles else int(rng.choice([1, 8, 15]))
    if game.num_chance_outcomes:
        return int(rng.integers(game.num_chance_outcomes))
    legal = [action for action in game.legal_actions() if action != FOLD]
    action = int(rng.choice(legal))
    if action == DONT_BUY and BUY in legal and rng.random() < 0.7:
        action = BUY
    names = {SWAP_LOW: "in hand", SWAP_HIGH: "in hand", SWAP_SPIKE: "new spike", DISCARD: "laid down", RAISE: "raise"}
    seen[names.get(action, "other")] += 1
    return action


def test_belief_extends_full() -> None:
    game = SpikeDriver((3, -2), (7, 1), (5, 5))
    game.play(RAISE, MATCH, MATCH)
    full, belief = game.observe(0, "full"), game.observe(0, "belief")
    assert np.array_equal(belief[: len(full)], full)
    assert len(belief) == len(full) + 2 * 37
    game.draw(1, -8, 0)
    folded = game.copy()
    folded.play(DONT_BUY, DONT_BUY, DONT_BUY, MATCH, FOLD)
    assert not folded.observe(0, "belief")[len(full) : len(full) + 37].any()
    assert folded.observe(0, "belief")[len(full) + 37 :].any()


@pytest.mark.slow
def test_odds_are_tenths_of_the_beliefs_chance_for_each_opponent() -> None:
    game = SpikeDriver((3, -2), (7, 1), (9, 9))
    game.play(MATCH, RAISE, MATCH, MATCH)
    game.draw(1, -8, 4)
    beaten = [
        game.observe(0, "belief")[offsets(GAME.observation("belief").features(game.options))[f"opponent_{i}_beaten"]]
        for i in (1, 2)
    ]
    odds = game.observe(0, "odds")
    assert odds[6:].tolist() == [round(10 * float(chance)) for chance in beaten]
    assert odds[:6].tolist() == game.observe(0, "spikes")[:6].tolist()
    assert len(set(beaten)) == 2


def test_belief_needs_no_cards_and_ends_with_the_game() -> None:
    game = SpikeDriver(hands=1)
    size = GAME.observation("full").size(game.options)
    assert not game.observe(0, "belief")[size:].any()  # Nothing is dealt yet.
    game.draw(1, 2, 3, 4)
    game.play(FOLD)
    assert game.over
    assert np.isfinite(game.observe(0, "belief")).all()
