"""TableDescription: a table's definition and what changes by itself, in DynamoDB's words."""

from typing import Any

from sortkey.engine.database import Database
from sortkey.engine.table import Definition, Index, Table
from sortkey.wire.errors import ResourceNotFoundException

# What a definition holds for the engine alone.
_OWN = frozenset({"Number", "FilledTo", "Tags", "TimeToLive", "ExpiryFilledTo", "KMSMasterKeyId"})
_INDEXES = frozenset({"GlobalSecondaryIndexes", "LocalSecondaryIndexes"})


def describe(db: Database, table: Table, status: str = "ACTIVE") -> dict[str, Any]:
    """The TableDescription of a table that is in this state."""
    items, size = db.storage.totals(table.rows.number)
    description = {
        **_public(table.definition),
        "TableStatus": status,
        "ItemCount": items,
        "TableSizeBytes": size,
    }
    for member in sorted(_INDEXES & table.definition.keys()):
        description[member] = [
            _describe_index(db, table.indexes[each["IndexName"]])
            for each in table.definition[member]
        ]
    return description


def _describe_index(db: Database, index: Index) -> dict[str, Any]:
    items, size = db.storage.totals(index.rows.number)
    return {**_public(index.definition), "ItemCount": items, "IndexSizeBytes": size}


def _public(definition: Definition) -> dict[str, Any]:
    return {
        member: value
        for member, value in definition.items()
        if member not in _OWN and member not in _INDEXES
    }


def described_table(db: Database, name: str) -> Table:
    """The table by that name or ARN, for an action on the table itself."""
    table = db.find(name)
    if table is None:
        bare = name.rpartition("table/")[2] if name.startswith("arn:") else name
        raise ResourceNotFoundException(f"Requested resource not found: Table: {bare} not found")
    return table
