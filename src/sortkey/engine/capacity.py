"""Capacity units of reads and writes, exactly as DynamoDB charges them."""

from typing import Any

from sortkey.engine.table import StoredTable
from sortkey.wire.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES


def read_units(size: int, *, consistent: bool) -> float:
    """Return the units for reading this many bytes; 0 bytes cost as much as the smallest item."""
    blocks = -(-size // READ_UNIT_BYTES) or 1
    return float(blocks) if consistent else blocks / 2


def write_units(size: int) -> float:
    """Return the units for writing an item of this size, before or after, whichever is larger."""
    return float(-(-size // WRITE_UNIT_BYTES) or 1)


class Usage:
    """The capacity that one request has consumed of one table and its indexes."""

    __slots__ = ("_name", "_table", "failed", "indexes", "own", "reads", "writes")

    def __init__(self, table: StoredTable, name: str) -> None:
        self._table = table
        # The report uses the name of the table in the request: its name or its ARN.
        self._name = name
        self.own = 0.0
        self.indexes: dict[str, float] = {}
        # Units of statements that failed: part of the total, and of neither table nor index.
        self.failed = 0.0
        self.reads = 0.0
        self.writes = 0.0

    def read(self, units: float, index: str | None = None) -> None:
        """Charge a read to the table, or to one of its indexes."""
        self.reads += units
        self._add(units, index)

    def write(self, units: float, index: str | None = None) -> None:
        """Charge a write to the table, or to one of its indexes."""
        self.writes += units
        self._add(units, index)

    def _add(self, units: float, index: str | None) -> None:
        if index is None:
            self.own += units
        else:
            self.indexes[index] = self.indexes.get(index, 0.0) + units

    def report(self, wanted: str, *, split: bool = False) -> dict[str, Any]:
        """Return the ConsumedCapacity structure; a transaction has reads and writes separately."""
        answer: dict[str, Any] = {
            "TableName": self._name,
            "CapacityUnits": self.own + sum(self.indexes.values()) + self.failed,
        }
        if split and self.reads:
            answer["ReadCapacityUnits"] = self.reads
        if split and self.writes:
            answer["WriteCapacityUnits"] = self.writes
        if wanted != "INDEXES":
            return answer
        answer["Table"] = self._units(self.own, split=split)
        for name, units in self.indexes.items():
            is_global = self._table.indexes[name].is_global
            member = "GlobalSecondaryIndexes" if is_global else "LocalSecondaryIndexes"
            answer.setdefault(member, {})[name] = self._units(units, split=split)
        return answer

    def _units(self, units: float, *, split: bool) -> dict[str, float]:
        if not split:
            return {"CapacityUnits": units}
        kind = "WriteCapacityUnits" if self.writes else "ReadCapacityUnits"
        return {"CapacityUnits": units, kind: units}
