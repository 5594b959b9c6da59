"""The posterior over a line with jokers, against all deals, draws and placements of a small deck by the rules.

Nothing here counts arrangements: every sequence of tiles that the owner can have drawn is played through what both
seats saw, a joker or a number next to one going to each of its open places with equal probability.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from coda_lines import CodaDriver, Event, Line, open_places

from cardgym.games.coda.state import unseen


def posterior(game: CodaDriver, owner: int, candidates: set[int]) -> dict[Line, Fraction]:
    """The probability of each line of `owner` given what both seats saw, if its tiles are among `candidates`."""
    numbers = game.n - game.options.jokers
    events = game.events[owner]
    colors = game.options.color_visible == "yes"
    totals: defaultdict[Line, Fraction] = defaultdict(Fraction)

    def deals(size: int) -> Iterator[tuple[Line, Fraction]]:
        for hand in combinations(sorted(candidates), size):
            lines: list[tuple[Line, Fraction]] = [(tuple(tile for tile in hand if tile < numbers), Fraction(1))]
            for joker in (tile for tile in hand if tile >= numbers):
                lines = [
                    ((*line[:place], joker, *line[place:]), weight / (len(line) + 1))
                    for line, weight in lines
                    for place in range(len(line) + 1)
                ]
            yield from lines

    def play(number: int, line: Line, drawn: int | None, weight: Fraction) -> None:
        if number == len(events):
            totals[line] += weight
            return
        event = events[number]
        if event.kind == "deal":
            for dealt, chance in deals(len(event.tiles)):
                if not colors or all(a % 2 == b % 2 for a, b in zip(dealt, event.tiles, strict=True)):
                    play(number + 1, dealt, None, chance)
        elif event.kind == "draw":
            for tile in candidates - set(line):
                play(number + 1, line, tile, weight)
        elif event.kind == "enter":
            assert drawn is not None
            places = open_places(line, drawn, numbers)
            looks_right = drawn == event.value if event.up else not colors or drawn % 2 == event.value % 2
            if event.place in places and looks_right:
                entered = (*line[: event.place], drawn, *line[event.place :])
                play(number + 1, entered, None, weight / len(places))
        elif not contradicts(event, line, drawn):
            play(number + 1, line, drawn, weight)

    def contradicts(event: Event, line: Line, drawn: int | None) -> bool:
        if event.kind == "guessed":
            return (line[event.place] == event.value) != event.up
        if event.kind == "up":
            return line[event.place] != event.value
        return event.kind == "named" and (event.value in line or event.value == drawn)

    play(0, (), None, Fraction(1))
    whole = sum(totals.values())
    return {line: weight / whole for line, weight in totals.items()}


def positions(num_games: int, **options: object) -> Iterator[tuple[CodaDriver, int]]:
    """Games with two jokers among eight tiles in which a seat is to guess, and the number of jokers it cannot see."""
    for seed in range(num_games):
        game = CodaDriver("CodaOfficial-v0", {"n": 8, "n_start": 2, **options}, seed=seed)
        game.decide_randomly(seed % 9)
        if not game.over and game.guessing:
            yield game, (unseen(game.state, game.current_player) >> 6).bit_count()


OPTIONS: list[dict[str, object]] = [{}, {"n_start": 1}, {"n_start": 3}, {"color_visible": "no"}]


@pytest.mark.parametrize("options", OPTIONS)
def test_weights_are_those_of_all_deals_and_placements(options: dict[str, object]) -> None:
    seen: Counter[int] = Counter()
    for game, jokers in positions(160, **options):
        seat = game.current_player
        everything = set(range(game.n))
        for owner, candidates in ((1 - seat, everything - game.held(seat)), (seat, everything - game.up(1 - seat))):
            lines = posterior(game, owner, candidates)
            assert tuple(game.line(owner)) in lines
            hidden = game.hidden_places(owner)
            expected = np.zeros((13, 26))
            for line, probability in lines.items():
                for place in hidden:
                    expected[place, line[place]] += float(probability)
            weights, total = game.weigh_guesses(seat) if owner != seat else game.weigh_own(seat)
            np.testing.assert_allclose(weights / total, expected, rtol=0, atol=1e-12)
            np.testing.assert_array_equal(weights > 0.0, expected > 0.0)
        seen[jokers] += 1
    assert min(seen[1], seen[2]) >= 5


def test_joint_weights_are_those_of_all_deals_and_placements() -> None:
    """A line is singled out by ruling every other tile out at each place."""
    checked = 0
    for game, jokers in positions(120, n_start=3):
        seat = game.current_player
        lines = posterior(game, 1 - seat, set(range(game.n)) - game.held(seat))
        total = game.weigh_guesses(seat)[1]
        for line, probability in lines.items():
            pinned = game.copy()
            for place in game.hidden_places(1 - seat):
                pinned.state.denied[pinned.line(1 - seat)[place]] = 0xFF & ~(1 << line[place])
            assert abs(pinned.weigh_guesses(seat)[1] / total - float(probability)) < 1e-12
            checked += jokers > 0
    assert checked > 60


@pytest.mark.parametrize("options", OPTIONS)
def test_resampled_lines_have_their_probabilities(options: dict[str, object]) -> None:
    """A chi-squared test of 1,500 draws in each position; lines expected fewer than five times are pooled."""
    chi2, freedom = 0.0, 0
    generator = np.array([11, 0], np.uint64)
    for game, jokers in positions(80, **options):
        if jokers == 0:
            continue
        seat = game.current_player
        lines = posterior(game, 1 - seat, set(range(game.n)) - game.held(seat))
        drawn: Counter[Line] = Counter()
        other = game.copy()
        for _ in range(1500):
            other.assign(game)
            other.resample(seat, generator)
            drawn[tuple(other.line(1 - seat))] += 1
        assert set(drawn) <= set(lines)
        groups: defaultdict[Line, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for line, probability in lines.items():
            group = groups[line if 1500 * probability >= 5 else ()]
            group[0] += 1500 * float(probability)
            group[1] += drawn[line]
        chi2 += sum((observed - expected) ** 2 / expected for expected, observed in groups.values())
        freedom += len(groups) - 1
    assert freedom > 20
    assert abs(chi2 - freedom) < 5 * (2 * freedom) ** 0.5


def test_probabilities_of_jokers_by_hand() -> None:
    """The opponent was dealt two black tiles, of six that are not seen: five numbers and the joker.

    Ten hands are two numbers. Five are the joker and a number, and in half of these the joker is on the left.
    """
    game = CodaDriver(
        "CodaOfficial-v0", {"n": 12, "n_start": 2, "first": 0}, deck=[1, 4, 3, 8, 5, 0, 2, 6, 7, 9, 10, 11]
    )
    weights, total = game.weigh_guesses(0)
    assert total == pytest.approx(10 + 5)
    assert weights[0, 10] / total == pytest.approx(2.5 / 15)
