"""What a pattern returns, and what it means."""

from collections.abc import Iterable
from typing import Any, get_args, get_origin

from sortkey import DB, Entity, Pattern


def answered(db: DB, pattern: Pattern[..., Any], arguments: tuple[Any, ...]) -> list[Entity]:
    """Everything that a pattern returns, over all of its pages."""
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


def meant(
    records: Iterable[Entity], pattern: Pattern[..., Any], arguments: tuple[Any, ...]
) -> list[Entity]:
    """Those of the records that belong to the answer by its meaning, in its order if it has one."""
    where: Any = pattern.where
    assert where is not None, f"{pattern.name} does not say what it means"
    names = [parameter.name for parameter in pattern.parameters]
    bound = dict(zip(names, arguments, strict=False))
    [entity] = get_args(pattern.returns)
    belonging = [r for r in records if isinstance(r, entity) and where(r, **bound)]
    if pattern.order is None:
        return belonging
    return sorted(belonging, key=pattern.order, reverse=pattern.descending)
