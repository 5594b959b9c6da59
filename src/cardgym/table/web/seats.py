"""Tables of several people: codes to join, which browser has which seat, and the names that people give."""

from __future__ import annotations

import hashlib
import itertools
import re
import secrets
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException

from cardgym.errors import CardgymError
from cardgym.table.game_log import GameLog
from cardgym.table.narration import PUBLIC
from cardgym.table.people import name_key
from cardgym.table.session import Session
from cardgym.table.setup import TABLE

JOIN = "join"
"""The `about` key of the join code; empty once every seat is taken."""

_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # Without those that look alike.
_LENGTH = 6
_MAX_ATTEMPTS = 20
"""Wrong codes in a minute before all are refused."""
_MAX_SEARCHED = 500
_ID_LENGTH = 26
_NAME = re.compile(r"[\w'. -]{1,20}")
_TAKEN = re.compile(r"\b(you|your|opponent|seat)\b", re.IGNORECASE)
"""Words that the games' texts use for seats."""


def new_code() -> str:
    """A code that is easy to type and cannot be guessed."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def checked_names(names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Refuse all but short names, and give people without one their `usual` name."""
    if len(names) > len(usual):
        raise CardgymError(f"names: send a list of at most {len(usual)}")
    checked = [name.strip() or default for name, default in itertools.zip_longest(names, usual, fillvalue="")]
    if not all(_NAME.fullmatch(name) and not _TAKEN.search(name) for name in checked):
        raise CardgymError("names: up to 20 letters, figures and spaces, without you, opponent and seat")
    return checked


def claim(session: Session, browser: str) -> str:
    """Hash a browser's cookie, so that the log never holds the cookie."""
    return hashlib.sha256(f"{session.id} {browser}".encode()).hexdigest()[:32]


def claim_key(seat: int) -> str:
    """The `about` key that stores which browser sits at a seat."""
    return f"browser {seat}"


def open_seats(session: Session) -> list[int]:
    """The seats of a table by link that nobody has taken yet."""
    return [seat for seat in session.persons if claim_key(seat) not in session.about] if by_link(session) else []


def by_link(session: Session) -> bool:
    """Whether the people at a table have a screen each."""
    return session.about.get(TABLE) == "link"


def viewer_of(session: Session, browser: str, wanted: int) -> int:
    """The seat from which a browser sees a table: -1 for everything, `PUBLIC` for what all can see.

    Args:
        wanted: the seat that the page asks for, at a screen that people share.
    """
    if len(session.persons) < 2:
        return session.seat
    nobody = -1 if session.over else PUBLIC
    if not by_link(session):
        return wanted if wanted in session.persons else nobody
    claimed = claim(session, browser)
    return next((seat for seat in session.persons if session.about.get(claim_key(seat)) == claimed), nobody)


class Codes:
    """Find tables by their codes, and slow down those who guess."""

    def __init__(self, game_log: GameLog) -> None:
        self._game_log = game_log
        self._wrong: deque[float] = deque(maxlen=_MAX_ATTEMPTS)

    def find(self, code: str) -> str:
        """Find the id of the table with a code; refuse all codes for a while after too many wrong ones."""
        now = time.monotonic()
        if len(self._wrong) == _MAX_ATTEMPTS and now - self._wrong[0] < 60:
            raise HTTPException(429, "too many wrong codes; wait a minute")
        typed = code.upper().replace(" ", "").replace("-", "")
        for entry in reversed(self._game_log.entries(finished=False, limit=_MAX_SEARCHED)):
            if typed and entry["about"].get(JOIN) == typed:
                return str(entry["id"])
        self._wrong.append(now)
        raise HTTPException(404, "no table waits with this code")


def join(session: Session, browser: str, name: str) -> None:
    """Give a browser the first open seat of a table; one that has a seat keeps it."""
    if viewer_of(session, browser, PUBLIC) in session.persons:
        return
    seats = open_seats(session)
    if not seats:
        raise HTTPException(409, "all seats of this table are taken")
    about: dict[str, Any] = {claim_key(seats[0]): claim(session, browser)}
    if name:
        about[name_key(seats[0])] = checked_names([name], [""])[0]
    session.add_about(**about, **({JOIN: ""} if len(seats) == 1 else {}))


def copy_for(game_log: GameLog, session: Session, seat: int, owner: str) -> str:
    """Log a finished game for the person at `seat` too; a second call does nothing. Return its id."""
    entry = session.entry()
    players = {player["seat"]: player for player in entry["players"]}
    order = [(seat + ahead) % len(players) for ahead in range(len(players))]
    id = hashlib.sha256(f"{session.id} {seat}".encode()).hexdigest()[:_ID_LENGTH]
    game_log.add(id, {**entry, "person": seat, "players": [players[other] for other in order]}, owner, session.moves)
    return id
