"""The cards, the board and the pegs of cribbage."""

from __future__ import annotations

from cardgym.games.cribbage.cards import RANKS, SUITS
from cardgym.table.drawings.playing_cards import pack
from cardgym.table.drawings.shapes import box, disc, path, text
from cardgym.table.views import Symbol

WIDTH, HEIGHT = 772, 216
ROWS, IN_ROW = 4, 30
LEFT, RIGHT = 56.0, 716.0
"""The ends of the rows."""
LANE = 10.0
"""Distance of a lane from the middle of its row."""
_STEP, _GAP = 20.75, 11.0  # From hole to hole, and from each five to the next.


def row_middle(row: int) -> float:
    return 33.0 + 50.0 * row


def lane_at(lane: int, row: int) -> float:
    """Return the height of a lane in a row. Lane 0 is on the outside in the turns on the right."""
    side = -1 if (lane + row) % 2 == 0 else 1
    return row_middle(row) + side * LANE


def hole(lane: int, number: int) -> tuple[float, float]:
    """Return the center of a hole: 0 is the start, 1 to 120 the street, 121 the last hole, which the lanes share."""
    if number <= 0:
        return 26.0, lane_at(lane, 0)
    if number > ROWS * IN_ROW:
        return 26.0, row_middle(ROWS - 1)
    row, place = divmod(number - 1, IN_ROW)
    along = place * _STEP + place // 5 * _GAP
    start = LEFT + 1.6
    return (start + along if row % 2 == 0 else RIGHT - 1.6 - along), lane_at(lane, row)


def hole_of(score: int, target: int) -> int:
    """Return the hole for a score in a game to `target`: shorter games start further on, longer ones share holes."""
    if target > 121:
        return score * 121 // target
    return 121 - target + score


PEGS = (("#1f6fb5", "#e8f2fb"), ("#e0702a", "#fff1e6"))
"""Colors of the pegs and of their lanes; the pegs also differ in shape."""


def _lane(lane: int) -> str:
    parts = [f"M26 {lane_at(lane, 0):g}H{RIGHT:g}"]
    for row in range(1, ROWS):
        turn_right = row % 2 == 1
        above, here = lane_at(lane, row - 1), lane_at(lane, row)
        radius = (here - above) / 2
        parts.append(f"A{radius:g} {radius:g} 0 0 {1 if turn_right else 0} {RIGHT if turn_right else LEFT:g} {here:g}")
        parts.append(f"H{LEFT if turn_right else RIGHT:g}")
    return path("".join(parts), "none", PEGS[lane][1], 15)


def board() -> Symbol:
    """Return the board with its holes; lines mark the double skunk and the skunk, before holes 61 and 91.

    By their order, the page finds the holes of a lane, for pegs that walk (`holesOf` in motion.js).
    """
    parts = [
        box(1, 3, WIDTH - 2, HEIGHT - 4, 16, "#5b3517"),
        box(1, 1, WIDTH - 2, HEIGHT - 5, 16, "#a8723f", "#5b3517", 1.5),
    ]
    for y in range(9, HEIGHT - 10, 9):
        parts.append(path(f"M14 {y}C200 {y + 6} 420 {y - 7} {WIDTH - 14} {y + 3}", "none", "#996536", 1))
    parts.append(disc(26, row_middle(ROWS - 1), 15, "#f3d488", "#5b3517", 1.5))
    parts += [_lane(lane) for lane in range(2)]
    for x, row in ((LEFT - 12, ROWS - 2), (RIGHT + 12, ROWS - 1)):
        middle = row_middle(row)
        parts.append(path(f"M{x:g} {middle - 21:g}V{middle + 21:g}", "none", "#7d1f1f", 2.5))
    for row in range(ROWS):
        for lane in range(2):
            parts += [disc(*hole(lane, row * IN_ROW + place), 3.6, "#4a3a2a") for place in range(1, IN_ROW + 1)]
        for five in range(1, 6):
            x = (hole(0, row * IN_ROW + 5 * five)[0] + hole(0, row * IN_ROW + 5 * five + 1)[0]) / 2
            parts.append(
                path(f"M{x:g} {row_middle(row) - LANE - 7:g}V{row_middle(row) + LANE + 7:g}", "none", "#c9a274", 1.2)
            )
    for lane in range(2):
        parts.append(disc(*hole(lane, 0), 3.6, "#4a3a2a"))
    parts.append(disc(*hole(0, 121), 4.6, "#4a3a2a"))
    for row, name in ((0, "30"), (1, "60"), (2, "90")):
        x = RIGHT + 25 + LANE if row % 2 == 0 else LEFT - 25 - LANE
        parts.append(text(name, x, row_middle(row) + 28.5, 10.5, "#5b3517"))
    return Symbol(WIDTH, HEIGHT, "".join(parts))


def peg(lane: int) -> Symbol:
    """Return a peg seen from above: round for lane 0, a diamond for lane 1."""
    color, light = PEGS[lane]
    if lane == 0:
        return Symbol(22, 22, disc(11, 11, 9, color, "#10202e", 1.6) + disc(11, 11, 3.4, light))
    return Symbol(
        22, 22, path("M11 1L21 11L11 21L1 11Z", color, "#3b1c08", 1.6) + path("M11 7L15 11L11 15L7 11Z", light)
    )


def symbols() -> dict[str, Symbol]:
    return {**pack(RANKS, SUITS), "board": board(), "peg-0": peg(0), "peg-1": peg(1)}
