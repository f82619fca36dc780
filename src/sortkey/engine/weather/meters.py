"""Meters: what requests did, under the names and dimensions that CloudWatch has for DynamoDB.

Each metric is kept by the minute, for three hours, as CloudWatch's statistics need it: how many
values there were, their sum, the least and the greatest. Its total since the start is kept beside,
for those who compute rates. The hottest partition keys are found with a fixed number of counters
(the algorithm is "Space-Saving"): a key that gets more than its share of the units is among them,
whatever the number of keys.
"""

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sortkey.engine.keys import KeyAttribute, shown_partition
from sortkey.engine.weather.throttling import Demand, Excess
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    RequestThrottled,
    ServiceError,
    TransactionCanceledException,
)

MINUTE = 60
KEPT_MINUTES = 180
# Counters for the partition keys of one table or index in one minute, and how many are reported.
_COUNTERS = 100
_HOTTEST = 5
_SERVER_ERROR = 500


class Series(NamedTuple):
    """A metric and its dimensions; those that it does not have are empty."""

    name: str
    table: str = ""
    index_name: str = ""
    operation: str = ""

    @property
    def dimensions(self) -> dict[str, str]:
        """The dimensions by the names that CloudWatch gives to them."""
        named = {
            "TableName": self.table,
            "GlobalSecondaryIndexName": self.index_name,
            "Operation": self.operation,
        }
        return {name: value for name, value in named.items() if value}


@dataclass(slots=True)
class Values:
    """The values that a metric had in one minute, or since the start."""

    minute: int
    count: int = 0
    sum: float = 0.0
    minimum: float = float("inf")
    maximum: float = float("-inf")

    def add(self, value: float) -> None:
        """Add a value."""
        self.count += 1
        self.sum += value
        self.minimum = min(self.minimum, value)
        self.maximum = max(self.maximum, value)

    def described(self) -> dict[str, Any]:
        """Return the values as JSON, as CloudWatch's statistics have them."""
        return {
            "Timestamp": self.minute * MINUTE,
            "SampleCount": self.count,
            "Sum": self.sum,
            "Minimum": self.minimum,
            "Maximum": self.maximum,
        }


@dataclass(slots=True)
class MetricRecord:
    """The values of a metric: in total, and in each of the latest minutes."""

    total: Values = field(default_factory=lambda: Values(0))
    minutes: deque[Values] = field(default_factory=lambda: deque(maxlen=KEPT_MINUTES))

    def add(self, value: float, minute: int) -> None:
        """Add a value of this minute."""
        self.total.add(value)
        # A clock that was moved back goes on in the latest minute.
        if not self.minutes or self.minutes[-1].minute < minute:
            self.minutes.append(Values(minute))
        self.minutes[-1].add(value)


class HotKeys:
    """The keys that got the most units, found with a fixed number of counters."""

    __slots__ = ("_units",)

    def __init__(self) -> None:
        self._units: dict[bytes, float] = {}

    def add(self, key: bytes, units: float) -> None:
        """Count units of a key; it takes over the least counter if all are in use."""
        known = self._units
        if key not in known and len(known) == _COUNTERS:
            least = min(known, key=known.__getitem__)
            known[key] = known.pop(least)
        known[key] = known.get(key, 0.0) + units

    def hottest(self) -> list[tuple[bytes, float]]:
        """Return a few keys with their units, the hottest first."""
        return sorted(self._units.items(), key=lambda pair: -pair[1])[:_HOTTEST]


@dataclass(slots=True)
class _Place:
    """The heat of a table or an index in one minute."""

    minute: int
    # The number of the rows: a table may be deleted, and another one get its name.
    number: int
    attributes: Sequence[KeyAttribute]
    keys: HotKeys = field(default_factory=HotKeys)
    # Read and write units by the first hash of the partition.
    partitions: dict[int, dict[str, float]] = field(default_factory=dict[int, dict[str, float]])


