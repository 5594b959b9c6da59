"""The expert learner of cribbage a second time, in plain Python: the same games, and learning by the formulas."""

import copy

import numpy as np
from cribbage_driver import CribbageDriver

from cardgym.engine.compilation import compiled
from cardgym.engine.rules import uniform
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.experts import best_keep, score_keeps
from cardgym.games.cribbage.tosses import kept_set
from cardgym.papers.cribbage.weights import add_pegging

NO_GENERATOR = np.zeros(2, np.uint64)


def weights_of(logs):
    """The weights with these logarithms, scaled to the sum 1."""
    powers = np.exp(logs - logs.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@compiled
def draw(chance, n):
    return uniform(chance, n)


@compiled
def judge(figures, cards, dealer, own_crib, weights, scores):
    score_keeps(figures, cards, dealer, own_crib, scores)
    return best_keep(weights, scores)


@compiled
def remember(pegging, dealer, kept, gained, given):
    add_pegging(pegging, dealer, kept, gained, given)


@compiled
def left_of(cards, toss):
    return kept_set(cards, toss)


def play_deal(driver, tosses, starter):
    """Finish a deal. Returns what each seat pegged."""
    deal, before = driver.deal, [driver.pegged(seat) for seat in range(2)]
    driver.play(CARDS + tosses[0], CARDS + tosses[1], starter)
    while not driver.over and driver.deal == deal:
        driver.apply_action(driver.choose_action("greedy", NO_GENERATOR))
    return [driver.pegged(seat) - before[seat] for seat in range(2)]


class Replay:
    """Plays the games that a trainer will play next, and learns from them."""

    def __init__(self, trainer):
        learner = trainer.learner
        self.config = trainer.config
        self.weights = weights_of(learner.logs)
        self.pegging = copy.deepcopy(learner.pegging)
        self.values = learner.values.copy()
        self.chance = learner.generator.copy()
        self.decisions = 0
        self.wins = 0
        self.paths = []

    def play(self, games):
        for game in range(games):
            # The first expert has seat 0 in even games, seat 1 in odd ones.
            seats = [(seat + game) % 2 for seat in range(2)]
            owners = [expert % len(self.weights) for expert in seats]
            path, winner = self._game(owners)
            self.paths.append(path)
            self.wins += seats[winner] == 0
            if self.config.update == "paper":
                for seat in range(2):
                    self._paper(owners[seat], [at[seat] for at in path], seat == winner)

    def _game(self, owners):
        driver, path = CribbageDriver(), []
        state = driver.state
        if draw(self.chance, 1 << 20) < self.config.exploring_starts * (1 << 20):
            state.scores[:] = draw(self.chance, 121), draw(self.chance, 121)
        while not driver.over:
            driver.play_chance(lambda outcomes: draw(self.chance, outcomes))
            own = state.scores.tolist()
            path.append([(own[seat], own[1 - seat], int(state.dealer == seat)) for seat in range(2)])
            tosses, scores = [], np.empty((2, 8, 15))
            for seat, place in enumerate(path[-1]):
                weights = self.weights[owners[seat]][place].astype(np.float32)
                figures, crib = self.pegging.figures, self.config.own_crib
                tosses.append(judge(figures, state.hand[seat], place[2], crib, weights, scores[seat]))
            kept = [left_of(state.hand[seat], tosses[seat]) for seat in range(2)]
            starter = draw(self.chance, 40)
            if self.config.update == "gradient":
                # One seat learns from each deal, in turn.
                seat = self.decisions % 2
                self.decisions += 1
                chances = [self._chance(driver, seat, tosses, toss, starter) for toss in range(15)]
                self._gradient(self.weights[owners[seat]], path[-1][seat], scores[seat], np.array(chances))
            dealer = int(state.dealer)
            pegged = play_deal(driver, tosses, starter)
            if not driver.over:
                for seat in range(2):
                    remember(self.pegging, int(seat == dealer), kept[seat], pegged[seat], pegged[1 - seat])
        assert max(state.scores) == 121
        return path, int(np.argmax(state.scores))

    def _paper(self, owner, places, won):
        for number, place in enumerate(places):
            credit = self.config.gamma ** (len(places) - 1 - number)
            powers = self.weights[owner][place] ** (1 + credit if won else 1 - 3 * credit)
            self.weights[owner][place] = powers / powers.sum()

    def _chance(self, driver, seat, tosses, toss, starter):
        again = driver.copy()
        play_deal(again, [toss if seat == tossing else tosses[tossing] for tossing in range(2)], starter)
        own, other = again.scores[seat], again.scores[1 - seat]
        if again.over:
            return float(own == 121)
        return self.values[own, other, int(again.state.dealer == seat)]

    def _gradient(self, weights, place, scores, chances):
        temperature, reach = self.config.temperature, self.config.reach
        desired = weights[place] @ scores / temperature
        keeps = np.exp(desired - desired.max())
        keeps /= keeps.sum()
        step = self.config.learning_rate * (scores @ (keeps * (chances - keeps @ chances))) / temperature
        own, other, dealer = place
        near = [np.clip(1 - abs(np.arange(121) - score) / (reach + 1), 0, 1) for score in (own, other)]
        weights[:, :, dealer] *= np.exp(np.multiply.outer(np.outer(*near), step))
        weights[:, :, dealer] /= weights[:, :, dealer].sum(-1, keepdims=True)
