"""A slot of a key template: one `{field}` or `{field:spec}`, which writes and reads its values."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import field as member
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, Flag
from typing import Any, Literal, TypeAlias, get_args, get_origin
from uuid import UUID

from sortkey.design.records.keys.characters import Shape
from sortkey.design.records.keys.formats import (
    BoundedNumberFormat,
    ChoiceFormat,
    FixedPointFormat,
    Format,
    FormatError,
    PaddedNumberFormat,
    PlainNumberFormat,
    TextFormat,
    UUIDFormat,
)
from sortkey.design.records.keys.times import EPOCH_SPEC, DateFormat, DatetimeFormat, EpochFormat
from sortkey.errors import ValueRefused

UNORDERED = "unordered"

# The least and the greatest value of a number, as far as its field declares them.
Bounds: TypeAlias = tuple[int | None, int | None]
UNBOUNDED: Bounds = (None, None)

_PADDED = re.compile(r"0([1-9][0-9]?)d")
_FIXED_POINT = re.compile(r"0([1-9][0-9]?)\.([1-9][0-9]?)f")
_SHOWN_CHARACTERS = 60

# The digits of times since 1970, by the unit that a name gives them; without one, milliseconds
# have room and seconds too. Any other number has room for 64 bits.
_DIGITS: tuple[tuple[frozenset[str], int], ...] = (
    (frozenset({"ns", "nanos", "nanoseconds"}), 19),
    (frozenset({"us", "micros", "microseconds"}), 16),
    (frozenset({"ms", "millis", "milliseconds"}), 13),
    (frozenset({"s", "sec", "secs", "seconds"}), 10),
    (frozenset({"at", "epoch", "time", "timestamp", "ts", "unix"}), 13),
)
_MOST_DIGITS = 20


class KeyValueError(ValueRefused):
    """A value cannot be part of a key; the message names the field, the reason and the fix."""

    def __init__(self, slot: "Slot", message: str, value: Any) -> None:
        super().__init__(slot.field, message, value, slot.type)
        self.slot = slot


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one field's value in a key's text."""

    field: str
    spec: str
    type: Any
    format: Format = member(repr=False, compare=False)
    bounds: Bounds = member(default=UNBOUNDED, repr=False, compare=False)
    # The texts that the field's declaration allows, where it says more than its type.
    allowed: Shape | None = member(default=None, repr=False, compare=False)

    @property
    def ordered(self) -> bool:
        """Whether texts sort as the values do."""
        return self.format.ordered

    @property
    def width(self) -> int | None:
        """The length of every text, where they are all of one length."""
        return self.format.width

    @property
    def lossy(self) -> bool:
        """Whether different values may be written as the same text, as by a time cut to its day.

        What such a slot reads is the earliest of them: compare keys by writing a record's own
        value again.
        """
        return self.format.lossy

    @property
    def shape(self) -> Shape:
        """The texts that the slot can hold, or a little more."""
        return self.format.shape if self.allowed is None else self.allowed

    @property
    def is_text(self) -> bool:
        """Whether it takes any text, rather than a number, a time or one of a few values."""
        return isinstance(self.format, TextFormat)

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts of a type with few values; empty where there are many."""
        return self.format.choices if isinstance(self.format, ChoiceFormat) else ()

    @property
    def is_number(self) -> bool:
        """Whether its values are whole numbers, an enum's included."""
        numbers = PlainNumberFormat | BoundedNumberFormat | PaddedNumberFormat
        return isinstance(self.format, numbers) or (
            isinstance(self.format, ChoiceFormat) and self.format.is_number
        )

    @property
    def padded(self) -> str:
        """The slot padded so that it sorts: wide enough for all values of the field."""
        return f"{{{self.field}:0{digits_of(self.field, self.bounds)}d}}"

    @property
    def is_time(self) -> bool:
        """Whether its values are times or dates."""
        return isinstance(self.format, DatetimeFormat | DateFormat | EpochFormat)

    def write(self, value: Any) -> str:
        """The value's text; refuses what could not be read back."""
        try:
            return self.format.write(value)
        except ValueError as refusal:
            raise KeyValueError(
                self,
                f'"{self.field}" = {_shown(value)} cannot be written as {self}: {refusal}',
                value,
            ) from None

    def read(self, text: str) -> Any:
        """The value whose text this is; a ValueError if no value is written so."""
        value = self.format.read(text)
        if self.format.write(value) != text:
            raise ValueError(f"{text!r} is not how {self} writes a value")
        return value

    def __str__(self) -> str:
        return f"{{{self.field}:{self.spec}}}" if self.spec else f"{{{self.field}}}"


