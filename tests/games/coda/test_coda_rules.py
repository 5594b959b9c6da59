"""The rules of Coda: lines played by hand, options and decks, and what no line of play breaks."""

from typing import Any

import pytest
from coda_lines import CASES, CodaDriver, deck_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.games.coda.state import PLACING, REVEALING, SETTING, CodaOptions
from cardgym.table.presentation import offered

# -- lines played by hand ---------------------------------------------------------------------------------------------


def test_papers_preset_has_576_actions_and_the_first_hit_wins() -> None:
    game = CodaDriver(options={"reward": "paper"}, deck=deck_of([5, 8, 20], 24))
    assert game.legal_action_mask().shape == (576,)
    assert game.legal_actions() == [value for value in range(24) if value not in (5, 20)]
    game.guess(0, 8)
    assert game.over
    assert game.paid.tolist() == [10010.0, -10000.0]
    assert game.state.winner == 0


def test_miss_shows_the_drawn_tile_and_costs_ten() -> None:
    game = CodaDriver(options={"reward": "paper"}, deck=deck_of([5, 8, 20, 4], 24))
    assert game.guess(0, 9).tolist() == [-10.0, 0.0]
    assert game.line(0) == [5, 20]
    assert game.up(0) == {20}
    assert game.current_player == 1
    game.guess(0, 6)
    assert game.line(1) == [4, 8]
    assert game.up(1) == {4}
    # Only the opponent's second tile is hidden now; own tiles and tiles face up cannot be named.
    assert {action // 24 for action in game.legal_actions()} == {1}
    assert {action % 24 for action in game.legal_actions()} == set(range(24)) - {5, 20, 4, 0}


def test_hit_of_the_opponent_ends_the_game_for_both() -> None:
    game = CodaDriver(deck=deck_of([5, 8], 24))
    game.guess(0, 9)
    assert game.guess(1, 5).tolist() == [-1.0, 1.0]
    assert game.state.winner == 1


def test_second_player_draws_the_last_tile_and_wins() -> None:
    game = CodaDriver(options={"reward": "paper"}, deck=list(range(24)))
    while not game.over:
        other = 1 - game.current_player
        hidden = game.hidden_places(other)
        assert game.line(other)[hidden[0]] == other  # Only the first tiles stay hidden.
        game.decide(next(action for action in game.legal_actions() if action % 24 != other))
    assert game.state.winner == 1
    assert game.state.pool_size == 0
    assert game.paid.tolist() == [-10010.0, 10000.0]  # Seat 0 misses, and seat 1 draws the last tile.


def test_people_are_offered_guesses_that_fit_color_order_and_earlier_misses() -> None:
    game = CodaDriver(
        deck=[0, 4, 5, 8, *(tile for tile in range(24) if tile not in (0, 4, 5, 8))], options={"n_start": 2}
    )
    assert game.current_player == 0
    assert game.line(1) == [4, 8]
    game.state.up[1] |= 1 << 8
    shown = {action % 24 for action in offered(game.game, game.state, game.legal_actions())}
    held = {*game.line(0), int(game.state.drawn)}
    assert shown == {value for value in range(0, 8, 2) if value not in held}
    game.state.denied[4] |= 1 << 6
    assert 6 not in {action % 24 for action in offered(game.game, game.state, game.legal_actions())}


def test_what_a_tile_can_still_be_is_marked_in_either_turn_for_its_viewer() -> None:
    game = CodaDriver(deck=deck_of([0, 4, 5, 8, 1], 24), options={"n_start": 2})

    def marks(owner: int, seat: int) -> list[list[str]]:
        items = [item for zone in game.view(seat)["zones"] if zone["seat"] == owner for item in zone["items"]]
        return [[mark for mark in item["marks"] if mark] for item in items if "marks" in item]

    numbers = [str(number) for number in range(12)]
    assert marks(1, 0) == [numbers[1:11], numbers[2:]]  # Two black tiles in order; seat 0 holds the black 0.
    game.guess(0, 6)
    assert game.current_player == 1
    assert marks(1, 0)[0] == [number for number in numbers[1:11] if number != "3"]
    assert game.up(0) == {1}
    assert marks(0, 1) == [["0"], numbers[1:]]  # Left of the white 0 that is face up, and right of it.
    assert marks(0, 0) == marks(1, -1) == []  # One's own tiles, and tiles that all see, need none.


def test_stopping_after_a_hit_is_legal_only_where_optional() -> None:
    deck = deck_of([2, 5, 8, 11, 14, 17, 20, 3], 24)
    forced = CodaDriver(options={"n_start": 3}, deck=deck)
    forced.guess(0, 5)
    assert forced.current_player == 0
    assert all(action < 576 for action in forced.legal_actions())
    optional = CodaDriver(options={"n_start": 3, "continuation": "optional"}, deck=deck)
    assert 576 not in optional.legal_actions()
    optional.guess(0, 5)
    assert 576 in optional.legal_actions()
    optional.stop()
    assert optional.line(0) == [2, 8, 14, 20]
    assert optional.up(0) == set()  # The drawn 20 went into the line face down.
    assert optional.current_player == 1
    assert {action // 24 for action in optional.legal_actions()} == {0, 1, 2, 3}


def test_without_a_pool_a_miss_turns_up_an_own_tile() -> None:
    game = CodaDriver(options={"n": 6, "n_start": 2, "empty": "play_on"}, deck=[0, 1, 2, 3, 4, 5])
    game.guess(0, 5)  # Seat 0 drew the 4, misses and shows it; seat 1 draws the 5, the last tile.
    assert not game.over
    game.guess(0, 2)
    assert game.line(1) == [1, 3, 5]
    assert game.state.phase != REVEALING
    game.guess(0, 3)
    assert game.state.phase == REVEALING
    assert game.legal_actions() == [36 + 1 + 0, 36 + 1 + 1]
    game.place(1)
    assert game.up(0) == {2, 4}
    assert game.legal_actions() == [0]  # Seat 1 sees all tiles but one.
    game.guess(0, 0)
    assert game.state.winner == 1


def test_miss_with_the_last_hidden_tile_loses() -> None:
    game = CodaDriver(options={"n": 6, "empty": "play_on", "feasible": "all"}, deck=[0, 1, 2, 3, 4, 5])
    for value in (3, 4, 5, 3):
        assert game.guess(0, value).tolist() == [0.0, 0.0]
    assert game.state.pool_size == 0
    assert game.guess(0, 0).tolist() == [-1.0, 1.0]
    assert game.up(0) == {0, 2, 4}


def test_jokers_are_placed_by_their_owner() -> None:
    # Seat 0 is dealt 4, 10 and the black joker, seat 1 has 1, 7 and 13; seat 0 draws the 8, seat 1 the white joker.
    deck = deck_of([4, 1, 10, 7, 24, 13, 8, 25], 26)
    game = CodaDriver("CodaOfficial-v0", {"n_start": 3, "first": 0}, deck=deck)
    assert game.state.phase == SETTING
    items = [[item for zone in game.view(seat)["zones"] for item in zone["items"]] for seat in (-1, 1)]
    drawn = [[item["symbol"] for item in shown if item["id"] == "drawn"] for shown in items]
    assert drawn == [["tile-B-"], []]  # Where all cards are face up, the joker to be placed is, too.
    assert game.legal_actions() == [677, 678, 679]
    seen = game.view(0)
    assert [item["id"] for item in seen["zones"][-1]["items"]] == ["gap:0", "0:0", "gap:1", "0:1", "gap:2"]
    assert seen["actions"] == {677: ["gap:0"], 678: ["gap:1"], 679: ["gap:2"]}
    game.place(1)
    assert game.line(0) == [4, 24, 10]
    # The drawn 8 can stand on either side of the joker.
    game.guess(0, 0)
    assert game.state.phase == PLACING
    assert game.legal_actions() == [678, 679]
    game.place(2)
    assert game.line(0) == [4, 24, 8, 10]
    assert game.up(0) == {8}
    # The white joker, drawn by seat 1 and shown after a miss, can stand anywhere.
    game.guess(0, 6)
    assert game.legal_actions() == [677, 678, 679, 680]
    game.place(0)
    assert game.line(1) == [25, 1, 7, 13]


def test_hand_of_two_jokers() -> None:
    game = CodaDriver("CodaOfficial-v0", {"n_start": 2, "first": 1}, deck=deck_of([24, 3, 25, 9], 26))
    assert game.line(0) == [24]
    assert game.legal_actions() == [677, 678]
    game.place(0)
    assert game.line(0) == [25, 24]
    assert game.current_player == 1


def test_feasible_decides_which_values_are_legal() -> None:
    deck = deck_of([5, 8, 20, 4, 9], 24)
    legal = {}
    for feasible in ("unseen", "all", "color", "consistent"):
        game = CodaDriver(options={"feasible": feasible}, deck=deck)
        game.guess(0, 10)
        game.guess(0, 7)
        legal[feasible] = {action % 24 for action in game.legal_actions()}
    unseen = set(range(24)) - {5, 20, 4, 9}
    assert legal["all"] == set(range(24))
    assert legal["unseen"] == unseen
    assert legal["color"] == {tile for tile in unseen if tile % 2 == 0}
    # Right of the black 4, and not the 10 that was missed.
    assert legal["consistent"] == {6, 8, 12, 14, 16, 18, 22}


def test_guess_says_nothing_about_the_guessers_hand_if_any_value_is_legal() -> None:
    game = CodaDriver(options={"feasible": "all"}, deck=deck_of([5, 8, 20, 4, 9], 24))
    game.guess(0, 10)
    game.guess(0, 6)
    assert int(game.state.denied[8]) == 1 << 10


# -- options and decks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"jokers": 2, "n": 4}, "from 6 to 26"),
        ({"n": 26}, "from 4 to 24"),
        ({"n": 7}, "n=7"),
        ({"n_start": 12}, "at most 11"),
        ({"feasible": "color", "color_visible": "no"}, "color"),
        ({"first": 2}, "first"),
        ({"jokers": 1}, "jokers"),
        ({"feasable": "all"}, "feasible"),
    ],
)
def test_contradicting_options_are_refused(options: dict[str, object], word: str) -> None:
    with pytest.raises(CardgymError, match=word):
        find("Coda-v0").parse_options(options)


