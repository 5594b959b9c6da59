"""Corellian Spike in words, for people: the game, the actions, and what just happened."""

from __future__ import annotations

from cardgym.engine.contract import State, Words
from cardgym.games.corellian_spike import state as s
from cardgym.games.corellian_spike.hand import card_sum, special_hand
from cardgym.games.corellian_spike.rounds import owed, raise_cost

_PHASE_NAMES = {
    s.BETTING: "betting",
    s.BUYING: "buying",
    s.PLACING: "placing the bought card",
    s.CHEATING: "swapping the card up the sleeve",
    s.OVER: "the game is over",
}


def signed(number: int) -> str:
    """A card or a sum as people write it: +3, -3, 0."""
    return f"{number:+d}" if number else "0"


def describe(state: State, seat: int) -> str:
    """The game as `seat` sees it: own cards, everyone's spikes, credits and folds, the pool."""
    lines = [
        f"Hand {min(state.hand + 1, state.hands)} of {state.hands}, "
        f"round {max(state.round_number, 1)} of {state.rounds}: {_PHASE_NAMES.get(int(state.phase), 'chance')}",
        f"Pool {state.pool}, draw pile {state.deck_size}, discard pile {state.discards_size}",
    ]
    for other in range(state.num_players):
        spike = "-" if state.cards[other, s.SPIKE_SLOT] == s.EMPTY else signed(state.cards[other, s.SPIKE_SLOT])
        marks = "  folded" if state.folded[other] else "  all in" if state.stack[other] == 0 else ""
        line = f"{_name(other, seat):<7} {state.stack[other]:>4} credits  spike {spike:>3}{marks}"
        if other == seat:
            hand = [state.cards[seat, slot] for slot in (s.LOW_SLOT, s.HIGH_SLOT)]
            cards = "  ".join(signed(card) for card in hand if card != s.EMPTY)
            line += f"  hand {cards}  sum {signed(card_sum(state, seat))}"
            if state.extra != s.EMPTY and state.turn == seat:
                line += f"  {'bought' if state.phase == s.PLACING else 'up your sleeve'} {signed(state.extra)}"
            if state.cheat == seat and state.sleeve != s.EMPTY:
                line += f"  up your sleeve {signed(state.sleeve)}"
        lines.append(line)
    return "\n".join(lines)


def action_text(state: State, action: int) -> str:
    seat = state.turn
    due = owed(state, seat)
    if action == s.RAISE:
        return f"raise (pay {raise_cost(state)})"
    if action in (s.MATCH, s.FOLD, s.BUY, s.DONT_BUY, s.DISCARD):
        return {
            s.MATCH: f"match (pay {due})" if due else "match (nothing to pay)",
            s.FOLD: "fold",
            s.BUY: f"buy a card (pay {s.BET})",
            s.DONT_BUY: "don't buy",
            s.DISCARD: "keep your hand"
            if state.phase == s.CHEATING
            else "discard the bought card" + ("" if state.extra == s.EMPTY else f" ({signed(state.extra)})"),
        }[action]
    slot, name = {
        s.SWAP_SPIKE: (s.SPIKE_SLOT, "spike"),
        s.SWAP_LOW: (s.LOW_SLOT, "lower hand card"),
        s.SWAP_HIGH: (s.HIGH_SLOT, "higher hand card"),
    }[action]
    if state.phase not in (s.PLACING, s.CHEATING):
        return f"swap with the {name}"
    total = card_sum(state, seat) + state.extra - state.cards[seat, slot]
    return f"swap with the {name} ({signed(state.cards[seat, slot])}), sum {signed(total)}"


def narrate(before: State, move: int, after: State, seat: int) -> str:
    """What `seat` saw of a move: bets, purchases, discards, spikes, dice, showdowns, and the seat's own draws."""
    lines = [_narrate_move(before, move, after, seat)]
    if before.phase == s.DEALING and before.turn == 0 and before.slot == s.LOW_SLOT:
        lines.insert(0, f"Hand {before.hand + 1}: everyone puts {s.BET} credits into the pool")
    if after.hand != before.hand:
        lines += _narrate_end(after, seat)
    return "\n".join(line for line in lines if line)


