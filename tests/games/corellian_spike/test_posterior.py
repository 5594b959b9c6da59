"""The exact posterior over hands equals the enumeration of every history, and rebuilds what an opponent saw."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cardgym import find
from cardgym.arena.playouts import MOVE, NO_MOVE, ManyGames, generators
from cardgym.engine.contract import CHANCE, END
from cardgym.engine.states import new_state
from cardgym.experiments.exploit import posterior as listing
from cardgym.experiments.exploit.posterior import Known, Worlds
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.posterior import HandPosterior
from moody import Histories, Moody

PAIRS = list(combinations_with_replacement(range(-10, 11), 2))


def pairs_of(histories: Histories, seats: list[int]) -> dict[Any, float]:
    """The probability of each combination of hands of these seats."""
    shares: dict[Any, float] = {}
    for states, probability in histories.worlds.values():
        cards = states["cards"][0]
        key = tuple((int(cards[seat, 0]), int(cards[seat, 1])) for seat in seats)
        shares[key] = shares.get(key, 0.0) + probability
    return shares


@pytest.mark.parametrize("seats", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_ranges_equal_the_enumeration_of_all_histories(seats: int) -> None:
    deck = {"values": 3, "copies": 2, "zeros": 1} if seats == 2 else {"values": 2, "copies": 3}
    game = find("CorellianSpike-v0")
    options = game.parse_options({"num_players": seats, "hands": 2, "rounds": 4 - seats, **deck})
    player, generator = Moody(), np.random.default_rng(seats)
    others = list(range(1, seats))
    compared = swapped = 0
    for seed in range(2):
        games = ManyGames(game, options, np.asarray(new_state(game, options)).view(game.state), generators([seed]))
        posterior = HandPosterior(game, options, player, np.zeros(1, np.int64), generator)
        histories = Histories(game, options, player, 0)
        who = np.full(1, CHANCE)
        while who[0] != END and games.states["hand"][0] == 0:
            posterior.start(games.states, who, games.deals)
            before, previous, action = who.copy(), games.states.copy(), NO_MOVE
            state = previous.view(np.recarray)[0]
            if who[0] == 0:
                found = pairs_of(histories, others)
                joint = joint_of(posterior.ranges[0], state, others)
                assert set(found) == {pairs for pairs, share in joint.items() if share > 1e-100}
                assert all(joint[pairs] == pytest.approx(share, rel=1e-11, abs=1e-12) for pairs, share in found.items())
                drawn = posterior.sample(0, previous, 4000)["cards"][:, 1:seats, :2]
                pairs, counts = np.unique(drawn.reshape(4000, -1), axis=0, return_counts=True)
                for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
                    share = found[tuple(zip(pair[::2], pair[1::2], strict=True))]
                    assert count / 4000 == pytest.approx(share, abs=0.04)
                compared += 1
            if who[0] >= 0:
                mask = np.zeros(9, np.int8)
                game.rules.legal_action_mask(state, mask)
                # Few folds, after which little is left to compare, and many swaps.
                weights = mask * np.array([1.0, 1.0, 0.1, 4.0, 1.0, 1.0, 1.0, 3.0, 3.0])
                action = int(generator.choice(9, p=weights / weights.sum()))
                swapped += action >= sabacc.SWAP_LOW and who[0] > 0
                player.seen.clear()
            truth = histories.see(state, max(int(before[0]), 0))
            games.advance(np.full(1, action), MOVE)
            who = games.who.copy()
            if who[0] == END or games.states["hand"][0]:
                break
            posterior.follow(previous, games.states, before, np.full(1, action), who, games.deals)
            if before[0] > 0:  # Among what the player was asked is what it has really seen, bit for bit.
                assert (np.concatenate(player.seen) == truth).all(axis=1).any()
            histories.follow(int(before[0]), action, games.states.view(np.recarray)[0])
    assert compared > 5
    assert swapped > 0


@pytest.mark.slow
def test_ranges_of_three_opponents_equal_the_worlds_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_WORLDS", 10**6)
    game = find("CorellianSpike-v0")
    options = game.parse_options({"num_players": 4, "hands": 2, "rounds": 2, "values": 2, "zeros": 5})
    player, generator = Moody(), np.random.default_rng(0)
    games = ManyGames(game, options, np.asarray(new_state(game, options)).view(game.state), generators([0]))
    posterior = HandPosterior(game, options, player, np.zeros(1, np.int64), generator)
    worlds = Worlds(game, options, player, np.zeros(1, np.int64), generator)
    who, others, compared = np.full(1, CHANCE), [1, 2, 3], 0
    while games.states["phase"][0] != sabacc.DICE:
        posterior.start(games.states, who, games.deals)
        before, previous, action = who.copy(), games.states.copy(), NO_MOVE
        state = previous.view(np.recarray)[0]
        if who[0] >= 0 and worlds.known[0].states.size == 0:
            worlds.known[0], worlds._deals[:] = listed(previous, others), games.deals
        if who[0] == 0:
            known = worlds.known[0]
            hands, places = np.unique(known.states["cards"][:, others, :2], axis=0, return_inverse=True)
            shares = np.bincount(places.ravel(), known.weights) / known.weights.sum()
            joint = joint_of(posterior.ranges[0], state, others)
            assert known.exact
            assert len(hands) == sum(share > 0.0 for share in joint.values())
            for hand, share in zip(hands.tolist(), shares.tolist(), strict=True):
                assert joint[tuple(map(tuple, hand))] == pytest.approx(share, rel=1e-11, abs=1e-12)
            compared += 1
        if who[0] >= 0:
            mask = np.zeros(9, np.int8)
            game.rules.legal_action_mask(state, mask)
            weights = mask * np.array([1.0, 1.0, 0.0, 4.0, 1.0, 1.0, 1.0, 3.0, 3.0])  # Nobody folds.
            action = int(generator.choice(9, p=weights / weights.sum()))
        games.advance(np.full(1, action), MOVE)
        who = games.who.copy()
        posterior.follow(previous, games.states, before, np.full(1, action), who, games.deals)
        worlds.follow(previous, games.states, before, np.full(1, action), who, games.deals)
    assert compared > 8


def listed(state: Any, others: list[int]) -> Known:
    """All worlds at the first decision, by the hands of the other seats."""
    hands, ways, decks = zip(*hands_of(state.view(np.recarray)[0], others), strict=True)
    worlds = np.repeat(state, len(hands))
    worlds["cards"][:, others, :2] = hands
    worlds["deck"][:, : len(decks[0])] = decks
    return Known(worlds, np.array(ways), exact=True)


def joint_of(ranges: npt.NDArray[np.float64], state: Any, others: list[int]) -> dict[Any, float]:
    """The probability of each combination of hands: ranges times the ways to deal the hands from the unseen cards."""
    shares = {
        pairs: ways * float(ranges[others, [PAIRS.index(pair) for pair in pairs]].prod())
        for pairs, ways, _ in hands_of(state, others)
    }
    whole = sum(shares.values())
    return {pairs: share / whole for pairs, share in shares.items()}


def hands_of(state: Any, others: list[int]) -> Iterator[tuple[tuple[tuple[int, int], ...], float, list[int]]]:
    """All hands that other seats may have, the number of ways to deal them, and the other unseen cards."""
    unseen = Counter(state.deck[: state.deck_size].tolist())
    for seat in others:
        unseen.update(state.cards[seat, :2].tolist())
    for pairs in product([pair for pair in PAIRS if unseen[pair[0]] and unseen[pair[1]]], repeat=len(others)):
        left, ways = unseen.copy(), 1.0
        for low, high in pairs:
            ways *= left[low] * left[high] if low != high else comb(max(left[low], 0), 2)
            left.subtract((low, high))
        if min(left.values()) >= 0:
            yield pairs, ways, sorted(left.elements())
