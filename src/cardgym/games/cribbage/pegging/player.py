"""The player `equilibrium`: discards for points or for the chance to win, and plays by the solved policy."""

from __future__ import annotations

import functools

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Int8s, Int64s, Options, rule
from cardgym.games.cribbage.cards import CARDS, worth
from cardgym.games.cribbage.chance_table import ChanceTable, is_near, load_table, point_worth, toss_chances
from cardgym.games.cribbage.observations import PLAIN
from cardgym.games.cribbage.pegging.inference import Situation, choose_rank, read_play
from cardgym.games.cribbage.pegging.policy import PeggingPolicy, load_policy
from cardgym.games.cribbage.state import NUM_TOSSES
from cardgym.games.cribbage.tosses import crib_mean, first_best, kept_set, points_to_go_out, toss_worths
from cardgym.players import Actions, Masks, Observations, Player


class EquilibriumPlayer(Player):
    """Reads the observation `plain`; it draws its cards at random if the policy does."""

    name = "equilibrium"
    observation_name = "plain"
    samples = True

    def __init__(self, policy: PeggingPolicy, table: ChanceTable) -> None:
        self._policy = policy
        self._table = table

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        actions = np.empty(len(observations), np.int64)
        greedy = np.full(len(observations), -1.0) if draws is None else np.asarray(draws)
        _act(np.ascontiguousarray(observations), greedy, self._policy, self._table, actions)
        return actions

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> Float32s:
        """Return the policy's mixture in the play; for discards and last cards the softmax of points. See `Player`."""
        shares = np.zeros(masks.shape, np.float32)
        _soften(np.ascontiguousarray(observations), temperature, self._policy, self._table, shares)
        return shares


def make_player(options: Options) -> EquilibriumPlayer:
    return EquilibriumPlayer(*shipped())


@functools.cache
def shipped() -> tuple[PeggingPolicy, ChanceTable]:
    """Return the policy and the table that come with the game."""
    return load_policy(), load_table()


@compiled
def _act(observations: Float32s, draws: Float64s, policy: PeggingPolicy, table: ChanceTable, actions: Int64s) -> None:
    values, worths = np.empty(13), np.empty(NUM_TOSSES, np.float32)
    for row in range(observations.shape[0]):
        actions[row] = decide(observations[row], policy, table, draws[row], values, worths)


@compiled
def _soften(
    observations: Float32s, temperature: float, policy: PeggingPolicy, table: ChanceTable, shares: Float32s
) -> None:
    values, worths = np.empty(13), np.empty(NUM_TOSSES, np.float32)
    for row in range(observations.shape[0]):
        seen, out = observations[row], shares[row]
        action = decide(seen, policy, table, -1.0, values, worths)
        total = 0.0
        if action >= CARDS:
            for toss in range(NUM_TOSSES):
                less = float(worths[toss]) - float(worths[action - CARDS])
                out[CARDS + toss] = _weight(less, temperature)
                total += out[CARDS + toss]
        else:
            cards = hand_of(seen)
            held = 0
            while held < 4 and cards[held] >= 0:
                held += 1
            theirs = int(seen[PLAIN.opponent_cards])
            counts = theirs == 0 or held + theirs <= 3  # Then the values are points instead of probabilities.
            for place in range(held):  # Cards of one rank are equivalent and share their probability.
                card = int(cards[place])
                if worth(card) <= 31 - int(seen[PLAIN.count]):
                    value = values[card % 13]
                    value = _weight(value - values[action % 13], temperature) if counts else value
                    out[card] = value / _count_rank(cards, held, card % 13)
                    total += out[card]
        if total == 0.0:  # The policy does not cover this node.
            out[action] = total = 1.0
        for place in range(out.shape[0]):
            out[place] /= total


@rule
def _count_rank(cards: Int8s, held: int, rank: int) -> int:
    same = 0
    for place in range(held):
        same += 1 if cards[place] % 13 == rank else 0
    return same


@rule
def _weight(less: float, temperature: float) -> float:
    """exp(less / temperature), where `less` is a value minus the best one."""
    if temperature > 0.0:
        return float(np.exp(less / temperature))
    return 1.0 if less == 0.0 else 0.0


