"""Comparison of arguments with values: as Python values, within a text, or as stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from sortkey.design.records.codecs import FieldCodec
from sortkey.design.records.codecs.dynamic import decode_any
from sortkey.wire.values import AttributeValue

SCALARS = (str, int, float, Decimal, bytes, date, UUID, Enum)


def have_one_type(one: Any, other: Any) -> bool:
    """Return whether two values are of exactly one type."""
    return type(one) is type(other)


def is_same(part: Any, value: Any) -> bool:
    """Return whether an argument is a Python value; a field may hold whole seconds only."""
    if part is value:
        return True
    if type(part) is not type(value):
        return False
    return part == value or (
        isinstance(part, datetime) and not value.microsecond and whole_seconds(part) == value
    )


def whole_seconds(time: datetime) -> datetime:
    """Return a time without its microseconds."""
    return time.replace(microsecond=0)


def is_encoded(field: FieldCodec, part: Any, value: AttributeValue) -> bool:
    """Return whether a field stores an argument that holds others as this value."""
    if not isinstance(part, BaseModel | dict | list | tuple):
        return False
    try:
        return field.encode(part) == value
    except Exception:  # noqa: BLE001 - what the field does not take is not this value
        return False


def is_never(part: Any, value: Any) -> bool:  # noqa: ARG001 - compares as the others do
    """Return False: values of several types never equal one argument."""
    return False


def as_text(part: Any) -> str:
    """Return an argument as a text has it, or nothing where it has no such form."""
    if isinstance(part, Enum):
        return as_text(part.value)
    if isinstance(part, str):
        return str.__str__(part)
    if isinstance(part, bool | datetime) or not isinstance(part, int | Decimal | UUID | date):
        return ""
    return str(part)


def is_text(part: Any, text: str) -> bool:
    """Return whether a text is an argument, written out."""
    if isinstance(part, datetime):
        return text in _times(part, part.tzinfo)
    return bool(text) and as_text(part) == text


@lru_cache
def _times(time: datetime, zone: tzinfo | None) -> tuple[str, ...]:  # noqa: ARG001 - equal times
    """Return the texts of a time, the longest first: however finely, with its zone or with Z."""
    forms = [time.isoformat(timespec=spec) for spec in _FINE]
    return tuple(text for form in forms for text in (form, form.removesuffix("+00:00") + "Z"))


_FINE = ("microseconds", "milliseconds", "seconds")


def text_in(part: Any, text: str) -> str:
    """Return an argument as a text has it, or nothing where it does not."""
    if isinstance(part, datetime):
        return next((form for form in _times(part, part.tzinfo) if form in text), "")
    return as_text(part)


def is_number(part: Any, text: str) -> bool:
    """Return whether the digits are those of an argument; a time has seconds or milliseconds."""
    if isinstance(part, Enum):
        return is_number(part.value, text)
    if isinstance(part, bool) or not isinstance(part, int | float | Decimal | datetime):
        return False
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    if isinstance(part, datetime):
        seconds = part.timestamp()
        return number in {Decimal(int(seconds)), Decimal(int(seconds * 1000))}
    return Decimal(str(part)) == number


def _is_binary(part: Any, text: str) -> bool:
    return isinstance(part, bytes) and decode_any({"B": text}) == part


@dataclass(frozen=True, slots=True)
class Form:
    """A form of values: how they are compared with arguments, and shown as constants."""

    is_same: Callable[[Any, Any], bool]
    plain: Callable[[Any], Any] = lambda value: value


PYTHON = Form(is_same)
TEXT = Form(is_text)
STORED: Mapping[str, Callable[[Any, Any], bool]] = {
    "S": is_text,
    "N": is_number,
    "B": _is_binary,
}


def number_of(value: Any, like: Any = None) -> Any:
    """Return a value that something can be added to: a number as a Decimal, or a time.

    A time that is compared with a number is one too.
    """
    if isinstance(value, datetime):
        return Decimal(int(value.timestamp())) if isinstance(like, Decimal) else value
    if isinstance(like, datetime) or isinstance(value, bool):
        return None
    if not isinstance(value, int | float | Decimal | str):
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def is_offset(part: Any, value: Any, added: Any) -> bool:
    """Return whether a value is an argument with this added."""
    number = number_of(value)
    base = number_of(part, number)
    return base is not None and number is not None and number - base == added


def plain_constant(kind: str, content: Any) -> Any:
    """Return a stored constant as a plan has it."""
    match kind:
        case "N":
            return int(content) if content.lstrip("-").isdigit() else content
        case "NULL":
            return None
        case _:
            return content
