"""Cribbage in words: the state of the game, the actions, and the points of each move with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cardgym.engine.contract import YOU, Names, State, Words, inside
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage.cards import CARDS, EMPTY, NUMBERS, SUIT_NAMES, card_name, card_names, worth
from cardgym.games.cribbage.scoring import explain_hand, explain_play

_PHASE_NAMES = {
    cribbage.CUTTING: "the cut for the deal",
    cribbage.DEALING: "dealing",
    cribbage.STARTER: "the cut of the starter",
    cribbage.PLAYING: "the play",
    cribbage.OVER: "the game is over",
}
_BOARD = 60  # Characters in a line of the pegging board, for any target.

OPPONENT = "Opponent"
"""The other seat in texts without names."""


def describe(state: State, seat: int) -> str:
    """Return the game as `seat` sees it; see `board`."""
    return board(state, seat, Names("You" if other == seat else OPPONENT for other in range(2)))


def board(state: State, seat: int, names: Names) -> str:
    """Return the game as `seat` sees it: scores on the board, starter, crib, pile and count, own cards."""
    target = int(state.target)
    whose = "nobody's" if state.dealer == EMPTY else inside(names.whose(int(state.dealer)))
    whose = whose.replace(OPPONENT, "the opponent")
    number = min(int(state.deal_number) + 1, int(state.deals)) if state.deals else int(state.deal_number) + 1
    of = f" of {state.deals}" if state.deals else ""
    phase = f"{_tossed(state)} each to the crib" if state.phase == cribbage.TOSSING else _PHASE_NAMES[int(state.phase)]
    lines = [f"Deal {number}{of}, {whose} crib: {phase} (to {target})"]
    for other in (seat, 1 - seat):
        score = int(state.scores[other])
        lines.append(f"{names.column(other, 9)} {score:>3} {_street(score, target)}")
    in_crib = sum(card != EMPTY for card in state.crib)
    own = [int(card) for card in state.crib[2 * seat : 2 * seat + 2] if card != EMPTY]
    lines.append(
        f"Starter   {'--' if state.starter == EMPTY else card_name(int(state.starter))}   "
        f"crib {in_crib} cards" + (f", yours {card_names(own)}" if own else "")
    )
    if state.phase in (cribbage.PLAYING, cribbage.OVER) and state.num_played:
        size = int(state.pile_size)
        start = int(state.num_played) - size
        lines.append(f"Pile      {_cards_by(state, start, start + size, seat) or '(empty)'}   count {state.count}")
        if start:
            lines.append(f"Before    {_cards_by(state, 0, start, seat)}")
        gone = [names[other] for other in (seat, 1 - seat) if state.said_go[other]]
        if gone:
            lines.append(f"Go        said by {' and '.join(gone)}")
    elif state.phase == cribbage.PLAYING:
        lines.append("Pile      (empty)   count 0")
    lines.append(f"Hand      {card_names(_hand(state, seat))}".rstrip())
    lines.append(f"{names.column(1 - seat, 9)} {'?? ' * int(state.hand_size[1 - seat])}".rstrip())
    return "\n".join(lines)


def _street(score: int, target: int) -> str:
    """One line of a pegging board, with a stroke at each tenth and the peg at the score."""
    at = min(score * _BOARD // target, _BOARD)
    holes = ["|" if place % 6 == 0 else "." for place in range(_BOARD + 1)]
    holes[at] = "#"
    return "".join(holes)


def _cards_by(state: State, start: int, end: int, seat: int) -> str:
    """Return the cards played from place `start` to `end`, the opponent's in brackets."""
    words = []
    for place in range(start, end):
        name = card_name(int(state.played[place]))
        words.append(name if state.played_by[place] == seat else f"({name})")
    return " ".join(words)


def _hand(state: State, seat: int) -> list[int]:
    return [int(card) for card in state.hand[seat, : state.hand_size[seat]]]


def action_text(state: State, action: int) -> str:
    if action < CARDS:
        total = int(state.count) + worth(action)
        return f"play {card_name(action)} (count {total})" if total <= 31 else f"play {card_name(action)}"
    hand = _hand(state, int(state.turn))
    toss = action - CARDS
    places = tossed_places(state, toss)
    if toss >= cribbage.PACK_TOSSES[state.pack] or len(hand) < cribbage.PACKS[state.pack].dealt:
        return f"discard card{'s' if len(places) > 1 else ''} {' and '.join(str(place + 1) for place in places)}"
    kept = [card for place, card in enumerate(hand) if place not in places]
    return f"discard {card_names(hand[place] for place in places)}, keep {card_names(kept)}"


