"""Sums and differences of numbers in canonical spelling."""

from decimal import Decimal

from sortkey.wire.errors import ValidationException
from sortkey.wire.numbers import DIGITS, EXACT, spell

# Integers of up to this many characters cannot reach 38 digits when added.
_SHORT = 30


def add(left: str, right: str) -> str:
    """The exact sum, refused if DynamoDB could not hold it."""
    if len(left) < _SHORT > len(right) and "." not in left and "." not in right:
        return str(int(left) + int(right))
    return _held(EXACT.add(Decimal(left), Decimal(right)))


def subtract(left: str, right: str) -> str:
    """The exact difference, refused if DynamoDB could not hold it."""
    if len(left) < _SHORT > len(right) and "." not in left and "." not in right:
        return str(int(left) - int(right))
    return _held(EXACT.subtract(Decimal(left), Decimal(right)))


def _held(number: Decimal) -> str:
    significant = "".join(map(str, number.as_tuple().digits)).strip("0")
    if len(significant) > DIGITS:
        # DynamoDB calls a result with too many digits an overflow.
        raise ValidationException(
            "Number overflow. Attempting to store a number with magnitude larger than "
            "supported range"
        )
    return spell(number)
