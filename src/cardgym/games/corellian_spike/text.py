"""Corellian Spike in words, for people: the game, the actions, and what just happened."""

from __future__ import annotations

from cardgym.engine.contract import Names, State, Words, inside
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.hand import card_sum, slot_of, special_hand
from cardgym.games.corellian_spike.rounds import card_price, owed, raise_cost

_PHASE_NAMES = {
    sabacc.BETTING: "betting",
    sabacc.BUYING: "buying",
    sabacc.PLACING: "placing the bought card",
    sabacc.CHEATING: "swapping the card up the sleeve",
    sabacc.OVER: "the game is over",
}

_COUNTS = ("no", "one", "two", "three", "four", "five")
SLOT_NAMES = ("lower hand card", "higher hand card", "spike")


def signed(number: int) -> str:
    """Return a card or a sum as people write it: +3, -3, 0."""
    return f"{number:+d}" if number else "0"


def describe(state: State, seat: int) -> str:
    """Return the game as `seat` sees it; see `board`."""
    return board(state, seat, Names("You" if other == seat else f"Seat {other}" for other in range(state.num_players)))


def board(state: State, seat: int, names: Names) -> str:
    """Return the game as `seat` sees it: own cards, everyone's spikes, credits and folds, the pool."""
    lines = [
        f"Hand {min(state.hand + 1, state.hands)} of {state.hands}, "
        f"round {max(state.round_number, 1)} of {state.rounds}: {_PHASE_NAMES.get(int(state.phase), 'chance')}",
        f"Pool {state.pool}, draw pile {state.deck_size}, discard pile {state.discards_size}",
    ]
    width = min(max(7, *map(len, names)), 16)
    for other in range(state.num_players):
        spike = (
            "-"
            if state.cards[other, sabacc.SPIKE_SLOT] == sabacc.EMPTY
            else signed(state.cards[other, sabacc.SPIKE_SLOT])
        )
        marks = "  folded" if state.folded[other] else ""
        if state.stack[other] == 0:
            marks = "  out of credits" if state.phase == sabacc.OVER else marks or "  all in"
        line = f"{names.column(other, width)} {state.stack[other]:>4} credits  spike {spike:>3}{marks}"
        if other == seat:
            hand = [state.cards[seat, slot] for slot in (sabacc.LOW_SLOT, sabacc.HIGH_SLOT)]
            cards = "  ".join(signed(card) for card in hand if card != sabacc.EMPTY)
            line += f"  hand {cards}  sum {signed(card_sum(state, seat))}"
            if state.extra != sabacc.EMPTY and state.turn == seat:
                line += f"  {'bought' if state.phase == sabacc.PLACING else 'up your sleeve'} {signed(state.extra)}"
            if state.cheat == seat and state.sleeve != sabacc.EMPTY:
                line += f"  up your sleeve {signed(state.sleeve)}"
        lines.append(line)
    return "\n".join(lines)


def action_text(state: State, action: int) -> str:
    if action == sabacc.RAISE:
        return f"raise (pay {raise_cost(state)})"
    if action == sabacc.MATCH:
        due = owed(state, state.turn)
        return f"match (pay {due})" if due else "match (nothing to pay)"
    if action == sabacc.BUY:
        return f"buy a card (pay {card_price(state)})"
    if action == sabacc.DISCARD:
        if state.phase == sabacc.CHEATING:
            return "keep your hand"
        return "discard the bought card" + ("" if state.extra == sabacc.EMPTY else f" ({signed(state.extra)})")
    if action in (sabacc.FOLD, sabacc.DONT_BUY):
        return "fold" if action == sabacc.FOLD else "don't buy"
    slot = slot_of(action)
    words = f"swap with the {SLOT_NAMES[slot]}"
    if state.phase not in (sabacc.PLACING, sabacc.CHEATING):
        return words
    replaced = state.cards[state.turn, slot]
    return f"{words} ({signed(replaced)}), sum {signed(card_sum(state, state.turn) + state.extra - replaced)}"


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """Return what `seat` saw of a move: bets, purchases, discards, spikes, dice, showdowns, and its own draws."""
    lines = [_narrate_move(before, move, after, seat, names)]
    if before.phase == sabacc.DEALING and before.turn == 0 and before.slot == sabacc.LOW_SLOT:
        lines.insert(0, f"Hand {before.hand + 1}: everyone puts {sabacc.BET} credits into the pool")
    if after.hand != before.hand:
        lines += _narrate_end(after, names)
    return "\n".join(line for line in lines if line)


