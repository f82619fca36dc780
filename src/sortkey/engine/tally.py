"""The capacity of a request over several items and tables, one account for each table."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sortkey.engine.capacity import Usage
from sortkey.engine.database import Database
from sortkey.engine.keys import RowKey
from sortkey.engine.table import StoredTable
from sortkey.engine.writes import collection_metrics
from sortkey.wire.values import Item


class Tally:
    """The capacity that a request consumes, if it asks for it."""

    __slots__ = ("_usages", "_wanted", "is_wanted")

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._wanted: str = request.get("ReturnConsumedCapacity", "NONE")
        self.is_wanted = self._wanted != "NONE"
        self._usages: dict[str, Usage] = {}

    def usage(self, table: StoredTable, name: str) -> Usage:
        """Return the account of a table with its name in the request."""
        usage = self._usages.get(table.name)
        if usage is None:
            usage = self._usages[table.name] = Usage(table, name)
        return usage

    def report(self, *, split: bool = False) -> dict[str, Any]:
        """Return the ConsumedCapacity member on request, with reads and writes apart if wanted."""
        if not self.is_wanted:
            return {}
        return {
            "ConsumedCapacity": [
                usage.report(self._wanted, split=split) for usage in self._usages.values()
            ]
        }


class WrittenItem(NamedTuple):
    """A written item: the name of its table in the request, and its key."""

    name: str
    table: StoredTable
    key: RowKey
    item: Item


def collections_touched(
    db: Database, request: Mapping[str, Any], items: Iterable[WrittenItem]
) -> dict[str, Any]:
    """Return the ItemCollectionMetrics member on request: each collection that was written to."""
    if request.get("ReturnItemCollectionMetrics", "NONE") == "NONE":
        return {}
    found: dict[tuple[str, bytes], WrittenItem] = {}
    for each in items:
        if each.table.local_indexes:
            found.setdefault((each.table.name, each.key.partition), each)
    metrics: dict[str, list[dict[str, Any]]] = {}
    for name, table, key, item in found.values():
        metrics.setdefault(name, []).append(collection_metrics(db, table, key, item))
    return {"ItemCollectionMetrics": metrics} if metrics else {}
