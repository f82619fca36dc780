"""Document paths, for the model."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from tests.engine.model.expressions import Path
from tests.engine.model.values import (
    MISSING,
    Item,
    Value,
    kind,
    members,
)


def find(value: Value, path: Sequence[str | int]) -> Value:
    """Return the value at the path, or MISSING."""
    for part in path:
        value = members(value).get(part, MISSING)
        if value is MISSING:
            break
    return value


def project(item: Item, paths: Iterable[Path]) -> Item:
    """The parts of an item at these paths, in the places they had; lists close up."""
    part = _part(item, list(paths))
    return {} if part is MISSING else part


def _part(value: Value, paths: list[Path]) -> Value:
    if () in paths:
        return value
    found: dict[Any, Value] = {}
    for at, member in members(value).items():
        part = _part(member, [path[1:] for path in paths if path[0] == at])
        if part is not MISSING:
            found[at] = part
    if not found:
        return MISSING
    return found if kind(value) == "M" else [*found.values()]


def collide(paths: Sequence[Path]) -> bool:
    """Return whether one path contains another, or two treat a place as a list and as a map."""
    for one, other in combinations(paths, 2):
        for left, right in zip(one, other, strict=False):
            if type(left) is not type(right):
                return True
            if left != right:
                break
        else:
            return True
    return False
