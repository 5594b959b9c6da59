"""The observation `buckets`, by hand: what it tells apart, and what it takes for the same."""

from __future__ import annotations

import itertools

import pytest
from spike_driver import SpikeDriver

from cardgym import find
from cardgym.engine.declarations import offsets
from cardgym.games.corellian_spike.buckets import hand_bucket
from cardgym.games.corellian_spike.hand import hand_rank
from cardgym.games.corellian_spike.state import BUY, DISCARD, DONT_BUY, FOLD, MATCH, RAISE, SWAP_HIGH
from cardgym.solvers.mccfr import MCCFR

GAME = find("CorellianSpike-v0")


def look(game: SpikeDriver, seat: int | None = None) -> dict[str, int]:
    """What the seat to decide, or the one named, sees of `buckets`; zeros left out."""
    numbers = game.observe(game.current_player if seat is None else seat, "buckets")
    names = offsets(GAME.observation("buckets").features(game.options))
    return {name: int(numbers[place]) for name, place in names.items() if numbers[place] != 0}


@pytest.mark.parametrize(
    ("cards", "bucket"),
    [
        ((-10, 0, 10), 0), ((-9, 2, 7), 1), ((0, 0, 0), 2), ((1, 0, 0), 3), ((-1, 0, 0), 4), ((2, 0, 0), 5),
        ((-2, 0, 0), 6), ((1, 1, 1), 7), ((-3, 0, 0), 7), ((-4, 0, 0), 8), ((5, 0, 0), 9), ((-6, 0, 0), 9),
        ((7, 0, 0), 10), ((-9, 0, 0), 10), ((10, 0, 0), 11), ((-10, -10, -10), 11),
    ],
)  # fmt: skip
def test_buckets_of_hands(cards: tuple[int, int, int], bucket: int) -> None:
    assert hand_bucket(*cards) == bucket


def test_no_hand_wins_from_one_in_a_better_bucket() -> None:
    hands = itertools.combinations_with_replacement(range(-10, 11), 3)
    ranked = sorted((hand_rank(*hand), -hand_bucket(*hand)) for hand in hands)
    buckets = [-bucket for _, bucket in ranked]
    assert buckets == sorted(buckets, reverse=True)
    assert set(buckets) == set(range(12))


def test_first_bets() -> None:
    game = SpikeDriver((-10, 4), (3, 5))
    assert look(game) == {"decision": 1, "first": 1, "pair": 3, "stack": 2, "opponents": 1}
    game.play(RAISE)
    assert look(game) == {"decision": 1, "pair": 4, "to_match": 1, "rival_raises": 1, "stack": 2, "opponents": 1}
    for _ in range(4):
        game.play(RAISE)
    assert look(game) == {
        "decision": 1, "pair": 4, "to_match": 1, "rival_raises": 2, "pool": 2, "stack": 2, "opponents": 1,
    }  # fmt: skip


def test_buying_and_placing() -> None:
    game = SpikeDriver((-10, 4), (3, 5))
    game.play(RAISE, MATCH)
    game.draw(9, -6)
    common = {"round": 1, "first": 1, "stack": 2, "opponents": 1}
    # -10, 4 and 9 make 3. In the place of 4 a card of 1 would make 0, of -10 none, of 9 a 6.
    assert look(game) == {**common, "decision": 2, "hand": 7, "outs": 2, "pool": 1}
    game.play(BUY)
    game.draw(1)
    assert look(game) == {"round": 1, "first": 1, "decision": 3, "best": SWAP_HIGH}
    game.play(SWAP_HIGH)
    # 3, 5 and -6 make 2. The rival has raised, has kept a card, and comes before.
    assert look(game) == {
        "round": 1, "decision": 2, "hand": 5, "rival_raised": 1, "rival_bought": 3, "pool": 1, "stack": 2,
        "opponents": 1,
    }  # fmt: skip
    game.play(BUY)
    game.draw(4)
    # For 5 the sum would be 1; for 3 it would be 3, for -6 it would be 12.
    assert look(game) == {"round": 1, "decision": 3, "hand": 3, "best": SWAP_HIGH}


def test_rival_is_forgotten_with_its_hand() -> None:
    game = SpikeDriver((-10, 10), (3, 5))
    game.play(RAISE, MATCH)
    game.draw(1, -6)
    game.play(DONT_BUY, BUY)
    game.draw(10)
    game.play(DISCARD)
    assert look(game)["rival_bought"] == 2
    game.play(RAISE, MATCH)
    assert look(game, 1)["rival_raises"] == 1
    game.roll(2, 2)
    game.draw(1, 2, 3, 4)
    assert "rival_raised" not in look(game, 1)
    assert "rival_bought" not in look(game, 0)
    game.play(DONT_BUY, DONT_BUY)
    assert look(game)["rival_bought"] == 1


def test_rival_is_the_opponent_still_in_with_most_raises() -> None:
    game = SpikeDriver((-10, 10), (3, 5), (1, 2))
    assert look(game)["opponents"] == 2
    game.play(MATCH, RAISE, RAISE, MATCH, RAISE)
    assert look(game)["rival_raises"] == 2  # Seat 1 has raised twice; seat 0 comes first.
    game.play(MATCH)
    assert look(game)["rival_raises"] == 2
    game.play(MATCH)
    game.draw(0, 0, 4)
    game.play(DONT_BUY, DONT_BUY, DONT_BUY, MATCH)
    assert look(game)["decision"] == 1
    game.play(FOLD)
    seen = look(game)
    assert seen["opponents"] == 1
    assert "rival_raised" not in seen  # Seat 0 is left, and it has not raised.


@pytest.mark.slow
def test_table_of_a_strategy_stays_small() -> None:
    solver = MCCFR(GAME, GAME.parse_options(), "buckets", seed=1, by_deal=True, branch=0.3)
    solver.run(2000)
    assert 5000 < solver.num_info_sets < 40_000
