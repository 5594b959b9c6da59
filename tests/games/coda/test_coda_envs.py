"""Coda as a Gymnasium env: spaces that follow the options, chosen decks, guesses that are not allowed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from cardgym import CardgymError

DECK = [5, 8, 20, 4, 9, *(tile for tile in range(24) if tile not in (5, 8, 20, 4, 9))]


@pytest.mark.parametrize(
    ("game_id", "options", "actions", "numbers"),
    [
        ("Coda-v0", {}, 576, 734),
        ("Coda-v0", {"obs": "paper"}, 576, 72),
        ("Coda-v0", {"continuation": "optional"}, 576 + 13, 734),
        ("Coda-v0", {"n": 8}, 64, 126),
        ("CodaOfficial-v0", {}, 676 + 14, 846),
        ("CodaOfficial-v0", {"jokers": 0}, 576 + 13, 734),
    ],
)
def test_spaces_follow_the_options(game_id: str, options: dict[str, Any], actions: int, numbers: int) -> None:
    env = gymnasium.make(game_id, **options)
    observation, info = env.reset(seed=1)
    assert env.action_space == gymnasium.spaces.Discrete(actions)
    assert info["action_mask"].shape == (actions,)
    assert observation.shape == (numbers,)
    assert observation in env.observation_space


def test_a_chosen_deck_lasts_for_one_game() -> None:
    env: Any = gymnasium.make("Coda-v0", opponent=lambda observation, mask: int(np.flatnonzero(mask)[-1])).unwrapped
    env.reset(seed=1, options={"deck": DECK})
    text = env.game.words.describe(env._core.seated.batch.states[0], 0)
    assert "0:[W2]" in text
    assert "You have drawn B10" in text
    env.step(10)
    text = env.game.words.describe(env._core.seated.batch.states[0], 0)
    assert "0:B2  1:[B?]" in text
    assert "You have drawn W4" in text
    env.reset(seed=3)
    assert "0:[W2]" not in env.game.words.describe(env._core.seated.batch.states[0], 0)


def test_an_impossible_deck_leaves_the_game_as_it_was() -> None:
    env = gymnasium.make("Coda-v0")
    _, info = env.reset(seed=1)
    with pytest.raises(CardgymError, match="deck"):
        env.reset(options={"deck": [*DECK[:-1], 5]})
    action = int(np.flatnonzero(info["action_mask"])[0])
    env.step(action)


def test_a_guess_at_a_face_up_tile_is_illegal() -> None:
    env = gymnasium.make("Coda-v0", opponent=lambda observation, mask: int(np.flatnonzero(mask)[-1]), reward="paper")
    env.reset(seed=1, options={"deck": DECK})
    _, _, _, _, info = env.step(10)
    assert not info["action_mask"][:24].any()  # Place 0 is the 4, face up.
    _, reward, terminated, _, _ = env.step(7)
    assert terminated
    assert reward == -10000.0


def test_the_papers_reward_of_a_lost_turn_is_one_step() -> None:
    env = gymnasium.make("Coda-v0", opponent=lambda observation, mask: 5, reward="paper")
    env.reset(seed=1, options={"deck": DECK})
    _, reward, terminated, _, _ = env.step(10)
    assert terminated
    assert reward == -10010.0
