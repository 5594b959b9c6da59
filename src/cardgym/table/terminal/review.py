"""A review as text: a summary that fits the terminal, a chart, and a step through the game with all cards shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cardgym.engine.registry import find
from cardgym.table.presentation import board_of
from cardgym.table.review import Decision, Review
from cardgym.table.session import replay
from cardgym.table.terminal.style import Style, fitted, size

_BLOCKS = "▁▂▃▄▅▆▇█"
_PLAIN = "_.-=+*#@"


class Pages:
    """Shows long texts a screen at a time."""

    def __init__(self, ask: Callable[[str], str], show: Callable[[str], None], style: Style) -> None:
        """Take the ways to ask the person for a line, and to show a text."""
        self.ask = ask
        self._show = show
        self.style = style

    def show(self, lines: Sequence[str]) -> None:
        """Show lines; wait after every full screen."""
        room = size()[1] - 2
        for first in range(0, max(len(lines), 1), room):
            if first:
                self.ask("Enter for more ")
            self._show(self.style.cards("\n".join(lines[first : first + room])))


def summary_lines(review: Review, width: int, symbols: bool = True) -> list[str]:
    """The summary of a review: the worst decisions first, then costs by kind, luck and the chart."""
    of = ", ".join(review.players[seat] for seat in review.seats)
    best = sum(one.cost == 0.0 for one in review.decisions)
    lines = [f"Review of {review.env}: {' against '.join(review.players)}; decisions of {of}"]
    lines.append(
        f"{best} of {len(review.decisions)} decisions as good as the best" if review.decisions else "No choices"
    )
    if review.worst:
        lines += ["", "The dearest:"]
        for number in review.worst:
            lines += _decision_lines(review.decisions[number], review, width)
    lines += ["", *_total_lines(review)]
    if review.luck is not None:
        for seat in review.seats:
            lines.append(f"Luck gave {_who(review, seat)} {review.luck[seat]:+.2f} {review.luck_unit} (exact)")
    if review.chart:
        lines += ["", *_chart_lines(review, width, symbols)]
    return [part for line in lines for part in (fitted(line, width) or [""])]


def _who(review: Review, seat: int) -> str:
    return "you" if seat == review.person else f"seat {seat} ({review.players[seat]})"


def _decision_lines(one: Decision, review: Review, width: int) -> list[str]:
    who = "" if len(review.seats) == 1 else f"{_who(review, one.seat)}: "
    mark = " - a blunder" if one.blunder else ""
    lines = [f"  {one.number + 1:>3}  {who}{one.text}: cost {one.cost:.2f} ({one.unit}){mark}"]
    reason = f" ({one.reason})" if one.reason else ""
    lines.append(f"       better: {one.best_text}{reason}")
    return [part for line in lines for part in fitted(line, width)]


def _total_lines(review: Review) -> list[str]:
    lines = []
    for total in review.totals:
        who = "" if len(review.seats) == 1 else f"{_who(review, total.seat)}, "
        lines.append(
            f"{who}{total.kind}: {total.decisions} decisions, {total.best} best, cost {total.cost:.2f} in all, "
            f"{total.mean:.3f} each ({total.unit})"
        )
    return lines


def _chart_lines(review: Review, width: int, symbols: bool) -> list[str]:
    """A line of blocks for each seat: how it stood at every decision and at the end."""
    blocks = _BLOCKS if symbols else _PLAIN
    values = [point["values"] for point in review.chart]
    low = min(min(point) for point in values)
    high = max(max(point) for point in values)
    names = [f"seat {seat}" if seat != review.person else "you" for seat in range(len(review.players))]
    room = width - 24
    step = max(-(-len(values) // room), 1)
    lines = [f"How the game went ({review.chart_unit}, {low:.3g} to {high:.3g}):"]
    for seat, name in enumerate(names):
        shown = [point[seat] for point in [*values[:-1:step], values[-1]]]
        marks = "".join(blocks[round((value - low) / max(high - low, 1e-9) * (len(blocks) - 1))] for value in shown)
        lines.append(f"  {name:<7} {marks} {shown[-1]:.3g}")
    return lines


def table_lines(review: Review, width: int) -> list[str]:
    """Every decision in a line: its number, what was done, and what it cost."""
    lines = []
    for one in review.decisions:
        who = "" if len(review.seats) == 1 else f"seat {one.seat} "
        cost = "" if one.cost == 0.0 else f"-{one.cost:.2f}"
        better = "" if one.cost == 0.0 else f"; better: {one.best_text}"
        lines += fitted(f"{one.number + 1:>4} {cost:>6}  {who}{one.text}{better}", width)
    return lines


def step_through(entry: Mapping[str, Any], review: Review, pages: Pages) -> None:
    """Show the reviewed decisions one after the other, all cards face up, until the person has seen enough.

    Args:
        entry: the game with its moves.
        review: its review.
        pages: the person's terminal.
    """
    events = replay(dict(entry))
    number = 0
    while review.decisions:
        answer = pages.ask(
            f"Decision {number + 1} of {len(review.decisions)}: Enter steps through, a number jumps there, "
            "l lists, d is done: "
        ).lower()
        if answer in ("d", "done"):
            return
        if answer in ("l", "list"):
            pages.show(table_lines(review, size()[0]))
            continue
        if answer:
            if not (answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(review.decisions)):
                pages.show([f"{answer[:30]!r}: type a number from 1 to {len(review.decisions)}, l, d or Enter."])
                continue
            number = int(answer) - 1
        one = review.decisions[number]
        pages.show(position_lines(review, events[one.move].before, one))
        number += 1
        if number == len(review.decisions):
            return


def position_lines(review: Review, state: Any, one: Decision) -> list[str]:
    """A decision with the game as every seat saw it, and what the actions were worth."""
    game, width = find(review.env), size()[0]
    describe = game.words.describe
    lines = [f"-- decision {one.number + 1}: {_who(review, one.seat)}, {one.kind} --"]
    order = [one.seat, *(seat for seat in range(len(review.players)) if seat != one.seat)]
    for seat in order if len(order) <= 2 else order[:1]:
        lines += [f"Seen by {_who(review, seat)}:", *fitted(board_of(game, state, seat), width)]
    if len(order) > 2:
        lines += [line for seat in order[1:] for line in fitted(describe(state, seat), width) if "You" in line]
    lines += fitted(f"Values ({one.unit}, by {one.source}):", width)
    for action in one.actions:
        mark = ">" if action.action == one.chosen else " "
        lines += fitted(f" {mark} {action.value:7.2f}  {action.text}", width)
    if one.cost:
        lines += fitted(f"Cost {one.cost:.2f}. Better: {one.best_text}. {one.reason}", width)
    return lines
