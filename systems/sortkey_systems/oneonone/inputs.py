"""Validate arguments before anything is read or written."""

import re
from datetime import date

from sortkey_systems.oneonone.errors import BadInput

_ID = re.compile(r"[\w.:@+-]{1,128}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
LONGEST_EMAIL = 254
LARGEST_PAGE = 100


def is_id(value: str) -> bool:
    """Return whether the value is an id of letters, digits and - _ . : @ +."""
    return _ID.fullmatch(value) is not None


def check_id(value: str, field: str) -> None:
    """Raise `BadInput` unless the value is an id of letters, digits and - _ . : @ +."""
    if not is_id(value):
        raise BadInput(field, "must have 1 to 128 letters, digits and -_.:@+")


def check_email(value: str | None) -> None:
    """Raise `BadInput` unless the value is an e-mail address or None."""
    if value is not None and (len(value) > LONGEST_EMAIL or not _EMAIL.fullmatch(value)):
        raise BadInput("email", "must be an address such as ann@example.org")


def check_days(first: date, last: date) -> None:
    """Raise `BadInput` if the range ends before it begins."""
    if first > last:
        raise BadInput("first", f"is {first}, which is after the last day, {last}")


def check_size(value: int) -> None:
    """Raise `BadInput` unless the page size is allowed."""
    if not 1 <= value <= LARGEST_PAGE:
        raise BadInput("size", f"must be a number from 1 to {LARGEST_PAGE}, not {value}")
