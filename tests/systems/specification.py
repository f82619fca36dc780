"""The result of a pattern, and the result that its specification requires."""

from collections.abc import Iterable
from typing import Any, get_args, get_origin

from sortkey import DB, Entity, Pattern


def returned(db: DB, pattern: Pattern[..., Any], arguments: tuple[Any, ...]) -> list[Entity]:
    """Return everything that a pattern returns, over all pages."""
    if get_origin(pattern.returns) is list:
        return db(pattern(*arguments))
    found: list[Entity] = []
    cursor = None
    while True:
        page = db(pattern(*arguments, after=cursor))
        found += page
        if page.cursor is None:
            return found
        cursor = page.cursor


def expected(
    records: Iterable[Entity], pattern: Pattern[..., Any], arguments: tuple[Any, ...]
) -> list[Entity]:
    """Return the records that match the pattern's specification, in its order if it has one."""
    where: Any = pattern.where
    assert where is not None, f"{pattern.name} has no specification"
    names = [parameter.name for parameter in pattern.parameters]
    bound = dict(zip(names, arguments, strict=False))
    [entity] = get_args(pattern.returns)
    belonging = [r for r in records if isinstance(r, entity) and where(r, **bound)]
    if pattern.order is None:
        return belonging
    return sorted(belonging, key=pattern.order, reverse=pattern.descending)
