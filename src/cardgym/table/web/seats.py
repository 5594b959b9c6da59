"""Tables of several people: codes to join, which browser has which seat, and the names that people give."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException

from cardgym.table.game_log import GameLog
from cardgym.table.narration import PUBLIC
from cardgym.table.people import name_key
from cardgym.table.session import Session
from cardgym.table.setup import TABLE

JOIN = "join"
"""The key, in what a game's entry says about it, of the code with which other people join; empty once all have."""

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


def checked_names(names: object, count: int, usual: Sequence[str]) -> list[str]:
    """The names of `count` people, `usual` ones where none are given.

    Raises:
        HTTPException: for anything that is not a short name.
    """
    if not isinstance(names, list) or len(names) > count or not all(isinstance(name, str) for name in names):
        raise HTTPException(400, f"names: send a list of at most {count}")
    found = [str(name).strip() or usual[place] for place, name in enumerate([*names, *[""] * (count - len(names))])]
    for name in found:
        if not _NAME.fullmatch(name) or _TAKEN.search(name):
            raise HTTPException(400, "names: up to 20 letters, figures and spaces, without you, opponent and seat")
    return found


def claim(session: Session, browser: str) -> str:
    """What the log has in place of a browser's cookie."""
    return hashlib.sha256(f"{session.id} {browser}".encode()).hexdigest()[:32]


def claim_key(seat: int) -> str:
    """The key, in what a game's entry says about it, of the browser of the person at a seat."""
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
    own = claim(session, browser)
    return next((seat for seat in session.persons if session.about.get(claim_key(seat)) == own), nobody)


class Codes:
    """Finds tables by their codes, and slows down those who guess."""

    def __init__(self, game_log: GameLog) -> None:
        self._game_log = game_log
        self._wrong: deque[float] = deque(maxlen=_MAX_ATTEMPTS)

    def find(self, code: object) -> str:
        """The id of the table with a code.

        Raises:
            HTTPException: if there is none, or after too many wrong codes.
        """
        now = time.monotonic()
        if len(self._wrong) == _MAX_ATTEMPTS and now - self._wrong[0] < 60:
            raise HTTPException(429, "too many wrong codes; wait a minute")
        typed = str(code).upper().replace(" ", "").replace("-", "")
        for entry in reversed(self._game_log.entries(finished=False, limit=_MAX_SEARCHED)):
            if typed and (entry.get("about") or {}).get(JOIN) == typed:
                return str(entry["id"])
        self._wrong.append(now)
        raise HTTPException(404, "no table waits with this code")


def join(session: Session, browser: str, name: object) -> None:
    """Give a browser the first open seat of a table; one that has a seat keeps it.

    Raises:
        HTTPException: if all seats are taken.
    """
    if viewer_of(session, browser, PUBLIC) in session.persons:
        return
    seats = open_seats(session)
    if not seats:
        raise HTTPException(409, "all seats of this table are taken")
    about: dict[str, Any] = {claim_key(seats[0]): claim(session, browser)}
    if name:
        about[name_key(seats[0])] = checked_names([name], 1, [""])[0]
    session.add_about(**about, **({JOIN: ""} if len(seats) == 1 else {}))


def copy_for(game_log: GameLog, session: Session, seat: int, owner: str) -> str:
    """Add a finished game to the log as that of the person at another seat, once; returns its id."""
    entry = session.entry()
    players = {player["seat"]: player for player in entry["players"]}
    order = [(seat + ahead) % len(players) for ahead in range(len(players))]
    id = hashlib.sha256(f"{session.id} {seat}".encode()).hexdigest()[:_ID_LENGTH]
    game_log.add(id, {**entry, "person": seat, "players": [players[at] for at in order]}, owner, session.moves)
    return id
