"""Claims: work that is done once, whoever asks for it and however often, also after a crash.

A claim is a record. Whoever takes it holds it for the length of a lease, and finishes it in the
same transaction as the work, only while it is still theirs. So there are three cases: nobody has
begun, or whoever did is gone, and the caller works; somebody is at work; or the result is there.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from sortkey.design.codecs import Stored
from sortkey.design.conditions import missing, value_of
from sortkey.design.entity import Entity, kind_of
from sortkey.design.marks import TTL
from sortkey.errors import ClaimLost, InProgress, Refused, TransactionFailed, WriteFailed
from sortkey.expressions.tree import Or
from sortkey.operations.action import Guard, is_absent
from sortkey.operations.clock import now, utc_now
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.put import Put, put
from sortkey.operations.sealing import opened
from sortkey.operations.transact import Transaction
from sortkey.operations.write import Write, new_token

R = TypeVar("R")
C = TypeVar("C", bound="Claim[Any]")

_LEASE = timedelta(minutes=1)
_KEEP = timedelta(days=7)


class Claim(Entity, Generic[R]):
    """Work that is done once and comes to an ``R``; subclass it with a key of your own.

    ``class Payment(Claim[Receipt], table=Shop)`` needs a table with ``ttl="expires"``.
    """

    state: Literal["IN_PROGRESS", "DONE"] = "IN_PROGRESS"  # for whoever looks into the table
    held_by: str = ""
    held_until: datetime | None = None
    finished_at: datetime | None = None
    stored_result: Annotated[R | None, Stored("result")] = None
    expires: TTL | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the work is done, and its result here."""
        return self.finished_at is not None

    @property
    def result(self) -> R:
        """What the work came to."""
        if not self.is_finished:
            raise Refused(f"this {type(self).__name__} is not finished, so it has no result yet")
        result: Any = self.stored_result
        return result

    def take(self, *, lease: timedelta = _LEASE, keep: timedelta = _KEEP) -> "Take[Self]":
        """The claim, finished by somebody before, or now the caller's own for the lease.

        `InProgress` where somebody else holds it. Whoever does not finish within the lease may be
        replaced; ``keep`` is how long the claim and its result are remembered.
        """
        if not timedelta(0) < lease <= keep:
            raise Refused(
                f"a lease is longer than nothing and no longer than the claim is kept; this one is "
                f"{lease}, kept for {keep}"
            )
        return Take(self, lease, keep)

    def finish(self, result: R, *writes: Write[Any]) -> "Finish[R]":
        """The work's writes and its result in one transaction; `ClaimLost` if it was taken over."""
        self._refuse_unheld()
        return Finish(result, Transaction((self._finished(result), *writes)))

    def release(self) -> "Release":
        """The claim given up, so that the next caller need not wait for the end of the lease."""
        self._refuse_unheld()
        return Release(self)

    def _finished(self, result: R) -> Write[Any]:
        """The claim with its result, if it is still the caller's."""
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
            raise Refused(f"this {name} is finished already: return its result")
        if not self.held_by:
            raise Refused(f"this {name} was not taken: finish what db({name}(...).take()) returned")


@dataclass(frozen=True, slots=True)
class Take(Operation[C], Generic[C]):
    """A claim to be had: the result is the claim, the caller's own or a finished one."""

    claim: C
    lease: timedelta
    keep: timedelta

    def plan(self) -> Plan:
        """One conditional put."""
        return self._put(now(), new_token()).plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[C]:
        """One request: a put that fails tells who was first."""
        own = self._put(context.now(), new_token())
        try:
            return (yield from own.steps(context))
        except InProgress as taken:
            there = yield from self._there(taken, context)
            # The same holder: it is our own put whose answer was lost.
            if there.is_finished or there.held_by == own.record.held_by:
                return there
            taken.until = there.held_until
            raise

    def _put(self, now: float, holder: str) -> Put[C]:
        kind = kind_of(type(self.claim))
        if kind.version is not None:
            raise Refused(f"{kind.name} is a claim, which has its own guard: leave the version out")
        moment = datetime.fromtimestamp(now, UTC)
        held = kind.with_values(
            self.claim,
            {
                "held_by": holder,
                "held_until": moment + self.lease,
                "expires": moment + self.keep,
            },
        )
        abandoned = kind.condition(
            lambda c: missing(c.finished_at) & (value_of(c.held_until) <= moment)
        )
        free = Guard(
            Or((is_absent(kind, now).condition, abandoned)),
            InProgress,
            "{entity} {key} is being worked on by another caller; ask again later",
        )
        return replace(put(kind, "put", held), asked=(free,))

    def _there(self, taken: InProgress, context: Context) -> Conversation[C]:
        """The claim that is stored instead."""
        kind = kind_of(type(self.claim))
        stored = yield from opened(dict(taken.stored or {}), kind.secrets, context)
        there = kind.read(stored) if stored else None
        if there is None:
            raise taken
        return there


@dataclass(frozen=True, slots=True)
class Finish(Operation[R], Generic[R]):
    """The end of claimed work; the result is the work's."""

    result: R
    transaction: Transaction

    def plan(self) -> Plan:
        """One transaction."""
        return self.transaction.plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[R]:
        """All of the writes with the claim, or nothing."""
        try:
            yield from self.transaction.steps(context)
        except TransactionFailed as failed:
            lost = failed.of(self.transaction.writes[0])
            if isinstance(lost, WriteFailed):
                raise _lost(lost) from failed
            raise
        return self.result


@dataclass(frozen=True, slots=True)
class Release(Operation[None]):
    """A claim given up, if it is still the caller's."""

    claim: Claim[Any]

    def plan(self) -> Plan:
        """One conditional delete."""
        return self._delete().plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """One request; a claim that was lost is not ours to give up, and that is fine."""
        try:
            yield from self._delete().steps(context)
        except WriteFailed:
            return

    def _delete(self) -> Write[Any]:
        mine = self.claim.held_by
        delete = self.claim.delete()
        return delete.where(lambda c: (c.held_by == mine) & missing(c.finished_at))


def _lost(failure: WriteFailed) -> ClaimLost:
    return ClaimLost(
        f"nothing was written, because the claim is another caller's by now ({failure})",
        entity=failure.entity,
        key=failure.key,
        stored=failure.stored,
    )