def slot_format(
    name: str, kind: Any, spec: str, delimiters: str, bounds: Bounds = UNBOUNDED
) -> Format:
    """The format for a field of this type; a FormatError says why there is none.

    Texts, and the values of choices, may not contain a delimiter.
    """
    if get_origin(kind) is Literal:
        return _choice_format(name, get_args(kind), None, spec, delimiters)
    if not isinstance(kind, type):
        raise FormatError(_not_scalar(name, kind))
    if issubclass(kind, Enum) and not issubclass(kind, Flag):
        values = [member.value for member in kind]
        return _choice_format(name, values, kind, spec, delimiters)
    if issubclass(kind, bool):
        raise FormatError(
            f'"{name}" is a bool, which has only two values: remove it from the key, or use an '
            "enum with two texts"
        )
    if issubclass(kind, int) and not issubclass(kind, Flag):
        return _number_format(name, spec, bounds)
    if issubclass(kind, Decimal):
        return _decimal_format(name, spec)
    if issubclass(kind, datetime):
        return EpochFormat() if spec == EPOCH_SPEC else DatetimeFormat(spec)
    if issubclass(kind, date):
        return DateFormat(spec)
    if issubclass(kind, str):
        _no_spec(name, "a text", spec)
        return TextFormat(delimiters)
    if issubclass(kind, UUID):
        _no_spec(name, "a UUID", spec)
        return UUIDFormat()
    raise FormatError(_not_scalar(name, kind))


def choice_bounds(kind: Any) -> Bounds | None:
    """The bounds of a choice among whole numbers: a Literal, or an enum."""
    values: list[Any] = []
    if get_origin(kind) is Literal:
        values = list(get_args(kind))
    elif isinstance(kind, type) and issubclass(kind, Enum):
        values = [member.value for member in kind]
    kinds: set[object] = {type(value) for value in values}
    return (min(values), max(values)) if kinds == {int} else None


def digits_of(name: str, bounds: Bounds = UNBOUNDED) -> int:
    """Return the most digits of a number, from its bounds, or else from its name."""
    most = bounds[1]
    if most is not None:
        return len(str(abs(most)))
    said = set(re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name))
    named = [digits for words, digits in _DIGITS if words & {word.lower() for word in said}]
    return next(iter(named), _MOST_DIGITS)


def _number_format(
    name: str, spec: str, bounds: Bounds = UNBOUNDED
) -> PlainNumberFormat | BoundedNumberFormat | PaddedNumberFormat:
    if not spec and (width := _fixed_width(bounds)):
        return BoundedNumberFormat(width)
    if spec in {"", UNORDERED}:
        return PlainNumberFormat()
    if padded := _PADDED.fullmatch(spec):
        return PaddedNumberFormat(int(padded[1]))
    raise FormatError(
        f'"{name}" is a number, and {spec!r} is no format for one in a key: '
        f"write {{{name}:0{digits_of(name, bounds)}d}} to pad it with zeros, "
        f"or {{{name}:{UNORDERED}}}"
    )


def _fixed_width(bounds: Bounds) -> int | None:
    """The number of digits that all values have, where the bounds say so."""
    least, most = bounds
    if least is None or most is None or not 0 <= least <= most:
        return None
    return len(str(most)) if len(str(least)) == len(str(most)) else None


def _decimal_format(name: str, spec: str) -> FixedPointFormat:
    if fixed := _FIXED_POINT.fullmatch(spec):
        width, places = int(fixed[1]), int(fixed[2])
        # At least one digit stands before the point.
        if width >= places + 2:
            return FixedPointFormat(width, places)
    raise FormatError(
        f'"{name}" is a Decimal, which sorts only with a fixed point: write {{{name}:012.2f}} '
        "for twelve characters with two decimal places"
    )


def _choice_format(
    name: str, values: Sequence[Any], kind: type[Enum] | None, spec: str, delimiters: str
) -> ChoiceFormat:
    kinds: set[object] = {type(value) for value in values}
    if kinds == {int}:
        return ChoiceFormat(_texts(name, values, _number_format(name, spec)), kind)
    if kinds != {str}:
        raise FormatError(
            f'the values of "{name}" are not all texts or all whole numbers: '
            "give them one of these types, or leave the field out of the key"
        )
    _no_spec(name, "a text", spec)
    return ChoiceFormat(_texts(name, values, TextFormat(delimiters)), kind)


def _texts(name: str, values: Iterable[Any], form: Format) -> dict[str | int, str]:
    texts: dict[str | int, str] = {}
    for value in values:
        try:
            texts[value] = form.write(value)
        except FormatError as refusal:
            raise FormatError(f'"{name}" may be {value!r}: {refusal}') from None
    return texts


def _no_spec(name: str, what: str, spec: str) -> None:
    if spec:
        raise FormatError(f'"{name}" is {what}, which has no format {spec!r}: write {{{name}}}')


def _not_scalar(name: str, kind: Any) -> str:
    shown = kind.__name__ if isinstance(kind, type) else str(kind)
    return (
        f'"{name}" is of type {shown}, which a key cannot contain: use a str, int, datetime, date, '
        "UUID, enum, or a Decimal with a fixed point"
    )


def _shown(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:
        # Python does not write out numbers of thousands of digits.
        return f"<a long {type(value).__name__}>"
    if len(shown) <= _SHOWN_CHARACTERS:
        return shown
    return f"{shown[: _SHOWN_CHARACTERS - 3]}..."
