"""Claims: work that is done once, however often it is requested, even after a crash.

A claim is a record. A caller takes it for the length of a lease, and finishes it in the same
transaction as the work, only while it still has the claim. So there are three cases: the work has
not begun, or its lease has ended, and the caller does it; another caller is working on it; or the
result is available.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from sortkey.clock import now, utc_now
from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.records.codecs import Stored
from sortkey.design.records.conditions import missing, value_of
from sortkey.design.records.marks import TTL
from sortkey.errors import ClaimLost, InProgress, RecordError, Refused, TransactionFailed
from sortkey.expressions.tree import Or
from sortkey.operations.action import Guard, is_absent
from sortkey.operations.encryption import decrypted
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.put import Put, put
from sortkey.operations.transact import Transaction
from sortkey.operations.write import Write, new_token

R = TypeVar("R")
C = TypeVar("C", bound="Claim[Any]")

_LEASE = timedelta(minutes=1)
_KEEP = timedelta(days=7)


class Claim(Entity, Generic[R]):
    """Work that is done once and has the result ``R``; subclass it and declare a key.

    ``class Payment(Claim[Receipt], table=Shop)`` needs a table with ``ttl="expires"``.
    """

    state: Literal["IN_PROGRESS", "DONE"] = "IN_PROGRESS"  # for readers of the table
    held_by: str = ""
    held_until: datetime | None = None
    finished_at: datetime | None = None
    stored_result: Annotated[R | None, Stored("result")] = None
    expires: TTL | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the work is done and its result is available."""
        return self.finished_at is not None

    @property
    def result(self) -> R:
        """The result of the work."""
        if not self.is_finished:
            raise Refused(f"this {type(self).__name__} is not finished, so it has no result yet")
        result: Any = self.stored_result
        return result

    def take(self, *, lease: timedelta = _LEASE, keep: timedelta = _KEEP) -> "Take[Self]":
        """Take the claim for the length of the lease, or return it with its result if finished.

        Raise `InProgress` if another caller has it. Another caller may take it over after the
        lease; ``keep`` is how long the claim and its result are kept.
        """
        if not timedelta(0) < lease <= keep:
            raise Refused(
                f"a lease must be positive and at most as long as the claim is kept; this one is "
                f"{lease}, kept for {keep}"
            )
        return Take(self, lease, keep)

    def finish(self, result: R, *writes: Write[Any]) -> "Finish[R]":
        """Write the work and its result in one transaction; raise `ClaimLost` if taken over."""
        self._refuse_unheld()
        return Finish(result, Transaction((self._finished(result), *writes)))

    def release(self) -> "Release":
        """Give up the claim, so that the next caller need not wait for the end of the lease."""
        self._refuse_unheld()
        return Release(self)

    def _finished(self, result: R) -> Write[Any]:
        """Return the claim with its result, if the caller still has it."""
        mine = self.held_by
        return (
            self.update()
            .set(lambda c: c.stored_result)
            .to(result)
            .set(lambda c: c.state)
            .to("DONE")
            .set(lambda c: c.finished_at)
            .to(utc_now())
            .where(lambda c: (c.held_by == mine) & missing(c.finished_at))
        )

    def _refuse_unheld(self) -> None:
        name = type(self).__name__
        if self.is_finished:
            raise Refused(f"this {name} is already finished: return its result")
        if not self.held_by:
            raise Refused(f"this {name} was not taken: finish what db({name}(...).take()) returned")


@dataclass(frozen=True, slots=True)
class Take(Operation[C], Generic[C]):
    """The operation that takes a claim; its result is the claim, taken or finished."""

    _claim: C
    _lease: timedelta
    _keep: timedelta

    def _plan(self) -> Plan:
        """One conditional put."""
        return self._put(now(), new_token())._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[C]:
        """Send one request: a put that fails returns the existing claim."""
        own = self._put(context.now(), new_token())
        try:
            return (yield from own._steps(context))
        except InProgress as taken:
            there = yield from self._there(taken, context)
            # The same holder: this is our own put, whose response was lost.
            if there.is_finished or there.held_by == own.record.held_by:
                return there
            taken.until = there.held_until
            raise

    def _put(self, now: float, holder: str) -> Put[C]:
        kind = kind_of(type(self._claim))
        if kind.version is not None:
            raise Refused(f"{kind.name} is a claim, which has its own guard: remove the version")
        moment = datetime.fromtimestamp(now, UTC)
        held = kind.with_values(
            self._claim,
            {
                "held_by": holder,
                "held_until": moment + self._lease,
                "expires": moment + self._keep,
            },
        )
        abandoned = kind.condition(
            lambda c: missing(c.finished_at) & (value_of(c.held_until) <= moment)
        )
        free = Guard(
            Or((is_absent(kind, now).condition, abandoned)),
            InProgress,
            "{entity} {key} is being worked on by another caller; try again later",
        )
        return replace(put(kind, "put", held), _conditions=(free,))

    def _there(self, taken: InProgress, context: Context) -> Conversation[C]:
        """Return the existing claim."""
        kind = kind_of(type(self._claim))
        stored = yield from decrypted(dict(taken.stored or {}), kind.secrets, context)
        there = kind.read(stored) if stored else None
        if there is None:
            raise taken
        return there


@dataclass(frozen=True, slots=True)
class Finish(Operation[R], Generic[R]):
    """The operation that finishes claimed work; it has the result of the work."""

    _result: R
    _transaction: Transaction

    def _plan(self) -> Plan:
        """One transaction."""
        return self._transaction._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[R]:
        """Send all of the writes with the claim, or none."""
        try:
            yield from self._transaction._steps(context)
        except TransactionFailed as failed:
            lost = failed.of(self._transaction.writes[0])
            if isinstance(lost, RecordError):
                raise _lost(lost) from failed
            raise
        return self._result


@dataclass(frozen=True, slots=True)
class Release(Operation[None]):
    """The operation that gives up a claim, if the caller still has it."""

    _claim: Claim[Any]

    def _plan(self) -> Plan:
        """One conditional delete."""
        return self._delete()._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """Send one request; a claim that was lost is left alone."""
        try:
            yield from self._delete()._steps(context)
        except RecordError:
            return

    def _delete(self) -> Write[Any]:
        mine = self._claim.held_by
        delete = self._claim.delete()
        return delete.where(lambda c: (c.held_by == mine) & missing(c.finished_at))


def _lost(failure: RecordError) -> ClaimLost:
    return ClaimLost(
        f"nothing was written, because another caller has the claim now ({failure})",
        entity=failure.entity,
        key=failure.key,
        stored=failure.stored,
    )
