"""Shard iterators: a position in a shard, as text that is valid for a quarter of an hour."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

import orjson

from sortkey.wire.errors import ExpiredIteratorException, ValidationException

_SECONDS = 15 * 60
_VERSION = "1"
_MOST_RECORDS = 1 << 63


class ShardIterator(NamedTuple):
    """The records of a shard after one; or from the oldest that is left when it is used."""

    stream: str
    after: int
    from_oldest: bool
    made: float

    def text(self) -> str:
        """Return the iterator as a reader gets it."""
        place = orjson.dumps([self.after, self.from_oldest, self.made])
        return f"{self.stream}|{_VERSION}|{urlsafe_b64encode(place).decode()}"


def read_iterator(text: str, now: float) -> ShardIterator:
    """Return the iterator with this text, if it has not expired."""
    try:
        stream, version, place = text.split("|")
        after, from_oldest, made = orjson.loads(urlsafe_b64decode(place))
        found = ShardIterator(stream, int(after), bool(from_oldest), float(made))
    except (ValueError, TypeError):
        raise ValidationException("Invalid ShardIterator") from None
    if version != _VERSION or not 0 <= found.after < _MOST_RECORDS:
        raise ValidationException("Invalid ShardIterator")
    if now > found.made + _SECONDS:
        raise ExpiredIteratorException("The provided iterator exceeds the maximum age allowed.")
    return found
