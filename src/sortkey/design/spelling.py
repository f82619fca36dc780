"""Names that are probably another one, misspelt: in another case, or with one typing error."""

from collections.abc import Iterable

# A shorter name is one letter away from too many others: PK and SK.
_SHORTEST = 4


def meant_by(name: str, known: Iterable[str]) -> str | None:
    """Return the name that is probably meant by another; None where none is near."""
    others = [other for other in known if other != name]
    same = [other for other in others if other.casefold() == name.casefold()]
    near = [other for other in others if _is_near(name, other)]
    return next(iter([*same, *near]), None)


def _is_near(one: str, other: str) -> bool:
    """Whether one letter is missing, too much or another, or two are exchanged."""
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
