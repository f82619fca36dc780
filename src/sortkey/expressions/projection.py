"""Parts of items: the document paths a read asks for."""

from collections.abc import Iterable
from dataclasses import dataclass

from sortkey.expressions.tree import Path
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class Projection:
    """Paths that do not overlap."""

    paths: tuple[Path, ...]

    @classmethod
    def of_names(cls, names: Iterable[str]) -> "Projection":
        """The projection on whole top-level attributes."""
        return cls(tuple(Path((name,)) for name in names))

    @property
    def names(self) -> frozenset[str]:
        """The top-level attributes that the paths lie in."""
        return frozenset(path.name for path in self.paths)

    def apply(self, item: Item) -> Item:
        """What the item has at the paths; list elements close up, missing paths are left out."""
        raise NotImplementedError
