"""The meter: an embedded database that tells what each operation reads, writes and costs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import orjson

from sortkey.access.db import DB
from sortkey.access.transports.embedded import EmbeddedTransport
from sortkey.design.collection import Collection
from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.errors import SortkeyError
from sortkey.operations.operation import Operation
from sortkey.operations.page import Page
from sortkey.operations.secrets import Hidden
from sortkey.prove.vault import OpenVault, seal
from sortkey.wire.limits import KB
from sortkey.wire.messages import READS, Request
from sortkey.wire.values import Item

# A table, and one of its indexes; the empty name is the table itself.
Place: TypeAlias = tuple[str, str]

_PADDING = "padding of a trial"
_MOST_IN_BATCH = 25


@dataclass(frozen=True, slots=True)
class Usage:
    """What requests came to: units by place, how many there were, and the items that were read."""

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
class Run:
    """An operation's result or its error, what it used, and how many records it returned."""

    usage: Usage
    result: Any = None
    error: SortkeyError | None = None

    @property
    def returned(self) -> int:
        """How many records are in the answer."""
        return _size(self.result)

    @property
    def came_to_something(self) -> bool:
        """Whether records came back, or were written."""
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


class _Account:
    """A transport that asks for what each request consumed, and adds it up."""

    def __init__(self, carrier: EmbeddedTransport) -> None:
        self._carrier = carrier
        self._reads: dict[Place, float] = {}
        self._writes: dict[Place, float] = {}
        self._requests = self._items = 0

    def send(self, request: Request) -> dict[str, Any]:
        """The answer, without what the caller did not ask for."""
        operation, body = request
        asked = {**body, "ReturnConsumedCapacity": "INDEXES"}
        answer = self._carrier.send(Request(operation, asked))
        used: Any = answer.pop("ConsumedCapacity", [])
        account = self._reads if operation in READS else self._writes
        for table in cast("list[Mapping[str, Any]]", used if isinstance(used, list) else [used]):
            for place, units in _units(table):
                account[place] = account.get(place, 0.0) + units
        self._requests += 1
        self._items += _items_read(answer)
        return answer

    def close(self) -> None:
        """Close the transport behind it."""
        self._carrier.close()

    def settled(self) -> Usage:
        """What was used since the last time, and begin anew."""
        usage = Usage(self._reads, self._writes, self._requests, self._items)
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
    """A database in memory with a design's tables, in which operations are measured."""

    def __init__(self, design: Design) -> None:
        self.db = DB.memory(*design.tables, secrets=OpenVault())
        carrier = self.db.transport
        assert isinstance(carrier, EmbeddedTransport)  # noqa: S101 - one in memory has no other
        self._carrier = carrier
        self._account = _Account(carrier)
        self.db.transport = self._account
        self._empty = self.image()

    def begin(self, records: Iterable[Entity]) -> tuple[Entity, ...]:
        """Store the records in the empty tables; those that were stored."""
        self.back(self._empty)
        stored: list[Entity] = []
        for record in records:
            try:
                stored.append(self.db(record.create()))
            except SortkeyError:
                continue
        return tuple(stored)

    def store(self, records: Iterable[Entity]) -> None:
        """Store records over whatever is there, each as large as its entity is expected to be."""
        requests = [(r.__kind__.table.name_in("dev"), _padded(r)) for r in records]
        for start in range(0, len(requests), _MOST_IN_BATCH):
            puts: dict[str, list[Any]] = {}
            for name, item in requests[start : start + _MOST_IN_BATCH]:
                puts.setdefault(name, []).append({"PutRequest": {"Item": item}})
            self._carrier.send(Request("BatchWriteItem", {"RequestItems": puts}))

    def run(self, operation: Operation[Any]) -> Run:
        """What an operation comes to; afterwards the database is as it was."""
        before = self.image()
        self._account.settled()
        try:
            result = self.db(operation)
        except SortkeyError as error:
            return Run(self._account.settled(), error=error)
        finally:
            self.back(before)
        return Run(self._account.settled(), result)

    def image(self) -> bytes:
        """All that is stored, to go back to."""
        return self._carrier.engine.image()

    def back(self, image: bytes) -> None:
        """Go back to an earlier image."""
        self._carrier.engine.load(image)

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()


def item_of(record: Entity) -> Item:
    """A record as it is stored in a trial."""
    item = record.__kind__.encode(record)
    return {n: seal(v) if isinstance(v, Hidden) else v for n, v in item.items()}


def _padded(record: Entity) -> Item:
    """The record's item, filled up to the size that is expected of it, else to a kilobyte."""
    item, expected = item_of(record), record.__kind__.expected
    wanted = (expected and expected.size_bytes) or KB
    missing = wanted - len(orjson.dumps(item))
    return {**item, _PADDING: {"S": "." * missing}} if missing > 0 else item
