"""Players that fail at a decision: the error, in one line, with what the player saw."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path

from cardgym.engine.contract import Float32s
from cardgym.errors import CardgymError, printable


class DecisionError(CardgymError):
    """A player failed at a decision: it raised an error, or gave an answer that is not a legal action.

    The message may show what the player saw; `in_public` does not.

    Attributes:
        row: the row of the decision among those that the player was asked about; None if it is not known.
    """

    def __init__(
        self, name: str, reason: str, row: int | None, failure: str = "no legal action", where: str = ""
    ) -> None:
        super().__init__(f"player {name}: {where}{reason}")
        self.row = row
        self._name, self._reason, self._failure = name, reason, failure

    @property
    def in_public(self) -> str:
        """The message for people who must not learn what the player saw."""
        return f"player {self._name} failed at its decision: {self._failure}"

    def at(self, where: str) -> DecisionError:
        """The same error, whose message says where the decision was made, such as `game 3, seat 1: `."""
        return DecisionError(self._name, self._reason, self.row, self._failure, where)


_SHORT = 64
"""The most numbers of an observation that a message shows: then the decision can be asked again."""


def in_short(observation: Float32s) -> str:
    """An observation as Python reads it, or its length if it is a long one."""
    if observation.size > _SHORT:
        return f"an observation of {observation.size:,} numbers"
    return f"[{', '.join(f'{value:g}' for value in observation)}]"


@contextlib.contextmanager
def reporting_errors(name: str, row: int | None, observation: Float32s | None = None) -> Iterator[None]:
    """Raise whatever the code of a player raises as a `DecisionError`, in one line.

    Args:
        row: see `DecisionError`.
        observation: what the player saw, if it was asked about one decision.
    """
    try:
        yield
    except DecisionError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error) is not SystemExit:  # Signals end the program, not a player.
            raise
        seen = "" if observation is None else f"; it saw {in_short(observation)}"
        raise DecisionError(name, f"{in_one_line(error)}{seen}", row, type(error).__name__) from error


def in_one_line(error: BaseException) -> str:
    """An error of a user's program, with the last line that it reached of the user's own code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_users(frame.filename)]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {printable(' '.join(str(error).split()), 300)}{place}"


_OWN, _STANDARD = Path(__file__).parents[1], Path(traceback.__file__).parent


def _is_users(file: str) -> bool:
    path = Path(file)
    libraries = _OWN in path.parents or _STANDARD in path.parents or "site-packages" in path.parts
    return not libraries and not file.startswith("<")
