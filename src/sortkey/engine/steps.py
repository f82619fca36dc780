"""One action of a write transaction: read, found in its table, planned and charged."""

from collections.abc import Mapping
from typing import Any

from sortkey.engine.capacity import Usage, read_units, write_units
from sortkey.engine.changes import ItemChange, delete_change
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.parameters import placeholders
from sortkey.engine.table import StoredTable
from sortkey.engine.transactions import FACTOR, Reason, TargetItem, reason_for
from sortkey.engine.updates import Revision
from sortkey.engine.weather import Demand
from sortkey.engine.writes import refuse_unless
from sortkey.expressions.tree import Condition, Update
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ValidationException,
)
from sortkey.wire.limits import ITEM_BYTES
from sortkey.wire.values import TOO_LARGE, Item, read_item


class WriteStep:
    """A Put, Update, Delete or ConditionCheck."""

    __slots__ = (
        "_before",
        "change",
        "condition",
        "item",
        "kind",
        "payload",
        "request",
        "revision",
        "size",
        "update",
    )

    def __init__(self, kind: str, request: Mapping[str, Any]) -> None:
        self.kind = kind
        self.request = request
        # The item to put, or the key of the item to change.
        self.item: Item = {}
        self.size = 0
        self.payload = 0
        self.update: Update | None = None
        self.condition: Condition | None = None
        self._before: EngineItem | None = None
        self.revision: Revision | None = None
        self.change: ItemChange | None = None

    def find(self, table: StoredTable) -> TargetItem:
        """Return the item that the action is about, if the action fits the table."""
        if self.kind != "Put":
            if self.update is not None:
                table.refuse_key_changes(self.update.targets)
                table.refuse_nested_keys(self.update.nested_names)
            return TargetItem(table, table.key_of(self.item))
        return TargetItem(table, table.key_in(self.item))

    def prepare(self, db: Database, target: TargetItem) -> None:
        """Plan the change, or raise why it may not be made."""
        table, key = target
        before = self._before = (db.get if self.needs_before(table) else db.measure)(table, key)
        refuse_unless(self.condition, before, self.request)
        match self.kind:
            case "Put":
                self.change = ItemChange(table, key, before, self.item, self.size)
            case "Update":
                self.revision = Revision(table, key, self.item, before, self.update)
                self.change = self.revision.change
            case "Delete":
                self.change = delete_change(table, key, before)
            case _:
                pass

    def needs_before(self, table: StoredTable) -> bool:
        """Return whether the stored item is needed, and not only its size."""
        return self.condition is not None or self.update is not None or table.needs_before

    def plan(self, db: Database, target: TargetItem) -> Reason | None:
        """Plan the change, or return why it may not be made."""
        try:
            self.prepare(db, target)
        except (
            ConditionalCheckFailedException,
            DuplicateItemException,
            ValidationException,
        ) as fault:
            return reason_for(fault)
        return None

    @property
    def before(self) -> EngineItem | None:
        """The stored item, once the change is planned."""
        return self._before

    @property
    def work(self) -> int:
        """About how many steps of work the stored item makes."""
        return self._before.steps if self._before else 0

    def demands(self, target: TargetItem) -> list[Demand]:
        """Return the units that the action needs of its table and of each index, by row."""
        if self.change is not None:
            return self.change.demands(FACTOR)
        units = FACTOR * write_units(self._before.size if self._before else 0)
        return [Demand(target.table, None, "Write", target.key, units)]

    def charge(self, usage: Usage) -> None:
        """Add the cost of the action; a ConditionCheck costs as much as a write."""
        if self.change is not None:
            self.change.charge(usage, FACTOR)
        else:
            usage.write(FACTOR * write_units(self._before.size if self._before else 0))


def read_step(kind: str, request: Mapping[str, Any]) -> WriteStep:
    """Return an action of TransactWriteItems; an error here rejects the whole request."""
    updates = kind == "Update"
    given = placeholders(
        request,
        expressions=("UpdateExpression", "ConditionExpression")
        if updates
        else ("ConditionExpression",),
        old=(),
    )
    step = WriteStep(kind, request)
    step.item, step.size = read_item(request["Item" if kind == "Put" else "Key"])
    if kind == "Put" and step.size > ITEM_BYTES:
        raise ValidationException(TOO_LARGE)
    step.update = given.update(request["UpdateExpression"]) if updates else None
    condition = request.get("ConditionExpression")
    step.condition = None if condition is None else given.condition(condition)
    given.refuse_unused()
    values = request.get("ExpressionAttributeValues")
    step.payload = step.size + (read_item(values)[1] if values else 0)
    return step


def charge_replay(db: Database, target: TargetItem, usage: Usage) -> None:
    """Add the cost of a replayed action: a read of the current item."""
    stored = db.measure(*target)
    usage.read(FACTOR * read_units(stored.size if stored else 0, consistent=True))