def tossed_places(state: State, toss: int) -> list[int]:
    """Return the places in the hand of the cards that a toss discards."""
    pack = cribbage.PACKS[state.pack]
    return [int(place) for place in cribbage.TOSS_PLACES[state.pack, toss, : pack.dealt - pack.kept]]


def _tossed(state: State) -> str:
    pack = cribbage.PACKS[state.pack]
    return "two cards" if pack.dealt - pack.kept == 2 else "one card"


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """Return a move as `seat` sees it: cuts, own cards, discards, plays, and all points scored with their reasons."""
    phase = int(before.phase)
    turn = int(before.turn)
    if phase == cribbage.CUTTING:
        return _narrate_cut(before, move, after, names)
    if phase == cribbage.DEALING:
        return f"{names.does(turn, 'are', 'is')} dealt {card_name(int(before.deck[move]))}" if turn == seat else ""
    if phase == cribbage.TOSSING:
        if turn != seat:
            return f"{names.does(turn, 'discard')} {_tossed(before)}"
        tossed = [before.hand[seat, place] for place in tossed_places(before, move - CARDS)]
        return f"{names.does(turn, 'discard')} {card_names(tossed)}"
    if phase == cribbage.STARTER:
        message = f"The starter is {card_name(int(before.deck[move]))}"
        points = _gained(before, after, int(before.dealer), cribbage.HEELS)
        if points:
            message += f"\n{names.does(int(before.dealer), 'score')} {points}: heels for two"
        return message + _narrate_end(after, seat, names)
    return _narrate_play(before, move, after, names) + _narrate_end(after, seat, names)


def _narrate_cut(before: State, move: int, after: State, names: Names) -> str:
    turn = int(before.turn)
    message = f"{names.does(turn, 'cut')} {card_name(int(before.deck[move]))}"
    if after.phase == cribbage.DEALING:
        return message + f"\n{names.does(int(after.dealer), 'deal')} first"
    return message + ("\nEqual ranks: cut again" if turn == 1 else "")


def _narrate_play(before: State, card: int, after: State, names: Names) -> str:
    turn = int(before.turn)
    other = 1 - turn
    count = int(before.count) + worth(card)
    message = f"{names.does(turn, 'play')} {card_name(card)}: {count}"
    if says_go(before, card):
        message += f"\n{names.does(other, 'say')} go"
    gained, reasons = play_points(before, card, after)
    if gained:
        message += f"\n{names.does(turn, 'score')} {of_points(gained, reasons)}: {_reasons(reasons)}"
    if ends_play(before):
        message += _narrate_show(before, after, names)
    return message


def says_go(before: State, card: int) -> bool:
    """Whether the other seat says go to a card played; it says so once in a pile."""
    other = 1 - int(before.turn)
    room = 31 - int(before.count) - worth(card)
    fits = any(worth(held) <= room for held in _hand(before, other))
    return room > 0 and before.hand_size[other] > 0 and not fits and not before.said_go[other]


def ends_play(state: State) -> bool:
    return bool(state.phase == cribbage.PLAYING and state.num_played == 2 * cribbage.PACKS[state.pack].kept - 1)


def play_points(before: State, card: int, after: State) -> tuple[int, list[tuple[str, int]]]:
    """Return the score of a card played, and the reasons with their points, with a go or the last card.

    At the end of the game the score can be less than the sum, because the peg stops in the last hole.
    """
    turn = int(before.turn)
    count = int(before.count) + worth(card)
    reasons = card_reasons(before, card)
    gained = _gained(before, after, turn, cribbage.DEALER_PEGGING if turn == before.dealer else cribbage.PONE_PEGGING)
    # After the end of a deal or game the state shows no restart; a point with no other reason is for a go.
    if count != 31 and gained > sum(points for _, points in reasons):
        reasons.append(("last card" if ends_play(before) else "go", 1))
    return gained, reasons


def card_reasons(state: State, card: int) -> list[tuple[str, int]]:
    """Why a card scores at once, with the points of each reason, without a go or the last card."""
    return reasons_on([int(rank) for rank in state.pile[: state.pile_size]], int(state.count), card)


