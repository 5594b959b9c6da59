"""Exact inference at Coda, against all arrangements written out one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from coda_tables import SETTINGS, Table

from cardgym.games.coda.knowledge import count_guesses, new_counts
from cardgym.games.coda.players import PLAYERS


def ruled_out(table: Table, owner: int) -> dict[int, set[int]]:
    """By hidden tile of a line what it is not, from the guesses alone: missed there, or named by who held it."""
    out: dict[int, set[int]] = {tile: set() for tile in table.line(owner)}
    for guess in table.guesses:
        for tile in out:
            missed = guess.tile == tile != guess.value
            named = guess.seat == owner and tile in guess.held and table.options.feasible != "all"
            if missed or named:
                out[tile].add(guess.value)
    return out


def arrangements(table: Table, seat: int, *, outsider: bool = False) -> Iterator[tuple[int, ...]]:
    """Every way in which `seat`, or one who sees neither hand, can take the opponent's line to be."""
    owner = 1 - seat
    line, up, out = table.line(owner), table.up(owner), ruled_out(table, owner)
    seen = up | (table.up(seat) if outsider else table.held(seat))
    unseen = [tile for tile in range(table.n) if tile not in seen]
    numbers = table.n - table.options.jokers

    def fill(done: tuple[int, ...], last: int) -> Iterator[tuple[int, ...]]:
        if len(done) == len(line):
            yield done
            return
        true = line[len(done)]
        for tile in [true] if true in up else unseen:
            if tile in done or (true not in up and tile in out[true]):
                continue
            if table.options.colour_visible == "yes" and tile % 2 != true % 2:
                continue
            if tile < numbers and tile < last:
                continue
            yield from fill((*done, tile), tile if tile < numbers else last)

    yield from fill((), -1)


@pytest.mark.parametrize("number", range(len(SETTINGS) - 1))
def test_probabilities_are_those_of_all_arrangements(number: int) -> None:
    positions = 0
    for seed in range(60):
        table = Table(*SETTINGS[number], seed=seed)
        table.play_randomly(seed % 16)
        if table.over or not table.guessing:
            continue
        seat = int(table.state.turn)
        counts = new_counts()
        total = count_guesses(table.state, seat, counts)
        expected = np.zeros_like(counts)
        ways = 0
        hidden = table.hidden_places(1 - seat)
        for line in arrangements(table, seat):
            ways += 1
            for place in hidden:
                expected[place, line[place]] += 1
        assert total == ways > 0
        np.testing.assert_array_equal(counts, expected)
        assert_plays_the_likeliest(table, seat, expected, ways)
        positions += 1
    assert positions >= 25


def assert_plays_the_likeliest(table: Table, seat: int, ways: np.ndarray, total: int) -> None:
    table.legal_actions()
    action = int(PLAYERS["bayes"](table.state, seat, table.mask, np.array([1, 2], np.uint64)))
    if action == table.n**2:
        assert 2 * ways.max() < total
    else:
        assert ways[divmod(action, table.n)] == ways.max()
        assert 2 * ways.max() >= total or table.n**2 not in table.legal_actions()
    consistent = int(PLAYERS["random-consistent"](table.state, seat, table.mask, np.array([3, 4], np.uint64)))
    assert consistent == table.n**2 or ways[divmod(consistent, table.n)] > 0


def test_beliefs_are_the_same_probabilities() -> None:
    table = Table("CodaOfficial-v0", {"n_start": 3}, seed=3)
    while not table.guessing:
        table.play_randomly(1)
    table.play_randomly(4)
    seat = int(table.state.turn)
    observation_name = table.game.observations["beliefs"]
    out = np.zeros(observation_name.size(table.options), np.float32)
    observation_name.write(table.state, seat, out)
    beliefs = out[-13 * 26 :].reshape(13, 26)
    lines = list(arrangements(table, seat))
    for place in range(len(table.line(1 - seat))):
        share = Counter(line[place] for line in lines)
        for tile in range(26):
            assert beliefs[place, tile] == np.float32(share[tile] / len(lines))


def test_odds_are_those_of_either_line() -> None:
    positions = 0
    for seed in range(30):
        table = Table("CodaOfficial-v0", {"n_start": 2}, seed=seed)
        table.play_randomly(3 + seed % 9)
        if table.over or not table.guessing or len(table.hidden_places(int(table.state.turn))) > 3:
            continue
        seat = int(table.state.turn)
        odds, beliefs = (
            np.zeros(table.game.observations[name].size(table.options), np.float32) for name in ("odds", "beliefs")
        )
        table.game.observations["odds"].write(table.state, seat, odds)
        table.game.observations["beliefs"].write(table.state, seat, beliefs)
        np.testing.assert_array_equal(odds[-13 * 26 :], beliefs[-13 * 26 :])
        hidden = table.hidden_places(1 - seat)
        assert odds[14] == beliefs[-13 * 26 :].reshape(13, 26)[hidden].max()
        exposed = np.zeros(13, np.float32)
        lines = list(arrangements(table, 1 - seat, outsider=True))
        for place in table.hidden_places(seat):
            exposed[place] = sum(line[place] == table.line(seat)[place] for line in lines) / len(lines)
        np.testing.assert_array_equal(odds[-13 * 27 : -13 * 26], exposed)
        assert odds[15] == exposed.max()
        positions += 1
    assert positions >= 8


def test_resampled_lines_are_uniform_over_all_arrangements() -> None:
    table = Table("CodaOfficial-v0", {"n_start": 2, "first": 0}, seed=12)
    while not table.guessing:
        table.play_randomly(1)
    table.play_randomly(4)
    while not table.guessing:
        table.play_randomly(1)
    seat = int(table.state.turn)
    lines = list(arrangements(table, seat))
    generator = np.array([11, 0], np.uint64)
    drawn: Counter[tuple[int, ...]] = Counter()
    draws = 40 * len(lines)
    for _ in range(draws):
        other = table.batch.copy()
        table.game.rules.resample(other[0], seat, generator)
        drawn[tuple(int(t) for t in other[0].line[1 - seat, : other[0].length[1 - seat]])] += 1
    assert set(drawn) <= set(lines)
    chi2 = sum((drawn[line] - 40) ** 2 / 40 for line in lines)
    freedom = len(lines) - 1
    assert abs(chi2 - freedom) < 5 * (2 * freedom) ** 0.5


def possible(table: Table, seat: int) -> dict[int, set[int]]:
    """What each hidden tile may be by what shows, guesses forgotten: the heuristic's values, at its best."""
    forgetful = Table(table.game_id, table.settings)
    forgetful.batch = table.batch
    forgetful.guesses = []
    out: dict[int, set[int]] = {place: set() for place in table.hidden_places(1 - seat)}
    for line in arrangements(forgetful, seat):
        for place in out:
            out[place].add(line[place])
    return out


@pytest.mark.parametrize("number", [0, 1, 2, 6])
def test_the_heuristic_guesses_where_the_fewest_values_are_left(number: int) -> None:
    positions = 0
    for seed in range(25):
        table = Table(*SETTINGS[number], seed=100 + seed)
        table.play_randomly(seed % 12)
        if table.over or not table.guessing:
            continue
        seat = int(table.state.turn)
        table.legal_actions()
        action = int(PLAYERS["heuristic"](table.state, seat, table.mask, np.array([seed, 0], np.uint64)))
        values = possible(table, seat)
        fewest = min(len(tiles) for tiles in values.values())
        if action == table.n**2:
            assert fewest > 2
        else:
            place, tile = divmod(action, table.n)
            assert tile in values[place]
            assert len(values[place]) == fewest
        positions += 1
    assert positions >= 10
