"""What happened in a call: its requests with their units, items, times and errors.

Whoever observes gets numbers and names, never a value of a record.
"""

import logging
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from sortkey.operations.operation import Answer, Conversation, Operation
from sortkey.wire.messages import READS, WRITES, Request

R = TypeVar("R")

log = logging.getLogger("sortkey")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request as it was sent, and what came of it; a retry is an exchange of its own."""

    operation: str
    tables: tuple[str, ...]
    index: str | None
    began: float  # seconds since 1970
    seconds: float
    read_units: float = 0.0
    write_units: float = 0.0
    consumed: tuple[tuple[str, float], ...] = ()  # units by table
    items_read: int = 0
    items_returned: int = 0
    is_retry: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One operation that a database ran; ``pattern`` is empty where no pattern made it."""

    pattern: str
    operation: str
    exchanges: tuple[Exchange, ...]
    began: float
    seconds: float
    error: str | None = None

    @property
    def read_units(self) -> float:
        """The read capacity that all of its requests consumed."""
        return sum(exchange.read_units for exchange in self.exchanges)

    @property
    def write_units(self) -> float:
        """The write capacity that all of its requests consumed."""
        return sum(exchange.write_units for exchange in self.exchanges)

    @property
    def items_read(self) -> int:
        """How many items DynamoDB looked at."""
        return sum(exchange.items_read for exchange in self.exchanges)

    @property
    def items_returned(self) -> int:
        """How many items came back."""
        return sum(exchange.items_returned for exchange in self.exchanges)

    @property
    def retries(self) -> int:
        """How many of the requests were repetitions."""
        return sum(exchange.is_retry for exchange in self.exchanges)

    def __str__(self) -> str:
        name = f"{self.pattern} ({self.operation})" if self.pattern else self.operation
        parts = [f"{name}: {len(self.exchanges)} requests"]
        if self.read_units or not self.write_units:
            parts.append(f"{self.read_units:g} read units")
        if self.write_units:
            parts.append(f"{self.write_units:g} write units")
        parts.append(f"{self.items_returned} of {self.items_read} items")
        parts.append(f"{self.seconds * 1000:.1f} ms")
        if self.retries:
            parts.append(f"{self.retries} retries")
        if self.error:
            parts.append(self.error)
        return ", ".join(parts)


Observer: TypeAlias = Callable[[Call], object]

# Those who observe what is called from here, whichever database runs it.
_around: ContextVar[tuple[Observer, ...]] = ContextVar("sortkey observers", default=())


def observers_around() -> tuple[Observer, ...]:
    """Those who observe the calls of this context, the log included where it wants to know."""
    around = _around.get()
    return (*around, _write_log) if log.isEnabledFor(logging.DEBUG) else around


@contextmanager
def observed_by(observer: Observer) -> Generator[None]:
    """Have the calls made in this block observed."""
    token = _around.set((*_around.get(), observer))
    try:
        yield
    finally:
        _around.reset(token)


def _write_log(call: Call) -> None:
    log.debug("%s", call)


def observed(
    steps: Conversation[R], operation: Operation[R], observers: tuple[Observer, ...]
) -> Conversation[R]:
    """The same conversation, of which the observers are told at its end."""
    exchanges: list[Exchange] = []
    began, start = time.time(), time.perf_counter()
    error: str | None = None
    try:
        return (yield from _noted(steps, exchanges))
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        call = Call(
            operation.pattern,
            type(operation).__name__,
            tuple(exchanges),
            began,
            time.perf_counter() - start,
            error,
        )
        for observer in observers:
            try:
                observer(call)
            except Exception:
                # What was written is written, whatever becomes of the news.
                log.exception("an observer failed")


def _noted(steps: Conversation[R], exchanges: list[Exchange]) -> Conversation[R]:
    """The same conversation; each request asks for the units it consumes, and is noted."""
    last: Request | None = None
    try:
        step = next(steps)
        while True:
            if not isinstance(step, Request):
                step = steps.send((yield step))
                continue
            exchange = _asked(step, is_retry=step is last)
            last = step
            start = time.perf_counter()
            try:
                answer = yield _metered(step)
            except Exception as error:  # noqa: BLE001 - noted, and told to whoever asked
                seconds = time.perf_counter() - start
                exchanges.append(replace(exchange, seconds=seconds, error=type(error).__name__))
                step = steps.throw(error)
            else:
                exchanges.append(_answered(exchange, answer, time.perf_counter() - start))
                step = steps.send(answer)
    except StopIteration as end:
        return end.value


def _metered(request: Request) -> Request:
    operation, body = request
    if operation not in READS and operation not in WRITES:
        return request
    return Request(operation, {**body, "ReturnConsumedCapacity": "TOTAL"})


def _asked(request: Request, *, is_retry: bool) -> Exchange:
    operation, body = request
    return Exchange(
        operation,
        _tables(body),
        body.get("IndexName"),
        began=time.time(),
        seconds=0.0,
        is_retry=is_retry,
    )


def _tables(body: dict[str, Any]) -> tuple[str, ...]:
    if "TableName" in body:
        return (body["TableName"],)
    members = [part for member in body.get("TransactItems", ()) for part in member.values()]
    return tuple(dict.fromkeys([*body.get("RequestItems", ()), *(m["TableName"] for m in members)]))


def _answered(exchange: Exchange, answer: Answer, seconds: float) -> Exchange:
    consumed = _consumed(answer)
    reads, writes = 0.0, 0.0
    for units in consumed:
        # A repeated transaction is charged as reads, and says so.
        reads += _units(units, "ReadCapacityUnits", if_total=exchange.operation in READS)
        writes += _units(units, "WriteCapacityUnits", if_total=exchange.operation in WRITES)
    returned = _returned(answer)
    return replace(
        exchange,
        seconds=seconds,
        read_units=reads,
        write_units=writes,
        consumed=tuple((units["TableName"], units["CapacityUnits"]) for units in consumed),
        items_read=answer.get("ScannedCount", returned),
        items_returned=returned,
    )


def _consumed(answer: Answer) -> list[dict[str, Any]]:
    """The units of each table; only a batch and a transaction can have several."""
    consumed: Any = answer.get("ConsumedCapacity", [])
    return [consumed] if "TableName" in consumed else consumed


def _units(consumed: dict[str, Any], kind: str, *, if_total: bool) -> float:
    if "ReadCapacityUnits" in consumed or "WriteCapacityUnits" in consumed:
        return consumed.get(kind, 0.0)
    return consumed["CapacityUnits"] if if_total else 0.0


def _returned(answer: Answer) -> int:
    if "Items" in answer:
        return len(answer["Items"])
    responses: Any = answer.get("Responses", [answer])
    if isinstance(responses, dict):  # a batch: items by table
        return sum(map(len, answer["Responses"].values()))
    return sum("Item" in got for got in responses)
