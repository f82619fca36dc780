"""DynamoDB's numbers: 38 significant digits, from 1E-130 to just under 1E126, as text.

A number has one canonical text (plain notation, no superfluous zeros), which is how it is
stored and answered, and one order-preserving byte string, which is how it stands in a key.
"""

import re
from decimal import Context, Decimal
from functools import lru_cache

from sortkey.wire.errors import ValidationException

DIGITS = 38
LARGEST_EXPONENT = 125
SMALLEST_EXPONENT = -130

# Every canonical number has at most this many digits, so sums and comparisons are exact.
EXACT = Context(prec=LARGEST_EXPONENT - SMALLEST_EXPONENT + DIGITS + 2)

_PLAIN_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,37}", re.ASCII)
# Possessive (`*+`): else a million digits and a letter would be split in every possible way.
_NUMBER = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*+)\.?([0-9]*+)(?:[eE]([+-]?[0-9]++))?", re.ASCII)
_LONGEST_EXPONENT = 9
_USUAL_LENGTH = 40
_COMPLEMENT = bytes.maketrans(b"0123456789", b"9876543210")


def read_number(text: str) -> tuple[str, int]:
    """A number's one spelling and its size in bytes, or DynamoDB's refusal."""
    if len(text) <= _USUAL_LENGTH:
        return _read_usual_number(text)
    number = canonical_number(text)
    return number, number_size(number)


@lru_cache(maxsize=4096)  # the same prices, counts and days come again and again
def _read_usual_number(text: str) -> tuple[str, int]:
    number = canonical_number(text)
    return number, number_size(number)


def canonical_number(text: str) -> str:
    """The one spelling of this number, or DynamoDB's refusal if it is none or out of range."""
    if _PLAIN_INTEGER.fullmatch(text):
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        shown = f": {text}" if text else ""
        raise ValidationException(f"The parameter cannot be converted to a numeric value{shown}")
    sign, whole, fraction, power = match.groups(default="0")
    if len(power) > _LONGEST_EXPONENT:  # far out of range, whatever the digits are
        power = power[0].replace("+", "") + "9" * _LONGEST_EXPONENT
    return _spell(whole + fraction, int(power) - len(fraction), negative=sign == "-")


def spell(number: Decimal) -> str:
    """The canonical text of a number, refused if DynamoDB could not hold it."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        raise ValidationException(f"The parameter cannot be converted to a numeric value: {number}")
    return _spell("".join(map(str, digits)), exponent, negative=bool(sign))


def _spell(digits: str, exponent: int, *, negative: bool) -> str:
    figures = digits.lstrip("0")
    if not figures:
        return "0"
    significant = figures.rstrip("0")
    magnitude = len(figures) - 1 + exponent
    if magnitude > LARGEST_EXPONENT:
        raise ValidationException(
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range"
        )
    if magnitude < SMALLEST_EXPONENT:
        raise ValidationException(
            "Number underflow. Attempting to store a number with magnitude smaller than "
            "supported range"
        )
    if len(significant) > DIGITS:
        raise ValidationException("Attempting to store more than 38 significant digits in a Number")
    return ("-" if negative else "") + _plain(significant, magnitude)


def _plain(significant: str, magnitude: int) -> str:
    whole = magnitude + 1
    if whole <= 0:
        return "0." + "0" * -whole + significant
    if whole >= len(significant):
        return significant.ljust(whole, "0")
    return f"{significant[:whole]}.{significant[whole:]}"


def number_size(canonical: str) -> int:
    """The bytes DynamoDB charges for a number: one for each pair of digits, and one or two more."""
    if canonical == "0":
        return 1
    negative, digits, magnitude = _scientific(canonical)
    # Digits are paired on either side of the decimal point, so an even count may straddle it.
    straddles = len(digits) % 2 == 0 and magnitude % 2 == 0
    return 1 + (len(digits) + 1) // 2 + straddles + negative


def number_key(canonical: str) -> bytes:
    """Bytes that sort as the numbers do; different numbers have different bytes."""
    if canonical == "0":
        return b"\x01"
    negative, digits, magnitude = _scientific(canonical)
    exponent = magnitude - SMALLEST_EXPONENT
    if negative:
        # The complement reverses the order; the end mark makes -1 greater than -1.5.
        mirrored = digits.encode().translate(_COMPLEMENT)
        return b"\x00" + bytes((255 - exponent,)) + mirrored + b"\xff"
    return b"\x02" + bytes((exponent,)) + digits.encode()


def number_of_key(content: bytes) -> str:
    """Return the number that has these bytes, which `number_key` made."""
    if content == b"\x01":
        return "0"
    negative = content[0] == 0
    digits, exponent = content[2:], content[1]
    if negative:
        digits, exponent = digits[:-1].translate(_COMPLEMENT), 255 - exponent
    magnitude = exponent + SMALLEST_EXPONENT
    return _spell(digits.decode(), magnitude - len(digits) + 1, negative=negative)


def _scientific(canonical: str) -> tuple[bool, str, int]:
    """A non-zero number's sign, its significant digits, and the power of ten of the first."""
    negative = canonical[0] == "-"
    unsigned = canonical[1:] if negative else canonical
    whole, _, fraction = unsigned.partition(".")
    if whole != "0":
        return negative, (whole + fraction).rstrip("0"), len(whole) - 1
    digits = fraction.lstrip("0")
    return negative, digits, len(digits) - len(fraction) - 1