@rule
def decide(
    seen: Float32s, policy: PeggingPolicy, table: ChanceTable, draw: float, values: Float64s, worths: Float32s
) -> int:
    """Return the action of `equilibrium` for the observation `plain`.

    `draw`, uniform in [0, 1), chooses; -1 takes the most probable card. Fills `values`, (13,), as `choose_rank` does
    or, for a discard, `worths`, (15,), with the worth of each in points.
    """
    if seen[PLAIN.playing] == 0.0:
        return CARDS + _toss(seen, policy, table, worths)
    at = situation_of(seen)
    values[:] = 0.0
    rank = choose_rank(policy, at, draw, values)
    action = int(seen[PLAIN.hand])
    for place in range(at.size):
        if at.held[place] == rank:
            action = int(seen[PLAIN.hand + place])
    return action


@rule
def hand_of(seen: Float32s) -> Int8s:
    """Return the cards in hand in the observation `plain`, (6,), then EMPTY."""
    return seen[PLAIN.hand : PLAIN.hand + 6].astype(np.int8)


@rule
def _toss(seen: Float32s, policy: PeggingPolicy, table: ChanceTable, worths: Float32s) -> int:
    """Return the discard with the greatest worth: in points far from the target, by the chance to win near it."""
    cards, dealer = hand_of(seen), int(seen[PLAIN.dealer])
    to_go, opponent_to_go = int(seen[PLAIN.to_go]), int(seen[PLAIN.to_go + 1])
    if is_near(table, to_go, opponent_to_go):
        toss_win_chances(cards, dealer, to_go, opponent_to_go, policy, table, worths)
        per_point = point_worth(table, dealer, to_go, opponent_to_go)
        for toss in range(NUM_TOSSES):
            worths[toss] = worths[toss] / per_point
    else:
        toss_worths(cards, dealer, points_to_go_out(dealer, to_go, opponent_to_go), worths)
        for toss in range(NUM_TOSSES):
            worths[toss] += policy.worths[dealer, kept_set(cards, toss)]
    return first_best(worths)


@rule
def toss_win_chances(
    cards: Int8s, dealer: int, to_go: int, opponent_to_go: int, policy: PeggingPolicy, table: ChanceTable,
    chances: Float32s,
) -> None:  # fmt: skip
    """Fill `chances`, (15,), with the chance to win after each discard."""
    gains = np.empty(NUM_TOSSES, np.float32)
    for toss in range(NUM_TOSSES):
        crib = crib_mean(cards, toss, dealer) - table.crib
        play = policy.worths[dealer, kept_set(cards, toss)] + (table.play if dealer else -table.play)
        gains[toss] = play + (crib if dealer else -crib)
    toss_chances(table, cards, dealer, to_go, opponent_to_go, gains, chances)


@rule
def situation_of(seen: Float32s) -> Situation:
    """Return the situation in the play that the observation `plain` describes."""
    dealer = int(seen[PLAIN.dealer])
    ranks, known = np.empty(4, np.int8), np.zeros(13, np.int8)
    played, played_by = np.empty(8, np.int8), np.empty(8, np.int8)
    size = 0
    while size < 4 and seen[PLAIN.hand + size] >= 0.0:
        ranks[size] = int(seen[PLAIN.hand + size]) % 13
        known[ranks[size]] += 1
        size += 1
    for place in range(2):
        known[int(seen[PLAIN.tossed + place]) % 13] += 1
    known[int(seen[PLAIN.starter]) % 13] += 1
    num_played = 0
    while num_played < 8 and seen[PLAIN.played + num_played] >= 0.0:
        rank = int(seen[PLAIN.played + num_played]) % 13
        mine = seen[PLAIN.played_by + num_played] == 1.0
        played[num_played] = rank
        played_by[num_played] = dealer if mine else 1 - dealer
        known[rank] += 1 if mine else 0
        num_played += 1
    count, theirs, floor = int(seen[PLAIN.count]), int(seen[PLAIN.opponent_cards]), int(seen[PLAIN.opponent_floor])
    play = read_play(played, played_by, num_played, count, 1 - dealer)
    return Situation(ranks, size, theirs, floor, dealer, count, known, play)
