"""Records and arguments as Hypothesis strategies, dense enough to meet each other.

Of each field, the records of one trial have three values at most, which are neighbours in the list
of those that break designs: so they share partitions, tie, and begin alike. Arguments are mostly
taken from the records, so that they hit; some lie beside them, and some are nobody's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Any, TypeVar, cast, get_args, get_origin

from hypothesis import reject
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from sortkey.design.drawn import members_of, with_member
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.marks import may_be_empty, plain_type
from sortkey.design.named_times import names_a_time, words
from sortkey.design.pattern import Pattern
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.clock import clock
from sortkey.prove.links import END, NO_LINKS, Links
from sortkey.prove.state import expiry_field
from sortkey.prove.strategies import Strategies, Strategy
from sortkey.prove.values import EXPIRIES, MOMENTS, NOW, around, examples_of, valid, values_of

T = TypeVar("T")

_WINDOW = 3
_FORMS = {"date": "%Y-%m-%d", "day": "%Y-%m-%d", "month": "%Y-%m"}
_STAMPS = (
    *("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.000Z", "%Y-%m-%dT%H:%M:%S.000000Z"),
    *("%Y-%m-%dT%H:%M:%S+00:00", "%Y-%m-%dT%H:%M:%S.000000+00:00", "%Y-%m-%dT%H:%M:%S"),
    *("%Y-%m-%d %H:%M:%S", "%Y-%m-%d"),
)
_BARE, _FULL, _MIXED = "bare", "full", "mixed"
_FEW_RECORDS, _MORE_RECORDS = 3, 4
# Of so many records, and one more, one lies beside them.
_OWN_SHARE = 3
_MOST_CALLS = 3
# The chances, in tenths, that an argument is what the chosen record has, another, or beside it.
_SAME, _OTHER, _BESIDE = 6, 8, 9


@dataclass(frozen=True, slots=True)
class Case:
    """What is tried once: records, and the arguments of each call."""

    records: tuple[Entity, ...]
    calls: tuple[Mapping[str, Any], ...] = ()

    @property
    def parts(self) -> Iterator["Case"]:
        """The same with one record or call left out."""
        for place in range(len(self.records)):
            yield replace(self, records=_without(self.records, place))
        for place in range(len(self.calls) - 1):
            yield replace(self, calls=_without(self.calls, place))


def _without(several: tuple[T, ...], place: int) -> tuple[T, ...]:
    return several[:place] + several[place + 1 :]


@dataclass(frozen=True, slots=True)
class Cast:
    """The entities that a trial is about, and those whose records lie among theirs."""

    own: Sequence[EntityKind[Any]]
    beside: Sequence[EntityKind[Any]] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """What a call meets that comes after others.

    Its arguments mostly hit the records that are ``known``. New records mostly have values of those
    that are ``stored``, and begin with the defaults of the fields that are ``initial``.
    """

    known: Sequence[Entity]
    stored: Sequence[Entity]
    initial: Mapping[EntityKind[Any], AbstractSet[str]]


@dataclass(frozen=True, slots=True)
class _Field:
    """What a field can be; fields with one pool have the same few values in a trial."""

    name: str
    pool: tuple[Any, ...]
    values: tuple[Any, ...]
    own: Strategy | None
    has_default: bool
    # What the pattern looks for, which no chance would find.
    sought: tuple[Any, ...] = ()
    # Whether it looks at the field, so that records with and without it matter.
    asked: bool = False


class Samples:
    """Makes records of the entities of a design, and arguments of its patterns."""

    def __init__(
        self,
        strategies: Strategies,
        links: Links = NO_LINKS,
        ordered: AbstractSet[str] = frozenset(),
    ) -> None:
        self._strategies = strategies
        self.links = links
        # The fields that the records are ordered by.
        self._ordered = ordered
        self._fields: dict[EntityKind[Any], tuple[_Field, ...]] = {}

    def records(self, roles: Cast) -> st.SearchStrategy[Case]:
        """A few records, mostly of the entities that a trial is about, and no calls."""
        return st.composite(lambda draw: Case(tuple(_Draw(draw, self).records(roles))))()

    def cases(
        self,
        roles: Cast,
        pattern: Pattern[..., Any],
        fixed: Mapping[str, Any],
        hits: Callable[[Sequence[Entity], Mapping[str, Any]], bool],
        looks: int,
    ) -> st.SearchStrategy[Case]:
        """A few records, and calls of a pattern with arguments that mostly hit them.

        ``hits`` tells whether a call would find or write something; one that does is looked for so
        often at most. Arguments that are ``fixed`` are given only where they must be.
        """

        def drawn(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Case:
            own = _Draw(draw, self)
            records = own.records(roles)

            def call() -> Mapping[str, Any]:
                # One that hits is looked for at times, since chance alone may never find it.
                for _ in range(own.number(looks)):
                    arguments = own.arguments(pattern, fixed, roles, records)
                    if hits(records, arguments):
                        return arguments
                return own.arguments(pattern, fixed, roles, records)

            return Case(tuple(records), tuple(own.several("call", call, 1, _MOST_CALLS)))

        return st.composite(drawn)()

    def arguments(
        self,
        draw: Callable[[st.SearchStrategy[Any]], Any],
        pattern: Pattern[..., Any],
        roles: Cast,
        scene: Scene,
    ) -> dict[str, Any]:
        """Draw the arguments of one call on what earlier calls have stored."""
        own = _Draw(draw, self, scene.initial)
        own.meet(scene.stored)
        return own.arguments(pattern, {}, roles, scene.known)

    def fields(self, kind: EntityKind[Any]) -> tuple[_Field, ...]:
        """What each field of an entity can be."""
        known = self._fields.get(kind)
        if known is None:
            names = kind.model.model_fields
            known = self._fields[kind] = tuple(
                self._field(kind, name) for name in names if name not in kind.kept_fields
            )
        return known

    def whole(self, kind: EntityKind[Any]) -> Strategy | None:
        """The design's own strategy of whole records, if it has one."""
        return self._strategies.of_records(kind.model)

    def of_argument(self, pattern: Pattern[..., Any], name: str) -> Strategy | None:
        """The design's own strategy of an argument, if it has one."""
        return self._strategies.of_part(pattern, name)

    def values(self, kind: EntityKind[Any], name: str) -> tuple[Any, ...]:
        """What a field can be without a strategy of its own."""
        if self.is_written_time(kind, name):
            for form in _forms(name):
                times = dict.fromkeys(_written_times(form))
                held = tuple(v for text in times for v in _valid_of(kind, name, text))
                if held:
                    return held
            # Its pattern takes none of these forms, and states its own.
        made = writable(kind, name)
        if not self.links.is_capped(kind.name, name):
            return made
        return tuple(value for value in made if not (isinstance(value, str) and value >= END))

    def is_written_time(self, kind: EntityKind[Any], name: str) -> bool:
        """Whether records are ordered by a text whose name says that it is a time in one form."""
        info = kind.model.model_fields[name]
        return (
            name in self._ordered
            and names_a_time(name)
            and plain_type(info.rebuild_annotation())[0] is str
            and not examples_of(info)
        )

    def _field(self, kind: EntityKind[Any], name: str) -> _Field:
        info = kind.model.model_fields[name]
        own = self._strategies.of_part(kind.model, name)
        values = () if own is not None else self.values(kind, name)
        home = _home(kind, name)
        looked_for = self.links.of_field(kind.name, name)
        sought = [v for value in looked_for for v in valid(info.rebuild_annotation(), value)]
        return _Field(
            name,
            (*home, repr(values)) if own is None else (*home, id(own)),
            values,
            own,
            not info.is_required(),
            tuple(sought[:_WINDOW]) if own is None else (),
            self.links.is_asked(kind.name, name),
        )


