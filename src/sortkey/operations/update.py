"""Update: changes to single fields, and to every key that contains them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final, Generic, Self, TypeVar, overload

from sortkey.errors import NotFound, Refused, Unreadable
from sortkey.expressions import tree
from sortkey.expressions.tree import Add, Path, Remove, Set, Value
from sortkey.expressions.update import apply_update
from sortkey.operations import lock
from sortkey.operations.action import (
    Action,
    Guard,
    action,
    describe_key,
    in_shape,
    is_there,
    is_version,
    shown_key,
)
from sortkey.operations.change import FieldChange, Verb, refuse_overlaps
from sortkey.operations.get import Get, get
from sortkey.operations.guards import unchanged
from sortkey.operations.kind import IndexEntry, Kind, Place
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation
from sortkey.operations.plan import Plan
from sortkey.operations.put import version_of, where
from sortkey.operations.reading import Reading
from sortkey.operations.revising import revised
from sortkey.operations.secrets import plain
from sortkey.operations.write import Write, new_token, plan_of, send, transaction
from sortkey.wording.prose import a

E = TypeVar("E")
V = TypeVar("V")
N = TypeVar("N", bound=float | Decimal | timedelta)

ALL_NEW: Final = {"ReturnValues": "ALL_NEW"}
ONE = Value({"N": "1"})
_WHOLE = frozenset({"set", "remove"})
_BLIND = frozenset({"add", "append", "include", "exclude"})


class GoneSince(NotFound):
    """The record was updated, and deleted before it could be read again."""


@dataclass(frozen=True, slots=True)
class Changes(Write[E], Generic[E]):
    """Changes to the fields of one record."""

    _kind: Kind[E]
    _key: dict[str, Value]
    _known: Mapping[str, Any] = field(repr=False)  # all of a loaded record, its secrets too
    _time: float
    _changes: tuple[FieldChange, ...] = ()
    _conditions: tuple[Guard, ...] = ()

    @overload
    def set(self, select: Callable[[E], V], /) -> "SetTo[E, V, Self]": ...
    @overload
    def set(self, /, **fields: Any) -> Self: ...
    def set(self, select: Callable[[E], Any] | None = None, /, **fields: Any) -> Any:
        """Set fields to new values: ``.set(plan="pro", seats=5)``.

        To set a value inside a field, or to have the type checked by an editor, select the place
        with a function: ``.set(lambda u: u.address.city).to("Rome")``.
        """
        if select is None:
            return self._each("set", fields)
        _refuse_both("set", fields)
        selected: SetTo[E, Any, Self] = SetTo(self, self._selected(select))
        return selected

    @overload
    def add(self, select: Callable[[E], N | None], /) -> "AddBy[E, N, Self]": ...
    @overload
    def add(self, /, **amounts: float | Decimal | timedelta) -> Self: ...
    def add(self, select: Callable[[E], Any] | None = None, /, **amounts: Any) -> Any:
        """Add to numbers, atomically: ``.add(logins=1)`` or ``.add(lambda u: u.logins).by(1)``.

        A negative amount subtracts.
        """
        if select is None:
            return self._each("add", amounts)
        _refuse_both("add", amounts)
        selected: AddBy[E, Any, Self] = AddBy(self, self._selected(select))
        return selected

    def append(self, select: Callable[[E], list[V] | None]) -> "Appended[E, V, Self]":
        """Append members to a list: ``.append(lambda u: u.log).items("in")``."""
        return Appended(self, self._selected(select))

    def include(self, select: Callable[[E], AbstractSet[V] | None]) -> "Included[E, V, Self]":
        """Add members to a set: ``.include(lambda u: u.tags).items("new")``."""
        return Included(self, self._selected(select), "include")

    def exclude(self, select: Callable[[E], AbstractSet[V] | None]) -> "Included[E, V, Self]":
        """Remove members from a set: ``.exclude(lambda u: u.tags).items("old")``."""
        return Included(self, self._selected(select), "exclude")

    def remove(self, select: Callable[[E], object]) -> Self:
        """Remove the value of an optional field: ``.remove(lambda u: u.nickname)``."""
        place = self._selected(select)
        if place.is_whole and place.field not in self._kind.removable:
            raise Refused(f"{self._kind.name}.{place.shown} is required and cannot be removed")
        return self._changed(FieldChange("remove", place))

    def where(self, test: Callable[[E], int]) -> Self:
        """Update only if the record that is stored now meets this condition."""
        return revised(self, _conditions=(*self._conditions, where(self._kind, test)))

    def _changed(self, change: FieldChange) -> Self:
        """Return the update with one more change."""
        if change.place.secret and not (change.place.is_whole and change.verb in _WHOLE):
            raise Refused(
                f"{self._kind.name}.{change.place.field} is secret and stored encrypted, so "
                f"{change.verb}() cannot change a part of it: set() or remove() the whole field"
            )
        return revised(self, _changes=(*self._changes, change))

    def _each(self, verb: Verb, values: Mapping[str, Any]) -> Self:
        changed = self
        for name, value in values.items():
            place = self._changeable(self._kind.place_of_field(name))
            changed = changed._changed(FieldChange(verb, place, value))
        return changed

    def _selected(self, select: Callable[[E], V]) -> Place[V]:
        return self._changeable(self._kind.place(select))

    def _changeable(self, place: Place[V]) -> Place[V]:
        """Return the place; refuse one that an update cannot change."""
        kind = self._kind
        if place.field in kind.key_fields:
            raise Refused(
                f"{kind.name}.{place.field} is part of the primary key, which cannot change: "
                "delete the record and create another, in a transaction"
            )
        if kind.immutable or place.field in kind.frozen_fields:
            what = kind.name if kind.immutable else f"{kind.name}.{place.field}"
            raise Refused(f"{what} is immutable: it cannot be changed after create()")
        if place.field in {kind.version_field, kind.updated_field, kind.created_field}:
            raise Refused(f"{kind.name}.{place.field} is set by sortkey and cannot be changed")
        return place

    def _touched(self) -> Collection[str]:
        """Return the fields that change."""
        return {change.place.field for change in self._changes}

    def _assigned(self) -> dict[str, Any]:
        """Return the fields whose new value is known, with that value."""
        return {
            change.place.field: change.place.check(change.value) if change.verb == "set" else None
            for change in self._changes
            if change.verb in {"set", "remove"} and change.place.is_whole
        }

    def _kept(self) -> Iterator[tree.Action]:
        """Yield the changes that sortkey itself makes: the version and the time."""
        if self._kind.version is not None:
            yield Add(Path((self._kind.version,)), ONE)
        if self._kind.updated_field is not None:
            moment = self._kind.moment(self._kind.updated_field, self._time)
            stored = self._kind.encode_field(self._kind.updated_field, moment)
            if stored is not None:
                yield Set(Path((self._kind.updated or "",)), Value(stored))

    def _touched_entries(self) -> Iterator[tuple[IndexEntry, Mapping[str, Any]]]:
        """Yield the index entries that the changes move, with their new values."""
        if not self._kind.entries:
            return
        touched = set(self._touched())
        for entry in self._kind.entries:
            if not entry.fields & touched:
                continue
            assigned = self._assigned()
            for name in sorted(entry.fields):
                if name in assigned or (name not in touched and name in self._known):
                    continue
                raise Refused(
                    f"{entry.name} is made from {name}, whose new value is not "
                    f"known here: load the {self._kind.name} and use loaded.update().set(...)"
                )
            yield entry, {**self._known, **assigned}

    def _refuse_nothing(self) -> None:
        """Refuse an update that changes nothing."""
        if not self._changes:
            raise Refused(f"the update of {self._kind.name} changes nothing: add set() or another")

    def _refuse_blind(self) -> None:
        """Refuse changes by key alone that could undo a concurrent change."""
        kind = self._kind
        if kind.version is None or self._conditions:
            return
        for change in self._changes:
            if change.verb not in _BLIND:
                raise Refused(
                    f"{kind.name} has a version, and {change.verb} by key alone could undo a "
                    f"concurrent change to {change.place.shown}: use loaded.update(), or add a "
                    "condition with where()"
                )

    def _read(self) -> Get[E]:
        return get(self._kind, self._key).consistently()

    def _stored(self) -> Get[E]:
        """Return a read of the record, even if it has expired by now."""
        return revised(self._read(), _reading=Reading(self._kind.read, secrets=self._kind.secrets))

    def _reread(self, context: Context) -> Conversation[E]:
        """Return the record after the write, even if it has expired by now."""
        record = yield from self._stored()._steps(context)
        if record is None:
            key = shown_key(self._key)
            raise GoneSince(
                f"{self._kind.name} {describe_key(key)} was updated, and then deleted by another "
                "caller before it could be read",
                entity=self._kind.name,
                key=key,
            )
        return record

    def _result(self, answer: Answer, /) -> E:
        """Return the record after the update."""
        record = self._kind.read(answer["Attributes"])
        if record is None:
            faults = {self._kind.type_attribute or "": f"it is not {a(self._kind.name)}"}
            raise Unreadable(self._kind.name, shown_key(self._key), faults)
        return record


def _refuse_both(method: str, fields: Mapping[str, Any]) -> None:
    if fields:
        raise Refused(f"{method}() takes a function or fields, not both: make two calls")


def entry_actions(entry: IndexEntry, values: Mapping[str, Any]) -> Iterator[tree.Action]:
    """Yield the actions that write an index entry, or remove it if a part of it is empty."""
    for name, value in entry.attributes(values).items():
        path = Path((name,))
        yield Remove(path) if value is None else Set(path, value)


@dataclass(frozen=True, slots=True)
class Update(Changes[E], Generic[E]):
    """Changes to a record that exists; the result is the record afterwards."""

    _loaded: E | None = None

    def _actions(self) -> tuple[Action, ...]:
        """Return the changes, with the keys that contain the fields, and the writes of locks."""
        kind = self._kind
        self._refuse_nothing()
        refuse_overlaps(kind, self._changes)
        if self._loaded is None:
            self._refuse_blind()
        writes = [change.action(kind) for change in self._changes]
        guards = [is_there(kind, self._time), *in_shape(kind)]
        if self._loaded is not None and kind.version is not None:
            guards.append(is_version(kind, version_of(kind, self._loaded)))
        for entry, values in self._touched_entries():
            writes += entry_actions(entry, values)
            guards += self._tied_to(entry.fields)
        locks, tied = self._locks()
        guards += tied
        update = tree.Update((*writes, *self._kept()))
        own = action("UpdateItem", kind, self._key, (*guards, *self._conditions), update=update)
        return (own, *locks)

    def _plan(self) -> Plan:
        """Return one request; or a transaction that moves locks, and perhaps a read after it."""
        plan = plan_of(self._actions())
        if plan.shape == "single":
            return plan
        before = {} if self._loaded is None else self._kind.encode(self._loaded)
        kept = lock.kept_steps(self._kind, self._key, before)
        return revised(plan, later=(self._read()._step, *kept, *plan.later))

    def _plan_once(self) -> Plan:
        """Return a transaction, and the read of the record after it."""
        plan = self._plan()
        return Plan("transaction", plan.steps, plan.later or (self._read()._step,))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[E]:
        """Update the record, in a transaction if locks move."""
        own, *locks = self._actions()
        if not locks:
            return self._result((yield from send(own, context, ALL_NEW)))
        return (yield from self._once(new_token(), context))

    def _once(self, token: str, context: Context) -> Conversation[E]:
        """Write in a transaction under a token, and read the record again.

        A version says if it was changed since. Then the result is made from the loaded record,
        which the version proves to be the one before, unless the caller changed it in memory.
        """
        own, *locks = self._actions()
        yield from transaction((own, *locks), token, context)
        loaded, kind = self._loaded, self._kind
        if loaded is None or kind.version is None:
            return (yield from self._reread(context))
        record = yield from self._stored()._steps(context)
        if record is not None and version_of(kind, record) == version_of(kind, loaded) + 1:
            return record
        after = apply_update(own.step.update or tree.Update(()), kind.encode(loaded)).item
        return self._result({"Attributes": {name: plain(value) for name, value in after.items()}})

    def _tied_to(self, fields: Collection[str]) -> Iterator[Guard]:
        """Require that the other fields of a key are stored as they were loaded.

        The version alone is not enough: the record may have been changed in memory.
        """
        if self._loaded is None:
            return
        others = sorted(set(fields) - set(self._touched()) - self._kind.key_fields)
        yield from unchanged(self._kind, self._loaded, others)

    def _locks(self) -> tuple[list[Action], list[Guard]]:
        kind = self._kind
        if not kind.uniques:
            return [], []
        touched = set(self._touched())
        moving = [
            unique
            for unique in kind.uniques
            if unique.fields & touched or kind.expires_field in touched
        ]
        if not moving:
            return [], []
        tied = lock.fields(kind, moving)
        if self._loaded is None:
            what = ", ".join(sorted(touched & tied))
            raise Refused(
                f"{kind.name}.{what} belongs to a unique lock, and moving the lock needs the old "
                f"value: load the {kind.name} and use loaded.update()"
            )
        assigned = self._assigned()
        if unknown := sorted((touched & tied) - assigned.keys()):
            raise Refused(
                f"{kind.name}.{', '.join(unknown)} belongs to a unique lock, and its new value is "
                "not known here: use loaded.update().set(...)"
            )
        known = {name: value for name, value in assigned.items() if name in tied}
        before = kind.encode(self._loaded)
        after = kind.encode(kind.with_values(self._loaded, known))
        locks = [
            made
            for unique in moving
            for made in lock.move(kind, unique, self._key, before, after=after, now=self._time)
        ]
        return locks, list(unchanged(kind, self._loaded, sorted(tied)))


U = TypeVar("U", bound=Changes[Any])


@dataclass(frozen=True, slots=True)
class SetTo(Generic[E, V, U]):
    """A selected field that needs its new value: call ``to``."""

    _update: U
    _place: Place[Any]

    def to(self, value: V) -> U:
        """Set the field to this value."""
        return self._update._changed(FieldChange("set", self._place, value))


@dataclass(frozen=True, slots=True)
class AddBy(Generic[E, V, U]):
    """A selected number that needs an amount: call ``by``."""

    _update: U
    _place: Place[Any]

    @overload
    def by(self: "AddBy[E, Decimal, U]", amount: Decimal | int) -> U: ...
    @overload
    def by(self, amount: V) -> U: ...
    def by(self, amount: Any) -> U:
        """Add this amount; a negative amount subtracts."""
        return self._update._changed(FieldChange("add", self._place, amount))


@dataclass(frozen=True, slots=True)
class Appended(Generic[E, V, U]):
    """A selected list that needs its new members: call ``items``."""

    _update: U
    _place: Place[Any]

    def items(self, *values: V) -> U:
        """Append these members to the list."""
        return self._update._changed(FieldChange("append", self._place, list(values)))


@dataclass(frozen=True, slots=True)
class Included(Generic[E, V, U]):
    """A selected set that needs members: call ``items``."""

    _update: U
    _place: Place[Any]
    _verb: Verb

    def items(self, *values: V) -> U:
        """Add these members to the set, or remove them from it."""
        return self._update._changed(FieldChange(self._verb, self._place, {*values}))
