"""The lines of a first turn are all that a seat may face, and jokers go back to where their owner saw them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cardgym import find
from cardgym.arena.playouts import MOVE, ManyGames, generators
from cardgym.engine.batch import look
from cardgym.engine.contract import CHANCE, END
from cardgym.engine.states import new_state
from cardgym.experiments.exploit.posterior import Worlds, all_deals, merged
from cardgym.games.coda import state as coda
from cardgym.games.coda.posterior import LinePosterior, _take_back
from cardgym.games.coda.rules import stack_deck
from cardgym.players import resolve
from moody import Moody, key_of

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


def walk(game: Any, options: Any, seat: int, own: list[Any], guesses: list[int]) -> dict[str, float]:
    """The probability of each state at the last of a seat's decisions, over all histories in which it saw the same.

    `own` has what it saw and did at each; `guesses` has the other seat's guesses and stops, which everyone sees.
    """
    found: dict[str, float] = {}
    todo = [(np.asarray(new_state(game, options)).view(game.state), 1.0, 0, 0)]
    while todo:
        states, probability, decided, guessed = todo.pop()
        state = states.view(np.recarray)[0]
        outcomes, who = int(game.rules.num_chance_outcomes(state)), int(game.rules.current_player(state))
        moves: list[tuple[int, float]] = [(move, 1.0 / outcomes) for move in range(outcomes)]
        if not outcomes and who >= 0:
            seen, mask, _ = look(game, options, states, np.full(1, who))
            if who == seat:
                if (seen != own[decided][0]).any() or guessed > own[decided][2]:
                    continue
                if decided == len(own) - 1:
                    key = key_of(state)
                    found[key] = found.get(key, 0.0) + probability
                    continue
                moves, decided = [(own[decided][1], 1.0)], decided + 1
            else:
                shares = Moody().probabilities(seen, mask)[0]
                moves = [(move, float(shares[move])) for move in np.flatnonzero(mask[0]).tolist()]
                if state.phase == coda.GUESSING:
                    moves = [each for each in moves if guesses[guessed : guessed + 1] == [each[0]]]
                    guessed += 1
        for move, share in moves:
            child = states.copy()
            game.rules.apply_action(child.view(np.recarray)[0], move)
            todo.append((child, probability * share, decided, guessed))
    whole = sum(found.values())
    return {key: probability / whole for key, probability in found.items()}


@pytest.mark.parametrize("key", [3, 9, 18])  # Where it matters that nobody sees whether the owner had a choice.
def test_lines_equal_the_enumeration_of_all_histories(key: int) -> None:
    game = find("Coda-v0")
    options = game.parse_options(SIX)
    generator = np.random.default_rng(key)
    seat, compared = key % 2, 0
    games = ManyGames.of_new_games(game, options, [key])
    posterior = LinePosterior(game, options, Moody(), np.full(1, seat), generator)
    own: list[Any] = []
    guesses: list[int] = []
    while games.who[0] != END:
        posterior.start(games.states, games.who, games.deals)
        who, action = int(games.who[0]), -1
        if who >= 0:
            seen, mask, _ = look(game, options, games.states, games.who)
            action = int(generator.choice(np.flatnonzero(mask[0])))
            if who == seat:
                own.append((seen, action, len(guesses)))
                expected = walk(game, options, seat, own, guesses)
                states, chances = merged(posterior.known[0].states, posterior.known[0].weights)
                found = dict(zip(map(key_of, states), chances / chances.sum(), strict=True))
                assert found.keys() == expected.keys()
                assert all(found[each] == pytest.approx(share, abs=1e-12) for each, share in expected.items())
                compared += 1
            elif games.states["phase"][0] == coda.GUESSING:
                guesses.append(action)
        previous, before = games.states.copy(), games.who.copy()
        games.advance(np.full(1, action), MOVE)
        posterior.follow(previous, games.states, before, np.full(1, action), games.who, games.deals)
    assert compared


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
