"""Recorded transitions: known hands, and properties that hold for every recording."""

import numpy as np
import pytest

from cardgym.engine.contract import Options
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.papers.corellian_spike import recording
from cardgym.papers.corellian_spike.batch_q import initial_actions
from cardgym.papers.corellian_spike.recording import record
from cardgym.players import TablePlayer

pytestmark = pytest.mark.slow  # Only the paper records so.
DEFAULTS = GAME.parse_options()
RAISE, MATCH, FOLD, BUY, DONT_BUY, DISCARD = range(6)


def folder() -> TablePlayer:
    actions = initial_actions(CorellianSpikeOptions())
    return TablePlayer("folder", np.where(actions == MATCH, np.int8(FOLD), actions))


def papers_options() -> Options:
    return GAME.parse_options({"reward": "credits"})


def test_folding_at_once_gives_one_transition_a_hand() -> None:
    rows = record(DEFAULTS, [folder(), "initial"], games=3, seed=1)
    assert len(rows) == 30
    assert (rows.seat == 0).all()
    assert (rows.a == FOLD).all()
    assert (rows.r == -2).all()  # The ante.
    assert (rows.s_next == 0).all()
    assert rows.game.tolist() == [game for game in range(3) for _ in range(10)]
    assert rows.hand.tolist() == list(range(10)) * 3
    # Round 0, decision 1, no extra card, 48 credits (5 tens) and a pool of 4 (none): 1 ss 00 5 0.
    assert rows.s[0] // 1_000_000 == 1
    assert rows.s[0] % 10_000 == 50


def test_without_raises_and_folds_the_pool_is_the_antes() -> None:
    rows = record(papers_options(), ["initial", "initial"], games=20, seed=2)
    # Seven decisions a seat and hand: 4 betting, 3 buying. Each hand pays its winner 4.
    assert len(rows) == 20 * 10 * 2 * 7
    assert rows.r.sum() == 20 * 10 * 4
    assert set(rows.r.tolist()) == {0.0, 4.0}
    ends = rows.s_next == 0
    assert ends.sum() == 20 * 10 * 2
    assert (rows.r[~ends] == 0).all()


@pytest.mark.parametrize("num_players", [2, 4])
def test_transitions_of_a_seat_chain_until_the_hand_ends(num_players: int) -> None:
    options = GAME.parse_options({"num_players": num_players, "reward": "weighted"})
    rows = record(options, ["random", "heuristic"] * (num_players // 2), games=30, seed=5)
    chain = np.lexsort((np.arange(len(rows)), rows.seat, rows.hand, rows.game))
    key = np.column_stack([rows.game, rows.hand, rows.seat])[chain]
    follows = (key[1:] == key[:-1]).all(axis=1)
    s, s_next = rows.s[chain], rows.s_next[chain]
    assert (s_next[:-1][follows] == s[1:][follows]).all()
    assert (s_next[:-1][~follows] == 0).all()
    assert s_next[-1] == 0
    assert (np.diff(rows.game) >= 0).all()
    # The action fits the decision that the key holds: betting, buying, placing.
    decision = rows.s // 1_000_000 % 10
    assert (decision == np.where(rows.a <= FOLD, 1, np.where(rows.a <= DONT_BUY, 2, 3))).all()


def test_rewards_match_the_paper() -> None:
    rows = record(papers_options(), ["random", "random"], games=50, seed=5)
    inside = rows.s_next != 0
    assert set(rows.r[inside & (rows.a == RAISE)]) == {-2.0}
    assert set(rows.r[inside & (rows.a == MATCH)]) == {0.0, -2.0}
    assert set(rows.r[inside & (rows.a == BUY)]) == {-2.0}
    assert set(rows.r[inside & (rows.a >= DONT_BUY)]) == {0.0}
    assert rows.r[~inside].max() > 4.0


def test_size_of_the_log_and_number_of_rows_do_not_change_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = record(DEFAULTS, ["heuristic", "random"], games=30, seed=9)
    monkeypatch.setattr(recording, "_PER_GAME", 1)
    monkeypatch.setattr(recording, "ROWS", 7)
    assert np.array_equal(whole, record(DEFAULTS, ["heuristic", "random"], games=30, seed=9))


def test_epsilon_one_is_random_play() -> None:
    rows = record(DEFAULTS, ["initial", "initial"], games=60, seed=9, epsilon=1.0)
    betting = rows.a[rows.a <= FOLD]
    assert np.bincount(betting) / len(betting) == pytest.approx([1 / 3] * 3, abs=0.04)
    bought = rows.a[(rows.a == BUY) | (rows.a == DONT_BUY)]
    assert (bought == BUY).mean() == pytest.approx(0.5, abs=0.04)


def test_indices_match_the_keys() -> None:
    by_key = record(DEFAULTS, ["heuristic", "random"], games=30, seed=9)
    by_index = record(DEFAULTS, ["heuristic", "random"], games=30, seed=9, states="index")
    info_state_keys = GAME.state_index.info_state_keys
    assert info_state_keys is not None
    keys = info_state_keys(DEFAULTS)
    assert np.array_equal(keys[by_index.s], by_key.s)
    assert np.array_equal(keys[by_index.s_next], by_key.s_next)
