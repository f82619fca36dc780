"""ULIDs: ids of 26 characters that sort by the millisecond in which they were made."""

from datetime import datetime
from secrets import randbits

from sortkey.clock import utc_now

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26
_RANDOM_BITS = 80


def ulid(at: datetime | None = None, *, random: int | None = None) -> str:
    """Return a new id that sorts by its time: now, or ``at``.

    ``random`` replaces the random bits, so that generated data can be reproduced. Two ids of the
    same millisecond sort in no particular order.
    """
    milliseconds = int((utc_now() if at is None else at).timestamp() * 1000)
    low = randbits(_RANDOM_BITS) if random is None else random % (1 << _RANDOM_BITS)
    number = milliseconds << _RANDOM_BITS | low
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
