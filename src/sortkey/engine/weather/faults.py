"""Faults: what goes wrong with a request, before or after it takes effect.

A client that gets no response, or a status of 500, cannot know whether its write was carried out.
So each of these faults comes in two kinds: before the effect, and after it. The others leave the
effect and the response as they are, only later or in smaller pages.

Each fault has dice of its own, thrown once for each request that it is for, in their order: the
same seed and the same requests have the same faults, whatever other faults there are.
"""

import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, NamedTuple, cast, get_args

from sortkey.engine.promptness import are_prompt
from sortkey.errors import SortkeyError
from sortkey.wire.errors import InternalServerError, ServiceError
from sortkey.wire.services import ADMINISTRATIVE_OPERATIONS

FaultKind = Literal[
    "error-before", "error-after", "lost-request", "lost-response", "latency", "short-page"
]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

# DynamoDB's own words.
_FAILURE = "Internal server error"
_WITH_LIMIT = frozenset({"Query", "Scan"})
_WITH_PAGES = _WITH_LIMIT | {"BatchGetItem", "BatchWriteItem"}


class ConnectionReset(SortkeyError):  # noqa: N818 - it says what happened
    """The weather has reset the connection; the request may have been carried out."""


class LateReply(Exception):  # noqa: N818 - it is a reply
    """The outcome of a request whose response must come so many seconds later.

    Call ``end`` when it is sent: it ends the transaction that the request began, if any.
    """

    def __init__(
        self, seconds: float, outcome: bytes | ServiceError, end: Callable[[], None]
    ) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.outcome = outcome
        self.end = end


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something that goes wrong with a share of the requests, from 0 to 1.

    Without ``operations`` or ``tables`` it is for all of them.
    """

    # What goes wrong.
    kind: FaultKind
    # The share of the requests to which it happens, from 0 to 1.
    share: float
    # The operations that it is for.
    operations: tuple[str, ...] = ()
    # The tables that it is for.
    tables: tuple[str, ...] = ()
    # How much later the response comes, if the kind is latency.
    seconds: float = 0.0

    def is_for(self, operation: str, tables: Collection[str]) -> bool:
        """Return whether it can happen to a request of this operation for these tables."""
        return (
            (not self.operations or operation in self.operations)
            and (not self.tables or any(table in self.tables for table in tables))
            and self.can_happen_to(operation)
        )

    def can_happen_to(self, operation: str) -> bool:
        """Return whether it can happen to any request of this operation."""
        return operation not in ADMINISTRATIVE_OPERATIONS and (
            self.kind != "short-page" or operation in _WITH_PAGES
        )


class _Dice:
    """The dice of one fault."""

    __slots__ = ("_again", "_random", "fault")

    def __init__(self, fault: Fault, seed: str) -> None:
        self.fault = fault
        self._random = random.Random(seed)  # noqa: S311 - chance, and no secret
        self._again: list[bool] = []

    def throw(self) -> bool:
        return self._again.pop() if self._again else self._random.random() < self.fault.share

    def take_back(self, thrown: bool) -> None:
        self._again.append(thrown)


class Fate(NamedTuple):
    """The faults that happen to one request, and those that do not."""

    thrown: Sequence[tuple[_Dice, bool]] = ()

    @property
    def faults(self) -> list[Fault]:
        """The faults that happen."""
        return [dice.fault for dice, happens in self.thrown if happens]

    def has(self, kind: FaultKind) -> bool:
        """Return whether a fault of this kind happens."""
        return any(fault.kind == kind for fault in self.faults)

    @property
    def seconds(self) -> float:
        """How much later the response comes."""
        return sum(fault.seconds for fault in self.faults if fault.kind == "latency")


class Faults:
    """The faults of a scenario."""

    def __init__(self, faults: Iterable[Fault], seed: int) -> None:
        self._dice = [
            _Dice(fault, f"{seed} {number}") for number, fault in enumerate(faults, start=1)
        ]
        self._lock = Lock()

    def fate(self, operation: str, tables: Collection[str]) -> Fate:
        """Return what happens to the next request of this operation for these tables."""
        with self._lock:
            return Fate(
                [
                    (each, each.throw())
                    for each in self._dice
                    if each.fault.is_for(operation, tables)
                ]
            )

    def take_back(self, fate: Fate) -> None:
        """Let the same happen to the next request of the kind, since this one is repeated."""
        with self._lock:
            for dice, happens in fate.thrown:
                dice.take_back(happens)


def carry_out(
    fate: Fate, body: Any, answer: Callable[[Any], bytes], note: Callable[[FaultKind], None]
) -> bytes | ServiceError:
    """Return the reply or the error for a request with this fate, and note each fault.

    Raises:
        ConnectionReset: There is no response.
    """
    if fate.has("error-before"):
        note("error-before")
        return InternalServerError(_FAILURE)
    if fate.has("lost-request"):
        note("lost-request")
        raise ConnectionReset("the weather has lost the request")
    try:
        outcome: bytes | ServiceError = answer(body)
    except ServiceError as error:
        outcome = error
    if fate.has("short-page"):
        note("short-page")
    if fate.has("lost-response"):
        note("lost-response")
        raise ConnectionReset("the weather has lost the response")
    if fate.has("error-after") and isinstance(outcome, bytes):
        note("error-after")
        outcome = InternalServerError(_FAILURE)
    if fate.has("latency"):
        note("latency")
    return outcome


def delay(seconds: float, outcome: bytes | ServiceError, end: Callable[[], None]) -> None:
    """Wait and call ``end``, or raise a `LateReply` if the caller must be prompt."""
    if are_prompt():
        raise LateReply(seconds, outcome, end)
    time.sleep(seconds)
    end()


def reply_or_error(outcome: bytes | ServiceError) -> bytes:
    """Return the reply, or raise the error."""
    if isinstance(outcome, ServiceError):
        raise outcome
    return outcome


def shortened(operation: str, body: Any) -> Any:
    """Return the request so that its page has one item; a batch ends early by itself."""
    if operation not in _WITH_LIMIT or not isinstance(body, dict):
        return body
    members = cast("dict[str, Any]", body)
    # A limit that is wrong is reported as it is.
    limit = members.get("Limit", 1)
    return members | {"Limit": 1} if isinstance(limit, int) and limit > 0 else members
