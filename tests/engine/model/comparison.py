"""An engine and the model side by side, asked the same and compared answer by answer."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeGuard

import orjson
from tests.engine.model.capacity import sort_key
from tests.engine.model.expressions import At, BeginsWith, Between, Compare, Condition, Literal
from tests.engine.model.model import Model
from tests.engine.model.operations import Index, Operation, Read, Table, TransactWrite
from tests.engine.model.requests import Requests, create_table
from tests.engine.model.samples import BY_NAME, TABLES
from tests.engine.model.values import Item, wire

from sortkey.engine import Engine
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    ServiceError,
    TransactionCanceledException,
)

Answer: TypeAlias = dict[str, Any]


class Pair:
    """An engine and a model that are asked the same."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.model = Model(*TABLES)
        self._count = 0
        for table in TABLES:
            engine.answer("CreateTable", create_table(table))

    def requests(self) -> Requests:
        """Every other request has its sets the other way round."""
        self._count += 1
        return Requests(flipped=self._count % 2 == 0)

    def check(self, operation: Operation, level: str = "INDEXES") -> None:
        """Ask both; the answers are the same, and so are the errors."""
        # A token belongs to one spelling of a request.
        spelling = Requests() if isinstance(operation, TransactWrite) else self.requests()
        name, request = spelling.operation(operation)
        request["ReturnConsumedCapacity"] = level
        expected = outcome(lambda: self.model.answer(operation))
        got = outcome(lambda: self.engine.answer(name, request))
        assert in_order(got) == in_order(at_level(expected, level)), (request, got, expected)

    def check_read(self, read: Read, *limits: int | None) -> None:
        """Walk a query or scan to its end; every page is what the model has there."""
        refusal = outcome(lambda: self.model.refuse_read(read) or {})
        if "error" in refusal:
            assert outcome(lambda: self.ask(read, limits[0], None)) == refusal, read
            return
        met = self.met(read)
        for limit in limits:
            self._check_pages(read, met, limit)

    def _check_pages(self, read: Read, met: list[Item], limit: int | None) -> None:
        start: Answer | None = None
        at = 0
        while True:
            got = self.ask(read, limit, start)
            expected = self.model.page(read, met[at:], limit)
            assert in_order(got) == in_order(expected), (read, limit, start)
            start = got.get("LastEvaluatedKey")
            at += got["ScannedCount"]
            if start is None:
                assert at == len(met)
                return

    def met(self, read: Read) -> list[Item]:
        """The items that a query or scan meets, in the engine's order where DynamoDB has none."""
        table = BY_NAME[read.table]
        bare = Read(read.table, read.index, read.key, read.backward)
        expected = self.model.matching(bare)
        by_key = {shown([wire(item[name]) for name in table.key]): item for item in expected}
        found = [
            shown([row[name] for name in table.key])
            for page in self.pages(bare, None)
            for row in page["Items"]
        ]
        assert Counter(found) == Counter(by_key.keys()), read
        met = [by_key[key] for key in found]
        if read.key:
            source = table.index(read.index) if read.index else table
            ordered = [sort_key(source, item) for item in expected]
            assert [sort_key(source, item) for item in met] == ordered, read
        return met

    def pages(self, read: Read, limit: int | None, **more: Any) -> Iterator[Answer]:
        """The engine's pages of a query or scan."""
        start: Answer | None = None
        while True:
            page = self.ask(read, limit, start, **more)
            yield page
            start = page.get("LastEvaluatedKey")
            if start is None:
                return

    def ask(self, read: Read, limit: int | None, start: Answer | None, **more: Any) -> Answer:
        """One page of the engine's."""
        name, request = self.requests().read(read)
        request |= {"ReturnConsumedCapacity": "INDEXES"} | more
        if limit is not None:
            request["Limit"] = limit
        if start is not None:
            request["ExclusiveStartKey"] = start
        return self.engine.answer(name, request)

    def check_all(self) -> None:
        """All tables and indexes have what the model says, at every page size, in every segment."""
        for table in TABLES:
            for index in (None, *table.indexes):
                whole = Read(table.name, index.name if index else None)
                count = len(self.model.matching(whole))
                self.check_read(whole, None, *range(1, count + 2))
                self.check_segments(whole)
                self.check_ranges(table, index)

    def check_ranges(self, table: Table, index: Index | None) -> None:
        """Every range that begins or ends at a sort key has what the model says."""
        source = index or table
        parts: dict[str, list[Item]] = {}
        for item in self.model.matching(Read(table.name, index and index.name)):
            parts.setdefault(shown([wire(item[name]) for name in source.partition]), []).append(
                item
            )
        for part in parts.values():
            item = part[len(part) // 2]
            equal = [
                Compare("=", At((name,)), Literal(item[name]))
                for name in (*source.partition, *source.sort)
            ]
            for bound, name in enumerate(source.sort, len(source.partition)):
                at, value = At((name,)), Literal(item[name])
                ranges: list[Condition] = [
                    *(Compare(op, at, value) for op in ("=", "<", "<=", ">", ">=")),
                    Between(at, value, value),
                    *([BeginsWith(at, value)] if table.kinds[name] != "N" else []),
                ]
                for number, condition in enumerate(ranges):
                    key = (*equal[:bound], condition)
                    self.met(Read(table.name, index and index.name, key, bool(number % 2)))

    def check_segments(self, read: Read) -> None:
        """The segments of a parallel scan have every item once."""
        found = [
            shown(in_order(row))
            for segment in range(3)
            for page in self.pages(read, 2, Segment=segment, TotalSegments=3)
            for row in page["Items"]
        ]
        whole = [shown(in_order(row)) for page in self.pages(read, None) for row in page["Items"]]
        assert Counter(found) == Counter(whole)


def outcome(ask: Callable[[], Answer]) -> Answer:
    """The answer, or what a client learns from the error."""
    try:
        return ask()
    except TransactionCanceledException as error:
        reasons = [
            {member: each[member] for member in ("Code", "Item") if member in each}
            for each in error.reasons
        ]
        return {"error": type(error).__name__, "reasons": reasons}
    except ConditionalCheckFailedException as error:
        return {"error": type(error).__name__, "item": error.item}
    except ServiceError as error:
        return {"error": type(error).__name__}


def in_order(answer: Any) -> Any:
    """The answer with everything sorted that has no order: sets, batches and their capacity."""
    if is_list(answer):
        return [in_order(element) for element in answer]
    if not is_object(answer):
        return answer
    ordered: Answer = {}
    for name, value in answer.items():
        if name in {"SS", "NS", "BS", "ConsumedCapacity"} and is_list(value):
            ordered[name] = sorted(value, key=shown)
        elif name == "Responses" and is_object(value):
            ordered[name] = {
                table: sorted(map(in_order, rows), key=shown) for table, rows in value.items()
            }
        else:
            ordered[name] = in_order(value)
    return ordered


def is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def is_object(value: Any) -> TypeGuard[Answer]:
    return isinstance(value, dict)


def at_level(answer: Answer, level: str) -> Answer:
    """The model's answer with as much about capacity as was asked for."""
    capacity = answer.get("ConsumedCapacity")
    if capacity is None or level == "INDEXES":
        return answer
    rest = {name: value for name, value in answer.items() if name != "ConsumedCapacity"}
    if level == "NONE":
        return rest
    if is_list(capacity):
        return rest | {"ConsumedCapacity": [_totals(each) for each in capacity]}
    return rest | {"ConsumedCapacity": _totals(capacity)}


def _totals(capacity: Answer) -> Answer:
    return {name: value for name, value in capacity.items() if not isinstance(value, dict)}


def shown(value: Any) -> str:
    """A text that is the same for the same JSON."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
