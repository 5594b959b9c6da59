"""The player `search`: what it remembers, that it knows no more than its seat, and how it chooses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from coda_lines import CASES, CodaDriver

from cardgym.arena import evaluate
from cardgym.engine.compilation import compiled
from cardgym.errors import CardgymError
from cardgym.games.coda.critic import PLAY_OUT, Critic, load_critic, value_of
from cardgym.games.coda.drawing import DrawingPlayer, weigh_draw
from cardgym.games.coda.game import OFFICIAL
from cardgym.games.coda.guess_features import BY_GUESS
from cardgym.games.coda.knowledge import OWN
from cardgym.games.coda.search import SearchPlayer, estimate
from cardgym.games.coda.state import CodaOptions
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.network_shapes import network_shape
from cardgym.players.policy_networks import PolicyNetwork
from cardgym.players.resolver import resolve


@compiled
def _value(critic: Critic, states: Any, seat: int) -> float:
    return value_of(critic, states[0], seat)


QUICK: dict[str, Any] = {"guesses": 4, "worlds": (4,)}


def games_to_decide(case: int, num_games: int) -> list[CodaDriver]:
    """Games in which a seat is to decide, at the start and later."""
    games = []
    for seed in range(num_games):
        game = CodaDriver(*CASES[case], seed=seed)
        game.decide_randomly(seed % 14)
        if not game.over:
            games.append(game)
    return games


def choice(player: SearchPlayer, game: CodaDriver, seat: int) -> int:
    """What the player does at a seat of a game."""
    return int(player.act(game.observe(seat, "guessed")[None], game.legal_action_mask()[None])[0])


@pytest.mark.parametrize("case", range(len(CASES)))
def test_remembered_state_looks_like_the_real_one(case: int) -> None:
    games = games_to_decide(case, 40)
    assert len(games) >= 10
    for game in games:
        seat = game.current_player
        other = game.remembered(seat)
        for name in ("guessed", "guesses", "odds"):
            np.testing.assert_array_equal(other.observe(OWN, name), game.observe(seat, name))
        np.testing.assert_array_equal(other.legal_action_mask(), game.legal_action_mask())
        other.resample(OWN, np.array([seat, 0], np.uint64))
        invariants = game.game.rules.invariants
        assert invariants(other.state) == invariants(game.state)
        np.testing.assert_array_equal(other.observe(OWN, "guessed"), game.observe(seat, "guessed"))


def official_options() -> CodaOptions:
    options = OFFICIAL.parse_options()
    assert isinstance(options, CodaOptions)
    return options


def official_critic(folder: Path) -> tuple[PolicyNetwork, Critic]:
    """A network with random weights for the official game, and its critic in compiled code."""
    options = official_options()
    torch.manual_seed(1)
    shape = network_shape(OFFICIAL, options, "guesses", (16, 8), dueling=False, action_features=BY_GUESS)
    network = PolicyNetwork(shape)
    save_checkpoint(folder / "a.safetensors", network, OFFICIAL, options, "guesses")
    return network, load_critic(folder / "a.safetensors", OFFICIAL, options)


def test_critic_values_positions_as_its_network_does(tmp_path: Path) -> None:
    network, critic = official_critic(tmp_path)
    games = games_to_decide(6, 20)
    assert len(games) >= 10
    for game in games:
        observation = torch.tensor(game.observe(game.current_player, "guesses"))
        assert _value(critic, game.states, game.current_player) == pytest.approx(
            float(network(observation[None])[1].detach()), abs=1e-5
        )


def test_critic_of_another_network_is_refused(tmp_path: Path) -> None:
    options = official_options()
    shape = network_shape(OFFICIAL, options, "guesses", (16, 8), dueling=False)
    save_checkpoint(tmp_path / "a.safetensors", PolicyNetwork(shape), OFFICIAL, options, "guesses")
    with pytest.raises(CardgymError, match="train a policy network of two hidden layers on the observation guesses"):
        load_critic(tmp_path / "a.safetensors", OFFICIAL, options)


@pytest.mark.parametrize(("case", "with_critic"), [(0, False), (2, False), (6, False), (8, False), (6, True)])
def test_search_is_legal_and_does_not_depend_on_hidden_tiles(case: int, with_critic: bool, tmp_path: Path) -> None:
    games = games_to_decide(case, 15)
    critic = official_critic(tmp_path)[1] if with_critic else PLAY_OUT
    player = SearchPlayer(games[0].options, **QUICK, critic=critic)
    for game in games:
        seat = game.current_player
        action = choice(player, game, seat)
        assert action in game.legal_actions()
        other = game.copy()
        other.resample(seat, np.array([5, 0], np.uint64))
        assert choice(player, other, seat) == action


def test_guesses_are_drawn_whatever_the_own_hidden_tile_is() -> None:
    game = CodaDriver("Coda-v0", deck=[0, 1, 2, *range(4, 24), 3])  # Each hides one tile: 0, and 1, a white one.
    other = CodaDriver("Coda-v0", deck=[23, 1, 2, *range(4, 23), 3, 0])
    player = resolve("search", game.game, game.options)
    assert isinstance(player, DrawingPlayer)
    shares = []
    for one in (game, other):
        assert one.guessing
        mask = one.legal_action_mask()
        found = player.probabilities(one.observe(0, "guessed")[None], mask[None])[0]
        assert found.sum() == pytest.approx(1.0)
        assert not found[mask == 0].any()
        shares.append(found)
    white = np.arange(3, 23, 2)
    ratios = shares[0][white] / shares[1][white]
    assert ratios.max() < 2.0 * ratios.min()  # The middle of what is possible depends on the own tile a little.
    assert shares[0][11] > 2.0 * shares[0][3]
    # The own tile is white in the second game, and above the drawn 2: of white tiles only 1 is none that it could be.
    assert shares[1][1] > 0.5 > 10.0 * shares[0][1]


def test_draws_weigh_likely_guesses_and_the_middle() -> None:
    weights = [weigh_draw(chance, less, False) for chance, less in ((0.25, 0.0), (0.5, 0.25), (0.25, 0.75), (0.5, 0.0))]
    expected = np.array([0.25**4 * 1.25, 0.5**4 * 2.0, 0.25**4 * 1.25, 0.5**4 * 1.5]) ** 2
    np.testing.assert_allclose(weights, expected)
    assert weigh_draw(0.5, 0.25, True) == pytest.approx(0.14**2 * expected[1])


@pytest.mark.parametrize(
    ("chance", "tally", "expected"),
    [
        (0.4, [[3, -1.5], [1, 0.8]], 0.6 * -0.5 + 0.4 * 0.8),  # Drawn right once in four, which is too rarely.
        (0.4, [[4, -1.0], [0, 0.0]], -0.25),  # Never drawn right: what that is worth is not known.
        (1.0, [[0, 0.0], [4, 2.0]], 0.5),
        (0.0, [[4, 3.0], [0, 0.0]], 0.75),
    ],
)
def test_search_weighs_right_and_wrong_guesses_by_their_probabilities(
    chance: float, tally: list[list[float]], expected: float
) -> None:
    assert estimate(chance, np.array(tally)) == pytest.approx(expected)


def about_to_lose() -> CodaDriver:
    """Seat 0 has made a hit and one tile is left to find, one of three; after a stop seat 1 can see both its tiles."""
    game = CodaDriver("Coda-v0", {"n": 12, "n_start": 2, "continuation": "optional"})
    state = game.state
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
    game.refresh()
    return game


def test_search_guesses_where_stopping_loses() -> None:
    game = about_to_lose()
    assert game.guessing
    assert game.stop_action in game.legal_actions()
    assert game.choose_action("bayes", np.array([1, 0], np.uint64)) == game.stop_action
    player = SearchPlayer(game.options, guesses=6, worlds=(40,))
    assert choice(player, game, 0) in [game.n + tile for tile in (5, 7, 9)]


def test_search_is_found_by_name_and_plays_the_same_game_again() -> None:
    options = CodaOptions(n=8)
    first, second = (evaluate("Coda-v0", options, ["search", "random"], games=40, seed=3) for _ in range(2))
    assert first.players[0].win_rate == second.players[0].win_rate
    assert first.players[0].win_rate > 0.55  # `random` wins half of these games, `search` about 85 %.
