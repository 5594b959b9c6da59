"""The coach of cribbage: discards and cards as `champion` values them, with reasons.

A value is the share of games to 121 won from this score, in percent. For games that end differently, after some deals
or at a higher score, it is given in points: divided by what a point is worth at this score. The points of a hand over
the 46 cuts are exact; those of the crib are against an opponent who discards well. Example:
cardgym advise Cribbage-v0 "5H 5D JC QS 2H 9C" --dealer --score 100-96
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Game, Int8s, Options, State
from cardgym.errors import CardgymError
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage.cards import CARDS, EMPTY, JACK, check_cards, worth
from cardgym.games.cribbage.chance_table import HOLES, point_worth
from cardgym.games.cribbage.observations import PLAIN, PLAIN_SIZE
from cardgym.games.cribbage.pegging.champion import make_player
from cardgym.games.cribbage.pegging.player import shipped
from cardgym.games.cribbage.scoring import MAX_SCORE, score_crib, score_hand
from cardgym.games.cribbage.text import action_text, card_reasons, reasons_on
from cardgym.games.cribbage.tosses import count_hands, crib_mean, kept_set
from cardgym.table.coach.advice import GAMES, ActionAdvice, Advice, Adviser, compared, ranked, with_odds
from cardgym.table.coach.playouts import look
from cardgym.table.people import shown_name
from cardgym.table.presentation import presentation_of

POINTS = "points"
_BLUNDER = {POINTS: 1.5, GAMES: 4.0}
"""The least cost of a blunder. At 45 to 45 a point is worth 2.9 % of games."""


@dataclass(frozen=True)
class RatedToss:
    """One way to keep four of six cards.

    Attributes:
        toss: the number of the discard in `TOSSES`, for the hand sorted by rank, then suit.
        kept: the four cards.
        tossed: the two others.
        hand: points of the hand over the 46 cuts: minimum, mean, median and maximum.
        crib: mean points of the crib against an opponent who discards well.
        play: points won in the play minus the opponent's, on average, compared with an average hand.
    """

    toss: int
    kept: tuple[int, ...]
    tossed: tuple[int, ...]
    hand: tuple[int, float, float, int]
    value: float
    crib: float
    play: float


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

    def rate_tosses(self, cards: Sequence[int], dealer: bool, scores: tuple[int, int] = (0, 0)) -> list[RatedToss]:
        """Return the 15 ways to keep four of six cards, best first.

        Args:
            cards: six different cards 0 .. 51.
            dealer: whether the crib is the player's own.
            scores: the own score and the opponent's.
        """
        target = self._options.target
        if not all(0 <= score < target for score in scores):
            raise CardgymError(f"score {scores[0]}-{scores[1]}: allowed are two scores from 0 to {target - 1}")
        hand = np.array(sorted(check_cards(cards, 6), key=lambda card: (card % 13, card)), np.int8)
        points = np.zeros((cribbage.NUM_TOSSES, MAX_SCORE + 1))
        _count_hands(hand, points)
        seen = np.full(PLAIN_SIZE, EMPTY, np.float32)
        seen[[PLAIN.playing, PLAIN.dealer]] = 0, dealer
        seen[PLAIN.to_go : PLAIN.to_go + 2] = target - scores[0], target - scores[1]
        seen[PLAIN.hand : PLAIN.hand + 6] = hand
        values = self._values(seen, list(range(CARDS, cribbage.NUM_ACTIONS)))[CARDS:]
        return [
            RatedToss(
                toss,
                tuple(hand[cribbage.KEPT[toss]].tolist()),
                tuple(hand[cribbage.TOSSES[toss]].tolist()),
                _summary(points[toss]),
                float(values[toss]),
                float(crib_mean(hand, toss, int(dealer))),
                float(shipped()[0].worths[int(dealer), kept_set(hand, toss)]),
            )
            # In a tie the first discard comes first, as for the player.
            for toss in np.argsort(-values, kind="stable").tolist()
        ]

    def reasons(self, tosses: Sequence[RatedToss], dealer: bool) -> list[str]:
        """Return the reason for each discard's place: what it gains over the next best or loses against the best."""
        texts = []
        for place, rated in enumerate(tosses):
            against = tosses[0] if place else tosses[1]
            least, mean, _, most = rated.hand
            parts = (
                (mean - against.hand[1], "hand"),
                (rated.crib - against.crib, "own crib" if dealer else "their crib"),
                (rated.play - against.play, "play"),
            )
            why = (
                ", ".join(f"{name} {points:+.2f}" for points, name in parts if abs(points) >= 0.005) or "as many points"
            )
            worst = f"the hand has {least} to {most}, {mean:.2f} on average"
            texts.append(f"{compared(rated.value, against.value, self.unit, best=place == 0)}: {why}; {worst}")
        return texts

    def advise(self, state: State, seat: int, opponent: str = "") -> Advice:
        scores = int(state.scores[seat]), int(state.scores[1 - seat])
        known = opponent if self.unit == GAMES and opponent in self._ratings else ""
        odds = self._odds(known, scores)
        if state.phase == cribbage.TOSSING:
            dealer = bool(state.dealer == seat)
            tosses = self.rate_tosses([int(card) for card in state.hand[seat]], dealer, scores)
            tosses = [replace(rated, value=float(with_odds(rated.value, odds))) for rated in tosses]
            actions = tuple(
                ActionAdvice(CARDS + rated.toss, action_text(state, CARDS + rated.toss), rated.value, why)
                for rated, why in zip(tosses, self.reasons(tosses, dealer), strict=True)
            )
            kind, source = "discard", "Champion, over all cuts and what cribs and the play usually bring"
        else:
            seen, legal = look(self._game, self._options, state, seat, "plain")
            values = with_odds(self._values(seen, legal), odds)
            advised = [
                ActionAdvice(card, action_text(state, card), float(values[card]), _points_now(state, seat, card))
                for card in legal
            ]
            actions = ranked(advised, self.unit)
            kind, source = "play", "Champion, over the hands the opponent may hold and the rest of the deal"
        source += f", against {shown_name(known)}" if known else ""
        return Advice(kind, self.unit, source, actions, _BLUNDER[self.unit])

    def _odds(self, opponent: str, scores: tuple[int, int]) -> float:
        """By what the odds of winning change if a rated player sits opposite instead of `champion`.

        What a better player gains a deal adds up with the deals left, and luck with their square root.
        """
        if not opponent:
            return 1.0
        left = min(self._options.target - score for score in scores) / HOLES
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


@compiled
def _count_hands(cards: Int8s, hands: Float64s) -> None:
    count_hands(cards, hands)


def _summary(counts: Float64s) -> tuple[int, float, float, int]:
    """Return the minimum, mean, median and maximum of scores, given how often each occurs."""
    scores = np.repeat(np.arange(len(counts)), counts.astype(np.intp))
    return int(scores[0]), float(scores.mean()), float(np.median(scores)), int(scores[-1])


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
