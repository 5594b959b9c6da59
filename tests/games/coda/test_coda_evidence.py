"""What guesses reveal: the turns of past guesses, worlds turned back to them, and which policy made them."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from coda_lines import CASES, CodaDriver

from cardgym.engine.compilation import compiled
from cardgym.games.coda.arrangements import new_weights, weigh_guesses
from cardgym.games.coda.evidence import COLOR, MIDDLE, NUM_POLICIES, UNSEEN, explain, recall_guesses, turn_back
from cardgym.games.coda.search import STRANGER, Sampler


@compiled
def _chances_then(states: Any, seat: int, out: Any) -> npt.NDArray[np.int64]:
    """The guesses at a seat's line, and the chances that the guesser gave each, by the state turned back."""
    guesses = recall_guesses(states[0], seat)
    for number in range(guesses.made.shape[0]):
        turn, tile, value, hit = guesses.made[number]
        states[1] = states[0]
        turn_back(states[1], seat, guesses, turn, hit == 0)
        weights = new_weights()
        total = weigh_guesses(states[1], 1 - seat, weights)
        for place in range(states[1].length[seat]):
            if states[1].line[seat, place] == tile:
                out[number] = weights[place, value] / total
    return guesses.made


@compiled
def _explain(states: Any, seat: int, shares: Any) -> None:
    explain(states[0], seat, recall_guesses(states[0], seat), states[1:], new_weights(), shares)


@pytest.mark.parametrize("case", [0, 1, 6])
def test_a_state_turned_back_gives_a_guess_the_chance_that_it_had(case: int) -> None:
    exact: list[bool] = []
    lost = 0
    for seed in range(25):
        game = CodaDriver(*CASES[case], seed=seed)
        seat = seed % 2
        chances: dict[tuple[int, int], float] = {}
        states, known, named = game.states, {**chances}, set[int]()
        while not game.over:
            mover = game.current_player
            action = game.choose_action("random-consistent", np.array([game.random.randrange(2**60), 0], np.uint64))
            if mover == seat:
                states, known = np.concatenate([game.states, game.states]), {**chances}
            elif game.guessing and action < game.n**2:
                place, value = divmod(action, game.n)
                tile = game.line(seat)[place]
                chances = {guess: chance for guess, chance in chances.items() if guess[1] != value}
                # Of a value that was named several times, and of the hits of a turn, only one is known.
                if game.state.pool_size > 0 and not game.state.hits if tile == value else value not in named:
                    weights, total = game.weigh_guesses(mover)
                    chances[tile, value] = weights[place, value] / total
                named.add(value)
            game.decide(action)
        found = np.zeros(64)
        for (_, tile, value, _), chance in zip(_chances_then(states, seat, found).tolist(), found, strict=False):
            if (tile, value) in known:
                exact.append(chance == pytest.approx(known.pop((tile, value)), rel=1e-9))
        lost += len(known)
    assert len(exact) > 25
    assert np.mean(exact) >= (1.0 if case == 0 else 0.8)  # Of a value named again the first turn is lost.
    assert lost <= 0.1 * len(exact)


def test_guesses_show_who_made_them() -> None:
    policies = {"random-unseen": UNSEEN, "random-color": COLOR, "bayes": MIDDLE}
    for player, policy in policies.items():
        found = np.zeros(NUM_POLICIES)
        for seed in range(12):
            game = CodaDriver(*CASES[6], seed=seed)
            while not game.over and len(game.guesses) < 12:
                name = player if game.current_player else "bayes"
                game.decide(game.choose_action(name, np.array([game.random.randrange(2**60), 0], np.uint64)))
            shares = np.zeros(NUM_POLICIES)
            _explain(np.concatenate([game.states, game.states]), 0, shares)
            found[int(shares.argmax())] += 1
        assert found.argmax() == policy, player


@pytest.mark.parametrize(("case", "games"), [(0, 4), (6, 12)])
def test_beliefs_about_a_single_hidden_tile_are_exact(case: int, games: int) -> None:
    told = 0
    for seed in range(games):
        game = CodaDriver(*CASES[case], seed=seed)
        while not game.over:
            seat, action = game.current_player, game.choose_action("bayes", np.array([seed, 0], np.uint64))
            hidden = game.hidden_places(1 - seat)
            if game.guessing and len(hidden) == 1:
                ways, expected, shares = game.weigh_guesses(seat)[0][hidden[0]], np.zeros(26), np.ones(NUM_POLICIES)
                luck = np.array([seed, 0], np.uint64)
                while ((expected > 0.0) != (ways > 0.0)).any():
                    world = game.copy()
                    world.resample(seat, luck)
                    _explain(np.concatenate([world.states, world.states]), seat, shares)
                    tile = world.line(1 - seat)[hidden[0]]
                    expected[tile] = ways[tile] * (STRANGER @ shares)
                beliefs = Sampler(game.options, 64).believe(game.observe(seat, "guessed"), STRANGER)
                np.testing.assert_allclose(beliefs.chances[hidden[0]], expected / expected.sum(), atol=1e-12)
                np.testing.assert_allclose(beliefs.weights[:26], beliefs.chances[hidden[0]], atol=1e-12)
                told += bool(abs(expected / expected.sum() - ways / ways.sum()).max() > 0.05)
            game.decide(action)
    assert told > 3
