"""The meter: an embedded database that measures what each operation reads, writes and costs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import orjson

from sortkey.access.db import DB
from sortkey.access.transports.embedded import EmbeddedTransport
from sortkey.design.declaring.collection import Collection
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.errors import SortkeyError
from sortkey.operations.operation import Operation
from sortkey.operations.page import Page
from sortkey.operations.secrets import Hidden
from sortkey.prove.vault import OpenVault, encrypt
from sortkey.wire.limits import KB
from sortkey.wire.messages import READS, Request
from sortkey.wire.values import Item

# A table, and one of its indexes; the empty name is the table itself.
Place: TypeAlias = tuple[str, str]

_PADDING = "padding of a trial"
_MOST_IN_BATCH = 25


@dataclass(frozen=True, slots=True)
class MeteredUsage:
    """The usage of requests: units by table or index, their number, and the items read."""

    reads: Mapping[Place, float] = field(default_factory=dict[Place, float])
    writes: Mapping[Place, float] = field(default_factory=dict[Place, float])
    requests: int = 0
    items: int = 0

    @property
    def read_units(self) -> float:
        """The read units of all places."""
        return sum(self.reads.values())

    @property
    def write_units(self) -> float:
        """The write units of all places."""
        return sum(self.writes.values())


@dataclass(frozen=True, slots=True)
class MeteredRun:
    """An operation's result or error, and its usage."""

    usage: MeteredUsage
    result: Any = None
    error: SortkeyError | None = None

    @property
    def returned(self) -> int:
        """The number of records in the answer."""
        return _size(self.result)

    @property
    def is_hit(self) -> bool:
        """Whether records were returned or written."""
        return self.error is None and (self.returned > 0 or self.usage.write_units > 0)


def _size(result: Any) -> int:
    match result:
        case None | bool():
            return 0
        case int():
            return result
        case list() | tuple() | Page():
            return sum(map(_size, cast("Iterable[Any]", result)))
        case Collection():
            return sum(map(_size, vars(result).values()))
        case _:
            return 1


class _UsageCounter:
    """A transport that adds up the capacity that each request consumed."""

    def __init__(self, carrier: EmbeddedTransport) -> None:
        self._carrier = carrier
        self._reads: dict[Place, float] = {}
        self._writes: dict[Place, float] = {}
        self._requests = self._items = 0

    def send(self, request: Request) -> dict[str, Any]:
        """Send a request and count its capacity, which is removed from the response."""
        operation, body = request
        metered = {**body, "ReturnConsumedCapacity": "INDEXES"}
        answer = self._carrier.send(Request(operation, metered))
        used: Any = answer.pop("ConsumedCapacity", [])
        account = self._reads if operation in READS else self._writes
        for table in cast("list[Mapping[str, Any]]", used if isinstance(used, list) else [used]):
            for place, units in _units(table):
                account[place] = account.get(place, 0.0) + units
        self._requests += 1
        self._items += _items_read(answer)
        return answer

    def close(self) -> None:
        """Close the inner transport."""
        self._carrier.close()

    def take(self) -> MeteredUsage:
        """Return the usage since the last call, and reset it."""
        usage = MeteredUsage(self._reads, self._writes, self._requests, self._items)
        self._reads, self._writes = {}, {}
        self._requests = self._items = 0
        return usage


def _units(used: Mapping[str, Any]) -> Iterator[tuple[Place, float]]:
    name: str = used["TableName"]
    own = used.get("Table", {}).get("CapacityUnits", 0.0)
    if own:
        yield (name, ""), own
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for index, units in used.get(member, {}).items():
            yield (name, index), units["CapacityUnits"]


def _items_read(answer: Mapping[str, Any]) -> int:
    if "ScannedCount" in answer:
        return answer["ScannedCount"]
    found: Any = answer.get("Responses", [])
    by_table = found.values() if isinstance(found, dict) else [found]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return sum(map(len, by_table)) + ("Item" in answer)  # pyright: ignore[reportUnknownArgumentType]


class Metered:
    """A database in memory with a design's tables, on which operations are measured."""

    def __init__(self, design: Design) -> None:
        self.db = DB.memory(*design.tables, secrets=OpenVault())
        carrier = self.db._transport
        assert isinstance(carrier, EmbeddedTransport)  # noqa: S101 - one in memory has no other
        self._carrier = carrier
        self._usage = _UsageCounter(carrier)
        self.db._transport = self._usage
        self._empty = self.image()

    def fill(self, records: Iterable[Entity]) -> tuple[Entity, ...]:
        """Clear the tables, store the records, and return those that could be stored."""
        self.restore(self._empty)
        stored: list[Entity] = []
        for record in records:
            try:
                stored.append(self.db(record.create()))
            except SortkeyError:
                continue
        return tuple(stored)

    def store(self, records: Iterable[Entity]) -> None:
        """Store records without a condition, each padded to the expected size of its entity."""
        requests = [(r.__kind__.table.name_in("dev"), _padded(r)) for r in records]
        for start in range(0, len(requests), _MOST_IN_BATCH):
            puts: dict[str, list[Any]] = {}
            for name, item in requests[start : start + _MOST_IN_BATCH]:
                puts.setdefault(name, []).append({"PutRequest": {"Item": item}})
            self._carrier.send(Request("BatchWriteItem", {"RequestItems": puts}))

    def run(self, operation: Operation[Any]) -> MeteredRun:
        """Run and measure an operation, and then restore the database."""
        before = self.image()
        self._usage.take()
        try:
            result = self.db(operation)
        except SortkeyError as error:
            return MeteredRun(self._usage.take(), error=error)
        finally:
            self.restore(before)
        return MeteredRun(self._usage.take(), result)

    def image(self) -> bytes:
        """Return an image of the database, to restore later."""
        return self._carrier.engine.image()

    def restore(self, image: bytes) -> None:
        """Restore an earlier image."""
        self._carrier.engine.load(image)

    def close(self) -> None:
        """Close the database."""
        self.db.close()


def item_of(record: Entity) -> Item:
    """Return a record as it is stored in a trial."""
    item = record.__kind__.encode(record)
    return {n: encrypt(v) if isinstance(v, Hidden) else v for n, v in item.items()}


def _padded(record: Entity) -> Item:
    """Return the record's item, padded to its expected size or to a kilobyte."""
    item, expected = item_of(record), record.__kind__.expected
    wanted = (expected and expected.size_bytes) or KB
    missing = wanted - len(orjson.dumps(item))
    return {**item, _PADDING: {"S": "." * missing}} if missing > 0 else item
