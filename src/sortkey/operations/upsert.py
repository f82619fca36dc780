"""Upsert: changes to a record that may not exist yet, and is then complete."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sortkey.errors import AlreadyExists, NotFound, Refused
from sortkey.expressions import tree
from sortkey.expressions.evaluate import holds
from sortkey.expressions.tree import IfNotExists, Path, Set, Value
from sortkey.expressions.update import apply_update
from sortkey.operations.action import Action, Guard, action, in_shape, is_absent, unexpired
from sortkey.operations.change import refuse_overlaps
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation
from sortkey.operations.plan import Plan
from sortkey.operations.sealing import opened_answer
from sortkey.operations.update import ALL_NEW, Changes, entry_actions
from sortkey.operations.write import send

E = TypeVar("E")


class Expired(NotFound):
    """A record past its time, which DynamoDB has not removed yet."""


@dataclass(frozen=True, slots=True)
class Upsert(Changes[E], Generic[E]):
    """Changes to a record, which is made with its defaults if it does not exist."""

    def actions(self) -> tuple[Action, ...]:
        """One update that leaves a complete record behind."""
        kind = self.kind
        refuse_overlaps(kind, self.changes)
        self.refuse_blind()
        self._refuse_incomplete()
        writes = [change.action(kind) for change in self.changes]
        writes += [*self._firm(), *self._defaults(), *self.kept()]
        guards = (*in_shape(kind, or_absent=True), *self.asked)
        if kind.expires is not None:
            living = unexpired(kind.expires, self.time)
            guards = (
                Guard(living, Expired, "{entity} {key} has expired, and is still stored"),
                *guards,
            )
        update = tree.Update(tuple(writes))
        return (action("UpdateItem", kind, self.key, guards, update=update),)

    def plan(self) -> Plan:
        """One update, and the put of a new record over one that has expired."""
        [own] = self.actions()
        later = () if self.kind.expires is None else (self._fresh(own).step,)
        return Plan("single", (own.step,), later)

    def steps(self, context: Context = ANYWHERE) -> Conversation[E]:
        """The update; over a record that has expired, a new one is written instead."""
        [own] = self.actions()
        while True:
            try:
                return self.result((yield from send(own, context, ALL_NEW)))
            except Expired as expired:
                if not all(holds(guard.condition, {}) for guard in self.asked):
                    raise own.failure(None) from expired
                fresh = self._fresh(own)
            try:
                yield from send(fresh, context)
            except AlreadyExists:
                continue  # somebody else was first: theirs is the record to change
            made: Answer = {"Attributes": fresh.step.item}
            if self.kind.secrets:
                made = yield from opened_answer(made, "Attributes", self.kind.secrets, context)
            return self.result(made)

    def _fresh(self, own: Action) -> Action:
        """The record that the update makes of nothing, over one that has expired."""
        update = own.step.update or tree.Update(())
        made = apply_update(update, {}, created=True).item
        item = {name: value.value for name, value in self.key.items()} | made
        return action("PutItem", self.kind, self.key, (is_absent(self.kind, self.time),), item=item)

    def _refuse_incomplete(self) -> None:
        kind = self.kind
        if kind.immutable:
            raise Refused(f"{kind.name} is immutable: create() is the only way to write it")
        if kind.uniques:
            raise Refused(
                f"{kind.name} has a unique field, so an upsert would need the value before: use "
                "create() and loaded.update()"
            )
        made = {change.place.field for change in self.changes if change.place.is_whole}
        made |= {kind.version_field or "", kind.created_field or "", kind.updated_field or ""}
        missing = sorted(kind.required() - kind.key_fields - made)
        if missing:
            raise Refused(
                f"an upsert of {kind.name} must set {', '.join(missing)}: without a default, and "
                "the record may be new"
            )

    def _firm(self) -> Iterator[tree.Action]:
        """What is written whether or not the record exists, and is the same in both cases."""
        kind = self.kind
        if kind.type_attribute is not None:
            yield Set(Path((kind.type_attribute,)), Value({"S": kind.name}))
        if kind.shape > 1:
            yield Set(Path((kind.shape_attribute,)), Value({"N": str(kind.shape)}))
        for name in sorted(kind.key_fields):
            stored_name = kind.stored_names[name]
            if stored_name in self.key:
                continue
            stored = kind.encode_field(name, self.known[name])
            if stored is not None:
                yield Set(Path((stored_name,)), Value(stored))

    def _defaults(self) -> Iterator[tree.Action]:
        """What only a new record gets."""
        kind = self.kind
        touched, assigned = set(self.touched()), self.assigned()
        soft: dict[str, Any] = {
            name: value for name, value in kind.defaults().items() if name not in touched
        }
        if kind.created_field is not None:
            soft[kind.created_field] = kind.moment(kind.created_field, self.time)
        kept = {kind.version_field, kind.updated_field}
        for name, value in soft.items():
            stored = None if name in kept else kind.encode_field(name, value)
            if stored is not None:
                path = Path((kind.stored_names[name],))
                yield Set(path, IfNotExists(path, Value(stored)))
        for entry in kind.entries:
            firm = {**self.known, **assigned}
            if entry.fields <= firm.keys():
                yield from entry_actions(entry, firm)
                continue
            unknown = entry.fields - firm.keys() - soft.keys()
            if unknown or entry.fields & touched:
                which = ", ".join(sorted(unknown or entry.fields - firm.keys()))
                raise Refused(
                    f"{entry.name} is made from {which}, which this upsert does not set: set it too"
                )
            for name, value in entry.attributes({**soft, **firm}).items():
                if value is not None:
                    path = Path((name,))
                    yield Set(path, IfNotExists(path, value))
