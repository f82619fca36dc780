"""Update: changes to single fields, with every key that the fields feed."""

from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final, Generic, Self, TypeVar, overload

from sortkey.errors import NotFound, Refused, Unreadable
from sortkey.expressions import tree
from sortkey.expressions.tree import Add, Path, Remove, Set, Value
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
from sortkey.operations.change import Change, Verb, refuse_overlaps
from sortkey.operations.get import Get, get
from sortkey.operations.guards import unchanged
from sortkey.operations.kind import IndexEntry, Kind, Place
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation
from sortkey.operations.plan import Plan
from sortkey.operations.put import version_of, where
from sortkey.operations.reading import Reading
from sortkey.operations.write import Write, new_token, send, transaction

E = TypeVar("E")
V = TypeVar("V")
N = TypeVar("N", bound=float | Decimal | timedelta)

ALL_NEW: Final = {"ReturnValues": "ALL_NEW"}
ONE = Value({"N": "1"})
_WHOLE = frozenset({"set", "remove"})
_DONE = {
    "set": "changed in part",
    "remove": "changed in part",
    "add": "added to",
    "append": "appended to",
    "include": "added to",
    "exclude": "taken from",
}
_BLIND = frozenset({"add", "append", "include", "exclude"})


@dataclass(frozen=True, slots=True)
class Changes(Write[E], Generic[E]):
    """Changes to one record's fields, however the record is found."""

    kind: Kind[E]
    key: dict[str, Value]
    known: Mapping[str, Any] = field(repr=False)  # all of a loaded record, its secrets too
    time: float
    changes: tuple[Change, ...] = ()
    asked: tuple[Guard, ...] = ()

    def set(self, select: Callable[[E], V]) -> "SetTo[E, V, Self]":
        """A field that gets another value: ``.set(lambda u: u.plan).to("pro")``."""
        return SetTo(self, self._place(select))

    def add(self, select: Callable[[E], N | None]) -> "AddBy[E, N, Self]":
        """A number that grows, atomically: ``.add(lambda u: u.logins).by(1)``."""
        return AddBy(self, self._place(select))

    def append(self, select: Callable[[E], list[V] | None]) -> "Appended[E, V, Self]":
        """A list that gets more members at its end: ``.append(lambda u: u.log).items("in")``."""
        return Appended(self, self._place(select))

    def include(self, select: Callable[[E], AbstractSet[V] | None]) -> "Included[E, V, Self]":
        """A set that gets more members: ``.include(lambda u: u.tags).items("new")``."""
        return Included(self, self._place(select), "include")

    def exclude(self, select: Callable[[E], AbstractSet[V] | None]) -> "Included[E, V, Self]":
        """A set that loses members: ``.exclude(lambda u: u.tags).items("old")``."""
        return Included(self, self._place(select), "exclude")

    def remove(self, select: Callable[[E], object]) -> Self:
        """The same, without the value of an optional field."""
        place = self._place(select)
        if place.is_whole and place.field not in self.kind.removable:
            raise Refused(f"{self.kind.name}.{place.shown} is required and cannot be removed")
        return self.changed(Change("remove", place))

    def where(self, test: Callable[[E], bool]) -> Self:
        """The same, only if this holds for the record that is stored before."""
        return replace(self, asked=(*self.asked, where(self.kind, test)))

    def changed(self, change: Change) -> Self:
        """The same, with one more change."""
        if change.place.secret and not (change.place.is_whole and change.verb in _WHOLE):
            raise Refused(
                f"{self.kind.name}.{change.place.field} is secret: it can be set or removed, but "
                f"not {_DONE[change.verb]} where it is stored"
            )
        return replace(self, changes=(*self.changes, change))

    def _place(self, select: Callable[[E], Any]) -> Place[Any]:
        kind = self.kind
        place = kind.place(select)
        if place.field in kind.key_fields:
            raise Refused(
                f"{kind.name}.{place.field} is part of the primary key, which cannot change: "
                "delete the record and create another, in a transaction"
            )
        if kind.immutable or place.field in kind.frozen_fields:
            what = kind.name if kind.immutable else f"{kind.name}.{place.field}"
            raise Refused(f"{what} is immutable, and is never changed after create()")
        if place.field in {kind.version_field, kind.updated_field, kind.created_field}:
            raise Refused(f"{kind.name}.{place.field} is kept by sortkey and cannot be changed")
        return place

    def touched(self) -> Collection[str]:
        """The fields that change."""
        return {change.place.field for change in self.changes}

    def assigned(self) -> dict[str, Any]:
        """The fields whose new value is known, with that value."""
        return {
            change.place.field: change.place.check(change.value) if change.verb == "set" else None
            for change in self.changes
            if change.verb in {"set", "remove"} and change.place.is_whole
        }

    def kept(self) -> Iterator[tree.Action]:
        """The changes that sortkey makes by itself: the version and the time."""
        if self.kind.version is not None:
            yield Add(Path((self.kind.version,)), ONE)
        if self.kind.updated_field is not None:
            moment = self.kind.moment(self.kind.updated_field, self.time)
            stored = self.kind.encode_field(self.kind.updated_field, moment)
            if stored is not None:
                yield Set(Path((self.kind.updated or "",)), Value(stored))

    def touched_entries(self) -> Iterator[tuple[IndexEntry, Mapping[str, Any]]]:
        """The index entries that the changes move, with the values that they move to."""
        touched = set(self.touched())
        for entry in self.kind.entries:
            if not entry.fields & touched:
                continue
            assigned = self.assigned()
            for name in sorted(entry.fields):
                if name in assigned or (name not in touched and name in self.known):
                    continue
                raise Refused(
                    f"{entry.name} is made from {name}, whose new value is not "
                    f"known here: load the {self.kind.name} and use loaded.update().set(...)"
                )
            yield entry, {**self.known, **assigned}

    def refuse_nothing(self) -> None:
        """Refuse an update that changes nothing."""
        if not self.changes:
            raise Refused(f"an update of {self.kind.name} that changes nothing: say what to set")

    def refuse_blind(self) -> None:
        """Refuse what could undo a change that nobody here has seen."""
        kind = self.kind
        if kind.version is None or self.asked:
            return
        for change in self.changes:
            if change.verb not in _BLIND:
                raise Refused(
                    f"{kind.name} has a version, and {change.verb} by key alone could undo "
                    f"somebody's change to {change.place.shown}: use loaded.update(), or state "
                    "the condition with where()"
                )

    def result(self, answer: Answer, /) -> E:
        """The record after the update."""
        record = self.kind.read(answer["Attributes"])
        if record is None:
            told = {self.kind.type_attribute or "": f"it is no {self.kind.name}"}
            raise Unreadable(self.kind.name, shown_key(self.key), told)
        return record


