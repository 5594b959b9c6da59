"""French-suited playing cards. Suits differ in shape as well as in color, and every card has its rank in the corner."""

from __future__ import annotations

from cardgym.table.drawings.shapes import CAPITALS, SLOT, box, disc, half_turned, lattice, path, placed, text
from cardgym.table.views import Item, Reveal, Symbol, reveal

WIDTH, HEIGHT = 100, 140
_PAPER, _EDGE, _GOLD = "#fffdf7", "#c9c2b2", "#d9a13b"
_RED, _BLACK = "#c4162f", "#1d2330"

SUIT_NAMES = {"S": "spades", "H": "hearts", "C": "clubs", "D": "diamonds"}
_RANKS = "ace two three four five six seven eight nine ten jack queen king"
_RANK_NAMES = dict(zip("A23456789TJQK", _RANKS.split(), strict=True))
_COLORS = {"S": _BLACK, "H": _RED, "C": _BLACK, "D": _RED}

_SHAPES = {
    "H": "M0 .95C-.3 .55-1 .15-1-.4C-1-.78-.74-.95-.5-.95C-.25-.95-.08-.8 0-.55C.08-.8 .25-.95 .5-.95C.74-.95 1-.78"
    " 1-.4C1 .15 .3 .55 0 .95Z",
    "S": "M0-1C.3-.6 .95-.2 .95 .28C.95 .62 .7 .77 .48 .77C.28 .77 .12 .66 .06 .5C.08 .74 .16 .9 .32 1L-.32 1C-.16 .9"
    "-.08 .74-.06 .5C-.12 .66-.28 .77-.48 .77C-.7 .77-.95 .62-.95 .28C-.95-.2-.3-.6 0-1Z",
    "D": "M0-1.05C.2-.65 .48-.3 .8 0C.48 .3 .2 .65 0 1.05C-.2 .65-.48 .3-.8 0C-.48-.3-.2-.65 0-1.05Z",
    "C": "M.06 .45C.08 .72 .16 .9 .32 1L-.32 1C-.16 .9-.08 .72-.06 .45C-.16 .62-.34 .7-.5 .7A.46 .46 0 1 1-.4-.21"
    "A.46 .46 0 1 1 .4-.21A.46 .46 0 1 1 .5 .7C.34 .7 .16 .62 .06 .45Z",
}

_PIPS: dict[str, tuple[int, tuple[float, ...]]] = {
    **{"2": (0, (0, 1)), "3": (0, (0, 1 / 2, 1)), "4": (2, ()), "5": (2, (1 / 2,)), "6": (3, ()), "7": (3, (1 / 4,))},
    **{"8": (3, (1 / 4, 3 / 4)), "9": (4, (1 / 2,)), "T": (4, (1 / 6, 5 / 6))},
}
"""How many pips each side has, from top to bottom, and where those in the middle are, from 0 to 1."""

_HEADS = {
    "K": "M-17 9L-19-10L-9-2L0-15L9-2L19-10L17 9Z",
    "Q": "M-16 9L-20-8C-14-3-11-3-9-9C-6-3-3-3 0-13C3-3 6-3 9-9C11-3 14-3 20-8L16 9Z",
    "J": "M-17 9C-19-6-10-13 3-12C14-11 18-3 17 9Z",
}


_TIPS = {"K": ((-19, -11), (0, -16), (19, -11)), "Q": ((-20, -9), (-9, -10), (0, -14), (9, -10), (20, -9))}


def card_item(id: str, name: str) -> Item:
    """Return a card, face up, as an item of a view: `card_item("0:30", "5H")` is the five of hearts."""
    return {"id": id, "symbol": f"card-{name}", "label": f"{_RANK_NAMES[name[0]]} of {SUIT_NAMES[name[1]]}"}


def example(name: str, cards: str, total: str = "") -> Reveal:
    """Cards such as "JS JD" for the rules, with their name and what they count."""
    return reveal(name, items=[card_item(f"example:{card}", card) for card in cards.split()], total=total)


def suit_shape(suit: str, x: float, y: float, size: float, fill: str | None = None) -> str:
    """Return a suit's sign, centered, about twice `size` wide and high."""
    return placed(path(_SHAPES[suit], fill or _COLORS[suit]), x, y, size)


def _court(rank: str, suit: str) -> str:
    """Return the upper half of a court card: a crown or a cap over the suit's sign."""
    color = _COLORS[suit]
    head = path(_HEADS[rank], _GOLD, _BLACK, 1.4)
    if rank == "J":
        head += path("M9-11C13-20 22-22 24-17C20-16 17-12 14-8Z", color, _BLACK, 1.2)
    else:
        head += "".join(disc(x, y, 2.3, color, _BLACK, 0.9) for x, y in _TIPS[rank])
    head += box(-17, 5.5, 34, 5, 1.5, color, _BLACK, 1.1)
    return placed(head, 50, 41, 0.82) + suit_shape(suit, 50, 58.5, 8)


def card(rank: str, suit: str) -> Symbol:
    """Return a card, face up: rank one of `A23456789TJQK`, suit one of `SHCD`."""
    color = _COLORS[suit]
    name = "10" if rank == "T" else rank
    size = 27 if rank != "T" else 23
    corner = text(name, 14.5, 8 + 27 * CAPITALS, size, color) + suit_shape(suit, 14.5, 40, 8)
    parts = [
        box(0.75, 0.75, WIDTH - 1.5, HEIGHT - 1.5, 9, _PAPER, _EDGE, 1.5),
        corner,
        half_turned(corner, WIDTH, HEIGHT),
    ]
    if rank in _HEADS:
        tint = "#fbe9e7" if color == _RED else "#e9edf5"
        half = _court(rank, suit)
        parts.append(box(27, 20, 46, 100, 4, tint, color, 1.2))
        parts.append(path("M27 84L73 56", "none", color, 1.2))
        parts.append(half + half_turned(half, WIDTH, HEIGHT))
    elif rank == "A":
        parts.append(suit_shape(suit, 50, 70, 25))
        if suit == "S":
            parts.append(disc(50, 70, 5, _PAPER) + suit_shape("S", 50, 70, 3.2, _GOLD))
    else:
        sides, middle = _PIPS[rank]
        pips = [(x, number / (sides - 1)) for number in range(sides) for x in (37, 63)] + [(50, at) for at in middle]
        for x, height in pips:
            parts.append(placed(path(_SHAPES[suit], color), x, 27 + 86 * height, 7.4, 180 if height > 0.5 else 0))
    return Symbol(WIDTH, HEIGHT, "".join(parts))


def back() -> Symbol:
    """Return a card, face down."""
    parts = [
        box(0.75, 0.75, WIDTH - 1.5, HEIGHT - 1.5, 9, _PAPER, _EDGE, 1.5),
        box(7, 7, WIDTH - 14, HEIGHT - 14, 5, "#274b86"),
        lattice(10, 10, 90, 130, 10, "#5f86c4"),
        disc(50, 70, 15, "#274b86", "#e9d8a6", 1.6),
        placed(path(_SHAPES["S"], "#e9d8a6"), 50, 70, 8),
    ]
    return Symbol(WIDTH, HEIGHT, "".join(parts))


def pack(ranks: str, suits: str = "SHCD") -> dict[str, Symbol]:
    """Return the symbols of a pack: `card-5H` and so on, `card-back`, and `card-slot`, an empty place."""
    cards = {f"card-{rank}{suit}": card(rank, suit) for rank in ranks for suit in suits}
    return {**cards, "card-back": back(), "card-slot": SLOT}
