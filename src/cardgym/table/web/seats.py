"""Tables of several people: codes to join, which browser has which seat, and the names that people give."""

from __future__ import annotations

import hashlib
import itertools
import re
import secrets
import unicodedata
from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException

from cardgym.errors import CardgymError
from cardgym.table.game_log import GameLog
from cardgym.table.narration import PUBLIC
from cardgym.table.people import name_key
from cardgym.table.session import Session
from cardgym.table.setup import TABLE
from cardgym.table.web.clients import Limit

JOIN = "join"
"""The `about` key of the join code; empty once every seat is taken."""

NONCE = "nonce"
"""The `about` key of the random text that is hashed with the seed; see `commitment`."""

REMATCH = "rematch"
"""The `about` key of the code of the table that one of the people opened for another game."""

_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # Without those that look alike.
_LENGTH = 10  # 49 bits.
_MAX_ATTEMPTS = 20
"""Wrong codes in a minute before a client has to wait."""
_ID_LENGTH = 26
_SIGNS = "_'. -"
_FILLERS = "\u115f\u1160"
"""Letters of Hangul that show nothing."""
_TAKEN = re.compile(r"\b(you|your|opponent|seat)\b", re.IGNORECASE)
"""Words that the games' texts use for seats."""


def new_code() -> str:
    """Return a code that is easy to type and cannot be guessed."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def new_nonce() -> str:
    """Return a text that nobody can guess, so that nobody finds a seed by trying which one has the commitment."""
    return secrets.token_hex(16)


def commitment(session: Session) -> str:
    """Commit to the seed: the SHA-256 of seed, space and nonce, shown before it is; empty if the seed is no secret."""
    nonce = session.about.get(NONCE)
    return hashlib.sha256(f"{session.seed} {nonce}".encode()).hexdigest() if nonce else ""


def checked_names(names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Refuse all but short names, and give people without one their `usual` name."""
    if len(names) > len(usual):
        raise CardgymError(f"names: send a list of at most {len(usual)}")
    plain = [unicodedata.normalize("NFKC", name).replace("\u2019", "'").strip() for name in names]
    checked = [name or default for name, default in itertools.zip_longest(plain, usual, fillvalue="")]
    if not all(map(_is_name, checked)):
        raise CardgymError("names: up to 20 letters, figures and spaces, without you, opponent and seat")
    return checked


def _is_name(name: str) -> bool:
    """Whether a name is short, of letters in any script, with their marks, figures and a few signs, and not taken."""
    known = all(sign in _SIGNS or (unicodedata.category(sign)[0] in "LMN" and sign not in _FILLERS) for sign in name)
    bare = "".join(sign for sign in name if not unicodedata.category(sign).startswith("M"))  # Some marks are invisible.
    return 0 < len(bare) <= len(name) <= 20 and known and not _TAKEN.search(bare)


def claim(session: Session, browser: str) -> str:
    """Hash a browser's cookie, so that the log never holds the cookie."""
    return hashlib.sha256(f"{session.id} {browser}".encode()).hexdigest()[:32]


def claim_key(seat: int) -> str:
    """Return the `about` key that stores which browser sits at a seat."""
    return f"browser {seat}"


def without_browsers(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a game from an upload or for another record: no browser has a seat there, and nobody joins."""
    bound = (JOIN, REMATCH, *map(claim_key, range(len(entry["players"]))))
    return {**entry, "about": {key: value for key, value in entry["about"].items() if key not in bound}}


def open_seats(session: Session) -> list[int]:
    """Return the seats of a table by link that nobody has taken yet."""
    return [seat for seat in session.persons if seat not in _claims(session)] if by_link(session) else []


def by_link(session: Session) -> bool:
    """Whether the people at a table have a screen each."""
    return session.about.get(TABLE) == "link"


def viewer_of(session: Session, browser: str, wanted: int) -> int:
    """Return the seat from which a browser sees a table: -1 for everything, `PUBLIC` for what all can see.

    Args:
        wanted: the seat that the page asks for, at a screen that people share.
    """
    if len(session.persons) < 2:
        return session.seat
    nobody = -1 if session.over else PUBLIC
    if not by_link(session):
        return wanted if wanted in session.persons and may_sit(session, browser) else nobody
    return next((seat for seat, claimed in _claims(session).items() if claimed == claim(session, browser)), nobody)


def _claims(session: Session) -> dict[int, str]:
    """Return the seats that browsers have taken, each with the claim of its browser."""
    return {seat: session.about[key] for seat in session.persons if (key := claim_key(seat)) in session.about}


def has_seat(session: Session, browser: str) -> bool:
    """Whether a seat of a table is a browser's own."""
    return claim(session, browser) in _claims(session).values()


def may_sit(session: Session, browser: str) -> bool:
    """Whether a browser plays at a table: it has a seat, or no browser has one."""
    return not _claims(session) or has_seat(session, browser)


class Codes:
    """Find tables by their codes, and slow down those who guess."""

    def __init__(self, game_log: GameLog) -> None:
        self._game_log = game_log
        self._wrong = Limit(_MAX_ATTEMPTS)

    def find(self, code: str, client: str) -> str:
        """Find the id of the table with a code; a client waits after too many wrong ones."""
        if self._wrong.is_reached(client):
            raise HTTPException(429, "too many wrong codes; wait a minute")
        typed = code.upper().replace(" ", "").replace("-", "")
        id = self._game_log.waiting(JOIN, typed) if typed else None
        if id is None:
            self._wrong.count(client)
            raise HTTPException(404, "no table waits with this code")
        return id


def keep_first(session: Session, browser: str) -> None:
    """Give the browser that opened a table of several people its first seat."""
    session.add_about(**{claim_key(session.seat): claim(session, browser)})


def check_rematch(session: Session, browser: str) -> None:
    """Refuse a rematch to all but the people of a finished table by link, and a second one."""
    if not (session.over and by_link(session) and has_seat(session, browser)):
        raise HTTPException(403, "rematch: only those who played a finished game by link can ask for one")
    if session.about.get(REMATCH):
        raise HTTPException(409, "the other person has asked for a rematch: join it")


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
    """Log a finished game for the person at `seat` too; a second call does nothing. Return its id.

    The id depends on the person's cookie, so that nobody else can upload a game with that id first.
    """
    entry = without_browsers(session.entry())
    players = {player["seat"]: player for player in entry["players"]}
    order = [(seat + ahead) % len(players) for ahead in range(len(players))]
    id = hashlib.sha256(f"{session.id} {seat} {owner}".encode()).hexdigest()[:_ID_LENGTH]
    game_log.add(id, {**entry, "person": seat, "players": [players[other] for other in order]}, owner, session.moves)
    return id
