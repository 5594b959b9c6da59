"""Models of the JSON documents in files, which pydantic validates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from cardgym.errors import CardgymError, printable
from cardgym.files.json_values import parse_json
from cardgym.files.schema import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

T = TypeVar("T")

Name = Annotated[str, Field(max_length=4096)]
"""A name; a player's may be a path."""
Count = Annotated[int, Field(ge=0, le=10**15)]
"""A whole number from 0 that a float represents exactly."""
Number = Annotated[float, Field(ge=-1e15, le=1e15)]
"""A finite number, small enough to print in a table."""
Items = Annotated[tuple[T, ...], Field(strict=False)]
"""A tuple that JSON writes as a list; its items are strict."""


def at_most(limit: int) -> BeforeValidator:
    """Annotation of lists and objects: refuse more than `limit` entries before validating any."""

    def check(value: Any) -> Any:
        if isinstance(value, list | tuple | dict) and len(value) > limit:
            raise ValueError(f"{len(value):,} entries, more than {limit:,}")
        return value

    return BeforeValidator(check)


class Document(BaseModel):
    """Base of all models of documents: strict, without NaN and infinity; unknown keys are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", allow_inf_nan=False)


D = TypeVar("D", bound=Document)


def parse_document(kind: type[D], content: bytes | str, what: str) -> D:
    return validate(kind, parse_json(content, what), what)


def validate(kind: type[D], value: Any, what: str) -> D:
    return validated(kind.model_validate, value, what)


def validated(check: Callable[[Any], T], value: Any, what: str) -> T:
    """Return a value, validated by one of pydantic's validators."""
    try:
        return check(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = printable(".".join(map(str, first["loc"])), 80)
        message = first["msg"].removeprefix("Value error, ").partition(" or instance of ")[0]
        reason = message[:1].lower() + message[1:]
        raise CardgymError(f"{what}: {f'{place}: ' if place else ''}{printable(reason)}") from None
