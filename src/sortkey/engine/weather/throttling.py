"""Throttling: which requests a table cannot serve now, and the error for them.

The capacity of a table and of each global index is kept apart; a local index shares its table's. A
write needs capacity in the table and in each index that it changes: an index that is too busy
throttles the writes of its table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple, Self

from sortkey.engine.keys import FIRST, HASH_BYTES, RowKey
from sortkey.engine.table import StoredIndex, StoredTable
from sortkey.engine.weather.buckets import Bucket, OnDemandCapacity
from sortkey.engine.weather.heat import Cause, Heat, Kind, Limit
from sortkey.engine.weather.scenario import Scenario
from sortkey.wire.errors import (
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    RequestThrottled,
    ThrottlingException,
)

# The quota of a table, unless the account has another.
TABLE_QUOTA = 40_000.0
# More are not made at once, whatever the capacity of a table is.
_MOST_PARTITIONS = 1_000
_PROVISIONED_TABLE = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
_PROVISIONED_INDEX = (
    "The level of configured provisioned throughput for one or more global secondary indexes of "
    "the table was exceeded. Consider increasing your provisioning level for the "
    "under-provisioned global secondary indexes with the UpdateTable API"
)
_ON_DEMAND_TABLE = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if you "
    "have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "bp-partition-key-design.html"
)
_ON_DEMAND_INDEX = (
    "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB "
    "is automatically scaling your index so please try again shortly."
)
_ACCOUNT = "Throughput exceeds the current throughput limit for your account."


@dataclass(frozen=True, slots=True)
class Demand:
    """Units that a request needs of a table, or of one of its indexes."""

    table: StoredTable
    index: StoredIndex | None
    kind: Kind
    key: RowKey
    units: float

    @classmethod
    def read(cls, table: StoredTable, index: StoredIndex | None, key: RowKey, units: float) -> Self:
        """Return the need of a read; a local index has the capacity of its table."""
        own = index if index is not None and index.is_global else None
        return cls(table, own, "Read", key, units)

    @property
    def number(self) -> int:
        """The number of the rows whose capacity is needed."""
        return (self.index or self.table).rows.number

    @property
    def arn(self) -> str:
        """The ARN of the table or the index."""
        return arn_of(self.table, self.index)


def arn_of(table: StoredTable, index: StoredIndex | None) -> str:
    """Return the ARN of a table, or of an index of it."""
    return table.arn if index is None else f"{table.arn}/index/{index.name}"


class Excess(NamedTuple):
    """A demand that cannot be met, and why."""

    demand: Demand
    cause: Cause

    @property
    def reason(self) -> str:
        """The reason as DynamoDB names it."""
        where = "Table" if self.demand.index is None else "Index"
        return f"{where}{self.demand.kind}{self.cause}Exceeded"


class Throttle:
    """The heat of all tables."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._heats: dict[int, tuple[object, Heat]] = {}

    def excesses(self, demands: Sequence[Demand], now: float) -> list[Excess]:
        """Return why these demands of one request cannot be met, or nothing if they can."""
        return [
            Excess(each, cause)
            for each in demands
            for cause in self.heat(each, now).exceeded(each.kind, each.key, now)
        ]

    def meet(self, demands: Sequence[Demand], now: float) -> None:
        """Take the units of an admitted request."""
        for each in demands:
            self.heat(each, now).take(each.kind, each.key, each.units)

    def split(self, demand: Demand, first: RowKey, now: float) -> None:
        """Split a partition of the table or the index."""
        self.heat(demand, now).split(first, now)

    def heat(self, demand: Demand, now: float) -> Heat:
        """Return the heat of the table or the index, with its limits as they are now."""
        settings = _settings(demand)
        known = self._heats.get(demand.number)
        if known is None:
            # What was not used since the table was created can be used now.
            since = min(now, demand.table.definition["CreationDateTime"])
            heat = Heat(
                self._firsts(demand),
                self._limits(demand, since),
                since,
                units={
                    "Read": self._scenario.partition_reads,
                    "Write": self._scenario.partition_writes,
                },
                split_seconds=self._scenario.split_seconds,
                splits_collections=demand.index is not None or not demand.table.local_indexes,
            )
            self._heats[demand.number] = (settings, heat)
            return heat
        before, heat = known
        if before != settings:
            heat.limit(self._limits(demand, now))
            self._heats[demand.number] = (settings, heat)
        return heat

    def _firsts(self, demand: Demand) -> list[RowKey]:
        """Return the first rows of enough partitions for the capacity that the table has."""
        reads, writes = self._units(demand)
        wanted = max(
            1,
            -(-reads // self._scenario.partition_reads),
            -(-writes // self._scenario.partition_writes),
        )
        found = {each.first for each in demand.table.partitions.all} if not demand.index else {0}
        span = 1 << (8 * HASH_BYTES)
        # The widest is halved first, and of those that are as wide the last: both are negative.
        ranges = [(first - end, -first) for first, end in pairwise([*sorted(found), span])]
        heapify(ranges)
        while len(ranges) < min(wanted, _MOST_PARTITIONS):
            width, first = (-each for each in heappop(ranges))
            half = width // 2
            heappush(ranges, (-half, -first))
            heappush(ranges, (half - width, -first - half))
        firsts = [-first for _, first in ranges]
        return [RowKey(first.to_bytes(HASH_BYTES, "big"), FIRST) for first in sorted(firsts)]

    def _units(self, demand: Demand) -> tuple[float, float]:
        """Return the read and write units a second of a table or an index."""
        if demand.table.is_on_demand:
            return self._scenario.on_demand_reads, self._scenario.on_demand_writes
        throughput = (demand.index or demand.table).definition["ProvisionedThroughput"]
        return float(throughput["ReadCapacityUnits"]), float(throughput["WriteCapacityUnits"])

    def _limits(self, demand: Demand, now: float) -> dict[Kind, list[Limit]]:
        reads, writes = self._units(demand)
        if not demand.table.is_on_demand:
            seconds = self._scenario.burst_seconds
            return {
                "Read": [Limit("ProvisionedThroughput", Bucket(reads, now, seconds=seconds))],
                "Write": [Limit("ProvisionedThroughput", Bucket(writes, now, seconds=seconds))],
            }
        limits: dict[Kind, list[Limit]] = {
            "Read": [Limit("KeyRangeThroughput", OnDemandCapacity(reads, now))],
            "Write": [Limit("KeyRangeThroughput", OnDemandCapacity(writes, now))],
        }
        most = (demand.index or demand.table).definition.get("OnDemandThroughput", {})
        kinds: tuple[tuple[Kind, str], ...] = (
            ("Read", "MaxReadRequestUnits"),
            ("Write", "MaxWriteRequestUnits"),
        )
        for kind, member in kinds:
            limits[kind].append(Limit("AccountLimit", Bucket(TABLE_QUOTA, now)))
            # -1 stands for no maximum.
            if most.get(member, -1) > 0:
                limits[kind].append(Limit("MaxOnDemandThroughput", Bucket(most[member], now)))
        return limits


def _settings(demand: Demand) -> object:
    """Return the settings that the limits depend on, to see when they change."""
    definition = (demand.index or demand.table).definition
    throughput = definition.get("ProvisionedThroughput", {})
    return (
        demand.table.is_on_demand,
        throughput.get("ReadCapacityUnits"),
        throughput.get("WriteCapacityUnits"),
        str(definition.get("OnDemandThroughput")),
    )


def throttled(excesses: Sequence[Excess]) -> RequestThrottled:
    """Return the error for a request that cannot be served."""
    first = excesses[0]
    kind, message = _kind_and_message(first)
    reasons = {(each.reason, each.demand.arn): None for each in excesses}
    return kind(message, [{"reason": reason, "resource": arn} for reason, arn in reasons])


def _kind_and_message(excess: Excess) -> tuple[type[RequestThrottled], str]:
    of_index = excess.demand.index is not None
    if excess.cause == "AccountLimit":
        return RequestLimitExceeded, _ACCOUNT
    if excess.demand.table.is_on_demand:
        return ThrottlingException, _ON_DEMAND_INDEX if of_index else _ON_DEMAND_TABLE
    message = _PROVISIONED_INDEX if of_index else _PROVISIONED_TABLE
    return ProvisionedThroughputExceededException, message


def cancelled(excesses: Sequence[Excess]) -> dict[str, str]:
    """Return the reason for an action that cannot be served to cancel its transaction."""
    kind, message = _kind_and_message(excesses[0])
    is_provisioned = kind is ProvisionedThroughputExceededException
    code = "ProvisionedThroughputExceeded" if is_provisioned else "ThrottlingError"
    return {"Code": code, "Message": message}
