"""The part of pydantic that documents use, for a page: pydantic is compiled, and no page has it.

Strict types, limits, defaults, unions, nested models and validators; tests compare it with pydantic. It is not for
other programs: `schema` chooses.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

_REQUIRED: Any = object()
_NO_FIELDS = ("__pydantic_extra__", "_set", "model_config")


class ValidationError(ValueError):
    """Where a value is wrong, and why."""

    def __init__(self, message: str, *where: object) -> None:
        self.message, self.where = message, where

    def errors(self, **options: bool) -> list[dict[str, Any]]:
        """Return the first error, as pydantic lists it."""
        return [{"loc": self.where, "msg": self.message}]


@dataclass(frozen=True)
class BeforeValidator:
    """Calls a function with a value before its type is checked."""

    function: Callable[[Any], Any]


class AfterValidator(BeforeValidator):
    """Calls a function with a value after its type was checked."""


class _FieldFacts:
    """What `Field` says: a default, an alias, and limits by name."""

    def __init__(self, default: Any, default_factory: Callable[[], Any] | None, limits: dict[str, Any]) -> None:
        self.make = default_factory or (lambda: default)
        self.alias = limits.pop("alias", None)
        self.limits = limits


def Field(default: Any = _REQUIRED, *, default_factory: Any = None, **limits: Any) -> Any:  # noqa: N802  # As in pydantic.
    """Describe a field."""
    return _FieldFacts(default, default_factory, limits)


def ConfigDict(**options: Any) -> Any:  # noqa: N802  # As in pydantic.
    """Describe a model."""
    return options


def model_validator(*, mode: str) -> Callable[[Any], Any]:
    """Mark a method that checks a whole model."""

    def mark(function: Any) -> Any:
        function.checks_model = mode
        return function

    return mark


class BaseModel:
    """A model: its annotated fields, validated."""

    model_config: ClassVar[Any] = {}
    __pydantic_extra__: dict[str, Any]
    _set: list[str]

    def __init_subclass__(cls) -> None:
        cls.model_config = {**cls.__mro__[1].model_config, **cls.__dict__.get("model_config", {})}  # type: ignore[attr-defined]

    def __init__(self, /, **values: Any) -> None:
        model: Any = type(self)
        hints, extra = _fields_of(model)
        left, found = dict(values), dict[str, Any]()
        for name, kind in hints.items():
            default = getattr(type(self), name, _REQUIRED)
            key = _key_of(type(self), name)
            if key in left:
                found[name] = _checked(kind, left.pop(key), key)
            elif (value := default.make() if isinstance(default, _FieldFacts) else default) is _REQUIRED:
                raise ValidationError("Field required", key)
            else:
                self.__dict__[name] = value
        policy = self.model_config.get("extra", "ignore")
        if left and policy == "forbid":
            raise ValidationError("Extra inputs are not permitted", next(iter(left)))
        kept = left if policy == "allow" else {}
        others = {name: _checked(extra, value, name) for name, value in kept.items()}
        self.__dict__.update({**found, **others, "__pydantic_extra__": others or None, "_set": [*found, *others]})
        for name in dir(type(self)):
            if getattr(getattr(type(self), name), "checks_model", ""):
                _called(getattr(self, name))

    @classmethod
    def model_validate(cls, value: Any) -> Self:
        """Return a model of plain values."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise ValidationError("Input should be a valid dictionary")
        return cls(**value)

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """Return the fields that were given, as plain values, by alias."""
        return {_key_of(type(self), name): _plain(self.__dict__[name]) for name in self._set}

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter([(name, value) for name, value in self.__dict__.items() if name not in _NO_FIELDS])

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: the model is frozen")


@cache
def _fields_of(model: type) -> tuple[dict[str, Any], Any]:
    """Return the types of a model's fields by name, and the type of others that it may have."""
    hints = get_type_hints(model, include_extras=True)
    extra = get_args(hints["__pydantic_extra__"])[1]
    return {name: kind for name, kind in hints.items() if name not in _NO_FIELDS}, extra


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return {name: _plain(part) for name, part in value.items()} if isinstance(value, dict) else value


