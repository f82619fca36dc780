"""Transactions: writes that succeed or fail together, and reads of one moment."""

from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, overload

from sortkey.errors import Refused, TransactionFailed
from sortkey.operations.action import Action
from sortkey.operations.encryption import decrypted_answer, expect_keys
from sortkey.operations.get import Get, Place, only_gets, place_of
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.write import Write, attempt, new_token, plan_of
from sortkey.wire.limits import TRANSACTION_ACTIONS
from sortkey.wire.messages import Request
from sortkey.wording.prose import a

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

_TOKEN_LENGTH = 36


@dataclass(frozen=True, slots=True)
class Transaction(Operation[None]):
    """Writes that succeed or fail together."""

    writes: tuple[Write[Any], ...]
    token: str = field(default_factory=new_token)

    def _plan(self) -> Plan:
        """Return every action of every write."""
        actions = [a for w in self.writes for a in w._actions()]
        return replace(plan_of(actions), shape="transaction")

    def _steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """Send one request, and match its failures with the writes."""
        if not self.writes:
            return
        if not 1 <= len(self.token) <= _TOKEN_LENGTH:
            raise Refused(
                f"the token of a transaction must have 1 to {_TOKEN_LENGTH} characters, and this "
                f"one has {len(self.token)}: hash it, or shorten it"
            )
        owned = [(number, a) for number, w in enumerate(self.writes) for a in w._actions()]
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
    """Records as they were at one moment, in the order of the gets."""

    _gets: tuple[Get[Any], ...]

    def _plan(self) -> Plan:
        """Return every get."""
        return Plan("transaction", tuple(get._step for get in self._gets))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[T]:
        """Send one request, which reads each record once."""
        gets = self._gets
        if any(get._kind.moving for get in gets):
            return (yield from self._moving(context))
        none: Any = ()
        if not gets:
            return none
        found = yield from self._read(gets, context)
        result: Any = tuple(found)
        return result

    def _moving(self, context: Context) -> Conversation[T]:
        """Read each record under its earlier key and its own, at one moment."""
        earlier = [get._earlier() for get in self._gets]
        also = [get for get in earlier if get is not None]
        found = yield from self._read((*self._gets, *also), context)
        before = iter(found[len(self._gets) :])
        moved = [None if get is None else next(before) for get in earlier]
        result: Any = tuple(
            here if here is not None else there
            for here, there in zip(found[: len(self._gets)], moved, strict=True)
        )
        return result

    def _read(self, gets: tuple[Get[Any], ...], context: Context) -> Conversation[list[Any]]:
        for get in gets:
            expect_keys(get._reading.secrets, context)
        places = [place_of(get, context) for get in gets]
        wanted: dict[Place, Step] = {}
        for place, get in zip(places, gets, strict=True):
            step = replace(get._step, consistent=False)  # a transaction always is
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
            part, secrets = found[place], get._reading.secrets
            if secrets:
                part = yield from decrypted_answer(part, "Item", secrets, context)
            results.append(get._result(part, now))
        return results


def transact(*writes: Write[Any], token: str | None = None) -> Transaction:
    """Run all of the writes or none; a repetition with the same token does nothing.

    DynamoDB remembers a token for ten minutes.
    """
    for write in writes:
        if not isinstance(write, Write):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all are checked
            raise Refused(
                f"transact() takes writes as its arguments, not {a(type(write).__name__)}"
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
    """Get the records as they were at one moment; None for each missing one."""
    return Snapshot(only_gets(gets, "snapshot"))
