"""Formats of values in a key's text: texts, numbers, choices and UUIDs.

`write` refuses what would not read back; `read` undoes `write`, raises a ValueError on other texts,
and may be lax about texts that `write` never makes (a slot checks that).
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, Protocol
from uuid import UUID

from sortkey.design.records.keys.characters import (
    DIGITS,
    GREATEST,
    Shape,
    exactly,
    many_but,
    many_of,
    one_of,
)
from sortkey.wording.prose import counted


class FormatError(ValueError):
    """Why a value or a type cannot be written into a key, and what to do."""


class Format(Protocol):
    """A way to write the values of one type as text."""

    @property
    def shape(self) -> Shape:
        """The texts that it can make, or a little more."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether texts sort as their values do."""
        ...

    @property
    def width(self) -> int | None:
        """The length of every text, where they are all of one length."""
        ...

    @property
    def lossy(self) -> bool:
        """Whether different values may be written as the same text."""
        ...

    def write(self, value: Any) -> str:
        """The value's text."""
        ...

    def read(self, text: str) -> Any:
        """The value that is written so."""
        ...


class TextFormat:
    """A text as it is, without the characters that mark where it ends."""

    ordered = True
    width = None
    lossy = False

    def __init__(self, refused: str) -> None:
        self._refused = re.compile(f"[{re.escape(refused)}\ud800-\udfff{GREATEST}]")
        self.shape: Shape = ((many_but(refused + GREATEST),),)

    def write(self, value: Any) -> str:
        """The text itself."""
        if not isinstance(value, str):
            raise FormatError(_wrong_type(value, "a str"))
        if not value:
            raise FormatError("it is empty, but every part of a key must have text: pass a value")
        if unfit := self._refused.search(value):
            raise FormatError(_unfit(unfit[0]))
        # A member of a str enum is written as its value, not as its name.
        return str.__str__(value)

    def read(self, text: str) -> str:
        """The text itself."""
        return text


class PlainNumberFormat:
    """A whole number at its natural width, which does not sort as numbers do."""

    ordered = False
    width = None
    lossy = False
    shape: Shape = (
        exactly("0"),
        (one_of(DIGITS[1:]),),
        (one_of(DIGITS[1:]), many_of(DIGITS)),
        (one_of("-"), one_of(DIGITS[1:])),
        (one_of("-"), one_of(DIGITS[1:]), many_of(DIGITS)),
    )

    def write(self, value: Any) -> str:
        """The number's digits."""
        return str(_whole(value))

    def read(self, text: str) -> int:
        """The number."""
        return int(text)


class BoundedNumberFormat:
    """A whole number whose bounds give all values as many digits, so that texts sort as they do."""

    ordered = True
    lossy = False

    def __init__(self, width: int) -> None:
        self.width = width
        first = DIGITS if width == 1 else DIGITS[1:]
        self.shape: Shape = ((one_of(first), *(one_of(DIGITS),) * (width - 1)),)

    def write(self, value: Any) -> str:
        """The number's digits."""
        text = str(_whole(value))
        if len(text) != self.width or text.startswith("-"):
            digits = counted(self.width, "digit")
            raise FormatError(f"the bounds of the field give it {digits}: keep to them")
        return text

    def read(self, text: str) -> int:
        """The number."""
        return int(text)


class PaddedNumberFormat:
    """A whole number with zeros in front up to a fixed width."""

    ordered = True
    lossy = False

    def __init__(self, width: int) -> None:
        self.width = width
        self.shape: Shape = ((one_of(DIGITS),) * width,)
        self._limit = 10**width

    def write(self, value: Any) -> str:
        """The padded digits."""
        number = _whole(value)
        if number < 0:
            raise FormatError(
                "it is negative, but padded numbers sort only from zero up: store it with an "
                "offset, or mark the slot :unordered"
            )
        if number >= self._limit:
            raise FormatError(f"it has more than {self.width} digits: pad the slot wider")
        return f"{number:0{self.width}d}"

    def read(self, text: str) -> int:
        """The number."""
        return int(text)


