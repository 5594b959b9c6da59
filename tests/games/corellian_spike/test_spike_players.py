"""The players of Corellian Spike: what they do, and which ones win credits from which."""

import numpy as np
import numpy.typing as npt
import pytest
from spike_driver import SpikeDriver

from cardgym.engine.kernel import RESET
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.players import random_table
from cardgym.games.corellian_spike.state import (
    BUY,
    DISCARD,
    DONT_BUY,
    FOLD,
    MATCH,
    NUM_ACTIONS,
    RAISE,
    SWAP_HIGH,
    SWAP_LOW,
    SWAP_SPIKE,
    CorellianSpikeOptions,
)
from cardgym.games.corellian_spike.state_index import digits_of, info_state_keys
from cardgym.players import resolve
from cardgym.players.seats import SeatedBatch, game_keys
from cardgym.testing import generator


def credits_won(players: tuple[str, str], deals: int, seed: int, **options: object) -> npt.NDArray[np.float64]:
    """What the first player wins in each deal, the mean of both seats; both play the same cards."""
    chosen = CorellianSpikeOptions.parse(options)
    batch = SeatedBatch(GAME, chosen, deals, [resolve(name, GAME, chosen) for name in players])
    won = np.zeros(deals)
    for seat in (0, 1):
        batch.seed(game_keys(seed, deals))
        batch.seat(batch.numbers, requested_seat=seat)
        batch.step(0, RESET)
        won += batch.batch.plain_states["stack"][:, seat] - chosen.credits
    return won / 2


@pytest.mark.parametrize("opponent", ["initial", "random", "random-table"])
@pytest.mark.parametrize("betting", ["flat", "matched"])
def test_heuristic_wins_credits(opponent: str, betting: str) -> None:
    won = credits_won(("heuristic", opponent), 1500, 1, betting=betting)
    assert won.mean() - 1.96 * won.std(ddof=1) / np.sqrt(len(won)) > 0


def test_player_wins_nothing_from_itself() -> None:
    """Both seatings of a deal are then the same game, whose credits sum to nothing."""
    assert not credits_won(("heuristic", "heuristic"), 50, 3).any()


def test_initial_policy_matches_never_buys_and_discards() -> None:
    game = SpikeDriver((1, 2), (3, 4))
    assert game.choose_action("initial", generator(0)) == MATCH
    game.act(MATCH, MATCH)
    game.draw(5, 6)
    assert game.choose_action("initial", generator(0)) == DONT_BUY
    game.act(BUY)
    game.draw(7)
    assert game.choose_action("initial", generator(0)) == DISCARD


def test_random_table_is_one_fixed_policy_uniform_in_each_decision() -> None:
    options = CorellianSpikeOptions()
    actions, decisions = random_table(options), digits_of(info_state_keys(options)).decision
    assert (actions == random_table(options)).all()
    for decision, allowed in (
        (1, (RAISE, MATCH, FOLD)),
        (2, (BUY, DONT_BUY)),
        (3, (DISCARD, SWAP_SPIKE, SWAP_LOW, SWAP_HIGH)),
    ):
        counts = np.bincount(actions[decisions == decision], minlength=NUM_ACTIONS)
        assert set(np.flatnonzero(counts)) == set(allowed)
        expected = counts.sum() / len(allowed)
        assert np.abs(counts[list(allowed)] - expected).max() < 5 * np.sqrt(expected)


def test_heuristic_takes_the_better_card() -> None:
    """A sum of 12 and a bought -10: swapped with the 10 the sum is -8, swapped with the 2 it is 0."""
    game = SpikeDriver((10, 0), (3, 4))
    game.act(MATCH, MATCH)
    game.draw(2, 6)
    game.act(BUY)
    game.draw(-10)
    assert game.legal_actions() == [DISCARD, SWAP_SPIKE, SWAP_LOW, SWAP_HIGH]
    assert game.choose_action("heuristic", generator(0)) == SWAP_SPIKE  # The spike is the 2: 10 + 0 - 10 = 0.
