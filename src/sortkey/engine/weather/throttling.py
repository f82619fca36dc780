"""Throttling: which requests a table cannot serve now, and the error for them.

The capacity of a table and of each global index is kept apart; a local index shares its table's. A
write needs capacity in the table and in each index that it changes: an index that is too busy
throttles the writes of its table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple, Self

from sortkey.engine.keys import FIRST, HASH_BYTES, RowKey
from sortkey.engine.table import StoredIndex, StoredTable
from sortkey.engine.weather.buckets import OnDemandCapacity, UnitBucket
from sortkey.engine.weather.heat import Cause, Heat, Kind, Limit, Supply
from sortkey.engine.weather.scenario import Scenario
from sortkey.wire.errors import (
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    RequestThrottled,
    ThrottlingException,
)

# The quota of a table, unless the account has another.
TABLE_QUOTA = 40_000.0
_KINDS: tuple[Kind, ...] = ("Read", "Write")
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
_MAXIMUM = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
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


class _Capacity:
    """The limits of one table or index: what it may use a second, and what is left of that."""

    def __init__(self, scenario: Scenario, demand: Demand, now: float) -> None:
        self._scenario = scenario
        self._settings: object = None
        # The capacity on demand is kept while a table is provisioned, since it never falls.
        self._on_demand: dict[Kind, OnDemandCapacity] = {}
        self.limits: dict[Kind, list[Limit]] = {}
        self.settle(demand, now)

    def settle(self, demand: Demand, now: float) -> bool:
        """Follow the settings of the table, and return whether they have changed."""
        settings = _settings(demand)
        if settings == self._settings:
            return False
        self._settings = settings
        self.limits = {kind: self._limits_of(kind, demand, now) for kind in _KINDS}
        return True

    @property
    def partitions(self) -> int:
        """The number of partitions that can serve all of it."""
        most = {"Read": self._scenario.partition_reads, "Write": self._scenario.partition_writes}
        wanted = (-(-limits[0].supply.rate // most[kind]) for kind, limits in self.limits.items())
        return int(min(max(1, *wanted), _MOST_PARTITIONS))

    def _limits_of(self, kind: Kind, demand: Demand, now: float) -> list[Limit]:
        definition = (demand.index or demand.table).definition
        known: dict[Cause, Supply] = {
            limit.cause: limit.supply for limit in self.limits.get(kind, ())
        }

        def bucket(cause: Cause, rate: float, seconds: float = 1.0) -> Limit:
            supply = known.get(cause)
            if isinstance(supply, UnitBucket):
                supply.change(rate, now)
            else:
                supply = UnitBucket(rate, now, seconds=seconds)
            return Limit(cause, supply)

        if not demand.table.is_on_demand:
            units: float = definition["ProvisionedThroughput"][f"{kind}CapacityUnits"]
            burst = max(self._scenario.burst_seconds, 1.0)
            return [bucket("ProvisionedThroughput", units, burst)]
        limits = [
            Limit("KeyRangeThroughput", self._capacity_on_demand(kind, demand, known, now)),
            bucket("AccountLimit", TABLE_QUOTA),
        ]
        most = definition.get("OnDemandThroughput", {}).get(f"Max{kind}RequestUnits", -1)
        # -1 stands for no maximum.
        if most > 0:
            limits.append(bucket("MaxOnDemandThroughput", most))
        return limits

    def _capacity_on_demand(
        self, kind: Kind, demand: Demand, known: Mapping[Cause, Supply], now: float
    ) -> OnDemandCapacity:
        """Return the capacity on demand: at least what the table had before, or was warmed to."""
        scenario = self._scenario
        start = scenario.on_demand_reads if kind == "Read" else scenario.on_demand_writes
        warm = (demand.index or demand.table).definition.get("WarmThroughput", {})
        provisioned = known.get("ProvisionedThroughput")
        before = provisioned.rate if provisioned else 0.0
        least = max(start, warm.get(f"{kind}UnitsPerSecond", 0.0), before)
        capacity = self._on_demand.get(kind)
        if capacity is None:
            capacity = self._on_demand[kind] = OnDemandCapacity(least, now)
        capacity.raise_to(least, now)
        return capacity


class Throttle:
    """The heat of all tables."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        # By the number of the rows.
        self._heats: dict[int, tuple[_Capacity, Heat]] = {}

    def excesses(self, demands: Sequence[Demand], now: float) -> list[Excess]:
        """Return why these demands of one request cannot be met, or nothing if they can."""
        return [Excess(each, cause) for each in demands for cause in self._exceeded(each, now)]

    def _exceeded(self, demand: Demand, now: float) -> list[Cause]:
        heat = self.heat(demand, now)
        causes = heat.exceeded(demand.kind, demand.key, now)
        # Partitions are added when they are needed, which is when the capacity has grown.
        if causes and self._add_partitions(demand, now):
            return heat.exceeded(demand.kind, demand.key, now)
        return causes

    def meet(self, demands: Sequence[Demand], now: float) -> None:
        """Take the units of an admitted request."""
        for each in demands:
            self.heat(each, now).take(each.kind, each.key, each.units)

    def split(self, demand: Demand, first: RowKey, now: float) -> None:
        """Split a partition of the table or the index."""
        self.heat(demand, now).split(first, now)

    def heat(self, demand: Demand, now: float) -> Heat:
        """Return the heat of the table or the index, with its limits as they are now."""
        known = self._heats.get(demand.number)
        if known is None:
            # What was not used since the table was created can be used now.
            since = min(now, demand.table.definition["CreationDateTime"])
            capacity = _Capacity(self._scenario, demand, since)
            found = (
                {each.first for each in demand.table.partitions.all} if not demand.index else {0}
            )
            heat = Heat(
                _divided(found, capacity.partitions),
                capacity.limits,
                since,
                units={
                    "Read": self._scenario.partition_reads,
                    "Write": self._scenario.partition_writes,
                },
                split_seconds=self._scenario.split_seconds,
                splits_collections=demand.index is not None or not demand.table.local_indexes,
            )
            self._heats[demand.number] = (capacity, heat)
            return heat
        capacity, heat = known
        if capacity.settle(demand, now):
            heat.limits = capacity.limits
        if demand.index is None:
            heat.follow(demand.table.partitions, now)
        return heat

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget tables and indexes that are deleted."""
        for number in numbers:
            self._heats.pop(number, None)

    def _add_partitions(self, demand: Demand, now: float) -> bool:
        """Add partitions if there are too few for the capacity, and return whether there were."""
        capacity, heat = self._heats[demand.number]
        if len(heat.firsts) >= capacity.partitions:
            return False
        known = {int.from_bytes(first.partition[:HASH_BYTES], "big") for first in heat.firsts}
        missing = capacity.partitions - len(heat.firsts)
        for first in _divided(known, len(known) + missing):
            heat.split(first, now)
        return True


def _divided(firsts: Iterable[int], wanted: int) -> list[RowKey]:
    """Return the first rows of so many partitions, or more, which begin at these hashes too."""
    span = 1 << (8 * HASH_BYTES)
    # The widest is halved first, and of those that are as wide the last: both are negative.
    ranges = [(first - end, -first) for first, end in pairwise([*sorted(firsts), span])]
    heapify(ranges)
    while len(ranges) < wanted:
        width, first = (-each for each in heappop(ranges))
        half = width // 2
        heappush(ranges, (-half, -first))
        heappush(ranges, (half - width, -first - half))
    return [
        RowKey(first.to_bytes(HASH_BYTES, "big"), FIRST) for first in sorted(-f for _, f in ranges)
    ]


def _settings(demand: Demand) -> object:
    """Return the settings that the limits depend on, to see when they change."""
    definition = (demand.index or demand.table).definition
    throughput = definition.get("ProvisionedThroughput", {})
    return (
        demand.table.is_on_demand,
        throughput.get("ReadCapacityUnits"),
        throughput.get("WriteCapacityUnits"),
        str(definition.get("OnDemandThroughput")),
        str(definition.get("WarmThroughput")),
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
    if excess.cause == "MaxOnDemandThroughput":
        return ThrottlingException, _MAXIMUM
    # A partition of an index has this exception on a provisioned table too.
    is_hot_index = of_index and excess.cause == "KeyRangeThroughput"
    if excess.demand.table.is_on_demand or is_hot_index:
        return ThrottlingException, _ON_DEMAND_INDEX if of_index else _ON_DEMAND_TABLE
    message = _PROVISIONED_INDEX if of_index else _PROVISIONED_TABLE
    return ProvisionedThroughputExceededException, message


def cancelled(excesses: Sequence[Excess]) -> dict[str, str]:
    """Return the reason for an action that cannot be served to cancel its transaction."""
    kind, message = _kind_and_message(excesses[0])
    is_provisioned = kind is ProvisionedThroughputExceededException
    code = "ProvisionedThroughputExceeded" if is_provisioned else "ThrottlingError"
    return {"Code": code, "Message": message}
