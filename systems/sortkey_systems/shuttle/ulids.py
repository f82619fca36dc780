"""ULIDs: ids that sort by the time at which they were made."""

import secrets
from datetime import datetime

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_LENGTH = 26


def ulid(moment: datetime, noise: int | None = None) -> str:
    """An id of this moment; ``noise`` tells ids of one millisecond apart, and is else random."""
    milliseconds = int(moment.timestamp() * 1000)
    low = secrets.randbits(_RANDOM_BITS) if noise is None else noise % (1 << _RANDOM_BITS)
    number = milliseconds << _RANDOM_BITS | low
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