def _home(kind: EntityKind[Any], name: str) -> tuple[Any, ...]:
    """Whose values a field shares: those of the record that it refers to, else of its name."""
    for relation in kind.relations:
        other: EntityKind[Any] | None = getattr(relation.to, "__kind__", None)
        if relation.field == name and other is not None and len(other.key_fields) == 1:
            return tuple(other.key_fields)
    return (name,)


@cache
def writable(kind: EntityKind[Any], name: str) -> tuple[Any, ...]:
    """The values of a field that every key which it is part of takes."""
    info = kind.model.model_fields[name]
    annotation = info.rebuild_annotation()
    expires = name == expiry_field(kind)
    made = [v for end in EXPIRIES for v in held_as(annotation, end)] if expires else []
    made += [v for example in examples_of(info) for v in valid(annotation, example)]
    slots = [
        slot
        for key in kind.keys.values()
        for part in key.parts
        if not part.is_natural
        for slot in part.template.slots
        if slot.field == name
    ]
    natural = any(p.is_natural and name in p.fields for k in kind.keys.values() for p in k.parts)
    return tuple(
        value
        for value in made or map(_in_utc, values_of(annotation))
        # DynamoDB takes no empty text for a key; one that is declared is tried nevertheless.
        if all(_fits(slot, value) for slot in slots)
        and not (natural and value == "" and not may_be_empty(info))
    )


