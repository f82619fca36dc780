"""What a request over several items and tables consumed, one account for each table."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sortkey.engine.capacity import Usage
from sortkey.engine.database import Database
from sortkey.engine.keys import RowKey
from sortkey.engine.table import Table
from sortkey.engine.writes import collection_metrics
from sortkey.wire.values import Item


class Tally:
    """The capacity that a request consumes, if it asks for it."""

    __slots__ = ("_usages", "_wanted", "asked")

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._wanted: str = request.get("ReturnConsumedCapacity", "NONE")
        self.asked = self._wanted != "NONE"
        self._usages: dict[str, Usage] = {}

    def usage(self, table: Table, name: str) -> Usage:
        """The account of a table, which the request calls by this name."""
        usage = self._usages.get(table.name)
        if usage is None:
            usage = self._usages[table.name] = Usage(table, name)
        return usage

    def report(self, *, split: bool = False) -> dict[str, Any]:
        """The ConsumedCapacity member, if asked for, with reads and writes apart if wanted."""
        if not self.asked:
            return {}
        return {
            "ConsumedCapacity": [
                usage.report(self._wanted, split=split) for usage in self._usages.values()
            ]
        }


class Touched(NamedTuple):
    """An item that was written: the name that the request has for its table, and its key."""

    name: str
    table: Table
    key: RowKey
    item: Item


def collections_touched(
    db: Database, request: Mapping[str, Any], items: Iterable[Touched]
) -> dict[str, Any]:
    """The ItemCollectionMetrics member, if asked for: each collection that was written to."""
    if request.get("ReturnItemCollectionMetrics", "NONE") == "NONE":
        return {}
    found: dict[tuple[str, bytes], Touched] = {}
    for each in items:
        if each.table.local_indexes:
            found.setdefault((each.table.name, each.key.partition), each)
    metrics: dict[str, list[dict[str, Any]]] = {}
    for name, table, key, item in found.values():
        metrics.setdefault(name, []).append(collection_metrics(db, table, key, item))
    return {"ItemCollectionMetrics": metrics} if metrics else {}
