"""Where the holes of the cribbage board are: four rows of thirty, back and forth, with a lane for each player."""

from __future__ import annotations

WIDTH, HEIGHT = 772, 216
ROWS, IN_ROW = 4, 30
LEFT, RIGHT = 56.0, 716.0
"""Where the rows end."""
LANE = 10.0
"""How far a lane is from the middle of its row."""
_STEP, _GAP = 20.75, 11.0  # From hole to hole, and from each five to the next.


def row_middle(row: int) -> float:
    """The middle of a row, from the top."""
    return 33.0 + 50.0 * row


def lane_at(lane: int, row: int) -> float:
    """The height of a lane in a row. Lane 0 stays outside in the turns on the right."""
    side = -1 if (lane + row) % 2 == 0 else 1
    return row_middle(row) + side * LANE


def hole(lane: int, number: int) -> tuple[float, float]:
    """The centre of a hole: 0 is the start, 1 to 120 are the street, 121 is the last hole, which the lanes share."""
    if number <= 0:
        return 26.0, lane_at(lane, 0)
    if number > ROWS * IN_ROW:
        return 26.0, row_middle(ROWS - 1)
    row, place = divmod(number - 1, IN_ROW)
    along = place * _STEP + place // 5 * _GAP
    start = LEFT + 1.6
    return (start + along if row % 2 == 0 else RIGHT - 1.6 - along), lane_at(lane, row)


def hole_of(score: int, target: int) -> int:
    """The hole for a score in a game to `target`: a shorter game starts further on, a longer one shares holes."""
    if target > 121:
        return score * 121 // target
    return 121 - target + score