def _narrate_move(before: State, move: int, after: State, seat: int) -> str:
    turn = int(before.turn)
    who = _name(turn, seat)
    if before.phase == s.BETTING:
        paid = int(after.put_hand[turn] - before.put_hand[turn]) if after.hand == before.hand else 0
        ending = "" if turn == seat else "s"
        return f"{who} {('raise', 'match', 'fold')[move]}{ending if move != s.MATCH or not ending else 'es'}" + (
            f", paying {paid}" if paid else ""
        )
    if before.phase == s.BUYING:
        if move == s.DONT_BUY:
            return "You don't buy" if turn == seat else f"{who} doesn't buy"
        return f"{who} buy{'' if turn == seat else 's'} a card"
    if before.phase == s.DRAWING:
        return f"You draw {signed(after.extra)}" if turn == seat else ""
    if before.phase == s.PLACING:
        if move == s.DISCARD:
            return f"{who} discard{'' if turn == seat else 's'} it: {signed(before.extra)}"
        slot = {s.SWAP_SPIKE: s.SPIKE_SLOT, s.SWAP_LOW: s.LOW_SLOT, s.SWAP_HIGH: s.HIGH_SLOT}[move]
        place = "spike" if move == s.SWAP_SPIKE else "hand card"
        new = f", the new one is {signed(before.extra)}" if move == s.SWAP_SPIKE or turn == seat else ""
        return f"{who} replace{'' if turn == seat else 's'} a {place}, {signed(before.cards[turn, slot])}{new}"
    if before.phase == s.HIDING:
        return f"You slip {signed(after.sleeve)} up your sleeve" if turn == seat else ""
    if before.phase == s.CHEATING:
        if turn != seat or move == s.DISCARD:
            return ""
        slot = s.LOW_SLOT if move == s.SWAP_LOW else s.HIGH_SLOT
        return f"You swap {signed(before.cards[turn, slot])} for {signed(before.extra)} from your sleeve"
    if before.phase == s.DICE:
        first, second = move // 6 + 1, move % 6 + 1
        effect = ""
        if first == second:
            effect = ": new hands and spikes for all" if first == 1 else ": new hands for all"
        return f"Spike dice {first} and {second}{effect}"
    if before.phase == s.TIE:
        return "Still tied: the winner is drawn by lot"
    card = int(before.deck[move])
    if before.slot == s.SPIKE_SLOT:
        return f"{who} get{'' if turn == seat else 's'} the spike {signed(card)}"
    if turn == seat and before.phase in (s.DEALING, s.REDRAWING):
        return f"You are dealt {signed(card)}"
    return ""


def _narrate_end(after: State, seat: int) -> list[str]:
    lines = []
    for other in range(after.num_players):
        if after.shown[other, s.SPIKE_SLOT] != s.EMPTY:
            cards = " ".join(signed(card) for card in after.shown[other])
            verb = "show" if other == seat else "shows"
            named = special_name(after, other)
            name = f", {named}" if named else ""
            lines.append(f"{_name(other, seat)} {verb} {cards}: sum {signed(int(after.shown[other].sum()))}{name}")
    winner = int(after.last_winner)
    lines.append(f"{_name(winner, seat)} {'win' if winner == seat else 'wins'} the pool of {after.last_pool}")
    return lines


def special_name(state: State, seat: int) -> str:
    """The name of the special hand that a seat has shown, or ""."""
    return s.SPECIAL_HANDS[special_hand(*(int(card) for card in state.shown[seat]))] if state.special_hands else ""


def _name(other: int, seat: int) -> str:
    return "You" if other == seat else f"Seat {other}"


WORDS = Words(describe, action_text, narrate)
