"""Upsert: changes to a record that may not exist, and is then created with its defaults."""

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
from sortkey.operations.encryption import decrypted_answer
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation
from sortkey.operations.plan import Plan
from sortkey.operations.update import ALL_NEW, Changes, entry_actions
from sortkey.operations.write import new_token, send, transaction

E = TypeVar("E")


class Expired(NotFound):
    """The record has expired, and DynamoDB has not deleted it yet."""


@dataclass(frozen=True, slots=True)
class Upsert(Changes[E], Generic[E]):
    """Changes to a record, which is created with its defaults if it does not exist."""

    def _actions(self) -> tuple[Action, ...]:
        """Return one update, after which the record is complete."""
        kind = self._kind
        refuse_overlaps(kind, self._changes)
        self._refuse_blind()
        self._refuse_incomplete()
        writes = [change.action(kind) for change in self._changes]
        writes += [*self._firm(), *self._defaults(), *self._kept()]
        guards = (*in_shape(kind, or_absent=True), *self._conditions)
        if kind.expires is not None:
            living = unexpired(kind.expires, self._time)
            guards = (
                Guard(living, Expired, "{entity} {key} has expired, and is still stored"),
                *guards,
            )
        update = tree.Update(tuple(writes))
        return (action("UpdateItem", kind, self._key, guards, update=update),)

    def _plan(self) -> Plan:
        """Return one update, and the put of a new record over an expired one."""
        [own] = self._actions()
        later = () if self._kind.expires is None else (self._fresh(own).step,)
        return Plan("single", (own.step,), later)

    def _steps(self, context: Context = ANYWHERE) -> Conversation[E]:
        """Update the record; replace an expired one with a new record."""
        [own] = self._actions()
        while True:
            try:
                return self._result((yield from send(own, context, ALL_NEW)))
            except Expired as expired:
                fresh = self._instead(own, expired)
            try:
                yield from send(fresh, context)
            except AlreadyExists:
                continue  # another caller was first: update that record
            made: Answer = {"Attributes": fresh.step.item}
            if self._kind.secrets:
                made = yield from decrypted_answer(made, "Attributes", self._kind.secrets, context)
            return self._result(made)

    def _plan_once(self) -> Plan:
        """Return the update, the put of a new record, and the read of the record after it."""
        plan = self._plan()
        return Plan("transaction", plan.steps, (*plan.later, self._read()._step))

    def _once(self, token: str, context: Context) -> Conversation[E]:
        """Write in a transaction under a token, and read the record afterwards."""
        [own] = self._actions()
        while True:
            try:
                yield from transaction((own,), token, context)
                break
            except Expired as expired:
                fresh = self._instead(own, expired)
            try:
                yield from transaction((fresh,), new_token(), context)
                break
            except AlreadyExists:
                token = new_token()  # another caller was first: update that record
        return (yield from self._reread(context))

    def _instead(self, own: Action, expired: Expired) -> Action:
        """Return the put of a new record over an expired one, unless a condition forbids it."""
        if not all(holds(guard.condition, {}) for guard in self._conditions):
            raise own.failure(None) from expired
        return self._fresh(own)

    def _fresh(self, own: Action) -> Action:
        """Return the put of the record that the update creates, over an expired one."""
        update = own.step.update or tree.Update(())
        made = apply_update(update, {}, created=True).item
        item = {name: value.value for name, value in self._key.items()} | made
        return action(
            "PutItem", self._kind, self._key, (is_absent(self._kind, self._time),), item=item
        )

    def _refuse_incomplete(self) -> None:
        kind = self._kind
        if kind.immutable:
            raise Refused(f"{kind.name} is immutable: create() is the only way to write it")
        if kind.uniques:
            raise Refused(
                f"{kind.name} has a unique field, so an upsert would need its old value: use "
                "create() and loaded.update()"
            )
        made = {change.place.field for change in self._changes if change.place.is_whole}
        made |= {kind.version_field or "", kind.created_field or "", kind.updated_field or ""}
        missing = sorted(kind.required() - kind.key_fields - made)
        if missing:
            raise Refused(
                f"an upsert of {kind.name} must set {', '.join(missing)}, which has no default: "
                "the record may be new"
            )

    def _firm(self) -> Iterator[tree.Action]:
        """Yield what is written in the same way whether or not the record exists."""
        kind = self._kind
        if kind.type_attribute is not None:
            yield Set(Path((kind.type_attribute,)), Value({"S": kind.name}))
        if kind.shape > 1:
            yield Set(Path((kind.shape_attribute,)), Value({"N": str(kind.shape)}))
        for name in sorted(kind.key_fields):
            stored_name = kind.stored_names[name]
            if stored_name in self._key:
                continue
            stored = kind.encode_field(name, self._known[name])
            if stored is not None:
                yield Set(Path((stored_name,)), Value(stored))

    def _defaults(self) -> Iterator[tree.Action]:
        """Yield what is written only to a new record."""
        kind = self._kind
        touched, assigned = set(self._touched()), self._assigned()
        soft: dict[str, Any] = {
            name: value for name, value in kind.defaults().items() if name not in touched
        }
        if kind.created_field is not None:
            soft[kind.created_field] = kind.moment(kind.created_field, self._time)
        kept = {kind.version_field, kind.updated_field}
        for name, value in soft.items():
            stored = None if name in kept else kind.encode_field(name, value)
            if stored is not None:
                path = Path((kind.stored_names[name],))
                yield Set(path, IfNotExists(path, Value(stored)))
        for entry in kind.entries:
            firm = {**self._known, **assigned}
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
