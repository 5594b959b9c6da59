"""A scripted model for the environments of libraries that train language models, and what it earns by numbers."""

from typing import Any

import gymnasium as gym

from scripted_model import honest

ENV = "kuhn_poker:KuhnPoker-v0"
GAMES = 12


def answer(text: str) -> str:
    """Kuhn's `honest` by the words of a prompt, with the line ANSWER."""
    return honest([{"content": text}])


def move(text: str) -> str:
    """The same as a move alone."""
    return answer(text).rpartition("ANSWER: ")[2]


def returns() -> list[float]:
    """What `honest` earns in the first games of seeds 0 to GAMES - 1, played by numbers."""
    found = []
    for seed in range(GAMES):
        env: Any = gym.make(ENV, opponent="equilibrium").unwrapped
        env.reset(seed=seed)
        choose, total, over = env.player("honest"), 0.0, False
        while not over:
            _, reward, over, *_ = env.step(choose())
            total += float(reward)
        found.append(total)
    return found
