"""Corellian Spike a second time, in plain Python, written from the rule text alone.

It is one side of a differential test, so it shares nothing with the package and has another structure: a generator
plays each hand from top to bottom, piles are multisets, and every random outcome and decision is asked for by `yield`.
"""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

RAISE, MATCH, FOLD, BUY, DONT_BUY, DISCARD, SPIKE, LOW, HIGH = range(9)


def new_pile(zeros: int) -> Counter[int]:
    pile = Counter({value: 3 for value in range(-10, 11)})
    pile[0] = zeros
    return pile


@dataclass
class Seat:
    credits: int
    hand: list[int] = field(default_factory=list)
    spike: int | None = None
    folded: bool = False
    put_hand: int = 0
    put_phase: int = 0
    raises: int = 0
    buys: int = 0
    hands_won: int = 0

    @property
    def cards(self) -> list[int]:
        return self.hand + ([] if self.spike is None else [self.spike])


@dataclass
class Question:
    """What the game waits for: `draw` a card for a seat, `dice`, `lot` among seats, or a seat to `decide`."""

    kind: str
    seat: int = -1
    choices: tuple[int, ...] = ()


class Reference:
    """A game; `questions` yields what it waits for, and is sent the answers."""

    def __init__(
        self,
        players: int,
        hands: int,
        credits: int,
        matched: bool,
        reward: str,
        special: bool,
        cheat: int | None,
        zeros: int,
    ) -> None:
        self.seats = [Seat(credits) for _ in range(players)]
        self.hands, self.matched, self.zeros = hands, matched, zeros
        self.net, self.weighted = reward == "net", reward == "weighted"
        self.special, self.cheat = special, cheat
        self.sleeve: Any = None
        self.pool = 0
        self.round = 0
        self.decision = 0
        self.bought: int | None = None
        self.buyer = -1
        self.pile: Counter[int] = Counter()
        self.discards: Counter[int] = Counter()
        self.hands_played = 0
        self.rewards = [0.0] * players
        self.price = 0  # What a match costs the seat to decide.
        self.reshuffles = 0
        self.endings: Counter[str] = Counter()
        self.questions = self._game()

    def _game(self) -> Generator[Question, Any, None]:
        while self.hands_played < self.hands and all(seat.credits for seat in self.seats):
            before = [seat.credits for seat in self.seats]
            winner = yield from self._hand()
            self.seats[winner].credits += self.pool
            self.seats[winner].hands_won += 1
            if self.net:
                self.rewards = [float(seat.credits - had) for seat, had in zip(self.seats, before, strict=True)]
            else:
                self.rewards[winner] += self.pool * (31 if self.weighted else 1)
            self.pool = 0
            self.hands_played += 1

    def _left(self) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if not seat.folded]

    def _pay(self, number: int, amount: int) -> None:
        assert amount <= self.seats[number].credits
        self.seats[number].credits -= amount
        self.seats[number].put_hand += amount
        self.pool += amount

    def _draw(self, number: int) -> Any:
        if not self.pile.total():
            self.pile, self.discards = self.discards, Counter()
            self.reshuffles += 1
        card = yield Question("draw", number)
        assert self.pile[card] > 0
        self.pile[card] -= 1
        return card

    def _hand(self) -> Any:
        self.pile, self.discards, self.round, self.sleeve = new_pile(self.zeros), Counter(), 0, None
        for number, seat in enumerate(self.seats):
            seat.hand, seat.spike, seat.folded = [], None, False
            seat.put_hand = seat.put_phase = seat.raises = seat.buys = 0
            self._pay(number, 2)
        for number, seat in enumerate(self.seats):
            for _ in range(2):
                seat.hand.append((yield from self._draw(number)))
        if self.cheat is not None:
            self.sleeve = yield from self._draw(self.cheat)
        yield from self._betting()
        if len(self._left()) > 1:
            for number in self._left():
                self.seats[number].spike = yield from self._draw(number)
            for self.round in (1, 2, 3):
                for number in self._left():
                    yield from self._buying(number)
                yield from self._betting()
                if len(self._left()) == 1:
                    break
                yield from self._dice()
        left = self._left()
        if len(left) == 1:
            self.endings["folded"] += 1
            return left[0]
        if self.cheat in left:
            yield from self._cheating(self.seats[self.cheat])
        return (yield from self._showdown(left))

    def _cheating(self, seat: Seat) -> Any:
        assert self.cheat is not None
        card, self.sleeve = self.sleeve, None
        self.bought, self.buyer, self.decision = card, self.cheat, 3
        action = yield Question("decide", self.cheat, (DISCARD, LOW, HIGH))
        self.bought, self.buyer = None, -1
        if action == DISCARD:
            self.sleeve = card
        else:
            self.sleeve = min(seat.hand) if action == LOW else max(seat.hand)
            seat.hand[seat.hand.index(self.sleeve)] = card

    def _weight(self, number: int) -> float:
        return 1 + abs(sum(self.seats[number].cards)) if self.weighted else 1

    def _betting(self) -> Any:
        count = len(self.seats)
        for seat in self.seats:
            seat.put_phase = 0
        must = 0  # Flat: what a match costs. Matched: what each must have put in.
        number, last = 0, count - 1  # Seats are counted on past the last one: seat `number % count` has the turn.
        while number <= last:
            seat = self.seats[number % count]
            if not seat.folded and seat.credits:
                owed = must - seat.put_phase if self.matched else must
                cost = owed + 2 if self.matched else 2
                self.price = min(owed, seat.credits)
                self.decision = 1
                can_raise = (RAISE,) if seat.credits >= cost else ()
                action = yield Question("decide", number % count, (*can_raise, MATCH, FOLD))
                if action == FOLD:
                    seat.folded = True
                    if len(self._left()) == 1:
                        return
                else:
                    paid = cost if action == RAISE else min(owed, seat.credits)
                    if not self.net:
                        self.rewards[number % count] -= paid * self._weight(number % count)
                    self._pay(number % count, paid)
                    seat.put_phase += paid
                    if action == RAISE:
                        must = must + 2 if self.matched else 2
                        last = number + count - 1
                        seat.raises += 1
            number += 1

    def _buying(self, number: int) -> Any:
        seat = self.seats[number]
        self.decision = 2
        action = yield Question("decide", number, (BUY, DONT_BUY) if seat.credits >= 2 else (DONT_BUY,))
        if action == DONT_BUY:
            return
        self._pay(number, 2)
        seat.buys += 1
        card = yield from self._draw(number)
        four = [*seat.cards, card]
        smallest = min(abs(sum(four) - four[i]) for i in range(4))
        if not self.net:
            self.rewards[number] -= 2 * (1 + 0.75 * smallest if self.weighted else 1)
        self.bought, self.buyer, self.decision = card, number, 3
        action = yield Question("decide", number, (DISCARD, SPIKE, LOW, HIGH))
        self.bought, self.buyer = None, -1
        assert seat.spike is not None
        if action == SPIKE:
            card, seat.spike = seat.spike, card
        elif action == LOW:
            gone = min(seat.hand)
            seat.hand.remove(gone)
            seat.hand.append(card)
            card = gone
        elif action == HIGH:
            gone = max(seat.hand)
            seat.hand.remove(gone)
            seat.hand.append(card)
            card = gone
        self.discards[card] += 1

    def _dice(self) -> Any:
        first, second = yield Question("dice")
        if first != second:
            return
        for number in self._left():
            seat = self.seats[number]
            self.discards.update(seat.hand)
            seat.hand = []
            if first == 1:
                assert seat.spike is not None
                self.discards[seat.spike] += 1
                seat.spike = None
        for number in self._left():
            seat = self.seats[number]
            for _ in range(2):
                seat.hand.append((yield from self._draw(number)))
            if first == 1:
                seat.spike = yield from self._draw(number)

    def _showdown(self, left: list[int]) -> Any:
        if self.special:
            ranks = {number: special_rank(self.seats[number].cards) for number in left}
            left = [number for number in left if ranks[number] == max(ranks.values())]
            self.endings["special"] += max(ranks.values()) > 0
        best = min(abs(sum(self.seats[number].cards)) for number in left)
        left = [number for number in left if abs(sum(self.seats[number].cards)) == best]
        if any(sum(self.seats[number].cards) >= 0 for number in left):
            left = [number for number in left if sum(self.seats[number].cards) >= 0]
        if len(left) > 1:
            sums = {number: sum(card for card in self.seats[number].cards if card > 0) for number in left}
            left = [number for number in left if sums[number] == max(sums.values())]
        if len(left) > 1:
            tops = {number: max([card for card in self.seats[number].cards if card > 0], default=0) for number in left}
            left = [number for number in left if tops[number] == max(tops.values())]
        if len(left) == 1:
            self.endings["showdown"] += 1
            return left[0]
        self.endings["lot"] += 1
        return (yield Question("lot", -1, tuple(left)))

    def unseen_by(self, number: int) -> Counter[int]:
        """The cards that a seat has not seen: the draw pile, other hands, another's bought card."""
        cards = Counter(self.pile)
        for other, seat in enumerate(self.seats):
            if other != number:
                cards.update(seat.hand)
        if self.bought is not None and self.buyer != number:
            cards[self.bought] += 1
        if self.sleeve is not None and self.cheat != number:
            cards[self.sleeve] += 1
        return +cards

    def info_state_key(self, number: int) -> int:
        """The paper's eight digits, as text first."""
        seat = self.seats[number]
        total = max(-9, min(9, sum(seat.cards))) + 10
        extra = 0 if self.bought is None or self.buyer != number else self.bought + 10
        digits = [min(9, round(amount / 10)) for amount in (seat.credits, self.pool)]
        return int(f"{self.round}{self.decision}{total:02}{extra:02}{digits[0]}{digits[1]}")


def special_rank(cards: list[int]) -> int:
    """4 for the Idiot's Array, 3 for Pure Sabacc, 2 for Full Sabacc, 1 for Yee-Haa, 0 for any other hand."""
    named: dict[tuple[int, ...], int] = {(0, 2, 3): 4, (-3, -2, 0): 4, (-10, 0, 10): 2}
    for value in range(1, 10):
        named[-value, 0, value] = 1
    return 3 if cards.count(0) >= 2 else named.get(tuple(sorted(cards)), 0)
