"""The state of Corellian Spike, its options, and its constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardgym.engine.contract import CardgymError, Options, State, choice, number

MAX_PLAYERS = 8
NUM_CARDS = 65  # At most; 62 unless there are more 0s.
NUM_VALUES = 21
BET = 2  # The price of an ante, a raise, a match and, unless nobody bets, a bought card.


DECK_COUNTS = np.zeros((11, 4, 6, NUM_VALUES), np.int64)
"""The cards of each value from -10 to 10 in a deck, by the options `values`, `copies` and `zeros`."""
for _values in range(11):
    DECK_COUNTS[_values, :, :, 10 - _values : 11 + _values] = np.arange(4)[:, None, None]
DECK_COUNTS[..., 10] = np.arange(6)
EMPTY = 99  # Marks a slot without a card.

# Actions, numbered as in the paper (section 3.2).
RAISE, MATCH, FOLD, BUY, DONT_BUY, DISCARD, SWAP_SPIKE, SWAP_LOW, SWAP_HIGH = range(9)
NUM_ACTIONS = 9

# Phases. A player decides at BETTING, BUYING, PLACING and CHEATING, chance at the others except OVER.
DEALING, BETTING, SPIKES, BUYING, DRAWING, PLACING, DICE, REDRAWING, TIE, OVER, HIDING, CHEATING = range(12)

# Public actions of a seat, for beliefs about its hand. Bets: free matches, paid matches, paid matches without the right
# to raise, raises with nothing to match, and re-raises. A fold needs no kind, because the hand no longer matters.
CHECKED, CALLED, CALLED_SHORT, OPENED, RERAISED = range(5)
NUM_BETS = 5
NUM_ROUNDS = 4
MAX_BETS = 20  # Cap on the count of one kind in one round.
# Purchases: none yet; could not, did not, has bought; then discarded the card, made it the spike, took it in hand.
NOT_YET, COULD_NOT, PASSED, BOUGHT, LAID_DOWN, NEW_SPIKE, IN_HAND = range(7)

FLAT, MATCHED, NO_BETTING = range(3)  # Option `betting`.
NET, CREDITS, WEIGHTED = range(3)  # Option `reward`.

LOW_SLOT, HIGH_SLOT, SPIKE_SLOT = range(3)  # Indices into `cards[seat]`; the hand cards are sorted.

# The special hands by rank, the best last; see docs/games/corellian_spike.
SPECIAL_HANDS = ("", "Yee-Haa", "Full Sabacc", "Pure Sabacc", "Idiot's Array")
YEE_HAA, FULL_SABACC, PURE_SABACC, IDIOTS_ARRAY = range(1, 5)

STATE = np.dtype(
    [
        # Options, set once.
        ("num_players", np.int32),
        ("hands", np.int32),
        ("credits", np.int32),
        ("betting", np.int32),
        ("reward", np.int32),
        ("special_hands", np.int32),
        ("cheat", np.int32),  # The seat with a secret fourth card, or -1.
        ("values", np.int32),  # The highest value in the deck.
        ("copies", np.int32),  # Cards of each value but 0.
        ("zeros", np.int32),  # Cards of value 0.
        ("rounds", np.int32),
        ("max_raises", np.int32),  # Of a seat in a hand; 0 for no limit.
        # The game.
        ("hand", np.int32),  # Hands finished.
        ("stack", np.int32, (MAX_PLAYERS,)),  # Credits of each seat.
        ("hands_won", np.int32, (MAX_PLAYERS,)),
        # The hand.
        ("phase", np.int32),
        ("round_number", np.int32),  # 0 before the spikes are dealt, then 1, 2, 3.
        ("pool", np.int32),
        ("turn", np.int32),  # The seat that decides or gets a card.
        ("slot", np.int32),  # The slot of that card.
        ("turns_left", np.int32),  # Seats still to bet after this one unless one raises.
        ("level", np.int32),  # Flat: the cost of a match. Matched: what each seat must have put in this phase.
        ("dice", np.int32),  # The last roll, first die x 6 + second, or -1.
        ("folded", np.int8, (MAX_PLAYERS,)),
        ("tied", np.int8, (MAX_PLAYERS,)),
        ("put_phase", np.int32, (MAX_PLAYERS,)),  # Credits put into the pool in the latest betting phase.
        ("put_hand", np.int32, (MAX_PLAYERS,)),  # Credits put into the pool this hand.
        ("raises", np.int32, (MAX_PLAYERS,)),  # Raises this hand.
        ("buys", np.int16, (MAX_PLAYERS,)),  # Cards bought this hand.
        ("kept", np.int16, (MAX_PLAYERS,)),  # Bought cards taken into the hand since it was dealt or redrawn.
        ("cards", np.int8, (MAX_PLAYERS, 3)),  # Low hand card, high hand card, spike.
        ("extra", np.int8),  # The card that `turn` has bought but not placed; at CHEATING, its sleeve card.
        ("sleeve", np.int8),  # The card up the cheat's sleeve.
        ("deck", np.int8, (NUM_CARDS,)),
        ("deck_size", np.int32),
        ("discards", np.int8, (NUM_CARDS,)),
        ("discards_size", np.int32),
        ("public", np.int8, (NUM_VALUES,)),  # Face-up cards of each value: spikes and discards.
        # How the last hand ended, for `narrate`.
        ("last_winner", np.int32),
        ("last_pool", np.int32),
        ("showdown_hands", np.int8, (MAX_PLAYERS, 3)),  # Cards shown at its showdown; EMPTY for seats that folded.
        ("pays", np.int8),  # Whether the last transition paid a reward; most do not.
        ("paid", np.float32, (MAX_PLAYERS,)),  # The rewards, if so.
        # Public actions of this hand by round, for beliefs; at the end, because nothing else reads them.
        ("fresh_round", np.int8),  # The first round since the hands were dealt or redrawn.
        ("bets", np.int8, (MAX_PLAYERS, NUM_ROUNDS, NUM_BETS)),  # Bets of each kind, at most MAX_BETS.
        ("purchase", np.int8, (MAX_PLAYERS, NUM_ROUNDS)),
        ("spike_before", np.int8, (MAX_PLAYERS, NUM_ROUNDS)),  # The seat's spike before the purchase.
        ("turned_up", np.int8, (MAX_PLAYERS, NUM_ROUNDS)),  # The card discarded or replaced, or the new spike.
    ],
    align=True,
)


_SEATS = tuple(str(seat) for seat in range(MAX_PLAYERS))
_YES = {"true": "yes", "false": "no"}


@dataclass(frozen=True)
class CorellianSpikeOptions(Options):
    num_players: int = number(2, 2, MAX_PLAYERS, help="number of players")  # type: ignore[misc]
    hands: int = number(10, 1, 10_000, help="maximum number of hands")
    credits: int = number(50, 2, 100_000, step=2, help="credits each player starts with")
    betting: str = choice("flat", "matched", "no", help="what the others must pay after a raise; no: nobody bets")
    reward: str = choice("net", "credits", "weighted", help="credits gained, or the paper's models without the ante")
    special_hands: str = choice("no", "yes", help="whether special hands beat all others at the showdown", aliases=_YES)
    cheat: str = choice("no", *_SEATS, help="the seat with a secret fourth card to swap before the showdown")
    values: int = number(10, 1, 10, help="the highest value of a card; smaller decks are for study")
    copies: int = number(3, 1, 3, help="cards of each value but 0")
    zeros: int = number(2, 1, 5, help="cards of value 0; the paper's own program has 5")
    rounds: int = number(3, 1, 3, help="rounds of buying, betting and dice in a hand")
    max_raises: int = number(0, 0, 100, help="the most raises of a seat in a hand; 0 for no limit")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cheat != "no" and int(self.cheat) >= self.num_players:
            raise CardgymError(f"option cheat={self.cheat}: allowed are 'no' and seats 0 to {self.num_players - 1}")
        cards = int(DECK_COUNTS[self.values, self.copies, self.zeros].sum())
        if cards < 3 * self.num_players + 2:
            raise CardgymError(
                f"options values={self.values}, copies={self.copies} and zeros={self.zeros}: a deck of {cards} cards "
                f"is too small for {self.num_players} players, who need {3 * self.num_players + 2}"
            )

    def write(self, state: State) -> None:
        """Write the options; the cheat is a seat, or -1."""
        super().write(state)
        state.cheat -= 1


def invariants(state: State) -> tuple[int, ...]:
    """Total credits, the number of cards, and the sums of the cards' squares and cubes."""
    cards = [int(card) for card in state.deck[: state.deck_size]]
    cards += [int(card) for card in state.discards[: state.discards_size]]
    for seat in range(state.num_players):
        cards += [int(card) for card in state.cards[seat] if card != EMPTY]
    cards += [int(card) for card in (state.extra, state.sleeve) if card != EMPTY]
    credits = int(state.pool) + sum(int(stack) for stack in state.stack)
    return credits, len(cards), sum(card**2 for card in cards), sum(card**3 for card in cards)
