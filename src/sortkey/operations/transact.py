"""Transactions: several writes that all happen or none, and several reads of one moment."""

from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, overload

from sortkey.errors import Refused, TransactionFailed
from sortkey.operations.action import Action
from sortkey.operations.get import Get, Place, place_of
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.sealing import expect_keys, opened_answer
from sortkey.operations.write import Write, attempt, new_token
from sortkey.wire.limits import TRANSACTION_ACTIONS
from sortkey.wire.messages import Request

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

_TOKEN_LENGTH = 36


@dataclass(frozen=True, slots=True)
class Transaction(Operation[None]):
    """Writes that all happen or none."""

    writes: tuple[Write[Any], ...]
    token: str = field(default_factory=new_token)

    def plan(self) -> Plan:
        """Every action of every write."""
        return Plan("transaction", tuple(a.step for w in self.writes for a in w.actions()))

    def steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """One request; its failures are told for each write."""
        if not self.writes:
            return
        if not 1 <= len(self.token) <= _TOKEN_LENGTH:
            raise Refused(
                f"a transaction's token has 1 to {_TOKEN_LENGTH} characters, and this one "
                f"{len(self.token)}: hash it, or shorten it"
            )
        owned = [(number, a) for number, w in enumerate(self.writes) for a in w.actions()]
        failures = yield from attempt([a for _, a in owned], self.token, context)
        if failures:
            raise TransactionFailed(self._by_write(owned, failures), self.writes)

    def _by_write(
        self, owned: list[tuple[int, Action]], failures: tuple[Exception | None, ...]
    ) -> list[Exception | None]:
        first: list[Exception | None] = [None] * len(self.writes)
        for (number, _), failure in zip(owned, failures, strict=True):
            first[number] = first[number] or failure
        return first


@dataclass(frozen=True, slots=True)
class Snapshot(Operation[T], Generic[T]):
    """Records as they all were at one moment, in the order in which they were asked for."""

    gets: tuple[Get[Any], ...]

    def plan(self) -> Plan:
        """Every get."""
        return Plan("transaction", tuple(get.step for get in self.gets))

    def steps(self, context: Context = ANYWHERE) -> Conversation[T]:
        """One request, in which each record is asked for once."""
        gets = self.gets
        if any(get.kind.moving for get in gets):
            return (yield from self._moving(context))
        none: Any = ()
        if not gets:
            return none
        found = yield from self._asked(gets, context)
        result: Any = tuple(found)
        return result

    def _moving(self, context: Context) -> Conversation[T]:
        """Each record at the place where it was and the one where it will be, at one moment."""
        earlier = [get.earlier() for get in self.gets]
        also = [get for get in earlier if get is not None]
        found = yield from self._asked((*self.gets, *also), context)
        before = iter(found[len(self.gets) :])
        moved = [None if get is None else next(before) for get in earlier]
        result: Any = tuple(
            here if here is not None else there
            for here, there in zip(found[: len(self.gets)], moved, strict=True)
        )
        return result

    def _asked(self, gets: tuple[Get[Any], ...], context: Context) -> Conversation[list[Any]]:
        for get in gets:
            expect_keys(get.reading.secrets, context)
        places = [place_of(get, context) for get in gets]
        wanted: dict[Place, Step] = {}
        for place, get in zip(places, gets, strict=True):
            step = replace(get.step, consistent=False)  # it always is
            if wanted.setdefault(place, step) != step:
                wanted[place] = replace(step, projection=None)
        if len(wanted) > TRANSACTION_ACTIONS:
            raise Refused(
                f"a transaction reads at most {TRANSACTION_ACTIONS} records, not {len(wanted)}"
            )
        items = [{"Get": step.body(context.environment)} for step in wanted.values()]
        answer = yield Request("TransactGetItems", {"TransactItems": items})
        found = dict(zip(wanted, answer["Responses"], strict=True))
        now = context.now()
        results: list[Any] = []
        for place, get in zip(places, gets, strict=True):
            part, secrets = found[place], get.reading.secrets
            if secrets:
                part = yield from opened_answer(part, "Item", secrets, context)
            results.append(get.result(part, now))
        return results


def transact(*writes: Write[Any], token: str | None = None) -> Transaction:
    """All of the writes, or none; the same token within ten minutes does it once."""
    for write in writes:
        if not isinstance(write, Write):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all are checked
            raise Refused(
                f"transact() takes writes, one after the other, and not a {type(write).__name__}"
            )
    return Transaction(writes) if token is None else Transaction(writes, token)


@overload
def snapshot(first: Get[A], /) -> Snapshot[tuple[A | None]]: ...
@overload
def snapshot(first: Get[A], second: Get[B], /) -> Snapshot[tuple[A | None, B | None]]: ...
@overload
def snapshot(
    first: Get[A], second: Get[B], third: Get[C], /
) -> Snapshot[tuple[A | None, B | None, C | None]]: ...
@overload
def snapshot(
    first: Get[A], second: Get[B], third: Get[C], fourth: Get[D], /
) -> Snapshot[tuple[A | None, B | None, C | None, D | None]]: ...
@overload
def snapshot(*gets: Get[A]) -> Snapshot[tuple[A | None, ...]]: ...
def snapshot(*gets: Get[Any]) -> Snapshot[Any]:
    """The records as they all were at one moment; None for each that is missing."""
    return Snapshot(gets)
