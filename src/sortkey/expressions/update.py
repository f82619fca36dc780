"""An update carried out on an item."""

from dataclasses import dataclass

from sortkey.expressions.tree import Path, Update
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class Updated:
    """The item after an update, and the paths that the update wrote."""

    item: Item
    paths: tuple[Path, ...]

    def updated_new(self) -> Item:
        """What the item now has at the paths written."""
        raise NotImplementedError

    def updated_old(self, old_item: Item) -> Item:
        """What the item had at the paths written."""
        raise NotImplementedError


def apply_update(update: Update, item: Item) -> Updated:
    """The item after the update; the one given is left as it is."""
    raise NotImplementedError
