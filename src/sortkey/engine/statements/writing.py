"""INSERT, UPDATE, DELETE and EXISTS, as steps that are planned and then made."""

from collections.abc import Mapping
from typing import Any

from sortkey.engine.capacity import Usage, write_units
from sortkey.engine.changes import make_one
from sortkey.engine.database import Database
from sortkey.engine.statements.conditions import SingleItem, all_of, written_item
from sortkey.engine.statements.requests import table_named
from sortkey.engine.steps import WriteStep
from sortkey.engine.table import StoredTable
from sortkey.engine.transactions import TargetItem
from sortkey.engine.weather import Demand
from sortkey.expressions.tree import And, AttributeExists, AttributeNotExists, Or, Path
from sortkey.partiql.statements import Alteration, Deletion, Existence, Insertion
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ValidationException,
)
from sortkey.wire.limits import ITEM_BYTES
from sortkey.wire.values import TOO_LARGE, Item, item_size

WriteStatement = Insertion | Alteration | Deletion | Existence
_KINDS: Mapping[type[Any], str] = {
    Insertion: "Put",
    Alteration: "Update",
    Deletion: "Delete",
    Existence: "ConditionCheck",
}


class StatementStep(WriteStep):
    """A statement that writes an item, or that checks one."""

    __slots__ = ("statement",)

    def __init__(self, statement: WriteStatement, request: Mapping[str, Any]) -> None:
        super().__init__(
            _KINDS[type(statement)],
            {
                "TableName": statement.table,
                "ReturnValuesOnConditionCheckFailure": request.get(
                    "ReturnValuesOnConditionCheckFailure", "NONE"
                ),
            },
        )
        self.statement = statement
        if isinstance(statement, Insertion):
            if statement.size > ITEM_BYTES:
                raise ValidationException(TOO_LARGE)
            self.item, self.size = statement.item, statement.size
        elif isinstance(statement, Alteration):
            self.update = statement.update
        values = {str(at): value for at, value in enumerate(request.get("Parameters", ()))}
        self.payload = max(self.size, item_size(values))

    def find(self, table: StoredTable) -> TargetItem:
        """Return the item that the statement is about, if the statement fits the table."""
        statement = self.statement
        key = Path((table.partition.name,))
        match statement:
            case Insertion():
                _refuse_keys(table, statement.item)
                self.condition = AttributeNotExists(key)
            case Alteration():
                found = self._named(written_item(table, statement.where))
                self.condition = all_of(AttributeExists(key), found.others)
            case Deletion():
                found = self._named(written_item(table, statement.where))
                if found.others:
                    self.condition = Or((AttributeNotExists(key), And(found.others)))
            case Existence():
                found = self._named(written_item(table, statement.selection.where))
                self.condition = all_of(AttributeExists(key), found.others)
        return super().find(table)

    def _named(self, found: SingleItem) -> SingleItem:
        self.item = found.key
        return found

    def needs_before(self, table: StoredTable) -> bool:
        """Return whether the stored item is needed, and not only its size."""
        returns = isinstance(self.statement, Deletion) and self.statement.returning is not None
        return returns or super().needs_before(table)

    def prepare(self, db: Database, target: TargetItem) -> None:
        """Plan the change, or raise why it may not be made."""
        try:
            super().prepare(db, target)
        except ConditionalCheckFailedException:
            if isinstance(self.statement, Insertion):
                raise DuplicateItemException("Duplicate primary key exists in table") from None
            raise

    def returned(self) -> list[Any]:
        """Return the item that the RETURNING clause names, as a list, once the change is made."""
        statement, change = self.statement, self.change
        if change is None or not isinstance(statement, Alteration | Deletion):
            return []
        item: Item | None = None
        match statement.returning:
            case "ALL OLD":
                item = change.before.item if change.before else None
            case "ALL NEW":
                item = change.after
            case "MODIFIED OLD" if self.revision is not None:
                item = self.revision.updated_old()
            case "MODIFIED NEW" if self.revision is not None:
                item = self.revision.updated_new()
            case _:
                pass
        return [item] if item else []

    @property
    def attempted_size(self) -> int:
        """The size that a failed statement is charged for."""
        return max(self.size, self.before.size if self.before else 0)

    def attempt(self, target: TargetItem) -> Demand:
        """Return the units that a failed statement needs."""
        return Demand(target.table, None, "Write", target.key, write_units(self.attempted_size))


def _refuse_keys(table: StoredTable, item: Item) -> None:
    """Reject an item without its key, or with a key of other types."""
    for name, kind in (*table.rows.partition, *table.rows.sort):
        value = item.get(name)
        if value is None:
            raise ValidationException(f"Key attribute should be present in the item: Key {name}")
        if kind not in value:
            raise ValidationException(
                "Key attribute's data type should match its data type in table's schema: "
                f"Key {name}"
            )


def write(db: Database, request: Mapping[str, Any], statement: WriteStatement) -> dict[str, Any]:
    """Carry out one statement, and return the item that its RETURNING clause names."""
    step = StatementStep(statement, request)
    with db.transaction():
        target = step.find(table_named(db, statement.table))
        try:
            step.prepare(db, target)
        except (ConditionalCheckFailedException, DuplicateItemException):
            if db.weather is not None:
                db.weather.admit([step.attempt(target)])
            raise
        answer: dict[str, Any] = {"Items": step.returned()}
        if step.change is not None:
            make_one(db, step.change)
            wanted = request.get("ReturnConsumedCapacity", "NONE")
            if wanted != "NONE":
                usage = Usage(target.table, statement.table)
                step.change.charge(usage)
                answer["ConsumedCapacity"] = usage.report(wanted)
    return answer
