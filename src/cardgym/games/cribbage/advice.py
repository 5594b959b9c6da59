"""The coach of cribbage: discards and cards as `champion` values them, with reasons.

A value is the share of games to 121 won from this score, in percent. For games that end differently, after some deals
or at a higher score, it is given in points: divided by what a point is worth at this score. The points of a hand over
the 46 cuts are exact; those of the crib are against an opponent who discards well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Game, Int8s, Options, State
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage.cards import CARDS, EMPTY, JACK, worth
from cardgym.games.cribbage.chance_table import HOLES, point_worth
from cardgym.games.cribbage.observations import PLAIN
from cardgym.games.cribbage.pegging.champion import make_player
from cardgym.games.cribbage.pegging.player import shipped
from cardgym.games.cribbage.scoring import MAX_SCORE, score_crib, score_hand
from cardgym.games.cribbage.text import action_text, card_reasons, reasons_on
from cardgym.games.cribbage.tosses import count_hands, crib_mean, kept_set
from cardgym.table.coach.advice import GAMES, ActionAdvice, Advice, Adviser, ranked, with_odds
from cardgym.table.coach.playouts import look
from cardgym.table.people import shown_name
from cardgym.table.presentation import presentation_of

POINTS = "points"
_BLUNDER = {POINTS: 1.5, GAMES: 4.0}
"""The least cost of a blunder. At 45 to 45 a point is worth 2.9 % of games."""


class CribbageCoach:
    """Values discards and cards as `champion` does.

    Its unit is `GAMES` if the first to 121 or fewer points wins, otherwise `POINTS`.
    """

    def __init__(self, game: Game, options: Options) -> None:
        assert isinstance(options, cribbage.CribbageOptions)
        self.unit = GAMES if options.deals == 0 and options.target <= HOLES else POINTS
        self._game, self._options = game, options
        self._player = make_player(options)
        self._ratings = presentation_of(game).ratings.get(game.id, {})

    def advise(self, state: State, seat: int, opponent: str = "") -> Advice:
        known = opponent if self.unit == GAMES and opponent in self._ratings else ""
        seen, legal = look(self._game, self._options, state, seat, "plain")
        nearest = float(seen[PLAIN.to_go : PLAIN.to_go + 2].min())
        values = with_odds(self._values(seen, legal), self._odds(known, nearest))
        order = sorted(legal, key=lambda action: -values[action])  # In a tie the first comes first, as for the player.
        if state.phase == cribbage.TOSSING:
            reasons = _toss_reasons(state.hand[seat], int(state.dealer == seat), [action - CARDS for action in order])
            kind, source = "discard", "Champion, over all cuts and what cribs and the play usually bring"
        else:
            reasons = [_points_now(state, seat, card) for card in order]
            kind, source = "play", "Champion, over the hands the opponent may hold and the rest of the deal"
        advised = [
            ActionAdvice(action, action_text(state, action), float(values[action]), why)
            for action, why in zip(order, reasons, strict=True)
        ]
        source += f", against {shown_name(known)}" if known else ""
        return Advice(kind, self.unit, source, ranked(advised, self.unit), _BLUNDER[self.unit])

    def _odds(self, opponent: str, to_go: float) -> float:
        """By what the odds of winning change if a rated player sits opposite instead of `champion`.

        What a better player gains a deal adds up with the deals left, and luck with their square root.
        """
        if not opponent:
            return 1.0
        left = to_go / HOLES
        points = self._ratings["champion"] - self._ratings[opponent]
        return round(float(10.0 ** (points / 400.0 * left**0.5)), 12)  # Powers differ in the last bit in a page.

    def _values(self, seen: Float32s, legal: list[int]) -> Float64s:
        """Return the value of each action, (67,), in `unit`."""
        mask = np.isin(np.arange(self._game.num_actions), legal).astype(np.int8)
        chances = self._player.values(seen[None], mask[None])[0]
        dealer, to_go, opponent_to_go = (int(seen[at]) for at in (PLAIN.dealer, PLAIN.to_go, PLAIN.to_go + 1))
        per_unit = 0.01 if self.unit == GAMES else point_worth(shipped()[1], dealer, to_go, opponent_to_go)
        values: Float64s = chances / per_unit
        return values


def adviser(game: Game, options: Options) -> Adviser | None:
    """Return the coach; None for a small pack, which `champion` does not play."""
    if isinstance(options, cribbage.CribbageMiniOptions):
        return None
    advise = CribbageCoach(game, options).advise
    return Adviser(advise, _standing, "points", _luck, "points by the cut", advise_against=advise)


def _toss_reasons(cards: Int8s, dealer: int, tosses: Sequence[int]) -> list[str]:
    """Return why each discard, best first, is where it is: what it gains over the next best or loses against the best.

    The points of the play are what `equilibrium` wins with a hand, on average.
    """
    counts = np.zeros((cribbage.NUM_TOSSES, MAX_SCORE + 1))
    _count_hands(cards, counts)
    means = counts @ np.arange(MAX_SCORE + 1) / cribbage.CUTS
    worths = shipped()[0].worths[dealer]
    points = {toss: (means[toss], crib_mean(cards, toss, dealer), worths[kept_set(cards, toss)]) for toss in tosses}
    texts = []
    for toss in tosses:
        gains = np.subtract(points[toss], points[tosses[0] if toss != tosses[0] else tosses[1]])
        named = zip(gains, ("hand", "own crib" if dealer else "their crib", "play"), strict=True)
        why = ", ".join(f"{name} {gain:+.2f}" for gain, name in named if abs(gain) >= 0.005) or "as many points"
        scored = np.flatnonzero(counts[toss])
        texts.append(f"{why}; the hand has {scored[0]} to {scored[-1]}, {means[toss]:.2f} on average")
    return texts


@compiled
def _count_hands(cards: Int8s, hands: Float64s) -> None:
    count_hands(cards, hands)


def _points_now(state: State, seat: int, card: int) -> str:
    """Return what a card scores at once, and how many of the cards unseen by the seat would score in answer."""
    reasons = card_reasons(state, card)
    names = ", ".join(name for name, _ in reasons)
    text = f"scores {sum(points for _, points in reasons)} ({names})" if reasons else "scores nothing"
    pile, count = [*state.pile[: state.pile_size], card % 13], int(state.count) + worth(card)
    if count == 31:
        return text
    crib = state.crib[2 * seat : 2 * seat + 2]
    seen = {int(known) for known in (*state.hand[seat], *state.played, *crib, state.starter)} - {EMPTY}
    playable = [other for other in range(CARDS) if other not in seen and count + worth(other) <= 31]
    answers = sum(bool(reasons_on(pile, count, other)) for other in playable)
    return f"{text}; {answers or 'none'} of {CARDS - len(seen)} unseen cards score in answer"


def _standing(state: State, seat: int) -> float:
    return float(state.scores[seat])


def _luck(before: State, move: int, after: State, seat: int) -> float:
    """By how much the cut beats the mean of all cuts for a seat: hand, crib and heels minus the opponent's."""
    if before.phase != cribbage.STARTER:
        return 0.0
    dealer, gains = int(before.dealer), []
    for cut in (int(card) for card in before.deck[: before.deck_size]):
        points = score_hand(before.kept[dealer], cut) - score_hand(before.kept[1 - dealer], cut)
        gains.append(points + score_crib(before.crib, cut) + (2 if cut % 13 == JACK else 0))
    gain = gains[move] - math.fsum(gains) / len(gains)
    return gain if seat == dealer else -gain
