"""What tabular Q-learning and Sarsa reach at Coda when the same few deals serve for training and test.

`python benchmarks/measure_coda_deals.py --seed 1` takes some minutes. The paper reports 0.963 and 0.965, above what any
player can reach on fresh deals; this measures how many deals used again and again would explain it. The state is the
paper's 3n bits, the rewards are the paper's, the opponent is `random`, 10,000 training games as in the paper.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from cardgym.registry import find, parse_options

TRAINING_GAMES, TEST_GAMES = 10_000, 2_000
ALPHA, GAMMA = 0.1, 0.9
Deck = list[int]
Choice = Callable[[int, list[int]], int]


class Learner:
    """Q-learning or Sarsa with a dictionary of visited states."""

    def __init__(self, sarsa: bool, generator: random.Random) -> None:
        self.sarsa = sarsa
        self.random = generator
        self.values: defaultdict[tuple[int, int], float] = defaultdict(float)
        self.epsilon = 1.0

    def choose(self, state: int, actions: list[int]) -> int:
        """Epsilon-greedy over the legal actions, ties at random."""
        if self.random.random() < self.epsilon:
            return self.random.choice(actions)
        worths = [self.values.get((state, action), 0.0) for action in actions]
        best = max(worths)
        return self.random.choice([a for a, worth in zip(actions, worths, strict=True) if worth == best])

    def learn(self, steps: list[tuple[int, int, float, list[int]]]) -> None:
        """Update backwards along one game."""
        following = 0.0
        for number in reversed(range(len(steps))):
            state, action, reward, actions = steps[number]
            target = reward + GAMMA * following
            self.values[state, action] += ALPHA * (target - self.values[state, action])
            if self.sarsa:
                following = self.values[state, action]
            else:
                following = max(self.values.get((state, a), 0.0) for a in actions)


class Table:
    """Seat 0 learns, seat 1 is `random`."""

    def __init__(self, generator: random.Random) -> None:
        self.game = find("Coda-v0")
        options = parse_options(self.game, {"reward": "paper"})
        self.state = self.game.new_state(options)[0]
        self.mask = np.zeros(self.game.actions(options), np.int8)
        self.random = generator

    def play(self, deck: Deck | None, choose: Choice) -> tuple[list[tuple[int, int, float, list[int]]], bool]:
        """One game: seat 0's states, actions, rewards and legal actions, and whether it won."""
        game, state = self.game, self.state
        if deck is not None:
            assert game.stack_deck is not None
            game.stack_deck(state, deck)
        game.setup(state)
        steps: list[tuple[int, int, float, list[int]]] = []
        while True:
            outcomes = int(game.outcomes(state))
            seat = -1 if outcomes else int(game.actor(state))
            if not outcomes and seat < 0:
                return steps, bool(state.winner == 0)
            if outcomes:
                move = self.random.randrange(outcomes)
            else:
                game.legal(state, self.mask)
                actions = np.flatnonzero(self.mask).tolist()
                if seat == 0:
                    code = int(game.code(state, 0))
                    move = choose(code, actions)
                    steps.append((code, move, 0.0, actions))
                else:
                    move = self.random.choice(actions)
            game.apply(state, move)
            if steps:
                code, action, reward, actions = steps[-1]
                steps[-1] = (code, action, reward + float(state.reward[0]), actions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    for number in (10, 50, 100, 150, 200, 500, 0):
        for sarsa in (False, True):
            generator = random.Random(seed)
            decks = [generator.sample(range(24), 24) for _ in range(number)]
            table, learner = Table(generator), Learner(sarsa, generator)
            for training in range(TRAINING_GAMES):
                learner.epsilon = max(0.05, 1.0 - training / (0.6 * TRAINING_GAMES))
                steps, _ = table.play(generator.choice(decks) if decks else None, learner.choose)
                learner.learn(steps)
            learner.epsilon = 0.0
            rates = []
            for tested in (decks, []):
                wins = [
                    table.play(tested[game % number] if tested else None, learner.choose)[1]
                    for game in range(TEST_GAMES)
                ]
                rates.append(sum(wins) / TEST_GAMES)
            print(
                f"{number or 'fresh':>5} deals, {'Sarsa' if sarsa else 'Q-learning':10}: "
                f"{rates[0]:.4f} on them, {rates[1]:.4f} on fresh deals",
                flush=True,
            )


if __name__ == "__main__":
    main()