def reasons_on(pile: Sequence[int], count: int, card: int) -> list[tuple[str, int]]:
    """Why a card scores on a pile, ranks 0 .. 12 in order, with this running count; see `card_reasons`."""
    count += worth(card)
    reasons = explain_play([*pile, card % 13], count)
    return [*reasons, ("thirty-one", 2)] if count == 31 else reasons


class CountedHand(NamedTuple):
    owner: int
    what: str  # `hand` or `crib`.
    cards: list[int]
    starter: int
    gained: int  # Less than the sum of the reasons if the peg reaches the last hole.
    reasons: list[tuple[str, int]]


def counted_hands(before: State, after: State) -> list[CountedHand]:
    """Return the hands shown after the last card: pone's hand, dealer's hand, crib, up to the end of the game."""
    if not ends_play(before):
        return []
    dealer = int(before.dealer)
    starter = int(before.starter)
    left = [int(before.target - before.scores[other]) for other in range(2)]
    pegger = int(before.turn)
    left[pegger] -= _gained(
        before, after, pegger, cribbage.DEALER_PEGGING if pegger == dealer else cribbage.PONE_PEGGING
    )
    shows = (
        (1 - dealer, cribbage.PONE_HAND, "hand", before.kept[1 - dealer]),
        (dealer, cribbage.DEALER_HAND, "hand", before.kept[dealer]),
        (dealer, cribbage.CRIB, "crib", before.crib),
    )
    counted = []
    for owner, kind, what, held in shows:
        if min(left) <= 0:
            break
        cards = [int(card) for card in held if card != EMPTY]
        gained = _gained(before, after, owner, kind)
        left[owner] -= gained
        counted.append(
            CountedHand(owner, what, cards, starter, gained, explain_hand(cards, starter, kind == cribbage.CRIB))
        )
    return counted


def _narrate_show(before: State, after: State, names: Names) -> str:
    message = ""
    for owner, what, cards, starter, gained, reasons in counted_hands(before, after):
        message += f"\n{names.whose(owner)} {what} {card_names(cards)} with {card_name(starter)} "
        message += f"scores {of_points(gained, reasons)}"
        message += f"\n  {_reasons(reasons)}" if reasons else ""
    return message


def _narrate_end(after: State, seat: int, names: Names) -> str:
    if after.phase != cribbage.OVER:
        return ""
    seat = told_of(after, seat, names)
    own, other = int(after.scores[seat]), int(after.scores[1 - seat])
    if own == other:
        return f"\nThe game ends level, {own} to {other}"
    return f"\n{names.does(seat, 'win' if own > other else 'lose')} {own} to {other}"


def told_of(state: State, seat: int, names: Names) -> int:
    """Return the seat whose result is told: the reader's, or the winner's where nobody is called "You"."""
    return seat if YOU in names else int(state.scores[1] > state.scores[0])


def of_points(gained: int, reasons: list[tuple[str, int]]) -> str:
    """Return the points scored: fewer than a card or hand has, where the peg reaches the last hole."""
    total = sum(points for _, points in reasons)
    return f"{gained} of {total}, enough to win" if gained < total else str(gained or "nothing")


def _gained(before: State, after: State, seat: int, kind: int) -> int:
    return int(after.tally[seat, kind]) - int(before.tally[seat, kind])


def _reasons(reasons: list[tuple[str, int]]) -> str:
    """Return the reasons as players count aloud, with the total: "fifteen two, pair four, run of three makes seven"."""
    total = 0
    words = []
    for reason, points in reasons:
        link = " " if reason.startswith(("fifteen", "pair", "double pair")) else " makes " if total else " for "
        total += points
        name, bracket, cards = reason.partition(" (")
        words.append(f"{name.removesuffix(' two')}{link}{_spelled(total)}{bracket}{cards}")
    return ", ".join(words)


def count_aloud(reasons: list[tuple[str, int]]) -> list[str]:
    """Return the reasons point by point, with the total so far: "fifteen 2 (5♥ 10♦)", "a pair is 4 (5♥ 5♠)"."""
    total = 0
    lines = []
    for reason, points in reasons:
        total += points
        name, bracket, cards = reason.partition(" (")
        name = name.removesuffix(" two")
        plain = name in ("fifteen", "thirty-one")
        article = "" if plain or name.startswith(("nobs", "last")) else "a "
        link = " " if plain else " is " if name.startswith(("pair", "double pair")) else " makes "
        lines.append(f"{article}{name}{link}{total}{bracket}{cards}")
    return lines