def _narrate_move(before: State, move: int, after: State, seat: int, names: Names) -> str:
    if before.phase in (sabacc.BETTING, sabacc.BUYING, sabacc.PLACING, sabacc.CHEATING):
        return _narrate_decision(before, move, after, seat, names)
    return _narrate_chance(before, move, after, seat, names)


def _narrate_decision(before: State, move: int, after: State, seat: int, names: Names) -> str:
    phase, turn = before.phase, int(before.turn)
    own = turn == seat
    if phase == sabacc.BETTING:
        paid = int(after.put_hand[turn] - before.put_hand[turn]) if after.hand == before.hand else 0
        who = names.does(turn, ("raise", "match", "fold")[move], ("", "matches", "")[move])
        return who + (f", paying {paid}" if paid else "")
    if phase == sabacc.BUYING:
        if move == sabacc.DONT_BUY:
            return names.does(turn, "don't buy", "doesn't buy")
        return f"{names.does(turn, 'buy')} a card"
    if phase == sabacc.PLACING:
        if move == sabacc.DISCARD:
            return f"{names.does(turn, 'discard')} it: {signed(before.extra)}"
        place = "spike" if move == sabacc.SWAP_SPIKE else "hand card"
        new = f", the new one is {signed(before.extra)}" if move == sabacc.SWAP_SPIKE or own else ""
        return f"{names.does(turn, 'replace')} a {place}, {signed(before.cards[turn, slot_of(move)])}{new}"
    if not own or move == sabacc.DISCARD:
        return ""
    old, new = signed(before.cards[turn, slot_of(move)]), signed(before.extra)
    return f"{names.does(turn, 'swap')} {old} for {new} from {inside(names.whose(turn))} sleeve"


def _narrate_chance(before: State, move: int, after: State, seat: int, names: Names) -> str:
    phase, turn = before.phase, int(before.turn)
    own = turn == seat
    if phase == sabacc.DRAWING:
        return f"{names.does(turn, 'draw')} {signed(after.extra)}" if own else ""
    if phase == sabacc.HIDING:
        return f"{names.does(turn, 'slip')} {signed(after.sleeve)} up {inside(names.whose(turn))} sleeve" if own else ""
    if phase == sabacc.DICE:
        first, second = move // 6 + 1, move % 6 + 1
        effect = ""
        if first == second:
            effect = ": new hands and spikes for all" if first == 1 else ": new hands for all"
        return f"Spike dice {first} and {second}{effect}"
    if phase == sabacc.TIE:
        return "Still tied: the winner is drawn by lot"
    card = signed(before.deck[move])
    if before.slot == sabacc.SPIKE_SLOT:
        return f"{names.does(turn, 'get')} the spike {card}"
    return f"{names.does(turn, 'are', 'is')} dealt {card}" if own else ""


def _narrate_end(after: State, names: Names) -> list[str]:
    lines = []
    for other in range(after.num_players):
        cards = [int(card) for card in after.showdown_hands[other]]
        if cards[sabacc.SPIKE_SLOT] != sabacc.EMPTY:
            special = sabacc.SPECIAL_HANDS[special_hand(*cards)] if after.special_hands else ""
            line = f"{names.does(other, 'show')} {' '.join(map(signed, cards))}"
            lines.append(f"{line}: sum {signed(sum(cards))}{special and f', {special}'}")
    return [*lines, f"{names.does(int(after.last_winner), 'win')} the pool of {after.last_pool}"]


