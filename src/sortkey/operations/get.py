"""Get: one record by its primary key."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from sortkey.errors import NotFound, Refused
from sortkey.expressions.tree import Value
from sortkey.operations.action import describe_key, shown_key
from sortkey.operations.encryption import decrypted_answer, expect_keys
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.reading import Reading
from sortkey.operations.revising import revised
from sortkey.wire.messages import Request
from sortkey.wire.values import Item
from sortkey.wording.prose import a

E = TypeVar("E")
M = TypeVar("M")
R_co = TypeVar("R_co", covariant=True)

# A table's name and the values of a key in it.
Place: TypeAlias = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Get(Operation[R_co | None], Generic[R_co]):
    """A read of one record by its key; None if it does not exist or has expired."""

    _step: Step
    _reading: Reading[R_co]
    _kind: Kind[Any]

    def select(self, shape: type[M]) -> "Get[M]":
        """Read only the fields that a model has, and return the record as that model."""
        reading = self._kind.reading_as(shape, self._kind.key_names, lambda _: True)
        return Get(revised(self._step, projection=reading.projection), reading, self._kind)

    def consistently(self) -> "Get[R_co]":
        """Use a strongly consistent read."""
        return revised(self, _step=revised(self._step, consistent=True))

    def required(self) -> "Required[R_co]":
        """Raise `NotFound` instead of returning None."""
        return Required(self)

    def _plan(self) -> Plan:
        """Return one GetItem."""
        return Plan("single", (self._step,))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[R_co | None]:
        """Send one GetItem; two while records move to another key."""
        earlier = self._earlier() if self._kind.moving else None
        if earlier is not None:
            # Records only move from the earlier key to this one, so this order misses none.
            found = yield from earlier._steps(context)
            if found is not None:
                return found
        secrets = self._reading.secrets
        if secrets:
            expect_keys(secrets, context)
        step = self._step if earlier is None else revised(self._step, consistent=True)
        answer = yield Request("GetItem", step.body(context.environment))
        if secrets:
            answer = yield from decrypted_answer(answer, "Item", secrets, context)
        return self._result(answer, context.now())

    def _earlier(self) -> "Get[R_co] | None":
        """Return the get of the record's earlier key, if that differs.

        It reads whole items, because another record may have had the same earlier key.
        """
        kind, own = self._kind, self._step.key or {}
        key = kind.earlier_key(own)
        if key is None:
            return None
        read = self._reading.read

        def read_own(item: Item) -> R_co | None:
            return read(item) if kind.is_of(item, own) else None

        step = revised(self._step, key=key, consistent=True, projection=None)
        return Get(step, revised(self._reading, read=read_own), kind)

    def _result(self, answer: Answer, now: float) -> R_co | None:
        """Return the result that the response's item stands for."""
        item = answer.get("Item")
        return None if item is None else self._reading.reader(now)(item)


@dataclass(frozen=True, slots=True)
class Required(Operation[R_co], Generic[R_co]):
    """A get that raises `NotFound` instead of returning None."""

    _get: Get[R_co]

    def _plan(self) -> Plan:
        """Return the plan of the get."""
        return self._get._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[R_co]:
        """Run the get, and raise `NotFound` if it finds nothing."""
        found = yield from self._get._steps(context)
        if found is None:
            step = self._get._step
            raise not_found(step.entity, step.key or {})
        return found


def get(kind: Kind[E], key: Mapping[str, Value]) -> Get[E]:
    """Return the get of one record by its key."""
    step = Step("GetItem", kind.table, (kind.name,), key=key)
    return Get(step, Reading(kind.read, kind.expires, secrets=kind.secrets), kind)


def only_gets(gets: Iterable[Get[E]], function: str) -> tuple[Get[E], ...]:
    """Return the gets; reject other operations, which type checkers report as well."""
    checked = tuple(gets)
    for one in checked:
        if not isinstance(one, Get):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all are checked
            raise Refused(
                f"{function}() takes gets, as in User.get(user_id=...), and this is "
                f"{a(type(one).__name__)}: leave out required(), or run it by itself"
            )
    return checked


def place_of(get: Get[Any], context: Context) -> Place:
    """Return the table and key of the record that a get reads."""
    table = get._step.table.name_in(context.environment)
    return table, tuple(shown_key(get._step.key or {}).values())


def not_found(entity: str, key: Mapping[str, Value]) -> NotFound:
    """Return the error for a record that does not exist."""
    shown = shown_key(key)
    return NotFound(f"{entity} {describe_key(shown)} does not exist", entity=entity, key=shown)
