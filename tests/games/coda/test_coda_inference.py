"""Exact inference at Coda, against all arrangements of a line written out one by one."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from coda_lines import CASES, CodaDriver, Line, deck_of, placing_chance

from cardgym.engine.contract import offsets
from cardgym.games.coda import view as table
from cardgym.games.coda.guess_features import splits_features
from cardgym.games.coda.observations import full_features, odds_features


def ruled_out(game: CodaDriver, owner: int) -> dict[int, set[int]]:
    """For each hidden tile of a line the values it cannot have: missed at it, or named by the owner, who held it."""
    out: dict[int, set[int]] = {tile: set() for tile in game.line(owner)}
    for guess in game.guesses:
        for tile in out:
            missed = guess.tile == tile != guess.value
            named = guess.seat == owner and tile in guess.held and game.options.feasible != "all"
            if missed or named:
                out[tile].add(guess.value)
    return out


def arrangements(
    game: CodaDriver, seat: int, *, sees_own_hand: bool = True, remembers_guesses: bool = True
) -> Iterator[tuple[int, ...]]:
    """All arrangements of the opponent's line that `seat`, or someone who knows less, cannot rule out."""
    owner = 1 - seat
    line, up = game.line(owner), game.up(owner)
    out = ruled_out(game, owner) if remembers_guesses else {}
    seen = up | (game.held(seat) if sees_own_hand else game.up(seat))
    unseen = [tile for tile in range(game.n) if tile not in seen]
    numbers = game.n - game.options.jokers

    def fill(done: tuple[int, ...], last: int) -> Iterator[tuple[int, ...]]:
        if len(done) == len(line):
            yield done
            return
        true = line[len(done)]
        for tile in [true] if true in up else unseen:
            if tile in done or (true not in up and tile in out.get(true, ())):
                continue
            if game.options.color_visible == "yes" and tile % 2 != true % 2:
                continue
            if tile < numbers and tile < last:
                continue
            yield from fill((*done, tile), tile if tile < numbers else last)

    yield from fill((), -1)


def weights_of(game: CodaDriver, seat: int, *, sees_own_hand: bool = True) -> dict[Line, float]:
    """The weights of `arrangements`: how likely its tiles went where they are."""
    lines = arrangements(game, seat, sees_own_hand=sees_own_hand)
    return {line: placing_chance(game, 1 - seat, line) for line in lines}


def share(lines: dict[Line, float], place: int) -> dict[int, float]:
    """The probability of each tile at a place, by tile; 0 for others."""
    shares: defaultdict[int, float] = defaultdict(float)
    total = sum(lines.values())
    for line, weight in lines.items():
        shares[line[place]] += weight / total
    return shares


def guessing_games(case: int, num_games: int, most: int, first_seed: int = 0) -> Iterator[CodaDriver]:
    """Games after fewer than `most` random decisions, those in which a seat is to guess."""
    for number in range(num_games):
        game = CodaDriver(*CASES[case], seed=first_seed + number)
        game.decide_randomly(number % most)
        if not game.over and game.guessing:
            yield game