def rules_text(state: State) -> str:
    values, copies, rounds, most = int(state.values), int(state.copies), int(state.rounds), int(state.hands)
    size, bet = sabacc.DECK_COUNTS[values, copies, state.zeros].sum(), sabacc.BET
    hands = "one hand" if most == 1 else f"{most} hands"
    zeros = f"{_COUNTS[state.zeros]} 0{'s' if state.zeros > 1 else ''}"
    numbers = "-1 and 1" if values == 1 else f"each number from -{values} to -1 and from 1 to {values}"
    follow = "Then one round follows" if rounds == 1 else f"Then {_COUNTS[rounds]} rounds follow"
    raising = "costs 2, and each of the others then pays 2 to match"
    if state.betting != sabacc.FLAT:
        raising = "costs the amount owed plus 2, which the others must match"
    once = "once" if state.max_raises == 1 else f"{state.max_raises} times"
    limit = f"\n     Each player may raise at most {once} a hand." if state.max_raises else ""
    last = " If all others fold, the last player takes the pool."
    phases = f"""\
After a first phase of betting everyone gets
a third card, face up: the spike. {follow}:
  1. In turn you may buy a card for {bet} credits and replace one of your cards with it, or discard it. Discards lie
     face up.
  2. Betting: raise, match or fold. A raise {raising}.{limit}
  3. Two dice are rolled. Doubles redraw everyone's two hand cards; double ones redraw the spikes too."""
    if state.betting == sabacc.NO_BETTING:
        last = ""
        phases = f"""\
Then everyone gets a third card, face
up: the spike. Nobody bets, and cards are free. {follow}:
  1. In turn you may buy a card and replace one of your cards with it, or discard it. Discards lie face up.
  2. Two dice are rolled. Doubles redraw everyone's two hand cards; double ones redraw the spikes too."""
    extra = ""
    if state.special_hands:
        extra += (
            "\n\nSpecial hands beat all others, in this order: Idiot's Array (0, 2, 3 or 0, -2, -3), Pure Sabacc (two"
            "\n0s), Full Sabacc (0, 10, -10), Yee-Haa (0 and another number with both signs)."
        )
    if state.cheat >= 0:
        extra += (
            f"\n\nSeat {state.cheat} cheats: it hides a fourth card when the hand is dealt, and may swap a hand card"
            "\nfor it before the showdown. Nobody else sees it."
        )
    return f"""\
CORELLIAN SPIKE, the Sabacc of the films, {state.num_players} players, at most {hands}

{size} cards: {zeros} and {_COUNTS[copies]} of {numbers}. The sum nearest to 0 wins the pool.

A hand. Everyone puts {bet} credits into the pool and is dealt two cards. {phases}

The showdown. The sum nearest to 0 takes the pool. In a tie a sum of 0 or more beats a negative one, then the highest
sum of positive cards wins, then the highest positive card.{last}{extra}

Everyone starts with {state.credits} credits. The game ends after {hands}, or when someone runs out."""


NEUTRAL = {
    "corellian spike, the sabacc of the films": "a game", "special hands": "special sets", "spike dice": "numbers",
    "idiot's array": "first kind", "pure sabacc": "second kind", "full sabacc": "third kind", "yee-haa": "fourth kind",
    "cards": "tokens", "card": "token", "dealt": "given", "hands": "sets", "hand": "set", "deck": "box",
    "spike": "open token", "a spike": "an open token", "spikes": "open tokens", "pool": "fund",
    "credits": "points", "sleeve": "pocket",
    "up": "in", "face up": "in the open", "face down": "hidden", "slip": "put", "slips": "puts", "cheats": "hides one",
    "two dice are rolled": "two numbers from 1 to 6 are drawn", "doubles redraw": "equal numbers redraw",
    "double ones": "two ones", "draw pile": "tokens left", "discard pile": "tokens out", "discard": "drop",
    "discards": "drops", "betting": "offers", "raise": "offer", "raises": "offers", "a raise": "an offer",
    "match": "accept", "matches": "accepts", "fold": "leave", "folds": "leaves", "folded": "left",
    "all in": "nothing left", "showdown": "comparison", "buying": "taking", "buy": "take", "buys": "takes",
    "bought": "taken", "don't buy": "don't take", "doesn't buy": "doesn't take",
}  # fmt: skip
"""The words that recall Sabacc and poker, for players that shall not know the game."""

WORDS = Words(describe, action_text, narrate, rules_text=rules_text, neutral=NEUTRAL)
