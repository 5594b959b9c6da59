"""Coda as a Gymnasium env: spaces by options, chosen decks, illegal guesses, the paper's rewards."""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from coda_lines import deck_of

from cardgym import CardgymError

DECK = deck_of([5, 8, 20, 4, 9], 24)


def name_highest(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    """An opponent that makes the last legal guess."""
    return int(np.flatnonzero(mask)[-1])


@pytest.mark.parametrize(
    ("game_id", "options", "actions", "size"),
    [
        ("Coda-v0", {}, 576, 734),
        ("Coda-v0", {"continuation": "optional"}, 576 + 13, 734),
        ("Coda-v0", {"n": 8}, 64, 126),
        ("CodaOfficial-v0", {}, 676 + 14, 872),
        ("CodaOfficial-v0", {"jokers": 0}, 576 + 13, 734),
    ],
)
def test_spaces_follow_the_options(game_id: str, options: dict[str, Any], actions: int, size: int) -> None:
    env = gymnasium.make(game_id, **options)
    observation, info = env.reset(seed=1)
    assert env.action_space == gymnasium.spaces.Discrete(actions)
    assert info["action_mask"].shape == (actions,)
    assert observation.shape == (size,)
    assert observation in env.observation_space


def test_chosen_deck_applies_to_one_game() -> None:
    env: Any = gymnasium.make("Coda-v0", opponent=name_highest, render_mode="ansi")
    env.reset(seed=1, options={"deck": DECK})
    assert "1:[W2]" in env.render()
    assert "You have drawn B10" in env.render()
    env.step(10)
    assert "1:B2  2:[B?]" in env.render()
    assert "You have drawn W4" in env.render()
    env.reset(seed=3)
    assert "0:[W2]" not in env.render()


def test_impossible_deck_leaves_the_game_as_it_was() -> None:
    env = gymnasium.make("Coda-v0")
    _, info = env.reset(seed=1)
    with pytest.raises(CardgymError, match="deck"):
        env.reset(options={"deck": [*DECK[:-1], 5]})
    action = int(np.flatnonzero(info["action_mask"])[0])
    env.step(action)


def test_papers_reward_includes_the_opponents_turn() -> None:
    env = gymnasium.make("Coda-v0", opponent=lambda observation, mask: 5, reward="paper")
    env.reset(seed=1, options={"deck": DECK})
    _, reward, terminated, _, _ = env.step(10)
    assert terminated
    assert reward == -10010.0
