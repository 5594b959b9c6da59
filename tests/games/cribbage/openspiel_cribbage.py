"""Cribbage compared with OpenSpiel's, an independent implementation, at every step of games with the same cards.

OpenSpiel differs from the rules in four ways, which are allowed for and nothing else is: passing is an action; four of
a suit in the crib count as a flush; seat 0 always deals first; and the last card and the whole show are scored in one
step, past the end of the game.
"""

import random
from dataclasses import dataclass, field
from itertools import combinations

from cribbage_driver import CribbageDriver

PASS = 2756
TARGET = 121


@dataclass
class Tally:
    """How much was compared, and how often a difference came up."""

    games: int = 0
    deals: int = 0
    decisions: int = 0
    passes: int = 0
    crib_flushes: int = 0
    shows_past_the_end: int = 0
    wrong_winners: int = 0
    ended_in: dict[str, int] = field(default_factory=dict)


def _scores(theirs) -> list[int]:
    """OpenSpiel's scores. At the end the returns include a bonus for winning, so they are read from the text."""
    if theirs.is_terminal():
        line = next(line for line in str(theirs).splitlines() if line.startswith("Scores:"))
        return [int(word) for word in line.split()[1:]]
    return [int(score) for score in theirs.returns()]


def compare_game(oracle, rng: random.Random, tally: Tally) -> None:
    """Play one game of random legal actions in both and assert that they agree."""
    theirs = oracle.new_initial_state()
    ours = CribbageDriver(target=TARGET)
    ours.cut(0)
    over_counted = [0, 0]  # OpenSpiel's points for flushes of four in the crib.
    tally.games += 1
    dealer = 0
    while _compare_deal(theirs, ours, dealer, over_counted, rng, tally):
        dealer = 1 - dealer


def _compare_deal(theirs, ours, dealer, over_counted, rng, tally) -> bool:
    """Compare one deal. Returns whether the game continues in both."""
    tally.deals += 1
    state = ours.state

    def expected():
        return [score - more for score, more in zip(_scores(theirs), over_counted, strict=True)]

    cards = rng.sample(range(52), 12)
    for card in cards:
        theirs.apply_action(card)
    hands = [sorted(held, key=lambda card: (card % 13, card)) for held in (cards[:6], cards[6:])]
    ours.deal_cards(hands)
    crib = []
    for seat in range(2):
        assert theirs.current_player() == ours.current_player == seat
        tosses = {52 + 52 * one + other: ours.toss_action(one, other) for one, other in combinations(hands[seat], 2)}
        assert set(theirs.legal_actions()) == set(tosses)
        assert set(ours.legal_actions()) == set(tosses.values())
        toss = rng.choice(sorted(tosses))
        crib += [(toss - 52) // 52, (toss - 52) % 52]
        theirs.apply_action(toss)
        ours.apply_action(tosses[toss])
        tally.decisions += 1
    starter = rng.choice([card for card in range(52) if card not in cards])
    assert ours.num_chance_outcomes == 40
    theirs.apply_action(starter)
    ours.draw(starter)
    played = 0
    while True:
        if theirs.is_terminal() and max(expected()) < TARGET:
            # OpenSpiel ended the game by points for flushes of four, before a point for a go.
            assert sum(over_counted) > 0
            return False
        assert ours.scores == [min(score, TARGET) for score in expected()]
        assert ours.over == (max(expected()) >= TARGET)
        if ours.over:
            assert theirs.is_terminal()
            where = "heels" if played == 0 else "play"
            tally.ended_in[where] = tally.ended_in.get(where, 0) + 1
            return False
        assert not theirs.is_terminal()
        seat = ours.current_player
        assert theirs.current_player() == seat
        count = int(str(theirs).rpartition("Running total: ")[2].split()[0])
        assert int(state.count) == count
        actions = theirs.legal_actions()
        assert ours.legal_actions() == sorted(actions)
        card = rng.choice(actions)
        before = expected()
        theirs.apply_action(card)
        pegged_before = ours.pegged(seat)
        ours.apply_action(card)
        tally.decisions += 1
        played += 1
        count += min(card % 13 + 1, 10)
        last = seat
        pegged = expected()
        if played == 8 and count == 31:
            # OpenSpiel's step includes the show: take the points of the card from our game and compare the sum below.
            pegged = list(before)
            pegged[seat] += ours.pegged(seat) - pegged_before
        passes = 0
        while not theirs.is_terminal() and theirs.legal_actions() == [PASS]:
            theirs.apply_action(PASS)
            passes += 1
        tally.passes += passes
        if played == 8:
            break
    if count != 31 and passes == 0 and max(pegged) < TARGET:
        # OpenSpiel ended the game with the eighth card, again by points for flushes of four: no last card, no show.
        assert theirs.is_terminal()
        assert sum(over_counted) > 0
        return False
    # OpenSpiel scores the last card and the show in one step, our game in order.
    gained = [after - earlier for after, earlier in zip(expected(), pegged, strict=True)]
    if count != 31 and max(pegged) < TARGET:
        pegged[last] += 1
        gained[last] -= 1
    if len({card // 13 for card in crib}) == 1 and crib[0] // 13 != starter // 13 and gained != [0, 0]:
        tally.crib_flushes += 1
        over_counted[dealer] += 4
        gained[dealer] -= 4
    wanted = list(pegged)
    for owner in (1 - dealer, dealer):
        if max(wanted) < TARGET:
            wanted[owner] += gained[owner]
    assert ours.scores == [min(score, TARGET) for score in wanted]
    assert ours.over == (max(wanted) >= TARGET)
    if not ours.over:
        return not theirs.is_terminal()
    _count_end(ours, theirs, wanted, pegged, tally)
    return False


def _count_end(ours, theirs, wanted, pegged, tally) -> None:
    where = "play" if max(pegged) >= TARGET else "show"
    tally.ended_in[where] = tally.ended_in.get(where, 0) + 1
    assert theirs.is_terminal()
    scores = _scores(theirs)
    if min(scores) >= TARGET:
        tally.shows_past_the_end += 1
        winner = 0 if ours.scores[0] >= TARGET else 1
        tally.wrong_winners += scores[winner] <= scores[1 - winner]