class FixedPointFormat:
    """A decimal number with a fixed count of digits on either side of its point."""

    ordered = True
    lossy = False

    def __init__(self, width: int, places: int) -> None:
        self.width = width
        self.places = places
        whole = (one_of(DIGITS),) * (width - places - 1)
        self.shape: Shape = ((*whole, one_of("."), *(one_of(DIGITS),) * places),)

    def write(self, value: Any) -> str:
        """The padded digits."""
        if not isinstance(value, Decimal):
            raise FormatError(_wrong_type(value, "a Decimal"))
        if not value.is_finite() or value < 0:
            raise FormatError("padded decimals sort only from zero up: store it with an offset")
        text = f"{value.copy_abs():0{self.width}.{self.places}f}"
        if len(text) > self.width:
            raise FormatError(f"it needs more than {self.width} characters: pad the slot wider")
        if Decimal(text) != value:
            raise FormatError(f"it has more than {self.places} decimal places: round it first")
        return text

    def read(self, text: str) -> Decimal:
        """The number."""
        try:
            return Decimal(text)
        except InvalidOperation:
            raise ValueError("not a decimal number") from None


class ChoiceFormat:
    """One of a few values, each with its text: an enum by value, or a Literal."""

    lossy = False

    def __init__(self, texts: Mapping[str | int, str], kind: type[Enum] | None) -> None:
        self._texts = texts
        self._kind = kind
        self.is_number = any(isinstance(value, int) for value in texts)
        self._values = {text: kind(value) if kind else value for value, text in texts.items()}
        self.choices = tuple(texts.values())
        self.shape: Shape = tuple(map(exactly, self.choices))
        widths = {len(text) for text in texts.values()}
        self.width = widths.pop() if len(widths) == 1 else None
        by_text = sorted(texts, key=lambda value: texts[value])
        # Values are of one type; the key only spares the type checker a doubt.
        self.ordered = by_text == sorted(texts, key=lambda value: (isinstance(value, str), value))

    def write(self, value: Any) -> str:
        """The text of the value, given as the enum's member or as its value."""
        kind = self._kind
        raw = value.value if kind is not None and isinstance(value, kind) else value
        text = self._texts.get(raw) if type(raw) in (str, int) else None
        if text is None:
            wanted = kind.__name__ if kind else "the field's type"
            raise FormatError(f"it is not a value of {wanted}: use one of {self._shown()}")
        return text

    def read(self, text: str) -> Any:
        """The enum's member, or the Literal's value."""
        if text not in self._values:
            raise ValueError(f"not one of {self._shown()}")
        return self._values[text]

    def _shown(self) -> str:
        return ", ".join(map(repr, self._texts))


class UUIDFormat:
    """A UUID in its canonical form, lower case with dashes."""

    ordered = True
    lossy = False
    width = 36
    shape: Shape = (
        tuple(
            one_of("-" if place in {8, 13, 18, 23} else DIGITS + "abcdef") for place in range(36)
        ),
    )

    def write(self, value: Any) -> str:
        """The canonical text."""
        if not isinstance(value, UUID):
            raise FormatError(_wrong_type(value, "a UUID"))
        return str(value)

    def read(self, text: str) -> UUID:
        """The UUID."""
        return UUID(text)


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise FormatError(_wrong_type(value, "an int"))
    return int(value)


def _wrong_type(value: Any, wanted: str) -> str:
    if value is None:
        return f"it has no value: pass {wanted}"
    return f"it is of type {type(value).__name__}: pass {wanted}"


def _unfit(character: str) -> str:
    if character == GREATEST:
        return "it contains U+10FFFF, where ranges end: remove that character"
    if "\ud800" <= character <= "\udfff":
        return "it contains half of a surrogate pair, which UTF-8 cannot encode: remove it"
    return (
        f"it contains {character!r}, which separates the parts of this key: "
        "encode or replace that character"
    )
