"""What a seat at Coda sees: observations by hand, their offsets, nothing that is hidden, and the game in words."""

import numpy as np
import pytest
from coda_lines import CodaDriver, deck_of

from cardgym.engine.contract import offsets
from cardgym.games.coda.guess_features import GUESSES_AT, guesses_features
from cardgym.games.coda.observations import FULL, ODDS, full_features, odds_features
from cardgym.games.coda.state import CodaOptions


def played() -> CodaDriver:
    """The paper's preset: seat 0 named the 10 and showed the 20, seat 1 named the 6 and showed the 4."""
    game = CodaDriver(deck=deck_of([5, 8, 20, 4, 9], 24))
    game.guess(0, 10)
    game.guess(0, 6)
    return game


def test_full_observation_by_hand() -> None:
    game = played()
    features = full_features(game.options)
    starts = offsets(features)
    observation = game.observe(0, "full")
    rows = {row.name: observation[starts[row.name] : starts[row.name] + row.size] for row in features}
    assert rows["guessing"] == 1.0
    assert rows["pool"] == np.float32(19 / 24)
    assert np.flatnonzero(rows["own_tiles"]).tolist() == [5, 9, 20]
    assert np.flatnonzero(rows["own_up"]).tolist() == [20]
    assert np.flatnonzero(rows["drawn"]).tolist() == [9]
    assert np.flatnonzero(rows["opponent_up"]).tolist() == [0]
    assert np.flatnonzero(rows["opponent_down"]).tolist() == [1]
    opponent = rows["opponent_may_be"].reshape(12, 24)
    assert np.flatnonzero(opponent[0]).tolist() == [4]
    assert np.flatnonzero(opponent[1]).tolist() == [0, 2, 8, 12, 14, 16, 18, 22]
    own = rows["own_may_be"].reshape(12, 24)
    assert np.flatnonzero(own[0]).tolist() == list(range(1, 24, 2))  # White; the 6 and the 10 named are black anyway.
    assert np.flatnonzero(own[1]).tolist() == [20]


def test_paper_bits_and_their_key() -> None:
    game = played()
    seen = game.observe(0, "paper")
    assert (len(seen), np.flatnonzero(seen).tolist()) == (72, [5, 9, 24 + 20, 48 + 4])
    assert game.info_state_key(0) == 4**5 + 4**9 + 2 * 4**20 + 3 * 4**4


@pytest.mark.parametrize("options", [CodaOptions(n=6), CodaOptions(n=10), CodaOptions(), CodaOptions(jokers=2)])
def test_offsets_are_those_of_the_features(options: CodaOptions) -> None:
    for table, features in ((FULL, full_features), (ODDS, odds_features), (GUESSES_AT, guesses_features)):
        starts = offsets(features(options))
        assert {name: int(table[options.n][name]) for name in starts} == starts


def test_words() -> None:
    game = CodaDriver("CodaOfficial-v0", {"n_start": 3, "first": 0}, deck=deck_of([4, 1, 10, 7, 24, 13, 8], 26))
    game.place(1)
    text = game.describe(0)
    assert "1:[B2]  2:[black joker]  3:[B5]" in text
    assert "1:[W?]  2:[W?]  3:[W?]" in text
    assert "You have drawn B4" in text
    assert game.action_text(1 * 26 + 7) == "guess white 3 at place 2"
    game.guess(1, 7)
    assert game.narrate(0) == "You guess white 3 at place 2: yes"
    assert game.narrate(1) == "The opponent guesses white 3 at place 2: yes"
