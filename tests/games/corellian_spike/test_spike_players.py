"""The players of Corellian Spike: what they do, and who wins credits from whom."""

from __future__ import annotations

import numpy as np
import pytest
from spike_lines import deal, new_table

from cardgym.engine.kernel import RESET
from cardgym.engine.registry import find
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import BUY, DISCARD, DONT_BUY, MATCH, CorellianSpikeOptions
from cardgym.players.base import resolve
from cardgym.players.seating import SeatedBatch, game_keys
from cardgym.testing import Table, generator


def credits_won(players: tuple[str, str], deals: int, seed: int, **options: object) -> np.ndarray:
    """What the first player wins in each deal, on average over both seats; both play the same cards."""
    game = find("CorellianSpike-v0")
    chosen = CorellianSpikeOptions.parse(options)
    batch = SeatedBatch(game, chosen, deals, [resolve(name, game, chosen) for name in players])
    won = np.zeros(deals)
    for seat in (0, 1):
        batch.seed(game_keys(seed, deals))
        batch.seat(batch.numbers, requested_seat=seat)
        batch.step(0, RESET)
        won += batch.batch.plain_states["stack"][:, seat] - chosen.credits
    return won / 2


def interval(samples: np.ndarray) -> tuple[float, float]:
    half = 1.96 * samples.std(ddof=1) / np.sqrt(len(samples))
    return samples.mean() - half, samples.mean() + half


@pytest.mark.parametrize("opponent", ["initial", "random", "random-table"])
@pytest.mark.parametrize("betting", ["flat", "matched"])
def test_the_heuristic_wins_credits(opponent: str, betting: str) -> None:
    low, high = interval(credits_won(("heuristic", opponent), 1500, 1, betting=betting))
    assert low > 0, (low, high)


def test_a_player_wins_nothing_from_itself() -> None:
    """Both seatings of a deal are one game then, whose credits sum to nothing."""
    assert not credits_won(("heuristic", "heuristic"), 50, 3).any()


def test_the_initial_policy_matches_never_buys_and_discards() -> None:
    table = new_table(hands=[(1, 2), (3, 4)])
    table = Table(find("CorellianSpike-v0"), table.options)
    deal(table, 1, 2, 3, 4)
    assert table.ask("initial", generator(0)) == MATCH
    table.play(MATCH, MATCH)
    deal(table, 5, 6)
    assert table.ask("initial", generator(0)) == DONT_BUY
    table.play(BUY)
    deal(table, 7)
    assert table.ask("initial", generator(0)) == DISCARD


def test_the_random_table_is_one_fixed_policy_uniform_in_each_decision() -> None:
    options = CorellianSpikeOptions()
    game = find("CorellianSpike-v0")
    actions, codes = game.tables["random-table"](options), GAME.state_index.info_state_keys(options)  # type: ignore[misc]
    decisions = codes // 1_000_000 % 10
    for decision, allowed in ((1, (0, 1, 2)), (2, (3, 4)), (3, (5, 6, 7, 8))):
        counts = np.bincount(actions[decisions == decision], minlength=9)
        assert set(np.flatnonzero(counts)) == set(allowed)
        expected = counts.sum() / len(allowed)
        assert np.abs(counts[list(allowed)] - expected).max() < 5 * np.sqrt(expected)


def test_the_heuristic_takes_the_better_card() -> None:
    """A sum of 12 and a bought -10: swapped with the 10 it would be -8, with the 2 it is 0."""
    table = Table(find("CorellianSpike-v0"))
    deal(table, 10, 0, 3, 4)
    table.play(MATCH, MATCH)
    deal(table, 2, 6)
    table.play(BUY)
    deal(table, -10)
    assert table.legal_actions() == [5, 6, 7, 8]
    assert table.ask("heuristic", generator(0)) == 6  # The spike 2: 10 + 0 - 10 = 0.
