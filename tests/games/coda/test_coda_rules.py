"""The rules of Coda: lines played by hand, and what every line of play keeps."""

from __future__ import annotations

import numpy as np
import pytest
from coda_tables import SETTINGS, Table
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.games.coda.state import PLACING, REVEALING, SETTING, CodaOptions


def rest(deck: list[int], n: int) -> list[int]:
    return deck + [tile for tile in range(n) if tile not in deck]


def test_the_papers_preset_has_576_actions_and_the_first_hit_wins() -> None:
    table = Table(deck=rest([5, 8, 20], 24), settings={"reward": "paper"})
    assert table.mask.shape == (576,)
    assert table.legal_actions() == [value for value in range(24) if value not in (5, 20)]
    table.guess(0, 8)
    assert table.over
    assert table.paid.tolist() == [10010.0, -10000.0]
    assert table.state.winner == 0


def test_a_miss_shows_the_drawn_tile_in_its_place_and_costs_ten() -> None:
    table = Table(deck=rest([5, 8, 20, 4], 24), settings={"reward": "paper"})
    assert table.guess(0, 9).tolist() == [-10.0, 0.0]
    assert table.line(0) == [5, 20]
    assert table.up(0) == {20}
    assert table.state.turn == 1
    table.guess(0, 6)
    assert table.line(1) == [4, 8]
    assert table.up(1) == {4}
    # Only the opponent's second tile is hidden now; tiles held and shown cannot be named.
    assert {action // 24 for action in table.legal_actions()} == {1}
    assert {action % 24 for action in table.legal_actions()} == set(range(24)) - {5, 20, 4, 0}


def test_a_loss_in_the_opponents_turn_pays_after_the_agents_step() -> None:
    table = Table(deck=rest([5, 8], 24))
    table.guess(0, 9)
    assert table.guess(1, 5).tolist() == [-1.0, 1.0]
    assert table.state.winner == 1


def test_the_second_player_draws_the_last_tile_and_wins() -> None:
    table = Table(deck=list(range(24)), settings={"reward": "paper"})
    while not table.over:
        seat = int(table.state.turn)
        hidden = table.hidden_places(1 - seat)
        assert table.line(1 - seat)[hidden[0]] == 1 - seat  # Only first tiles stay hidden.
        table.act(next(a for a in table.legal_actions() if a % 24 != 1 - seat))
    assert table.state.winner == 1
    assert table.state.pool_size == 0
    # The last step of seat 0's: a miss of its own, then the opponent's miss is not to be: it draws and wins.
    assert table.paid.tolist() == [-10010.0, 10000.0]


def test_black_stands_before_white() -> None:
    table = Table(deck=rest([7, 0, 6, 1], 24), settings={"n_start": 2})
    assert table.line(0) == [6, 7]
    assert table.line(1) == [0, 1]


def test_a_hit_goes_on_and_may_be_stopped_only_where_optional() -> None:
    deck = rest([2, 5, 8, 11, 14, 17, 20, 3], 24)
    forced = Table(deck=deck, settings={"n_start": 3})
    forced.guess(0, 5)
    assert forced.state.turn == 0
    assert all(action < 576 for action in forced.legal_actions())
    free = Table(deck=deck, settings={"n_start": 3, "continuation": "optional"})
    assert 576 not in free.legal_actions()
    free.guess(0, 5)
    assert 576 in free.legal_actions()
    free.stop()
    assert free.line(0) == [2, 8, 14, 20]
    assert free.up(0) == set()  # The drawn 20 went in face down.
    assert free.state.turn == 1
    assert {action // 24 for action in free.legal_actions()} == {0, 1, 2, 3}


def test_without_a_pool_a_miss_turns_up_a_tile_of_ones_own_choice() -> None:
    table = Table(deck=[0, 1, 2, 3, 4, 5], settings={"n": 6, "n_start": 2, "empty": "play_on"})
    table.guess(0, 5)  # Seat 0 drew 4, misses, shows it; seat 1 draws 5, the last tile, and guesses.
    assert not table.over
    table.guess(0, 2)
    assert table.line(1) == [1, 3, 5]
    assert table.state.phase != REVEALING
    table.guess(0, 3)
    assert table.state.phase == REVEALING
    assert table.legal_actions() == [36 + 1 + 0, 36 + 1 + 1]
    table.place(1)
    assert table.up(0) == {2, 4}
    # With no pool seat 1 sees all but one tile.
    assert table.legal_actions() == [0]
    table.guess(0, 0)
    assert table.state.winner == 1


def test_missing_with_the_last_hidden_tile_loses() -> None:
    table = Table(deck=[0, 1, 2, 3, 4, 5], settings={"n": 6, "empty": "play_on", "feasible": "all"})
    for value in (3, 4, 5, 3):
        assert table.guess(0, value).tolist() == [0.0, 0.0]
    assert table.state.pool_size == 0
    assert table.guess(0, 0).tolist() == [-1.0, 1.0]
    assert table.up(0) == {0, 2, 4}


def test_jokers_stand_where_their_owner_puts_them() -> None:
    # Seat 0 is dealt 4, 10 and the black joker; seat 1 has 1, 7, 13; seat 0 draws 8, seat 1 the white joker.
    deck = rest([4, 1, 10, 7, 24, 13, 8, 25], 26)
    table = Table("CodaOfficial-v0", {"n_start": 3, "first": 0}, deck=deck)
    assert table.state.phase == SETTING
    assert table.legal_actions() == [677, 678, 679]
    table.place(1)
    assert table.line(0) == [4, 24, 10]
    # A drawn 8 may stand on either side of the joker.
    table.guess(0, 0)
    assert table.state.phase == PLACING
    assert table.legal_actions() == [678, 679]
    table.place(2)
    assert table.line(0) == [4, 24, 8, 10]
    assert table.up(0) == {8}
    # The white joker, drawn by seat 1 and shown after a miss, may stand anywhere.
    table.guess(0, 6)
    assert table.legal_actions() == [677, 678, 679, 680]
    table.place(0)
    assert table.line(1) == [25, 1, 7, 13]


def test_two_jokers_and_nothing_else() -> None:
    table = Table("CodaOfficial-v0", {"n_start": 2, "first": 1}, deck=rest([24, 3, 25, 9], 26))
    assert table.line(0) == [24]
    assert table.legal_actions() == [677, 678]
    table.place(0)
    assert table.line(0) == [25, 24]
    assert table.state.turn == 1


def test_feasible_sets() -> None:
    deck = rest([5, 8, 20, 4, 9], 24)
    sets = {}
    for feasible in ("unseen", "all", "colour", "consistent"):
        table = Table(deck=deck, settings={"feasible": feasible})
        table.guess(0, 10)
        table.guess(0, 7)
        sets[feasible] = {action % 24 for action in table.legal_actions()}
    unseen = set(range(24)) - {5, 20, 4, 9}
    assert sets["all"] == set(range(24))
    assert sets["unseen"] == unseen
    assert sets["colour"] == {tile for tile in unseen if tile % 2 == 0}
    # Right of the 4, black, and not the 10 missed.
    assert sets["consistent"] == {6, 8, 12, 14, 16, 18, 22}


def test_with_any_value_allowed_a_guess_tells_nothing_of_the_guessers_hand() -> None:
    table = Table(deck=rest([5, 8, 20, 4, 9], 24), settings={"feasible": "all"})
    table.guess(0, 10)
    table.guess(0, 6)
    assert int(table.state.denied[8]) == 1 << 10


@pytest.mark.parametrize(
    ("settings_", "word"),
    [
        ({"jokers": 2, "n": 24}, "jokers"),
        ({"n": 26}, "jokers=0"),
        ({"n": 7}, "n=7"),
        ({"n_start": 12}, "at most 11"),
        ({"feasible": "colour", "colour_visible": "no"}, "colour"),
        ({"first": 2}, "first"),
        ({"jokers": 1}, "jokers"),
        ({"feasable": "all"}, "feasible"),
    ],
)
def test_options_that_contradict_each_other(settings_: dict[str, object], word: str) -> None:
    with pytest.raises(CardgymError, match=word):
        find("Coda-v0").parse_options(settings_)


def test_options_in_the_users_own_words() -> None:
    assert CodaOptions(first=1, colour_visible=False).asdict() == CodaOptions(first="1", colour_visible="no").asdict()
    assert CodaOptions().n == 24
    assert CodaOptions(jokers=2).n == 26


@pytest.mark.parametrize("deck", [[], list(range(23)), [0] * 24, list(range(1, 25)), "abc", 7, [0.5, *range(1, 24)]])
def test_impossible_decks(deck: object) -> None:
    with pytest.raises(CardgymError, match="deck"):
        Table(deck=deck)  # type: ignore[arg-type]


def test_a_deck_serves_one_game() -> None:
    table = Table(deck=list(range(24)))
    assert table.game.rules.num_chance_outcomes(table.state) == 0
    table.game.rules.setup(table.state)
    assert table.game.rules.num_chance_outcomes(table.state) == 24


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(SETTINGS), st.integers(0, 2**32), st.integers(0, 60))
def test_what_every_line_of_play_keeps(setting: tuple[str, dict[str, object]], seed: int, decisions: int) -> None:
    table = Table(*setting, seed=seed)
    before = table.game.rules.invariants(table.state)
    assert before[1:] == (1, 0)
    for _ in range(decisions):
        table.play_randomly(1)
        assert table.game.rules.invariants(table.state) == before
        for seat in range(2):
            numbers = [tile for tile in table.line(seat) if tile < 24]
            assert numbers == sorted(numbers)
            assert len(table.line(seat)) <= table.n // 2
            assert table.up(seat) <= set(table.line(seat))
            assert table.paid.sum() == 0.0 or table.options.reward == "paper"
        if table.over:
            loser = 1 - int(table.state.winner)
            last_drawn = table.state.pool_size == 0 and table.options.empty == "last_drawer_wins"
            assert last_drawn or table.hidden_places(loser) == []
            assert {table.game.rules.score(table.state, seat) for seat in range(2)} == {0.0, 1.0}
            return
        actions = table.legal_actions()
        assert actions
        seat = int(table.state.turn)
        if table.guessing:
            assert {a // table.n for a in actions if a < table.n**2} == set(table.hidden_places(1 - seat))
            for place in table.hidden_places(1 - seat):  # The truth can always be named.
                assert place * table.n + table.line(1 - seat)[place] in actions
        if table.options.continuation == "forced":
            assert all(len(table.hidden_places(s)) <= table.options.n_start for s in range(2))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(SETTINGS), st.integers(0, 2**32), st.integers(0, 40))
def test_observations_hold_nothing_unseen(setting: tuple[str, dict[str, object]], seed: int, decisions: int) -> None:
    table = Table(*setting, seed=seed)
    table.play_randomly(decisions)
    if table.over:
        return
    seat = int(table.state.turn)
    other = table.batch.copy()
    table.game.rules.resample(other[0], seat, np.array([seed, 7], np.uint64))
    assert table.game.rules.invariants(other[0]) == table.game.rules.invariants(table.state)
    assert table.game.words.describe(other[0], seat) == table.game.words.describe(table.state, seat)
    for observation_name in table.game.observations.values():
        low, high = observation_name.bounds(table.options)
        shown = [np.full(observation_name.size(table.options), np.nan, np.float32) for _ in range(2)]
        observation_name.write(table.state, seat, shown[0])
        observation_name.write(other[0], seat, shown[1])
        np.testing.assert_array_equal(shown[0], shown[1])
        assert np.all((low <= shown[0]) & (shown[0] <= high))
    for name, player in table.game.players.items():
        table.legal_actions()
        choices = [int(player(s, seat, table.mask, np.array([seed, 9], np.uint64))) for s in (table.state, other[0])]
        assert choices[0] == choices[1], name
        assert table.mask[choices[0]]


def test_the_full_observation_by_hand() -> None:
    table = Table(deck=rest([5, 8, 20, 4, 9], 24))
    table.guess(0, 10)
    table.guess(0, 6)
    observation_name = table.game.observations["full"]
    out = np.zeros(observation_name.size(table.options), np.float32)
    observation_name.write(table.state, 0, out)
    rows, at = {}, 0
    for feature in observation_name.features(table.options):
        rows[feature.name] = out[at : at + feature.size]
        at += feature.size
    assert rows["guessing"] == 1.0
    assert rows["pool"] == np.float32(19 / 24)
    assert np.flatnonzero(rows["own_tiles"]).tolist() == [5, 9, 20]
    assert np.flatnonzero(rows["own_up"]).tolist() == [20]
    assert np.flatnonzero(rows["drawn"]).tolist() == [9]
    assert np.flatnonzero(rows["opponent_up"]).tolist() == [0]
    assert np.flatnonzero(rows["opponent_down"]).tolist() == [1]
    may_be = rows["opponent_may_be"].reshape(12, 24)
    assert np.flatnonzero(may_be[0]).tolist() == [4]
    assert np.flatnonzero(may_be[1]).tolist() == [0, 2, 8, 12, 14, 16, 18, 22]
    own = rows["own_may_be"].reshape(12, 24)
    assert np.flatnonzero(own[0]).tolist() == [t for t in range(1, 24, 2)]  # White; 6 and 10 are black anyway.
    assert np.flatnonzero(own[1]).tolist() == [20]


def test_the_papers_bits_and_their_code() -> None:
    table = Table(deck=rest([5, 8, 20, 4, 9], 24))
    table.guess(0, 10)
    table.guess(0, 6)
    out = np.zeros(72, np.float32)
    table.game.observations["paper"].write(table.state, 0, out)
    assert np.flatnonzero(out).tolist() == [5, 9, 24 + 20, 48 + 4]
    assert table.game.state_index.info_state_key(table.state, 0) == 4**5 + 4**9 + 2 * 4**20 + 3 * 4**4


def test_a_table_in_words() -> None:
    table = Table("CodaOfficial-v0", {"n_start": 3, "first": 0}, deck=rest([4, 1, 10, 7, 24, 13, 8], 26))
    table.place(1)
    text = table.game.words.describe(table.state, 0)
    assert "0:[B2]  1:[B-]  2:[B5]" in text
    assert "0:[W?]  1:[W?]  2:[W?]" in text
    assert "You have drawn B4" in text
    assert table.game.words.action_text(table.state, 1 * 26 + 7) == "guess W3 at place 1"
    before = table.batch.copy()
    table.guess(1, 7)
    told = [table.game.words.narrate(before[0], 1 * 26 + 7, table.state, seat) for seat in range(2)]
    assert told[0] == "You guess that the opponent's place 1 is W3: a hit"
    assert told[1] == "The opponent guesses that your place 1 is W3: a hit"
