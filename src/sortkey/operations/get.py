"""Get: one record by its primary key."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from sortkey.errors import NotFound
from sortkey.expressions.tree import Value
from sortkey.operations.action import describe_key, shown_key
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.reading import Reading
from sortkey.operations.sealing import expect_keys, opened_answer
from sortkey.wire.messages import Request

E = TypeVar("E")
M = TypeVar("M")
R_co = TypeVar("R_co", covariant=True)

# A table's name and the values of a key there.
Place: TypeAlias = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Get(Operation[R_co | None], Generic[R_co]):
    """The record, or None where there is none or it has expired."""

    step: Step
    reading: Reading[R_co]
    kind: Kind[Any]

    def select(self, shape: type[M]) -> "Get[M]":
        """The same record with only the fields that a model names, validated as that model."""
        reading = self.kind.reading_as(shape, self.kind.key_names, lambda _: True)
        return Get(replace(self.step, projection=reading.projection), reading, self.kind)

    def consistently(self) -> "Get[R_co]":
        """The same, seeing every write that was acknowledged before."""
        return replace(self, step=replace(self.step, consistent=True))

    def required(self) -> "Required[R_co]":
        """The same, with `NotFound` raised instead of None."""
        return Required(self)

    def plan(self) -> Plan:
        """One GetItem."""
        return Plan("single", (self.step,))

    def steps(self, context: Context = ANYWHERE) -> Conversation[R_co | None]:
        """One question, one answer; two while records move to another place."""
        earlier = self.earlier() if self.kind.moving else None
        if earlier is not None:
            # Records move from there to here only, so that in this order none is missed.
            found = yield from earlier.steps(context)
            if found is not None:
                return found
        secrets = self.reading.secrets
        if secrets:
            expect_keys(secrets, context)
        step = self.step if earlier is None else replace(self.step, consistent=True)
        answer = yield Request("GetItem", step.body(context.environment))
        if secrets:
            answer = yield from opened_answer(answer, "Item", secrets, context)
        return self.result(answer, context.now())

    def earlier(self) -> "Get[R_co] | None":
        """The same where an earlier count of shards put the record, if that is elsewhere."""
        key = self.kind.earlier_key(self.step.key or {})
        if key is None:
            return None
        return replace(self, step=replace(self.step, key=key, consistent=True))

    def result(self, answer: Answer, now: float) -> R_co | None:
        """What the answer's item means."""
        item = answer.get("Item")
        return None if item is None else self.reading.reader(now)(item)


@dataclass(frozen=True, slots=True)
class Required(Operation[R_co], Generic[R_co]):
    """A record that must be there."""

    get: Get[R_co]

    def plan(self) -> Plan:
        """The plan of the get."""
        return self.get.plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[R_co]:
        """The get's conversation, and `NotFound` if it comes to nothing."""
        found = yield from self.get.steps(context)
        if found is None:
            step = self.get.step
            raise not_found(step.entity, step.key or {})
        return found


def get(kind: Kind[E], key: Mapping[str, Value]) -> Get[E]:
    """The get of one record by its key."""
    step = Step("GetItem", kind.table, (kind.name,), key=key)
    return Get(step, Reading(kind.read, kind.expires, secrets=kind.secrets), kind)


def place_of(get: Get[Any], context: Context) -> Place:
    """Which record a get is about, among those of all tables."""
    table = get.step.table.name_in(context.environment)
    return table, tuple(shown_key(get.step.key or {}).values())


def not_found(entity: str, key: Mapping[str, Value]) -> NotFound:
    """The error for a record that is not there."""
    shown = shown_key(key)
    return NotFound(f"there is no {entity} {describe_key(shown)}", entity=entity, key=shown)
