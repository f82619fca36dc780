"""ULIDs: ids of 26 characters that sort by the millisecond in which they were made."""

from secrets import randbits

from sortkey.operations.clock import now

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26
_RANDOM_BITS = 80


def new_ulid() -> str:
    """An id of now."""
    return ulid(int(now() * 1000), randbits(_RANDOM_BITS))


def ulid(milliseconds: int, random: int) -> str:
    """The id of a time with this much chance in it."""
    number = milliseconds << _RANDOM_BITS | random
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
