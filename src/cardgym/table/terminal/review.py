"""A review as text: a summary that fits the terminal, a chart, and the decisions one by one with all cards shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardgym.engine.contract import YOU, Game, Names, State
from cardgym.engine.registry import find
from cardgym.table.coach.advice import ActionAdvice, Advice, with_decimals
from cardgym.table.coach.review import Decision, Review
from cardgym.table.narration import Event
from cardgym.table.presentation import board_of
from cardgym.table.session import replay
from cardgym.table.terminal.screen import Screen, fitted

_BLOCKS = "▁▂▃▄▅▆▇█"


def summary_lines(review: Review, width: int) -> list[str]:
    """The costliest decisions, then costs by kind of decision, luck and the chart."""
    whose = "" if review.seats == (review.person,) else f" by {', '.join(review.people[seat] for seat in review.seats)}"
    best = sum(decision.cost == 0.0 for decision in review.decisions)
    count = len(review.decisions)
    lines = [f"Review of {review.env}: {' against '.join(review.people)}"]
    lines.append(f"{best} of {count} decisions{whose} as good as the best" if count else "No choices")
    if review.worst:
        lines += ["", "The costliest:"]
        for number in review.worst:
            lines += _decision_lines(review.decisions[number], review)
    lines.append("")
    for total in review.totals:
        lines.append(
            f"{_prefix(review, total.seat)}{total.kind}: {total.best} of {total.decisions} best, "
            f"cost {total.cost:.2f} in all, {total.mean:.3f} each ({total.unit})"
        )
    if review.luck is not None:
        gains = [f"{review.people[seat].replace(YOU, 'you')} {review.luck[seat]:+.2f}" for seat in review.seats]
        lines.append(f"Luck gave {', '.join(gains)} {review.luck_unit} (exact)")
    if review.strength:
        lines.append(f"The coach: as a player it {review.strength}")
    if review.chart:
        lines += ["", *_chart_lines(review, width)]
    return [part for line in lines for part in (fitted(line, width) or [""])]


def decision_table(review: Review, width: int) -> list[str]:
    """Every decision: its number, its cost, and what was done."""
    lines = []
    for decision in review.decisions:
        cost = f"-{decision.cost:.2f}" if decision.cost else ""
        better = f"; better: {decision.best_text}" if decision.cost else ""
        text = f"{_prefix(review, decision.seat)}{decision.text}{better}"
        lines += fitted(f"{decision.number + 1:>4} {cost:>6}  {text}", width)
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
            screen.page(decision_table(review, screen.width))
        elif answer and not (answer.isascii() and answer.isdigit() and 1 <= int(answer) <= count):
            screen.show([f"{answer[:30]!r}: type a number from 1 to {count}, l, d or Enter."])
        else:
            decision = review.decisions[int(answer) - 1 if answer else number]
            screen.page(_position_lines(review, events[decision.move].before, decision, screen))
            number = decision.number + 1


def advice_lines(game: Game, event: Event, advice: Advice, people: Names, screen: Screen) -> list[str]:
    """The position before a decision, and the value of each action with its reason; `people` are the names by seat."""
    lines = [*screen.fitted(board_of(game, event.before, event.seat, people)), ""]
    lines += _value_lines(advice.actions, event.move, advice.unit, advice.source, screen)
    strength = screen.fitted(f"The coach: as a player it {advice.strength}.") if advice.strength else []
    return [*lines, "> is what was played.", *strength]


def _value_lines(
    actions: Sequence[ActionAdvice], played: int, unit: str, source: str, screen: Screen, reasons: bool = True
) -> list[str]:
    lines = screen.fitted(f"Values ({unit}, by {source}):")
    for action in actions:
        mark = ">" if action.action == played else " "
        error = f" +- {with_decimals(action.error, action.error)}" if action.error and reasons else ""
        reason = f" ({action.reason})" if action.reason and reasons else ""
        lines += screen.fitted(f" {mark} {action.value:7.2f}{error}  {action.text}{reason}")
    return lines


def _prefix(review: Review, seat: int) -> str:
    """The name of who decided; empty if only one seat is reviewed."""
    return "" if len(review.seats) == 1 else f"{review.people[seat]}: "


def _decision_lines(decision: Decision, review: Review) -> list[str]:
    what, better = f"{_prefix(review, decision.seat)}{decision.text}", decision.best_text
    better += f" ({decision.reason})" if decision.reason else ""
    cost = f"cost {decision.cost:.2f} ({decision.unit}){' - a blunder' if decision.blunder else ''}"
    return [f"  {decision.number + 1:>3}  {what}: {cost}", f"       better: {better}"]


def _chart_lines(review: Review, width: int) -> list[str]:
    """A line of blocks for each seat: its standing at every decision and at the end."""
    values = [point["values"] for point in review.chart]
    low = min(min(point) for point in values)
    high = max(max(point) for point in values)
    room = min(max(map(len, review.people)), 22)
    step = max(-(-len(values) // (width - room - 17)), 1)
    lines = [f"How the game went ({review.chart_unit}, {low:.3g} to {high:.3g}):"]
    for seat, name in enumerate(review.people):
        curve = [point[seat] for point in [*values[:-1:step], values[-1]]]
        marks = "".join(_BLOCKS[round((value - low) / max(high - low, 1e-9) * (len(_BLOCKS) - 1))] for value in curve)
        lines.append(f"  {name[:room]:<{room}} {marks} {curve[-1]:.3g}")
    return lines


def _position_lines(review: Review, state: State, decision: Decision, screen: Screen) -> list[str]:
    """A decision with the game as every seat saw it, and the value of its actions."""
    game, people, actor = find(review.env), review.people, decision.seat
    lines = [f"-- decision {decision.number + 1}: {people[actor]}, {decision.kind} --"]
    shown: list[str] = []
    for seat in [actor, *(seat for seat in range(len(people)) if seat != actor)]:
        board = screen.fitted(board_of(game, state, seat, people))
        if len(people) <= 2 or seat == actor:
            lines.append(f"{people.does(seat, 'see')}:")
        else:  # To save space, only the lines about their own cards.
            board = [line for line in board if line not in shown]
        lines += board
        shown += board
    lines += _value_lines(decision.actions, decision.chosen, decision.unit, decision.source, screen, reasons=False)
    if decision.cost:
        lines += screen.fitted(f"Cost {decision.cost:.2f}. Better: {decision.best_text}. {decision.reason}")
    return lines