def _forms(name: str) -> Sequence[str]:
    """How a program writes times: as a field's name suggests, else with their seconds."""
    form = _FORMS.get(words(name)[-1])
    return _STAMPS if form is None else (form, *_STAMPS)


def _written_times(form: str) -> Iterator[str]:
    """Times as a program writes them, all in one form."""
    for days, seconds in product((0, 1, 2, 40), (0, 1)):
        yield (NOW + timedelta(days=days, seconds=seconds)).strftime(form)


def _valid_of(kind: EntityKind[Any], name: str, value: str) -> list[Any]:
    return valid(kind.model.model_fields[name].rebuild_annotation(), value)


def held_as(annotation: Any, end: datetime) -> list[Any]:
    """A time as a field holds it: as such, or as a number of seconds."""
    return valid(annotation, end) or valid(annotation, int(end.timestamp()))


def _in_utc(value: Any) -> Any:
    """A time as it is when it is read back."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def _fits(slot: Any, value: Any) -> bool:
    if value is None:
        return True
    try:
        slot.write(value)
    except Refused:
        return False
    return True


class _Draw:
    """One trial's values, drawn as they are needed."""

    def __init__(
        self,
        draw: Callable[[st.SearchStrategy[Any]], Any],
        samples: Samples,
        initial: Mapping[EntityKind[Any], AbstractSet[str]] = MappingProxyType({}),
    ) -> None:
        self._draw = draw
        self._samples = samples
        self._initial = initial
        self._windows: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._met: dict[tuple[Any, ...], list[Any]] = {}

    def meet(self, records: Sequence[Entity]) -> None:
        """Let new records share values with these, and have others at times."""
        for record in records:
            for field in self._samples.fields(record.__kind__):
                value = getattr(record, field.name)
                values = self._met.setdefault(field.pool, [])
                if value is not None and value not in values:
                    values.append(value)

    def records(self, roles: Cast) -> list[Entity]:
        """A few records; those that their own model refuses are left out.

        Every other time there is one of each entity, without which a transaction would do nothing.
        """
        if not (roles.own or roles.beside):
            return []
        each = [r for kind in roles.own for r in self._record(kind)] if self.number(1) else []
        least = self.number(_FEW_RECORDS + 2 * len(roles.own))
        most = least + _MORE_RECORDS
        drawn = self.several("record", lambda: list(self._record(self._kind(roles))), least, most)
        records = each + [record for made in drawn for record in made]
        if any(kind.table.raw for kind in roles.beside) and self.number(1):
            # Where two entities share a key, the other one is stored.
            records.sort(key=lambda record: record.__kind__ in roles.own)
        return records

    def several(self, what: str, make: Callable[[], T], least: int, most: int) -> list[T]:
        """So many of what is made, each of which can be left out when a case is made smaller."""
        _making.append(make)
        try:
            return self._draw(_lists(what, least, most))
        finally:
            _making.pop()

    def _kind(self, roles: Cast) -> EntityKind[Any]:
        is_own = not roles.beside or self.number(_OWN_SHARE) < _OWN_SHARE
        return self.one(roles.own if is_own and roles.own else roles.beside)

    def _record(self, kind: EntityKind[Any], *, begins: bool = False) -> Iterator[Entity]:
        whole = self._samples.whole(kind)
        # The design's own file may have loaded the class another time.
        values = self._draw(whole).model_dump() if whole is not None else dict(self._values(kind))
        if begins:
            values = {n: v for n, v in values.items() if n not in self._initial.get(kind, ())}
        moment = NOW if kind.updated_field is None else self.one(MOMENTS)
        try:
            with clock(moment.timestamp):
                # As it is when it is stored, with its version and its times.
                record = kind.model.model_validate(values, by_name=True).create().record
        except (ValidationError, SortkeyError):
            return
        yield record

    def _values(self, kind: EntityKind[Any]) -> Iterator[tuple[str, Any]]:
        # Fields that may be left out are so often together.
        whole = self.one((_BARE, _FULL, _MIXED))
        for field in self._samples.fields(kind):
            at_times = whole == _MIXED or field.asked
            if field.has_default and whole == _BARE and not at_times:
                continue
            window = self._window(field)
            defaults = len(window) if field.has_default and at_times else 0
            place = self.number(defaults + len(window) - 1)
            if window and place >= defaults:
                yield field.name, window[place - defaults]

    def _window(self, field: _Field) -> tuple[Any, ...]:
        known = self._windows.get(field.pool)
        if known is None:
            met = self._met.get(field.pool, ())[-_WINDOW:]
            new = self._new_window(field)
            known = self._windows[field.pool] = (*met, *new[:1]) if met else new
        return known

    def _new_window(self, field: _Field) -> tuple[Any, ...]:
        if field.own is not None:
            return tuple(self._draw(field.own) for _ in range(_WINDOW))
        if field.sought:
            return (*field.sought, *((self.one(field.values),) if field.values else ()))
        count = len(field.values)
        if count <= _WINDOW:
            return field.values
        # Those at the beginning break most, so every other time it is they.
        start = self.number(count - 1) if self.number(1) else 0
        return tuple(field.values[(start + step) % count] for step in range(_WINDOW))

    # Arguments.

    def arguments(
        self,
        pattern: Pattern[..., Any],
        fixed: Mapping[str, Any],
        roles: Cast,
        records: Sequence[Entity],
    ) -> dict[str, Any]:
        """One call's arguments; those that may be left out are left out at times."""
        links = self._samples.links
        own = [record for record in records if record.__kind__ in roles.own] or list(records)
        chosen = self.one(own) if own else None
        around_it = [*([chosen] if chosen else ()), *(r for r in own if r is not chosen)]
        given: dict[str, Any] = {}
        used: list[Any] = []
        for parameter in pattern.parameters:
            if parameter.name in fixed:
                given |= {parameter.name: fixed[parameter.name]} if parameter.required else {}
                continue
            if not parameter.required and not self.number(1):
                continue
            stated = self._samples.of_argument(pattern, parameter.name)
            argument = _Argument(self, parameter.name, links, around_it, used)
            given[parameter.name] = (
                argument.of(parameter.type) if stated is None else self._draw(stated)
            )
        return given

    def new_record(self, kind: EntityKind[Any], *, begins: bool = False) -> list[Entity]:
        """A record that is not stored yet, in a list; nothing where its model refuses it."""
        return list(self._record(kind, begins=begins))

    def number(self, most: int) -> int:
        """A number up to this one; the least is the simplest."""
        return self._draw(_up_to(most)) if most > 0 else 0

    def one(self, several: Sequence[T]) -> T:
        """One of several; the first is the simplest."""
        return several[self.number(len(several) - 1)]


