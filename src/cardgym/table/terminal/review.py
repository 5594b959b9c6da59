"""A review as text: a summary that fits the terminal, a chart, and the decisions one by one with all cards shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardgym.engine.contract import YOU, Game, Names
from cardgym.engine.registry import find
from cardgym.table.coach.advice import ActionAdvice, figures
from cardgym.table.coach.review import Decision, Review
from cardgym.table.narration import Event
from cardgym.table.presentation import board_of
from cardgym.table.session import replay
from cardgym.table.terminal.screen import Screen

_BLOCKS = "▁▂▃▄▅▆▇█"


def summary_lines(review: Review, screen: Screen) -> list[str]:
    """Return the costliest decisions, then costs by kind of decision, luck and the chart."""
    whose = "" if review.seats == (review.person,) else f" by {', '.join(review.people[seat] for seat in review.seats)}"
    best, count = sum(decision.cost == 0.0 for decision in review.decisions), len(review.decisions)
    lines = [f"Review of {review.env}: {' against '.join(review.people)}"]
    lines += [f"{best} of {count} decisions{whose} as good as the best" if count else "No choices"]
    lines += ["", "The costliest:"] if review.worst else []
    for decision in (review.decisions[number] for number in review.worst):
        blunder = " - a blunder" if decision.blunder else ""
        what = f"{_prefix(review, decision.seat)}{decision.text}"
        lines += [f"  {decision.number + 1:>3}  {what}: cost {decision.cost:.2f} ({decision.unit}){blunder}"]
        lines += [f"       better: {decision.best_text}{f' ({decision.reason})' if decision.reason else ''}"]
    lines += [""] + [
        f"{_prefix(review, total.seat)}{total.kind}: {total.best} of {total.decisions} best, "
        f"cost {total.cost:.2f} in all, {total.mean:.3f} each ({total.unit})"
        for total in review.totals
    ]
    if review.luck is not None:
        gains = [f"{review.people[seat].replace(YOU, 'you')} {review.luck[seat]:+z.2f}" for seat in review.seats]
        lines += [f"Luck gave {', '.join(gains)} {review.luck_unit} (exact)"]
    lines += [f"The coach: as a player it {review.strength}"] if review.strength else []
    lines += ["", *_chart_lines(review, screen.width)] if review.chart else []
    return [part for line in lines for part in (screen.fitted(line) or [""])]


def decision_table(review: Review, screen: Screen) -> list[str]:
    """Every decision: its number, its cost, and what was done."""
    lines = []
    for decision in review.decisions:
        cost = f"-{decision.cost:.2f}" if decision.cost else ""
        better = f"; better: {decision.best_text}" if decision.cost else ""
        text = f"{_prefix(review, decision.seat)}{decision.text}{better}"
        lines += screen.fitted(f"{decision.number + 1:>4} {cost:>6}  {text}")
    return lines


def step_through(entry: Mapping[str, Any], review: Review, screen: Screen) -> None:
    """Show the reviewed decisions one by one, all cards face up, until the person has seen enough."""
    events, count, number = replay(entry), len(review.decisions), 0
    while number < count:
        answer = screen.ask(
            f"Decision {number + 1} of {count}: Enter shows it, a number jumps there, l lists them, d when done: "
        ).lower()
        if answer in ("d", "done"):
            return
        if answer in ("l", "list"):
            screen.page(decision_table(review, screen))
        elif answer and not (answer.isascii() and answer.isdigit() and 1 <= int(answer) <= count):
            screen.show([f"{answer[:30]!r}: type a number from 1 to {count}, l, d or Enter."])
        else:
            decision = review.decisions[int(answer) - 1 if answer else number]
            seats = sorted(range(len(review.people)), key=lambda seat: seat != decision.seat)
            lines = _advice_lines(find(review.env), events[decision.move], decision, seats, review.people, screen)
            if decision.cost:
                lines += screen.fitted(f"Cost {decision.cost:.2f}. Better: {decision.best_text}.")
            title = f"-- decision {decision.number + 1}: {review.people[decision.seat]}, {decision.kind} --"
            screen.page([title, *lines])
            number = decision.number + 1


def _advice_lines(
    game: Game, event: Event, advice: Decision, seats: Sequence[int], people: Names, screen: Screen
) -> list[str]:
    """Return the position before a decision as these seats saw it, and the value of each action with its reason."""
    lines: list[str] = []
    for seat in seats:
        board = screen.fitted(board_of(game, event.before, seat, people))
        lines += [f"{people.does(seat, 'see')}:"] if len(seats) > 1 else []
        lines += [line for line in board if line not in lines]  # Of the others, what has not been shown.
    lines += ["", *screen.fitted(f"Values ({advice.unit}, by {advice.source}):")]
    return [*lines, *advice_rows(advice.actions, screen, event.move), "> is what was played."]


def advice_rows(actions: Sequence[ActionAdvice], screen: Screen, played: int = -1) -> list[str]:
    """Return the value of each action with its reason; a mark before the one that was played, if any."""
    lines = []
    for action, (value, error) in zip(actions, figures(actions), strict=True):
        mark = ">" if action.action == played else " "
        lines += screen.fitted(f" {mark} {value:>7}{error}  {action.text}")
        lines += map(screen.dim, screen.fitted(action.reason, indent=11))
    return lines


def _prefix(review: Review, seat: int) -> str:
    """Return the name of who decided; empty if only one seat is reviewed."""
    return "" if len(review.seats) == 1 else f"{review.people[seat]}: "


def _chart_lines(review: Review, width: int) -> list[str]:
    """Return a line of blocks for each seat: its standing at every decision and at the end."""
    values = [point["values"] for point in review.chart]
    low, high = min(map(min, values)), max(map(max, values))
    room = min(max(map(len, review.people)), 22)
    step = max(-(-len(values) // (width - room - 17)), 1)
    lines = [f"How the game went ({review.chart_unit}, {low:.3g} to {high:.3g}):"]
    for seat, name in enumerate(review.people):
        curve = [point[seat] for point in [*values[:-1:step], values[-1]]]
        marks = "".join(_BLOCKS[round((value - low) / max(high - low, 1e-9) * (len(_BLOCKS) - 1))] for value in curve)
        lines.append(f"  {name[:room]:<{room}} {marks} {curve[-1]:.3g}")
    return lines
