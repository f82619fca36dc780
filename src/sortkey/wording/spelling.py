"""Misspelt names: with another capitalization, or one typing error."""

from collections.abc import Iterable

# Shorter names, such as PK and SK, are too often one letter apart.
_SHORTEST = 4


def meant_by(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant; None if none is close."""
    others = [other for other in known if other != name]
    same = [other for other in others if other.casefold() == name.casefold()]
    near = [other for other in others if _is_near(name, other)]
    return next(iter([*same, *near]), None)


def _is_near(one: str, other: str) -> bool:
    """Whether one letter is missing, extra or different, or two are swapped."""
    if min(len(one), len(other)) < _SHORTEST:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    mine, theirs = one[start:], other[start:]
    return (
        mine[1:] == theirs[1:]
        or mine[1:] == theirs
        or mine == theirs[1:]
        or (mine[:2] == theirs[1::-1] and mine[2:] == theirs[2:])
    )
