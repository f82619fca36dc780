"""What callers may send: each value is checked by name before anything is read or written."""

import re
from datetime import date

from sortkey_systems.oneonone.errors import BadInput

_ID = re.compile(r"[\w.:@+-]{1,128}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
LONGEST_EMAIL = 254
LARGEST_PAGE = 100


def check_id(value: str, field: str) -> None:
    """Refuse what is no id: it has letters, digits and - _ . : @ +."""
    if not _ID.fullmatch(value):
        raise BadInput(field, "wants 1 to 128 letters, digits and -_.:@+")


def check_email(value: str | None) -> None:
    """Refuse what is no e-mail address."""
    if value is not None and (len(value) > LONGEST_EMAIL or not _EMAIL.fullmatch(value)):
        raise BadInput("email", "wants an address such as ann@example.org")


def check_days(first: date, last: date) -> None:
    """Refuse a range that ends before it begins."""
    if first > last:
        raise BadInput("first", f"is {first}, after the last day, {last}")


def check_size(value: int) -> None:
    """Refuse a page that is empty or too large."""
    if not 1 <= value <= LARGEST_PAGE:
        raise BadInput("size", f"wants a number from 1 to {LARGEST_PAGE}, not {value}")