@pytest.mark.parametrize("case", range(len(CASES) - 1))
def test_weights_are_those_of_all_arrangements(case: int) -> None:
    positions = 0
    for game in guessing_games(case, 60, 16):
        seat = game.current_player
        weights, total = game.weigh_guesses(seat)
        expected = np.zeros_like(weights)
        ways = 0.0
        hidden = game.hidden_places(1 - seat)
        for line, weight in weights_of(game, seat).items():
            ways += weight
            for place in hidden:
                expected[place, line[place]] += weight
        if game.options.jokers == 0:
            assert total == ways > 0.0
            np.testing.assert_array_equal(weights, expected)
        np.testing.assert_allclose(weights / total, expected / ways, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(weights > 0.0, expected > 0.0)
        expect_likeliest_guess(game, expected, ways)
        positions += 1
    assert positions >= 25


def expect_likeliest_guess(game: CodaDriver, ways: npt.NDArray[np.float64], total: float) -> None:
    stop_is_legal = game.stop_action in game.legal_actions()
    action = game.choose_action("bayes", np.array([1, 2], np.uint64))
    if action == game.stop_action:
        assert 2 * ways.max() < total * (1 + 1e-9)
    else:
        assert ways[divmod(action, game.n)] >= ways.max() * (1 - 1e-8)
        assert 2 * ways.max() >= total * (1 - 1e-9) or not stop_is_legal
    consistent = game.choose_action("random-consistent", np.array([3, 4], np.uint64))
    assert consistent == game.stop_action or ways[divmod(consistent, game.n)] > 0


def test_odds_are_shares_of_the_arrangements_of_either_line() -> None:
    positions = 0
    for seed in range(30):
        game = CodaDriver("CodaOfficial-v0", {"n_start": 2}, seed=seed)
        game.decide_randomly(3 + seed % 9)
        if game.over or not game.guessing or len(game.hidden_places(game.current_player)) > 3:
            continue
        seat = game.current_player
        starts = offsets(odds_features(game.options))
        odds = game.observe(seat, "odds")
        belief = odds[starts["belief"] :].reshape(13, 26)
        believed = weights_of(game, seat)
        for place in range(len(game.line(1 - seat))):
            shares = share(believed, place)
            np.testing.assert_allclose(belief[place], [shares[tile] for tile in range(26)], rtol=0, atol=1e-7)
        assert odds[starts["best"]] == belief[game.hidden_places(1 - seat)].max()
        exposed = np.zeros(13, np.float32)
        lines = weights_of(game, 1 - seat, sees_own_hand=False)
        for place in game.hidden_places(seat):
            exposed[place] = share(lines, place)[game.line(seat)[place]]
        np.testing.assert_allclose(odds[starts["own_exposed"] : starts["own_exposed"] + 13], exposed, atol=1e-7)
        assert odds[starts["own_best"]] == pytest.approx(exposed.max(), abs=1e-7)
        positions += 1
    assert positions >= 8


def by_guess(game: CodaDriver, seat: int) -> dict[str, npt.NDArray[np.float32]]:
    """The features of the observation `splits`; those by guess as (places, tiles)."""
    observation, start, rows = game.observe(seat, "splits"), 0, {}
    for feature in splits_features(game.options):
        rows[feature.name] = observation[start : start + feature.size]
        start += feature.size
    return {name: row.reshape(-1, game.n) if len(row) == game.n // 2 * game.n else row for name, row in rows.items()}


@pytest.mark.parametrize("case", range(len(CASES) - 1))
def test_features_of_guesses_are_shares_of_all_arrangements(case: int) -> None:
    positions = 0
    for game in guessing_games(case, 40, 12, first_seed=300):
        seat = game.current_player
        if len(game.hidden_places(seat)) > 3:
            continue  # Too many lines to write out for someone who sees neither hand.
        lines = weights_of(game, seat)
        own = weights_of(game, 1 - seat, sees_own_hand=False)
        own_total = sum(own.values())
        hidden, own_hidden = game.hidden_places(1 - seat), game.hidden_places(seat)
        rows = by_guess(game, seat)
        items = [item for zone in game.view(seat)["zones"] for item in zone["items"]]
        by_tile = np.zeros(game.n)
        for line, weight in own.items():
            by_tile[list({line[at] for at in own_hidden})] += weight / own_total
        for place in range(game.n // 2):
            shares = np.zeros(game.n)
            if place in hidden:
                for tile, weight in share(lines, place).items():
                    shares[tile] = weight
            possible = shares > 0.0
            lower = np.cumsum(shares) - shares
            np.testing.assert_array_equal(rows["may_be"][place], possible)
            if place in hidden:  # What the table offers; it does not know that a joker is at one place only.
                offered = np.array([table.possible(game.state, place * game.n + tile) for tile in range(game.n)])
                np.testing.assert_array_equal(offered, offered | possible if game.options.jokers else possible)
                item = next(item for item in items if item["id"] == f"{1 - seat}:{place}")
                assert [mark != "" for mark in item["marks"]] == (offered[::2] | offered[1::2]).tolist()
            for name, expected in (
                ("opponent_exposed", shares.max()),
                ("split", possible * np.minimum(lower, 1.0 - lower - shares)),
                ("below", possible * lower),
                ("tells", possible * by_tile),
            ):
                np.testing.assert_allclose(rows[name][place], expected, rtol=0, atol=1e-6, err_msg=name)
        odds, guesses = game.observe(seat, "odds"), game.observe(seat, "guesses")
        np.testing.assert_array_equal(guesses[: len(odds)], odds)
        np.testing.assert_array_equal(game.observe(seat, "splits")[: len(guesses)], guesses)
        positions += 1
    assert positions >= 8


def test_the_order_of_the_line_rules_tiles_out() -> None:
    """The opponent shows the black 2 left of its hidden tile, which is black: `full` still has lower tiles there."""
    game = CodaDriver(deck=deck_of([5, 8, 20, 4, 9], 24))
    game.guess(0, 10)
    game.guess(0, 6)
    full, starts = game.observe(0, "full"), offsets(full_features(game.options))
    may_be = full[starts["opponent_may_be"] :][: 12 * 24].reshape(12, 24)[1]
    assert np.flatnonzero(may_be).tolist() == [0, 2, 8, 12, 14, 16, 18, 22]
    assert np.flatnonzero(by_guess(game, 0)["may_be"][1]).tolist() == [8, 12, 14, 16, 18, 22]


@pytest.mark.parametrize("case", [0, 1, 2, 6])
def test_heuristic_guesses_where_the_fewest_values_are_left(case: int) -> None:
    """Without jokers its values are those of the arrangements; with jokers they are a few more now and then."""
    positions = 0
    for game in guessing_games(case, 25, 12, first_seed=100):
        seat = game.current_player
        hidden = game.hidden_places(1 - seat)
        values: dict[int, set[int]] = {place: set() for place in hidden}
        for line in arrangements(game, seat, remembers_guesses=False):
            for place in hidden:
                values[place].add(line[place])
        fewest = min(len(tiles) for tiles in values.values())
        action = game.choose_action("heuristic", np.array([game.seed - 100, 0], np.uint64))
        if action == game.stop_action:
            assert fewest > 2
        else:
            place, tile = divmod(action, game.n)
            assert tile in values[place]
            assert len(values[place]) == fewest
        positions += 1
    assert positions >= 10
