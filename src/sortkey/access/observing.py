"""Observing calls: their requests, with units, items, times and errors.

Observers get numbers and names, never a value of a record.
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
from sortkey.wording.prose import counted

R = TypeVar("R")

log = logging.getLogger("sortkey")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its outcome; each retry is a separate exchange."""

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
    """One operation that a database ran; ``pattern`` is empty if no pattern made it."""

    pattern: str
    operation: str
    exchanges: tuple[Exchange, ...]
    began: float
    seconds: float
    error: str | None = None
    attempt: int = 1  # of a decision; see `DB.decide`

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
        """The number of items that DynamoDB read."""
        return sum(exchange.items_read for exchange in self.exchanges)

    @property
    def items_returned(self) -> int:
        """The number of items that DynamoDB returned."""
        return sum(exchange.items_returned for exchange in self.exchanges)

    @property
    def retries(self) -> int:
        """The number of requests that were retries."""
        return sum(exchange.is_retry for exchange in self.exchanges)

    def __str__(self) -> str:
        name = f"{self.pattern} ({self.operation})" if self.pattern else self.operation
        parts = [f"{name}: {counted(len(self.exchanges), 'request')}"]
        if self.read_units or not self.write_units:
            parts.append(counted(self.read_units, "read unit"))
        if self.write_units:
            parts.append(counted(self.write_units, "write unit"))
        parts.append(f"{self.items_returned} of {counted(self.items_read, 'item')}")
        parts.append(f"{self.seconds * 1000:.1f} ms")
        if self.retries:
            parts.append(counted(self.retries, "retry", "retries"))
        if self.attempt > 1:
            parts.append(f"attempt {self.attempt}")
        if self.error:
            parts.append(self.error)
        return ", ".join(parts)


Observer: TypeAlias = Callable[[Call], object]

# The observers of all calls in this context, whichever database runs them.
_around: ContextVar[tuple[Observer, ...]] = ContextVar("sortkey observers", default=())


# The attempt of a decision to which the calls in this context belong.
_attempt: ContextVar[int] = ContextVar("sortkey attempt", default=1)


@contextmanager
def attempt_number(number: int) -> Generator[None]:
    """Set the attempt of a decision to which the calls in this block belong."""
    token = _attempt.set(number)
    try:
        yield
    finally:
        _attempt.reset(token)


def observers_around() -> tuple[Observer, ...]:
    """Return the observers of this context, with the log if its level is DEBUG."""
    around = _around.get()
    return (*around, _write_log) if log.isEnabledFor(logging.DEBUG) else around


@contextmanager
def observe(observer: Observer) -> Generator[None]:
    """Pass each call that is made in this block to an observer."""
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
    """Run the steps, and report the call to the observers at the end."""
    exchanges: list[Exchange] = []
    began, start = time.time(), time.perf_counter()
    error: str | None = None
    try:
        return (yield from _recorded(steps, exchanges))
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        call = Call(
            operation._pattern,
            operation._title,
            tuple(exchanges),
            began,
            time.perf_counter() - start,
            error,
            _attempt.get(),
        )
        for observer in observers:
            try:
                observer(call)
            except Exception:
                # The call has already happened, so a failing observer must not fail it.
                log.exception("an observer failed")


def _recorded(steps: Conversation[R], exchanges: list[Exchange]) -> Conversation[R]:
    """Run the steps; each request returns its consumed units, and its exchange is recorded."""
    last: Request | None = None
    try:
        step = next(steps)
        while True:
            if not isinstance(step, Request):
                step = steps.send((yield step))
                continue
            exchange = _sent(step, is_retry=step is last)
            last = step
            start = time.perf_counter()
            try:
                answer = yield _metered(step)
            except Exception as error:  # noqa: BLE001 - recorded, and passed on
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


def _sent(request: Request, *, is_retry: bool) -> Exchange:
    operation, body = request
    return Exchange(
        operation,
        tables_of(body),
        body.get("IndexName"),
        began=time.time(),
        seconds=0.0,
        is_retry=is_retry,
    )


def tables_of(body: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the tables that a request reads or writes."""
    if "TableName" in body:
        return (body["TableName"],)
    members = [part for member in body.get("TransactItems", ()) for part in member.values()]
    return tuple(dict.fromkeys([*body.get("RequestItems", ()), *(m["TableName"] for m in members)]))


def _answered(exchange: Exchange, answer: Answer, seconds: float) -> Exchange:
    consumed = _consumed(answer)
    reads, writes = 0.0, 0.0
    for units in consumed:
        # A repeated transaction is charged as reads, and its response says so.
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
    """Return the units of each table; only a batch or a transaction can have several."""
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