class Meters:
    """The metrics and the heat of one engine."""

    def __init__(self) -> None:
        self._records: dict[Series, MetricRecord] = {}
        # The latest minute and the one before, by table and index.
        self._places: dict[tuple[str, str], deque[_Place]] = {}
        self._lock = threading.Lock()

    def use(self, demands: Iterable[Demand], now: float) -> None:
        """Record the units that a request took."""
        minute = int(now // MINUTE)
        with self._lock:
            for demand in demands:
                self._use(demand, minute)

    def succeed(self, operation: str, tables: Iterable[str], seconds: float, now: float) -> None:
        """Record a request that succeeded, and how long it took."""
        with self._lock:
            for table in dict.fromkeys(tables):
                series = Series("SuccessfulRequestLatency", table, operation=operation)
                self._add(series, seconds * 1000, int(now // MINUTE))

    def fail(self, operation: str, tables: Sequence[str], error: BaseException, now: float) -> None:
        """Record a request that failed; ``tables`` has the table of each action in it."""
        with self._lock:
            self._fail(operation, tables, error, int(now // MINUTE))

    def throttled(self, excesses: Iterable[Excess], now: float) -> None:
        """Record that a read or a write needed units that there are not.

        It counts once for each table and index, also if it moves from one place of it to another.
        """
        minute = int(now // MINUTE)
        found = [(each.demand, cause) for each in excesses for cause in ("", each.cause)]
        series = {
            Series(f"{demand.kind}{cause}ThrottleEvents", demand.table.name, _index_of(demand))
            for demand, cause in found
        }
        with self._lock:
            for each in series:
                self._add(each, 1, minute)

    def conflict(self, table: str, now: float) -> None:
        """Record that an item of a request is part of a transaction that is under way."""
        with self._lock:
            self._count("TransactionConflict", [table], int(now // MINUTE))

    def fail_part(self, table: str, error: ServiceError, now: float) -> None:
        """Record an action that failed by itself, in a request that did not."""
        if isinstance(error, ConditionalCheckFailedException):
            with self._lock:
                self._count("ConditionalCheckFailedRequests", [table], int(now // MINUTE))

    def expired(self, table: str, items: int, now: float) -> None:
        """Record that expired items were deleted."""
        with self._lock:
            series = Series("TimeToLiveDeletedItemCount", table)
            self._add(series, items, int(now // MINUTE))

    # -- reading ------------------------------------------------------------------------------

    def described(self) -> list[dict[str, Any]]:
        """Return every metric as JSON, with its total and its minutes."""
        with self._lock:
            return [
                {
                    "MetricName": series.name,
                    "Dimensions": series.dimensions,
                    "Total": {"SampleCount": record.total.count, "Sum": record.total.sum},
                    "Datapoints": [each.described() for each in record.minutes],
                }
                for series, record in sorted(self._records.items())
            ]

    def totals(self) -> Iterator[tuple[Series, Values]]:
        """Yield every metric with all of its values since the start."""
        with self._lock:
            found = [(series, record.total) for series, record in sorted(self._records.items())]
        yield from found

    def heat(self, now: float) -> list[dict[str, Any]]:
        """Return the units of partitions and of the hottest keys in the last two minutes."""
        oldest = int(now // MINUTE) - 1
        with self._lock:
            return [
                _described_heat(table, index, [each for each in places if each.minute >= oldest])
                for (table, index), places in sorted(self._places.items())
            ]

    # -- writing ------------------------------------------------------------------------------

    def _use(self, demand: Demand, minute: int) -> None:
        table, index = demand.table.name, _index_of(demand)
        name = f"Consumed{demand.kind}CapacityUnits"
        self._add(Series(name, table, index), demand.units, minute)
        places = self._places.get((table, index))
        if places is None:
            places = self._places[table, index] = deque(maxlen=2)
        rows = (demand.index or demand.table).rows
        if places and places[-1].number != rows.number:
            places.clear()
        if not places or places[-1].minute < minute:
            places.append(_Place(minute, rows.number, rows.partition))
        place = places[-1]
        place.keys.add(demand.key.partition, demand.units)
        first = 0
        if demand.index is None:
            first = demand.table.partitions.of(demand.key.partition).first
        units = place.partitions.get(first)
        if units is None:
            units = place.partitions[first] = {"Read": 0.0, "Write": 0.0}
        units[demand.kind] += demand.units

    def _fail(
        self, operation: str, tables: Sequence[str], error: BaseException, minute: int
    ) -> None:
        is_invalid = isinstance(error, ServiceError) and error.status < _SERVER_ERROR
        match error:
            case RequestThrottled():
                self._count("ThrottledRequests", tables, minute, operation)
            case ConditionalCheckFailedException():
                self._count("ConditionalCheckFailedRequests", tables, minute)
            case TransactionCanceledException():
                self._cancel(operation, tables, error, minute)
            case _ if is_invalid:
                self._add(Series("UserErrors"), 1, minute)
            case _:
                self._count("SystemErrors", tables, minute, operation)

    def _cancel(
        self,
        operation: str,
        tables: Sequence[str],
        error: TransactionCanceledException,
        minute: int,
    ) -> None:
        """Record why a transaction was cancelled, action by action."""
        throttled: list[str] = []
        for table, reason in zip(tables, error.reasons, strict=False):
            match reason.get("Code"):
                case "ConditionalCheckFailed":
                    self._count("ConditionalCheckFailedRequests", [table], minute)
                case "ThrottlingError" | "ProvisionedThroughputExceeded":
                    throttled.append(table)
                case _:
                    pass
        if throttled:
            self._count("ThrottledRequests", throttled, minute, operation)
        else:
            self._add(Series("UserErrors"), 1, minute)

    def _count(self, name: str, tables: Iterable[str], minute: int, operation: str = "") -> None:
        for table in dict.fromkeys(tables):
            self._add(Series(name, table, operation=operation), 1, minute)

    def _add(self, series: Series, value: float, minute: int) -> None:
        record = self._records.get(series)
        if record is None:
            record = self._records[series] = MetricRecord()
        record.add(value, minute)


def _index_of(demand: Demand) -> str:
    return "" if demand.index is None else demand.index.name


def _described_heat(table: str, index: str, places: Sequence[_Place]) -> dict[str, Any]:
    """Return what partitions and keys of a table or an index were used for, in these minutes."""
    partitions: dict[int, dict[str, float]] = {}
    keys: dict[str, float] = {}
    for place in places:
        for first, units in place.partitions.items():
            found = partitions.setdefault(first, {"Read": 0.0, "Write": 0.0})
            for kind, amount in units.items():
                found[kind] += amount
        for partition, amount in place.keys.hottest():
            key = shown_partition(place.attributes, partition)
            keys[key] = keys.get(key, 0.0) + amount
    return {
        "TableName": table,
        **({"IndexName": index} if index else {}),
        "Partitions": [
            {"FirstHash": first, "ReadUnits": units["Read"], "WriteUnits": units["Write"]}
            for first, units in sorted(partitions.items())
        ],
        "HottestKeys": [
            {"PartitionKey": key, "Units": amount}
            for key, amount in sorted(keys.items(), key=lambda pair: -pair[1])[:_HOTTEST]
        ],
    }
