"""A game that players play, shown in the terminal to a person who watches."""

from __future__ import annotations

from collections.abc import Callable

from cardgym.table.presentation import board_of, ending_of
from cardgym.table.session import Session
from cardgym.table.terminal.style import Style, fitted, size


def watch(
    session: Session,
    ask: Callable[[str], str] = input,
    show: Callable[[str], None] = print,
    style: Style | None = None,
) -> None:
    """Show a game that players play, a decision at a time, until it ends or the person leaves.

    Args:
        session: a game that is watched.
        ask: asks the person for a line.
        show: shows a text.
        style: what the terminal can show; None finds out.
    """
    style = Style.of() if style is None else style
    game, width = session.game, size()[0]
    names = ", ".join(f"seat {seat}: {name}" for seat, name in enumerate(session.names()))
    show(f"{game.id} of seed {session.seed}; {names}; told from seat 0")
    running = False
    try:
        while not session.over:
            events = session.step()
            lines = [f"  {line}" for event in events for line in fitted(event.text, width - 2)]
            board = [] if running else fitted(board_of(game, session.state, 0), width)
            show(style.cards("\n".join(["", *lines, *board])))
            if not running and not session.over:
                answer = ask("Enter for the next decision, r to run to the end, q to quit: ").strip().lower()
                if answer in ("q", "quit", "exit"):
                    return
                running = answer in ("r", "run")
    except (EOFError, KeyboardInterrupt):
        show("")
        return
    show(ending_of(game, session.state, 0) or "The game is over.")
