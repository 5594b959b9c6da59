"""The expert learner of cribbage once more, in plain Python: it plays the same games and learns by the formulas."""

from __future__ import annotations

import copy

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.generator import uniform
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.players import greedy_card
from cardgym.games.cribbage.rules import apply_action
from cardgym.games.cribbage.state import OVER, PLAYING
from cardgym.games.cribbage.statistics_tables import build_tables
from cardgym.games.cribbage.strategies import best_keep, kept_set, learn_pegging, score_keeps

OPTIONS = GAME.options.parse({})


def weights_of(logs):
    """The weights, adding up to 1, of which these are logarithms."""
    powers = np.exp(logs - logs.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@compiled
def move(states, action):
    apply_action(states[0], action)


@compiled
def pegs(states):
    return greedy_card(states[0], int(states[0].turn))


@compiled
def draw(chance, n):
    return uniform(chance, n)


@compiled
def judge(tables, figures, cards, dealer, own_crib, weights, scores):
    score_keeps(tables, figures, cards, dealer, own_crib, np.empty((15, 8), np.int32), scores)
    return best_keep(weights, scores)


@compiled
def remember(knowledge, dealer, kept, gained, given):
    learn_pegging(knowledge, dealer, kept, gained, given)


@compiled
def left_of(cards, toss):
    return kept_set(cards, toss)


def play_deal(batch, tosses, starter):
    """Play a deal out; what each seat pegged."""
    state = batch[0]
    deal, before = int(state.deal_number), state.tally.astype(int)
    for action in (CARDS + tosses[0], CARDS + tosses[1], starter):
        move(batch, action)
    while state.phase == PLAYING and state.deal_number == deal:
        move(batch, pegs(batch))
    return (state.tally.astype(int) - before)[:, [0, 2]].sum(1).tolist()


class Replay:
    """Plays the games that a trainer is about to play, and learns from them."""

    def __init__(self, trainer):
        learner = trainer.learner
        self.config = trainer.config
        self.weights = weights_of(learner.logs)
        self.knowledge = copy.deepcopy(learner.knowledge)
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
        batch, path = GAME.new_state(OPTIONS), []
        state = batch[0]
        if draw(self.chance, 1 << 20) < self.config.anywhere * (1 << 20):
            state.scores[:] = draw(self.chance, 121), draw(self.chance, 121)
        while state.phase != OVER:
            while left := GAME.rules.num_chance_outcomes(state):
                move(batch, draw(self.chance, left))
            own = state.scores.tolist()
            path.append([(own[seat], own[1 - seat], int(state.dealer == seat)) for seat in range(2)])
            tosses, scores = [], np.empty((2, 8, 15))
            for seat, place in enumerate(path[-1]):
                weights = self.weights[owners[seat]][place].astype(np.float32)
                figures, crib = self.knowledge.figures, self.config.own_crib
                tosses.append(judge(build_tables(), figures, state.hand[seat], place[2], crib, weights, scores[seat]))
            kept = [left_of(state.hand[seat], tosses[seat]) for seat in range(2)]
            starter = draw(self.chance, 40)
            if self.config.update == "gradient":
                # One seat learns from each deal, in turn.
                seat = self.decisions % 2
                self.decisions += 1
                chances = [self._chance(batch, seat, tosses, toss, starter) for toss in range(15)]
                self._gradient(self.weights[owners[seat]], path[-1][seat], scores[seat], np.array(chances))
            dealer = int(state.dealer)
            pegged = play_deal(batch, tosses, starter)
            if state.phase != OVER:
                for seat in range(2):
                    remember(self.knowledge, int(seat == dealer), kept[seat], pegged[seat], pegged[1 - seat])
        assert max(state.scores) == 121
        return path, int(np.argmax(state.scores))

    def _paper(self, owner, places, won):
        for number, place in enumerate(places):
            credit = self.config.credit ** (len(places) - 1 - number)
            powers = self.weights[owner][place] ** (1 + credit if won else 1 - 3 * credit)
            self.weights[owner][place] = powers / powers.sum()

    def _chance(self, batch, seat, tosses, toss, starter):
        again = batch.copy()
        play_deal(again, [toss if seat == tossing else tosses[tossing] for tossing in range(2)], starter)
        own, other = again[0].scores[seat], again[0].scores[1 - seat]
        if max(own, other) == 121:
            return float(own == 121)
        return self.values[own, other, int(again[0].dealer == seat)]

    def _gradient(self, weights, place, scores, chances):
        temperature, reach = self.config.temperature, self.config.reach
        desired = weights[place] @ scores / temperature
        keeps = np.exp(desired - desired.max())
        keeps /= keeps.sum()
        step = self.config.rate * (scores @ (keeps * (chances - keeps @ chances))) / temperature
        own, other, dealer = place
        near = [np.clip(1 - abs(np.arange(121) - score) / (reach + 1), 0, 1) for score in (own, other)]
        weights[:, :, dealer] *= np.exp(np.multiply.outer(np.outer(*near), step))
        weights[:, :, dealer] /= weights[:, :, dealer].sum(-1, keepdims=True)