def entry_actions(entry: IndexEntry, values: Mapping[str, Any]) -> Iterator[tree.Action]:
    """The actions that write an index entry, or remove it where a part of it is empty."""
    for name, value in entry.attributes(values).items():
        path = Path((name,))
        yield Remove(path) if value is None else Set(path, value)


@dataclass(frozen=True, slots=True)
class Update(Changes[E], Generic[E]):
    """Changes to a record that exists; the result is the record afterwards."""

    loaded: E | None = None

    def actions(self) -> tuple[Action, ...]:
        """The changes, the keys that they feed, and the locks of unique fields."""
        kind = self.kind
        self.refuse_nothing()
        refuse_overlaps(kind, self.changes)
        if self.loaded is None:
            self.refuse_blind()
        writes = [change.action(kind) for change in self.changes]
        guards = [is_there(kind, self.time), *in_shape(kind)]
        if self.loaded is not None and kind.version is not None:
            guards.append(is_version(kind, version_of(kind, self.loaded)))
        for entry, values in self.touched_entries():
            writes += entry_actions(entry, values)
            guards += self._tied_to(entry.fields)
        locks, tied = self._locks()
        guards += tied
        update = tree.Update((*writes, *self.kept()))
        own = action("UpdateItem", kind, self.key, (*guards, *self.asked), update=update)
        return (own, *locks)

    def plan(self) -> Plan:
        """One request; or a transaction that moves locks, after which the record is read."""
        steps = tuple(action.step for action in self.actions())
        if len(steps) == 1:
            return Plan("single", steps)
        before = {} if self.loaded is None else self.kind.encode(self.loaded)
        kept = lock.kept_steps(self.kind, self.key, before)
        return Plan("transaction", steps, (self._read().step, *kept))

    def _read(self) -> Get[E]:
        return get(self.kind, self.key).consistently()

    def steps(self, context: Context = ANYWHERE) -> Conversation[E]:
        """The update; one that moves locks is a transaction, after which the record is read."""
        actions = self.actions()
        if len(actions) == 1:
            return self.result((yield from send(actions[0], context, ALL_NEW)))
        yield from transaction(actions, new_token(), context)
        read = self._read()
        # Whatever its expiry is now: this is the record after the update.
        after = replace(read, reading=Reading(self.kind.read, secrets=self.kind.secrets))
        record = yield from after.steps(context)
        if record is None:
            key = shown_key(self.key)
            raise NotFound(
                f"the {self.kind.name} {describe_key(key)} was updated, and is gone since",
                entity=self.kind.name,
                key=key,
            )
        return record

    def _tied_to(self, fields: Collection[str]) -> Iterator[Guard]:
        """A key made of several fields is right only while the others are as they were loaded.

        The version alone does not tell: the record may have been changed in memory.
        """
        if self.loaded is None:
            return
        others = sorted(set(fields) - set(self.touched()) - self.kind.key_fields)
        yield from unchanged(self.kind, self.loaded, others)

    def _locks(self) -> tuple[list[Action], list[Guard]]:
        kind = self.kind
        touched = set(self.touched())
        moving = [
            unique
            for unique in kind.uniques
            if unique.field in touched or kind.expires_field in touched
        ]
        if not moving:
            return [], []
        tied = lock.fields(kind, moving)
        if self.loaded is None:
            what = ", ".join(sorted(touched & tied))
            raise Refused(
                f"{kind.name}.{what} is tied to a unique lock, which needs the value before: load "
                f"the {kind.name} and use loaded.update()"
            )
        assigned = self.assigned()
        if unknown := sorted((touched & tied) - assigned.keys()):
            raise Refused(
                f"{kind.name}.{', '.join(unknown)} is tied to a unique lock, and its new value is "
                "not known here: use loaded.update().set(...)"
            )
        known = {name: value for name, value in assigned.items() if name in tied}
        before = kind.encode(self.loaded)
        after = kind.encode(kind.with_values(self.loaded, known))
        locks = [
            made
            for unique in moving
            for made in lock.move(kind, unique, self.key, before, after=after, now=self.time)
        ]
        return locks, list(unchanged(kind, self.loaded, sorted(tied)))