# What a list that is being drawn consists of. Hypothesis examines each new strategy at length, so
# those of lists are made once, and look here for what to make.
_making: list[Callable[[], Any]] = []


@cache
def _lists(what: str, least: int, most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(_each(what), min_size=least, max_size=most)


@cache
def _each(what: str) -> st.SearchStrategy[Any]:
    """One thing of a kind; Hypothesis takes those with one default for alike."""

    def made(_: str = what) -> Any:
        return _making[-1]()

    return st.builds(made)


@cache
def _up_to(most: int) -> st.SearchStrategy[int]:
    """Made once for each number: they are most of what is drawn."""
    return st.integers(0, most)


def _annotations(model: type[BaseModel]) -> dict[str, Any]:
    return {name: info.rebuild_annotation() for name, info in model.model_fields.items()}


@dataclass(frozen=True, slots=True)
class _Argument:
    """How one argument is drawn."""

    draw: _Draw
    name: str
    links: Links
    # The chosen one first.
    records: Sequence[Entity]
    used: list[Any]

    def of(self, annotation: Any) -> Any:
        """A value of the argument's type."""
        origin: Any = get_origin(annotation)
        members = get_args(annotation)
        if origin in {list, set, frozenset} or (origin is tuple and Ellipsis in members):
            made = self.draw.several("member", lambda: self.of(members[0]), 0, 2)
            return cast("Any", origin)(made)
        if origin is tuple:
            return self._tuple(members)
        model = annotation if isinstance(annotation, type) else None
        if model is not None and issubclass(model, Entity):
            return self._entity(model)
        if model is not None and issubclass(model, BaseModel):
            return self._shape(model, _annotations(model))
        members = members_of(annotation)
        if members is not None:
            return self._shape(annotation, members)
        return self._scalar(annotation)

    def _tuple(self, members: Sequence[Any]) -> tuple[Any, ...]:
        """Each member; of two records of one kind, the second is the first with other values."""
        first, *rest = members
        made = self.of(first)
        if rest == [first] and isinstance(made, Entity):
            return made, self._changed(made)
        return made, *(self.of(member) for member in rest)

    def _entity(self, model: type[Entity]) -> Entity:
        """A record that is stored, the same with other values, or a new one."""
        stored = [record for record in self.records if type(record) is model]
        choice = self.draw.number(_BESIDE)
        if stored and choice < _SAME:
            return self._unused(stored)
        if stored and choice < _OTHER:
            return self._changed(self.draw.one(stored))
        made = self.draw.new_record(model.__kind__, begins=True)
        return made[0] if made else reject()

    def _unused(self, several: Sequence[T]) -> T:
        """One of several, rather one that is no argument of the call yet."""
        fresh = [one for one in several if one not in self.used]
        chosen = self.draw.one([*fresh, *several])
        self.used.append(chosen)
        return chosen

    def _changed(self, record: Entity) -> Entity:
        """The record with the fields of another, save those that identify it.

        Mostly save those as well that must not change, or it would be refused each time.
        """
        kind = record.__kind__
        same = kind.key_fields | kind.kept_fields
        if self.draw.number(_BESIDE):
            same |= kind.frozen_fields
        for other in self.draw.new_record(kind):
            values = dict(other) | {name: getattr(record, name) for name in same}
            try:
                return type(record).model_validate(values, by_name=True)
            except ValidationError:
                break
        return record

    def _shape(self, model: Any, members: Mapping[str, Any]) -> Any:
        """A part of a stored record, where some record has all of its fields."""
        parts = [
            part
            for record in self.records
            if all(name in type(record).model_fields for name in members)
            for part in valid(model, {name: getattr(record, name) for name in members})
        ]
        if parts and self.draw.number(_BESIDE) < _OTHER:
            return self._unused(parts)
        made = values_of(model)
        return self._fitting(self.draw.one(made), members) if made else reject()

    def _fitting(self, shape: Any, members: Mapping[str, Any]) -> Any:
        """The same with what the chosen record has, where a part of it is compared with that."""
        if self.draw.number(_BESIDE) >= _OTHER:
            return shape
        for name, annotation in members.items():
            for value in list(self._held(f"{self.name}.{name}"))[:1]:
                if valid(annotation, value):
                    shape = with_member(shape, name, value)
        return shape

    def _scalar(self, annotation: Any) -> Any:
        if examples_of(annotation):
            return self.draw.one(values_of(annotation) or (None,))
        choice = self.draw.number(_BESIDE)
        held = self._held(self.name, choice)
        found = [v for value in held for v in valid(annotation, value)]
        beginnings = self.links.beginnings_of(self.name)
        if beginnings:
            held_there = [value for value in found if value in beginnings]
            return held_there[0] if held_there and choice < _SAME else self.draw.one(beginnings)
        if choice == _OTHER:
            found = [v for value in found for n in around(value) for v in valid(annotation, n)]
        if found:
            return self.draw.one(found) if choice >= _SAME else found[0]
        return self.draw.one(values_of(annotation) or (None,))

    def _held(self, name: str, choice: int = 0) -> Iterator[Any]:
        """What the chosen record has where the argument goes, or what the others have."""
        if choice == _BESIDE:
            return
        for record in self.records:
            for link in self.links.of_argument(name):
                yield from link.values_in(record)
