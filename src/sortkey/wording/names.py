"""The words of names, and names that suggest a time."""

import re
from functools import cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")
_TIME_WORDS = frozenset({"at", "date", "datetime", "day", "month", "time", "timestamp"})


def words(name: str) -> list[str]:
    """Return the words of a name: the same for ``userId`` and ``user_id``.

    A name without a letter or digit of ASCII is one word.
    """
    return [*_words(name)]


@cache
def _words(name: str) -> tuple[str, ...]:
    """Return the words; cached, since rules use the same few names often."""
    return tuple(word.lower() for word in _WORD.findall(name)) or (name.lower(),)


def names_a_time(name: str) -> bool:
    """Return whether a field's name suggests a time."""
    return not _TIME_WORDS.isdisjoint(words(name)[-1:])