U = TypeVar("U", bound=Changes[Any])


@dataclass(frozen=True, slots=True)
class SetTo(Generic[E, V, U]):
    """A field that waits for its new value."""

    update: U
    place: Place[Any]

    def to(self, value: V) -> U:
        """The update, with this value for the field."""
        return self.update.changed(Change("set", self.place, value))


@dataclass(frozen=True, slots=True)
class AddBy(Generic[E, V, U]):
    """A number that waits for what to add."""

    update: U
    place: Place[Any]

    @overload
    def by(self: "AddBy[E, Decimal, U]", amount: Decimal | int) -> U: ...
    @overload
    def by(self, amount: V) -> U: ...
    def by(self, amount: Any) -> U:
        """The update, with this much added; a negative amount takes away."""
        return self.update.changed(Change("add", self.place, amount))


@dataclass(frozen=True, slots=True)
class Appended(Generic[E, V, U]):
    """A list that waits for its new members."""

    update: U
    place: Place[Any]

    def items(self, *values: V) -> U:
        """The update, with these members at the list's end."""
        return self.update.changed(Change("append", self.place, list(values)))


@dataclass(frozen=True, slots=True)
class Included(Generic[E, V, U]):
    """A set that waits for its members."""

    update: U
    place: Place[Any]
    verb: Verb

    def items(self, *values: V) -> U:
        """The update, with these members gained or lost."""
        return self.update.changed(Change(self.verb, self.place, {*values}))
