"""The player `search`: what it remembers, that it has no secrets, that it weighs its guesses; and the networks kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from coda_tables import SETTINGS, Table

from cardgym.arena import evaluate
from cardgym.arena.match import Seats
from cardgym.games.coda.players import PLAYERS
from cardgym.games.coda.search import OWN, Effort, SearchPlayer, remember
from cardgym.games.coda.state import CodaOptions

QUICK = Effort(guesses=4, worlds=(4,))


def observed(table: Table, state: np.ndarray, seat: int, name: str = "full") -> np.ndarray:
    observation_name = table.game.observations[name]
    out = np.zeros(observation_name.size(table.options), np.float32)
    observation_name.write(state, seat, out)
    return out


def positions(number: int, games: int) -> list[Table]:
    """Tables of one of the settings at which a seat is to decide, at the start and later."""
    found = []
    for seed in range(games):
        table = Table(*SETTINGS[number], seed=seed)
        table.play_randomly(seed % 14)
        if not table.over:
            found.append(table)
    return found


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_what_it_remembers_looks_as_what_it_saw(number: int) -> None:
    tables = positions(number, 40)
    assert len(tables) >= 10
    for table in tables:
        seat = int(table.state.turn)
        table.legal_actions()
        recalled = table.game.new_state(table.options)
        remember(recalled[0], observed(table, table.state, seat))
        for name in ("full", "beliefs", "odds"):
            np.testing.assert_array_equal(
                observed(table, recalled[0], OWN, name), observed(table, table.state, seat, name)
            )
        mask = np.zeros_like(table.mask)
        table.game.rules.legal_action_mask(recalled[0], mask)
        np.testing.assert_array_equal(mask, table.mask)
        table.game.rules.resample(recalled[0], OWN, np.array([seat, 0], np.uint64))
        assert table.game.rules.invariants(recalled[0]) == table.game.rules.invariants(table.state)
        np.testing.assert_array_equal(observed(table, recalled[0], OWN), observed(table, table.state, seat))


@pytest.mark.parametrize("number", [0, 2, 6, 8])
def test_it_is_legal_and_knows_no_more_than_its_seat(number: int) -> None:
    generator = np.array([5, 0], np.uint64)
    tables = positions(number, 15)
    player = SearchPlayer(tables[0].options, QUICK)
    for table in tables:
        seat = int(table.state.turn)
        legal = table.legal_actions()
        action = int(player.act(observed(table, table.state, seat)[None], table.mask[None])[0])
        assert action in legal
        other = table.batch.copy()
        table.game.rules.resample(other[0], seat, generator)
        assert int(player.act(observed(table, other[0], seat)[None], table.mask[None])[0]) == action


def about_to_lose() -> Table:
    """One hit made, one tile to find among three; both own hidden tiles would be plain to see after a stop."""
    table = Table("Coda-v0", {"n": 12, "n_start": 2, "continuation": "optional"})
    state = table.state
    for seat, line, up in ((0, [4, 6, 8], [4, 8]), (1, [1, 7, 11], [1, 11])):
        state.length[seat] = len(line)
        state.line[seat, : len(line)] = line
        state.held[seat] = sum(1 << tile for tile in line)
        state.up[seat] = sum(1 << tile for tile in up)
    state.drawn = 3
    state.held[0] |= 1 << 3
    state.pool = sum(1 << tile for tile in (0, 2, 5, 9, 10))
    state.pool_size = 5
    state.turn = 0
    state.hits = 1
    state.denied[:] = 0
    return table


def test_it_guesses_on_where_stopping_loses() -> None:
    table = about_to_lose()
    assert table.guessing
    stop = table.n**2
    assert stop in table.legal_actions()
    assert PLAYERS["bayes"](table.state, 0, table.mask, np.array([1, 0], np.uint64)) == stop
    player = SearchPlayer(table.options, Effort(guesses=6, worlds=(40,)))
    action = int(player.act(observed(table, table.state, 0)[None], table.mask[None])[0])
    assert action in [table.n + tile for tile in (5, 7, 9)]


def test_it_sits_at_a_table_by_name_and_plays_the_same_game_again() -> None:
    options = CodaOptions(n=8)
    first, second = (evaluate("Coda-v0", options, ["search", "random"], games=40, seed=3) for _ in range(2))
    assert first.players[0].win_rate == second.players[0].win_rate
    assert first.players[0].win_rate > 0.55  # Random wins half of these; `search` some 85 %.


@pytest.mark.parametrize(
    ("env", "file", "opponent", "seats", "least"),
    [
        ("Coda-v0", "coda_double_dqn", "random", "fixed", 0.84),
        ("Coda-v0", "coda_dqn", "random", "fixed", 0.84),
        ("CodaOfficial-v0", "coda_official_double_dqn", "bayes", "rotate", 0.5),
    ],
)
def test_the_networks_kept_play_as_their_cards_say(
    env: str, file: str, opponent: str, seats: Seats, least: float
) -> None:
    path = Path(__file__).parents[2] / "checkpoints" / f"{file}.safetensors"
    report = evaluate(env, None, [path, opponent], games=600, seed=11, seats=seats)
    assert report.players[0].win_rate > least
