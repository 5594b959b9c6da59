"""Cribbage beside OpenSpiel's, an independent implementation: the same cards and actions, compared at every step.

OpenSpiel departs from the rules in four ways, each handled where it happens and nothing else excused: passing is an
action of its own; four of a suit in the crib count as a flush; seat 0 always deals first; and the last card and the
whole show are added in one step, past the end of the game.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import combinations

from cribbage_table import Table

from cardgym.games.cribbage.game import GAME, rules

PASS = 2756
TARGET = 121


@dataclass
class Tally:
    """How much was compared, and how often a departure came up."""

    games: int = 0
    deals: int = 0
    decisions: int = 0
    crossed: int = 0
    crib_flushes: int = 0
    shows_past_the_end: int = 0
    wrong_winners: int = 0
    ended_in: dict[str, int] = field(default_factory=dict)


def _scores(theirs) -> list[int]:
    """The running scores there; at the end the returns hold a bonus for winning too, so they are read as text."""
    if theirs.is_terminal():
        line = next(line for line in str(theirs).splitlines() if line.startswith("Scores:"))
        return [int(word) for word in line.split()[1:]]
    return [int(score) for score in theirs.returns()]


def compare_game(oracle, rng: random.Random, tally: Tally) -> None:
    """Play one game of random legal actions in both, asserting that they agree."""
    theirs = oracle.new_initial_state()
    table = Table(target=TARGET)
    table.draw(0)  # Seat 0 cuts the ace of clubs, so it deals.
    table.draw(12)
    over_counted = [0, 0]  # What OpenSpiel has given for flushes of four in the crib.
    tally.games += 1
    dealer = 0
    while _compare_deal(theirs, table, dealer, over_counted, rng, tally):
        dealer = 1 - dealer


def _compare_deal(theirs, table, dealer, over_counted, rng, tally) -> bool:
    """One deal; whether there is another to compare."""
    tally.deals += 1
    state = table.state

    def expected():
        return [score - more for score, more in zip(_scores(theirs), over_counted, strict=True)]

    cards = rng.sample(range(52), 12)
    for card in cards:
        theirs.apply_action(card)
    hands = [sorted(held, key=lambda card: (card % 13, card)) for held in (cards[:6], cards[6:])]
    for place in range(6):  # The pone is dealt first here, seat 0 all its cards first there.
        table.draw(hands[1 - dealer][place])
        table.draw(hands[dealer][place])
    crib = []
    for seat in range(2):
        assert theirs.current_player() == GAME.rules.current_player(state) == seat
        tosses = {52 + 52 * one + other: table.toss_of(one, other) for one, other in combinations(hands[seat], 2)}
        assert set(theirs.legal_actions()) == set(tosses)
        assert table.legal_actions() == set(tosses.values())
        toss = rng.choice(sorted(tosses))
        crib += [(toss - 52) // 52, (toss - 52) % 52]
        theirs.apply_action(toss)
        GAME.rules.apply_action(state, tosses[toss])
        tally.decisions += 1
    starter = rng.choice([card for card in range(52) if card not in cards])
    assert GAME.rules.num_chance_outcomes(state) == 40
    theirs.apply_action(starter)
    table.draw(starter)
    played = 0
    while True:
        if theirs.is_terminal() and max(expected()) < TARGET:
            # Only by points for flushes that the rules do not know; the point for a go was not given any more.
            assert sum(over_counted) > 0
            return False
        assert table.scores() == [min(score, TARGET) for score in expected()]
        assert table.over() == (max(expected()) >= TARGET)
        if table.over():
            assert theirs.is_terminal()
            where = "heels" if played == 0 else "play"
            tally.ended_in[where] = tally.ended_in.get(where, 0) + 1
            return False
        assert not theirs.is_terminal()
        seat = GAME.rules.current_player(state)
        assert theirs.current_player() == seat
        count = int(str(theirs).rpartition("Running total: ")[2].split()[0])
        assert int(state.count) == count
        actions = theirs.legal_actions()
        assert table.legal_actions() == set(actions)
        card = rng.choice(actions)
        before = expected()
        theirs.apply_action(card)
        told = state.tally[seat].copy()
        GAME.rules.apply_action(state, card)
        tally.decisions += 1
        played += 1
        count += min(card % 13 + 1, 10)
        last = seat
        pegged = expected()
        if played == 8 and count == 31:
            # The show is in this step already. What the card itself brought is taken from here; the sum is compared.
            pegged = list(before)
            pegged[seat] += int((state.tally[seat] - told)[[rules.PONE_PEGGING, rules.DEALER_PEGGING]].sum())
        crossed = 0
        while not theirs.is_terminal() and theirs.legal_actions() == [PASS]:
            theirs.apply_action(PASS)
            crossed += 1
        tally.crossed += crossed
        if played == 8:
            break
    if count != 31 and crossed == 0 and max(pegged) < TARGET:
        # With the eighth card it was over there, again by points for flushes only: no last card, no show.
        assert theirs.is_terminal()
        assert sum(over_counted) > 0
        return False
    # Last card and show: in one step there, in order here.
    gained = [after - there for after, there in zip(expected(), pegged, strict=True)]
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
    assert table.scores() == [min(score, TARGET) for score in wanted]
    assert table.over() == (max(wanted) >= TARGET)
    if not table.over():
        return not theirs.is_terminal()
    _count_end(table, theirs, wanted, pegged, tally)
    return False


def _count_end(table, theirs, wanted, pegged, tally) -> None:
    where = "play" if max(pegged) >= TARGET else "show"
    tally.ended_in[where] = tally.ended_in.get(where, 0) + 1
    assert theirs.is_terminal()
    scores = _scores(theirs)
    if min(scores) >= TARGET:
        tally.shows_past_the_end += 1
        winner = 0 if table.scores()[0] >= TARGET else 1
        tally.wrong_winners += scores[winner] <= scores[1 - winner]
