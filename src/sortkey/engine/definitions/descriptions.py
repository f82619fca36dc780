"""TableDescription: a table's definition with its state and size, as DynamoDB returns it."""

from typing import Any

from sortkey.engine.database import Database
from sortkey.engine.definitions.throughput import decreases_today
from sortkey.engine.named_tables import bare_name
from sortkey.engine.table import Definition, StoredIndex, StoredTable
from sortkey.wire.errors import ResourceNotFoundException, TableNotFoundException

Description = dict[str, Any]

# The members of a definition that only the engine uses.
_OWN = frozenset(
    {
        "Copies",
        "ExpiryFilledTo",
        "FilledTo",
        "Import",
        "Number",
        "Partitions",
        "Recovery",
        "Restore",
        "Stream",
        "Tags",
        "TimeToLive",
    }
)
_INDEXES = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits", "NumberOfDecreasesToday")


def described_table(db: Database, name: str) -> StoredTable:
    """Return the table with this name or ARN, for an action on the table itself."""
    table = db.find(name)
    if table is None:
        if db.weather is not None:
            db.weather.changes.refuse_deleted(bare_name(name))
        raise ResourceNotFoundException(
            f"Requested resource not found: Table: {bare_name(name)} not found"
        )
    return table


def describe(db: Database, table: StoredTable, status: str = "ACTIVE") -> Description:
    """Return the TableDescription of a table in this state."""
    items, size = db.storage.totals(table.rows.number)
    description = _public(db, table.definition)
    for member in _INDEXES:
        if member in table.definition:
            description[member] = [
                _describe_index(db, table.indexes[each["IndexName"]])
                for each in table.definition[member]
            ]
    return description | {"TableStatus": status, "ItemCount": items, "TableSizeBytes": size}


def describe_creating(db: Database, table: StoredTable) -> Description:
    """Return the TableDescription of a table that a restore or an import fills."""
    description = describe(db, table, "CREATING")
    for index in description.get("GlobalSecondaryIndexes", ()):
        del index["IndexStatus"]
    return description


def recoverable_table(db: Database, name: str) -> StoredTable:
    """Return the table with this name or ARN, for an action on its backups or its recovery."""
    db.refresh()
    table = db.find(name)
    if table is None:
        raise TableNotFoundException(f"Table not found: {bare_name(name)}")
    return table


def table_with_backups(db: Database, name: str) -> StoredTable:
    """Return the table with this name or ARN, for an action that needs its backups enabled."""
    table = recoverable_table(db, name)
    if db.weather is not None:
        db.weather.changes.refuse_backups(table.name, table.rows.number)
    return table


def _describe_index(db: Database, index: StoredIndex) -> Description:
    items, size = db.storage.totals(index.rows.number)
    description = _public(db, index.definition)
    return description | {"ItemCount": items, "IndexSizeBytes": size}


def _public(db: Database, definition: Definition) -> Description:
    description = {member: value for member, value in definition.items() if member not in _OWN}
    throughput = definition.get("ProvisionedThroughput")
    if throughput is not None:
        description["ProvisionedThroughput"] = throughput | {
            "NumberOfDecreasesToday": decreases_today(throughput, db.clock())
        }
    return description


def under_way(before: Description, after: Description) -> Description:
    """Return the description of a table while it changes from one definition to the other."""
    same_billing = before.get("BillingModeSummary") == after.get("BillingModeSummary")
    old = {index["IndexName"]: index for index in before.get("GlobalSecondaryIndexes", ())}
    indexes: list[Description] = []
    for index in after.get("GlobalSecondaryIndexes", ()):
        was = old.pop(index["IndexName"], index)
        changing = {} if was == index else {"IndexStatus": "UPDATING"}
        indexes.append(_not_yet(was, index, same_billing=same_billing) | changing)
    # The remaining indexes are deleted; this response is the last with them.
    indexes += [index | {"IndexStatus": "DELETING"} for index in old.values()]
    description = _not_yet(before, after, same_billing=same_billing) | {"TableStatus": "UPDATING"}
    return description | ({"GlobalSecondaryIndexes": indexes} if indexes else {})


def _not_yet(before: Description, after: Description, *, same_billing: bool) -> Description:
    """Return the new description with the old throughput, which is valid until the change ends."""
    if not same_billing:
        return after
    old = {unit: before["ProvisionedThroughput"][unit] for unit in _UNITS}
    return after | {"ProvisionedThroughput": after["ProvisionedThroughput"] | old}