def _key_of(kind: type, name: str) -> str:
    """Return what documents call a field."""
    facts = getattr(kind, name, None)
    return facts.alias if isinstance(facts, _FieldFacts) and facts.alias else name


def _called(function: Callable[..., Any], *values: Any) -> Any:
    try:
        return function(*values)
    except ValidationError:
        raise
    except ValueError as error:
        raise ValidationError(f"Value error, {error}") from None


def _checked(kind: Any, value: Any, *where: object) -> Any:
    """Return the value as a type says; `where` it stands goes into the error."""
    try:
        return _check(kind, value)
    except ValidationError as error:
        error.where = (*where, *error.where)
        raise


def _check(kind: Any, value: Any) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        facts = kind.__metadata__
        for fact in facts[::-1]:
            if type(fact) is BeforeValidator:
                value = _called(fact.function, value)
        value = _check(parts[0], value)
        for fact in facts:
            if isinstance(fact, _FieldFacts):
                _limit(value, fact.limits)
            elif isinstance(fact, AfterValidator):
                value = _called(fact.function, value)
        return value
    if origin in (Union, types.UnionType):
        for part in parts:
            try:
                return _check(part, value)
            except ValidationError as error:
                first = error
        raise first
    if origin is Literal:
        if not any(value == part and type(value) is type(part) for part in parts):
            raise ValidationError(f"Input should be {' or '.join(map(repr, parts))}")
        return value
    if origin in (tuple, list):
        return _check_items(origin, parts, value)
    if origin is dict:
        if not isinstance(value, dict):
            raise ValidationError("Input should be a valid dictionary")
        return {_checked(parts[0], key, key): _checked(parts[1], part, key) for key, part in value.items()}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_validate(value)
    return _check_plain(kind, value)


def _check_items(origin: Any, parts: tuple[Any, ...], value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise ValidationError(f"Input should be a valid {origin.__name__}")
    if origin is list or parts[-1] is ...:
        return origin(_checked(parts[0], item, number) for number, item in enumerate(value))
    if len(value) != len(parts):
        raise ValidationError(f"Input should have {len(parts)} items")
    return tuple(_checked(part, item, number) for number, (part, item) in enumerate(zip(parts, value, strict=True)))


_NAMES = {int: "integer", float: "number", str: "string", bool: "boolean"}


def _check_plain(kind: Any, value: Any) -> Any:
    if kind is Any:
        return value
    if kind is None or kind is type(None):
        if value is not None:
            raise ValidationError("Input should be None")
        return value
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ValidationError(f"Input should be a valid {_NAMES.get(kind, kind)}")
    if kind is str and re.search("[\ud800-\udfff]", value):
        raise ValidationError("Input should be a valid string, without halves of surrogate pairs")
    if kind is float and not math.isfinite(value):
        raise ValidationError("Input should be a finite number")
    return value


_LIMITS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "ge": (lambda value, limit: value >= limit, "Input should be greater than or equal to {}"),
    "gt": (lambda value, limit: value > limit, "Input should be greater than {}"),
    "le": (lambda value, limit: value <= limit, "Input should be less than or equal to {}"),
    "lt": (lambda value, limit: value < limit, "Input should be less than {}"),
    "min_length": (lambda value, limit: len(value) >= limit, "Input should have at least {} items"),
    "max_length": (lambda value, limit: len(value) <= limit, "Input should have at most {} characters"),
    "pattern": (lambda value, limit: re.search(limit, value) is not None, "String should match pattern '{}'"),
}


def _limit(value: Any, limits: dict[str, Any]) -> None:
    for name, limit in limits.items():
        if name in _LIMITS and not _LIMITS[name][0](value, limit):
            raise ValidationError(_LIMITS[name][1].format(limit))