def test_options_accept_numbers_and_booleans() -> None:
    given_as_values: dict[str, Any] = {"first": 1, "color_visible": False}
    assert CodaOptions(**given_as_values) == CodaOptions(first="1", color_visible="no")
    assert CodaOptions().n == 24
    assert CodaOptions(jokers=2).n == 26


@pytest.mark.parametrize("deck", [[], list(range(23)), [0] * 24, list(range(1, 25)), "abc", 7, [0.5, *range(1, 24)]])
def test_impossible_decks_are_refused(deck: Any) -> None:
    with pytest.raises(CardgymError, match="deck"):
        CodaDriver(deck=deck)


# -- any line of play -------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CASES), st.integers(0, 2**32), st.integers(0, 60))
def test_random_play_follows_the_rules(case: tuple[str, dict[str, object]], seed: int, decisions: int) -> None:
    game = CodaDriver(*case, seed=seed)
    invariants = game.game.rules.invariants
    before = invariants(game.state)
    assert before[1:] == (1, 0)
    for _ in range(decisions):
        game.decide_randomly(1)
        assert invariants(game.state) == before
        for seat in range(2):
            numbers = [tile for tile in game.line(seat) if tile < 24]
            assert numbers == sorted(numbers)
            assert len(game.line(seat)) <= game.n // 2
            assert game.up(seat) <= set(game.line(seat))
            assert game.paid.sum() == 0.0 or game.options.reward == "paper"
        if game.over:
            loser = 1 - int(game.state.winner)
            last_drawn = game.state.pool_size == 0 and game.options.empty == "last_drawer_wins"
            assert last_drawn or game.hidden_places(loser) == []
            assert {game.score(seat) for seat in range(2)} == {0.0, 1.0}
            return
        actions = game.legal_actions()
        assert actions
        other = 1 - game.current_player
        if game.guessing:
            assert {action // game.n for action in actions if action < game.n**2} == set(game.hidden_places(other))
            for place in game.hidden_places(other):  # The right guess is always legal.
                assert place * game.n + game.line(other)[place] in actions
            shown = offered(game.game, game.state, actions)
            for place in game.hidden_places(other):  # So are people offered it, and no tile of the other color.
                assert place * game.n + game.line(other)[place] in shown
                if game.options.color_visible == "yes":
                    values = [action % game.n for action in shown if action // game.n == place]
                    assert {value % 2 for value in values} == {game.line(other)[place] % 2}
        if game.options.continuation == "forced":
            assert all(len(game.hidden_places(seat)) <= game.options.n_start for seat in range(2))
