"""Parts of items: the document paths that a read requests."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sortkey.expressions.tree import Path
from sortkey.wire.values import AttributeValue, Item

# The requested parts below each part of a path; an empty branch requests everything.
_Branch: TypeAlias = "dict[str | int, _Branch]"


@dataclass(frozen=True)
class Projection:
    """Paths that do not overlap."""

    paths: tuple[Path, ...]
    _wanted: dict[Any, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        wanted: dict[Any, Any] = {}
        for path in self.paths:
            branch = wanted
            for part in path.parts:
                branch = branch.setdefault(part, {})
        object.__setattr__(self, "_wanted", wanted)

    @classmethod
    def of_names(cls, names: Iterable[str]) -> "Projection":
        """The projection on whole top-level attributes."""
        return cls(tuple([Path((name,)) for name in names]))

    @property
    def names(self) -> frozenset[str]:
        """The top-level attributes that the paths lie in."""
        return frozenset(self._wanted)

    @property
    def nested_names(self) -> frozenset[str]:
        """The top-level attributes of which only a part is requested."""
        return frozenset(name for name, branch in self._wanted.items() if branch)

    def apply(self, item: Item) -> Item:
        """Return the parts of the item at the paths, without gaps in lists and missing paths."""
        return _entries(item, self._wanted)


def _entries(entries: Item, wanted: "_Branch") -> Item:
    found: Item = {}
    for name, branch in wanted.items():
        value = entries.get(name)  # pyright: ignore[reportArgumentType]  # a list index finds nothing
        if value is None:
            continue
        part = _part(value, branch) if branch else value
        if part is not None:
            found[str(name)] = part
    return found


def _part(value: AttributeValue, wanted: "_Branch") -> AttributeValue | None:
    if "M" in value:
        entries = _entries(value["M"], wanted)
        return {"M": entries} if entries else None
    if "L" in value:
        elements = _elements(value["L"], wanted)
        return {"L": elements} if elements else None
    return None


def _elements(elements: list[AttributeValue], wanted: "_Branch") -> list[AttributeValue]:
    found: list[AttributeValue] = []
    indexes = sorted(index for index in wanted if isinstance(index, int))
    for index in indexes:
        if index >= len(elements):
            break
        branch = wanted[index]
        part = _part(elements[index], branch) if branch else elements[index]
        if part is not None:
            found.append(part)
    return found
