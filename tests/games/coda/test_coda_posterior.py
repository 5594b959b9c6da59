"""The lines of a first turn are all that a seat may face, and jokers go back to where their owner saw them."""

import numpy as np
import pytest

from cardgym import find
from cardgym.arena.playouts import MOVE, ManyGames, generators
from cardgym.engine.batch import look
from cardgym.engine.contract import CHANCE
from cardgym.engine.states import new_state
from cardgym.experiments.exploit.posterior import Worlds, all_deals, merged
from cardgym.games.coda import state as coda
from cardgym.games.coda.posterior import LinePosterior, _take_back
from cardgym.games.coda.rules import stack_deck
from cardgym.players import resolve

SIX = {"n": 6, "n_start": 1, "jokers": 2, "continuation": "optional", "empty": "play_on"}


@pytest.mark.parametrize("seat", [0, 1])
def test_lines_of_the_first_turn_are_those_of_all_deals(seat: int) -> None:
    game = find("Coda-v0")
    options = game.parse_options(SIX)
    player = resolve("random", game, options)
    generator = np.random.default_rng(0)
    for key in range(8):
        games = ManyGames.of_new_games(game, options, [key])
        expected, found = (
            kind(game, options, player, np.full(1, seat), generator).begin(games.states, seat, 0)
            for kind in (Worlds, LinePosterior)
        )
        assert len(all_deals(game, options)[0])
        assert found.exact
        (left, chances), (right, weights) = (merged(each.states, each.weights) for each in (expected, found))
        assert str(left.tolist()) == str(right.tolist())
        assert weights / weights.sum() == pytest.approx(chances / chances.sum(), abs=1e-12)


def test_jokers_go_back_to_where_their_owner_set_them() -> None:
    game = find("Coda-v0")
    options = game.parse_options(SIX | {"n": 10, "n_start": 3})
    states = np.asarray(new_state(game, options)).view(game.state)
    # Seat 1 has the numbers 3 and both jokers, seat 0 three numbers.
    stack_deck(states.view(np.recarray)[0], [0, 9, 2, 3, 4, 8, 6, 1, 5, 7])
    game.rules.setup(states.view(np.recarray)[0])
    games = ManyGames(game, options, states, generators([0]))
    asked = []
    generator = np.random.default_rng(2)
    while games.states["phase"][0] < coda.GUESSING or games.who[0] == CHANCE:
        action = -1
        if games.states["phase"][0] == coda.SETTING:
            seen, mask, _ = look(game, options, games.states, games.who)
            action = int(generator.choice(np.flatnonzero(mask[0])))
            asked.append((seen, mask, action))
        games.advance(np.full(1, action), MOVE)
    assert len(asked) == 2
    for joker, (seen, mask, action) in enumerate(asked):
        before, places = games.states.copy(), np.full(1, -1)
        _take_back(before, 1, joker, places)
        again, legal, _ = look(game, options, before, np.ones(1, np.int64))
        assert (again == seen).all()
        assert (legal == mask).all()
        assert places[0] == action


def test_first_lines_of_the_board_game_look_like_the_game() -> None:
    game = find("CodaOfficial-v0")
    options = game.parse_options()
    player = resolve("random", game, options)
    games = ManyGames.of_new_games(game, options, np.arange(12))
    for row in np.flatnonzero(games.states["phase"] >= coda.DRAWING).tolist():
        for seat in (0, 1):
            state = games.states[row : row + 1]
            known = LinePosterior(game, options, player, np.full(1, seat), np.random.default_rng(0)).begin(
                state, seat, 0
            )
            views = look(game, options, known.states, np.full(len(known.states), seat))[0]
            assert (views == look(game, options, state, np.full(1, seat))[0]).all()
            assert len(known.states) > 50
