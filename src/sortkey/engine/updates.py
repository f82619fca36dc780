"""An update of one item, by expression or by legacy parameters."""

from collections.abc import Mapping
from typing import Any

from sortkey.engine.changes import ItemChange, delete_change, update_change
from sortkey.engine.database import EngineItem
from sortkey.engine.keys import RowKey
from sortkey.engine.table import StoredTable
from sortkey.expressions import legacy
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.tree import Update
from sortkey.expressions.update import Updated, apply_update
from sortkey.wire.values import Item, attribute_size, check_name, read_item, refuse_nesting


def update_of(request: Mapping[str, Any], given: Placeholders) -> Update | None:
    """Return the update of the request, or None if it only creates the item."""
    text = request.get("UpdateExpression")
    if text is not None:
        return given.update(text)
    changes = request.get("AttributeUpdates")
    if not changes:
        return None
    for name in changes:
        check_name(name)
    return legacy.attribute_updates(changes)


class Revision:
    """An item before and after an update: the change, and the values to return."""

    def __init__(
        self,
        table: StoredTable,
        key: RowKey,
        given_key: Mapping[str, Any],
        before: EngineItem | None,
        update: Update | None,
    ) -> None:
        self._before: Item = before.item if before else {}
        self._updated: Updated | None = None
        self.change: ItemChange
        if before is None and update is not None and not update.creates:
            self.change = delete_change(table, key, before)
            return
        start, size = (before.item, before.size) if before else read_item(given_key)
        after = start
        if update is not None:
            self._updated = apply_update(update, start, created=before is None)
            after = self._updated.item
            # Only the changed attributes are measured, so a small change to a large item is cheap.
            for name in update.targets:
                if name in after:
                    refuse_nesting(after[name])
                size += attribute_size(after, name) - attribute_size(start, name)
        self.change = update_change(table, key, before, after, size)

    def updated_old(self) -> Item:
        """Return the old values of the updated attributes."""
        return self._updated.updated_old(self._before) if self._updated else {}

    def updated_new(self) -> Item:
        """Return the new values of the updated attributes."""
        return self._updated.updated_new() if self._updated else {}
