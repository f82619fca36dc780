"""Times: instants as fixed-width text in UTC or as whole seconds, days, and durations.

Fixed width makes text sort as time passes. What a form cannot hold is refused, never rounded:
`EpochSeconds` and `WholeSeconds` drop the microseconds when the model is validated, so that the
record in memory equals the one stored. What they are compared with keeps them.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator

from sortkey.design.records.codecs.codec import Codec, codec, unreadable, wrong_type
from sortkey.design.records.codecs.scalars import (
    decode_decimal,
    decode_int,
    decode_text,
    number_text,
)
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.numbers import EXACT
from sortkey.wire.values import AttributeValue


@dataclass(frozen=True, slots=True)
class Epoch:
    """Marks a datetime that is stored as a number: whole seconds since 1970 in UTC."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """Marks a datetime that is stored as text with whole seconds: ``2026-11-15T11:26:54Z``."""


def _to_the_second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


EpochSeconds = Annotated[datetime, Epoch(), AfterValidator(_to_the_second)]
WholeSeconds = Annotated[datetime, Seconds(), AfterValidator(_to_the_second)]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = 86400
FULL_WIDTH = 27
_SECONDS_WIDTH = 19
# Python drops the digits after the sixth without a word.
_FINER_THAN_MICROSECONDS = re.compile(r"[.,]\d{6}\d*[1-9]")


def _in_utc(value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise wrong_type(value, "a datetime")
    if value.tzinfo is UTC:
        return value
    if value.utcoffset() is None:
        raise Unstorable("has no time zone; use datetime.now(UTC)")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise Unstorable("is outside the years 1 to 9999 in UTC") from None


def _whole_seconds(value: Any) -> datetime:
    moment = _in_utc(value)
    if moment.microsecond:
        raise Unstorable(
            "has microseconds, but is stored in whole seconds; use .replace(microsecond=0)"
        )
    return moment


def _encode_datetime(value: Any) -> AttributeValue:
    return {"S": _in_utc(value).isoformat(timespec="microseconds")[: FULL_WIDTH - 1] + "Z"}


def _encode_to_the_second(value: Any) -> AttributeValue:
    return {"S": _whole_seconds(value).isoformat(timespec="seconds")[:_SECONDS_WIDTH] + "Z"}


def decode_datetime(value: AttributeValue) -> datetime:
    """The time of an ``S``, in UTC."""
    text = decode_text(value)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise unreadable(text, "a time") from None
    if len(text) == FULL_WIDTH and moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise Unstorable(f"is stored as {text!r}, without a time zone")
    if len(text) > FULL_WIDTH and _FINER_THAN_MICROSECONDS.search(text):
        raise Unstorable(f"is stored as {text!r}, finer than the microseconds of a datetime")
    return _in_utc(moment)


def _encode_epoch(value: Any) -> AttributeValue:
    since = _whole_seconds(value) - _EPOCH
    return {"N": str(since.days * _DAY + since.seconds)}


def _decode_epoch(value: AttributeValue) -> datetime:
    seconds = decode_int(value)
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        raise unreadable(value["N"], "seconds within the years 1 to 9999") from None


def _encode_date(value: Any) -> AttributeValue:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise wrong_type(value, "a date")
    return {"S": value.isoformat()}


def _decode_date(value: AttributeValue) -> date:
    text = decode_text(value)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise unreadable(text, "a date") from None


def _encode_timedelta(value: Any) -> AttributeValue:
    if not isinstance(value, timedelta):
        raise wrong_type(value, "a timedelta")
    return {"N": number_text(Decimal(value // _MICROSECOND).scaleb(-6, EXACT))}


def _decode_timedelta(value: AttributeValue) -> timedelta:
    microseconds = decode_decimal(value).scaleb(6, EXACT)
    if microseconds != microseconds.to_integral_value():
        raise unreadable(value["N"], "a whole number of microseconds")
    try:
        return timedelta(microseconds=int(microseconds))
    except OverflowError:
        raise unreadable(value["N"], "a duration that a timedelta can hold") from None


DATETIME = codec("S", _encode_datetime, decode_datetime, datetime)
TO_THE_SECOND = codec("S", _encode_to_the_second, decode_datetime, datetime)
EPOCH = codec("N", _encode_epoch, _decode_epoch, datetime)
TIMES = {
    datetime: DATETIME,
    date: codec("S", _encode_date, _decode_date, date),
    timedelta: codec("N", _encode_timedelta, _decode_timedelta, timedelta),
}


def later_by(microseconds: int, stored: AttributeValue) -> AttributeValue:
    """A time within the second of a stored one, to compare with: it equals nothing stored."""
    if "N" in stored:
        fraction = Decimal(microseconds).scaleb(-6, EXACT)
        return {"N": number_text(Decimal(stored["N"]) + fraction)}
    # After the Z, so that it sorts between this second and the next.
    return {"S": f"{decode_text(stored)}.{microseconds:06d}"}


def time_marks(marks: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the marks that select the form of a datetime."""
    return tuple(mark for mark in marks if isinstance(mark, Epoch | Seconds))


def datetime_codec(marks: tuple[Any, ...]) -> Codec:
    """The form of a datetime that the marks ask for."""
    for mark in reversed(marks):  # the outermost is the last
        if isinstance(mark, Epoch):
            return EPOCH
        if isinstance(mark, Seconds):
            return TO_THE_SECOND
    return DATETIME