def _spelled(points: int) -> str:
    """Return a number from 1 to 39 in words."""
    if points < 20:
        return NUMBERS[points]
    tens = "twenty" if points < 30 else "thirty"
    return tens if points % 10 == 0 else f"{tens}-{NUMBERS[points % 10]}"


def rules_text(state: State) -> str:
    deals = f", or after {state.deals} deal{'s' if state.deals > 1 else ''}" if state.deals else ""
    skunks = f" A loser {cribbage.SKUNK} points short is skunked, {cribbage.DOUBLE_SKUNK} short doubly so."
    if state.reward == cribbage.GAMES:
        skunks += "\nA skunk counts as two games, a double skunk as four."
    if state.target <= cribbage.DOUBLE_SKUNK:
        skunks = ""
    pack = cribbage.PACKS[state.pack]
    dealt, kept, tossed = (NUMBERS[n] for n in (pack.dealt, pack.kept, pack.dealt - pack.kept))
    first = "The cut for the first deal: the lower card deals, the ace is low."
    if state.pack != cribbage.FULL:
        suits = " and ".join(SUIT_NAMES[: pack.suits])
        first = f"The pack has {' '.join(pack.ranks)} of {suits}. The second player deals first."
    return f"""\
CRIBBAGE, two players, to {state.target} points{deals}

{first} The deal then alternates. The other player is
called the pone.

The discard. Each player has {dealt} cards, keeps {kept} and discards {tossed} into the crib, which is the dealer's. \
Then the
starter is cut; a jack gives the dealer 2 (heels).

The play. In turns, the pone first, each plays a card and the count grows by its worth: face cards 10, the ace 1.
The count may not pass 31. A player without a card that fits says go (the game says it for you); the other plays on,
and the player of the last card scores 1, or 2 for exactly 31. Then the count starts again at 0.
A card scores: 2 for a count of 15; 2, 6 or 12 for the second, third or fourth card of one rank in a row; its
length for a run of three or more in any order.

The show. The pone's hand, the dealer's hand and the crib are counted with the starter: 2 for each fifteen, 2 for
each pair, a point a card for runs, {pack.kept} for a flush ({pack.kept + 1} with the starter; in the crib \
{pack.kept + 1} only), 1 for the jack of the
starter's suit (nobs).

The first to reach {state.target} wins at once, even in the middle of the play or the show.{skunks}

In words. The board has sixty holes a seat: # is the peg, | marks every tenth of the way, and the number on
the right is the points still needed."""


NEUTRAL = {
    "cribbage": "a game", "crib": "box", "pone": "guest", "dealer": "owner", "deal": "round", "deals": "rounds",
    "lower card deals": "lower token owns the first box", "deals first": "owns the first box", "is cut": "is drawn",
    "the discard": "putting aside", "the ace 1": "number 1 counts 1",
    "dealt": "given", "dealing": "giving", "cut": "draw", "cuts": "draws", "starter": "shared token",
    "cards": "tokens", "card": "token", "hand": "set", "hands": "sets", "pack": "box of tokens", "rank": "number",
    "ranks": "numbers", "suit": "letter", "face cards 10": "numbers above 10 count 10", "the ace": "number 1",
    "ace": "number 1", "a jack": "number 11", "the jack": "number 11", "discard": "put aside",
    "discards": "puts aside", "toss": "put", "go": "pass", "heels": "first extra", "heels for two": "first extra",
    "nobs": "last extra", "flush": "one letter", "a flush": "one letter", "pair": "twin", "pairs": "twins",
    "pair royal": "three alike", "double pair royal": "four alike", "run": "row", "runs": "rows", "fifteen": "sum",
    "fifteens": "sums", "each fifteen": "each sum of 15", "fifteen two": "sum", "thirty-one": "full count",
    "show": "comparison", "pile": "row of tokens", "peg": "mark", "holes": "steps", "skunked": "far behind",
    "doubly": "twice", "clubs": "the letter a", "diamonds": "the letter b", "hearts": "the letter c",
    "spades": "the letter d",
} | {card_name(card).lower(): f"{card % 13 + 1}{'abcd'[card // 13]}" for card in range(CARDS)}  # fmt: skip
"""The words that recall the game, for players that shall not know it."""

WORDS = Words(describe, action_text, narrate, OPPONENT, rules_text=rules_text, neutral=NEUTRAL)
