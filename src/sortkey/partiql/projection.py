"""The attributes that a SELECT returns.

A SELECT flattens: ``address.city`` becomes the attribute ``city``, and ``tags[0]`` the attribute
``tags[0]``, whereas a projection expression keeps the map and the list around them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sortkey.expressions.overlaps import refuse_overlaps
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Path
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import Item


@dataclass(frozen=True)
class FlatProjection(Projection):
    """Paths that do not overlap, each of which becomes an attribute of its own."""

    def apply(self, item: Item) -> Item:
        """Return the values at the paths, by the last parts of their paths."""
        found: Item = {}
        for path in self.paths:
            value = path.find(item)
            if value is not None:
                found[flat_name(path)] = value
        return found


def flat_projection(paths: Sequence[Path]) -> FlatProjection:
    """Return the projection on these paths, whose attributes must differ."""
    names: set[str] = set()
    for path in paths:
        name = flat_name(path)
        if name in names:
            raise ValidationException(f"Duplicate identifiers in select clause: {name}")
        names.add(name)
    refuse_overlaps(paths)
    return FlatProjection(tuple(paths))


def flat_name(path: Path) -> str:
    """Return the last name of a path, with the list indexes that follow it."""
    last = max(at for at, part in enumerate(path.parts) if isinstance(part, str))
    return "".join([str(path.parts[last]), *(f"[{index}]" for index in path.parts[last + 1 :])])
