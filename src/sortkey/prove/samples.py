"""Records and arguments as Hypothesis strategies, dense enough to collide.

In one trial, each field has at most three values, which are neighbours in the list of values that
break designs: so records share partitions, tie, and have common prefixes. Arguments are mostly
taken from the records, so that they hit; some lie just beside, and some match no record.
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
from pydantic.fields import FieldInfo

from sortkey.clock import clock
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.drawn import members_of, with_member
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import may_be_empty, plain_type
from sortkey.errors import Refused, SortkeyError
from sortkey.prove.links import END, NO_LINKS, FieldLinks
from sortkey.prove.state import expiry_field
from sortkey.prove.strategies import Strategies, Strategy
from sortkey.prove.values import EXPIRIES, MOMENTS, NOW, around, examples_of, valid, values_of
from sortkey.wording.names import names_a_time, words

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
# One record in so many plus one belongs to another entity.
_OWN_SHARE = 3
_MOST_CALLS = 3
# The cumulative chances, in tenths, that an argument comes from the chosen record, from another
# record, or lies beside such a value.
_SAME, _OTHER, _BESIDE = 6, 8, 9


@dataclass(frozen=True, slots=True)
class Case:
    """One case to try: stored records, and the arguments of each call."""

    records: tuple[Entity, ...]
    calls: tuple[Mapping[str, Any], ...] = ()

    @property
    def parts(self) -> Iterator["Case"]:
        """The case with one record or call left out, each in turn."""
        for place in range(len(self.records)):
            yield replace(self, records=_without(self.records, place))
        for place in range(len(self.calls) - 1):
            yield replace(self, calls=_without(self.calls, place))


def _without(several: tuple[T, ...], place: int) -> tuple[T, ...]:
    return several[:place] + several[place + 1 :]


@dataclass(frozen=True, slots=True)
class TrialEntities:
    """The entities of a trial, and those whose records are stored beside theirs."""

    own: Sequence[EntityKind[Any]]
    beside: Sequence[EntityKind[Any]] = ()


@dataclass(frozen=True, slots=True)
class PriorRecords:
    """The records that earlier calls stored before this one.

    Its arguments mostly hit the ``known`` records. New records mostly share values with the
    ``stored`` ones, and begin with the defaults of the ``initial`` fields.
    """

    known: Sequence[Entity]
    stored: Sequence[Entity]
    initial: Mapping[EntityKind[Any], AbstractSet[str]]


@dataclass(frozen=True, slots=True)
class _SampledField:
    """The values of a field; fields with the same pool share a few values in a trial."""

    name: str
    pool: tuple[Any, ...]
    values: tuple[Any, ...]
    own: Strategy | None
    has_default: bool
    # Constants that the pattern compares the field with; random values would miss them.
    sought: tuple[Any, ...] = ()
    # Whether the pattern reads the field, so that records with and without it matter.
    is_compared: bool = False


class Samples:
    """Generates records of a design's entities, and arguments of its patterns."""

    def __init__(
        self,
        strategies: Strategies,
        links: FieldLinks = NO_LINKS,
        ordered: AbstractSet[str] = frozenset(),
    ) -> None:
        self._strategies = strategies
        self.links = links
        # The fields that the records are ordered by.
        self._ordered = ordered
        self._fields: dict[EntityKind[Any], tuple[_SampledField, ...]] = {}

    def records(self, entities: TrialEntities) -> st.SearchStrategy[Case]:
        """Return a strategy of a few records, mostly of the trial's own entities, and no calls."""
        return st.composite(lambda draw: Case(tuple(_Draw(draw, self).records(entities))))()

    def cases(
        self,
        entities: TrialEntities,
        pattern: Pattern[..., Any],
        fixed: Mapping[str, Any],
        hits: Callable[[Sequence[Entity], Mapping[str, Any]], bool],
        looks: int,
    ) -> st.SearchStrategy[Case]:
        """Return a strategy of a few records, and calls with arguments that mostly hit them.

        ``hits`` returns whether a call would find or write something; up to ``looks`` calls are
        drawn until one does. ``fixed`` arguments are passed only if they are required.
        """

        def drawn(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Case:
            own = _Draw(draw, self)
            records = own.records(entities)

            def call() -> Mapping[str, Any]:
                # Sometimes draw until a call hits, since one random call may never do so.
                for _ in range(own.number(looks)):
                    arguments = own.arguments(pattern, fixed, entities, records)
                    if hits(records, arguments):
                        return arguments
                return own.arguments(pattern, fixed, entities, records)

            return Case(tuple(records), tuple(own.several("call", call, 1, _MOST_CALLS)))

        return st.composite(drawn)()

    def arguments(
        self,
        draw: Callable[[st.SearchStrategy[Any]], Any],
        pattern: Pattern[..., Any],
        entities: TrialEntities,
        prior: PriorRecords,
    ) -> dict[str, Any]:
        """Draw the arguments of one call on the records that earlier calls stored."""
        own = _Draw(draw, self, prior.initial)
        own.meet(prior.stored)
        return own.arguments(pattern, {}, entities, prior.known)

    def fields(self, kind: EntityKind[Any]) -> tuple[_SampledField, ...]:
        """Return the values that each field of an entity can have."""
        known = self._fields.get(kind)
        if known is None:
            names = kind.model.model_fields
            known = self._fields[kind] = tuple(
                self._field(kind, name) for name in names if name not in kind.kept_fields
            )
        return known

    def whole(self, kind: EntityKind[Any]) -> Strategy | None:
        """Return the design's own strategy for whole records, or None."""
        return self._strategies.of_records(kind.model)

    def of_argument(self, pattern: Pattern[..., Any], name: str) -> Strategy | None:
        """Return the design's own strategy for an argument, or None."""
        return self._strategies.of_part(pattern, name)

    def values(self, kind: EntityKind[Any], name: str) -> tuple[Any, ...]:
        """Return the values that a field can have without a strategy of its own."""
        if self.is_written_time(kind, name):
            for form in _forms(name):
                times = dict.fromkeys(_written_times(form))
                held = tuple(v for text in times for v in _valid_of(kind, name, text))
                if held:
                    return held
            # The pattern of the field accepts none of these formats.
        made = writable(kind, name)
        if not self.links.is_capped(kind.name, name):
            return made
        return tuple(value for value in made if not (isinstance(value, str) and value >= END))

    def is_written_time(self, kind: EntityKind[Any], name: str) -> bool:
        """Return whether records are ordered by a text field whose name says it is a time."""
        info = kind.model.model_fields[name]
        return (
            name in self._ordered
            and names_a_time(name)
            and plain_type(info.rebuild_annotation())[0] is str
            and not examples_of(info)
        )

    def _field(self, kind: EntityKind[Any], name: str) -> _SampledField:
        info = kind.model.model_fields[name]
        own = self._strategies.of_part(kind.model, name)
        values = () if own is not None else self.values(kind, name)
        home = _home(kind, name)
        looked_for = self.links.of_field(kind.name, name)
        sought = [v for value in looked_for for v in valid(info.rebuild_annotation(), value)]
        return _SampledField(
            name,
            (*home, repr(values)) if own is None else (*home, id(own)),
            values,
            own,
            _has_stable_default(info),
            tuple(sought[:_WINDOW]) if own is None else (),
            self.links.is_in_condition(kind.name, name),
        )


def _has_stable_default(info: FieldInfo) -> bool:
    """Return whether a field has a default that is always the same, unlike a generated id."""
    if info.is_required():
        return False
    if info.default_factory_takes_validated_data:
        return True  # it follows from the other fields
    try:
        one, other = (info.get_default(call_default_factory=True) for _ in range(2))
    except Exception:  # noqa: BLE001 - a factory of the design may raise anything
        return False
    return bool(one == other)


def _home(kind: EntityKind[Any], name: str) -> tuple[Any, ...]:
    """Return whose values a field shares: the key of the entity it refers to, or its name."""
    for relation in kind.relations:
        other: EntityKind[Any] | None = getattr(relation.to, "__kind__", None)
        if relation.field == name and other is not None and len(other.key_fields) == 1:
            return tuple(other.key_fields)
    return (name,)


@cache
def writable(kind: EntityKind[Any], name: str) -> tuple[Any, ...]:
    """Return the values of a field that all keys with this field accept."""
    info = kind.model.model_fields[name]
    annotation = info.rebuild_annotation()
    expires = name == expiry_field(kind)
    made = [v for end in EXPIRIES for v in as_field_value(annotation, end)] if expires else []
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
        # DynamoDB rejects an empty key; an empty text that is declared is tried nevertheless.
        if all(_fits(slot, value) for slot in slots)
        and not (natural and value == "" and not may_be_empty(info))
    )


def _forms(name: str) -> Sequence[str]:
    """Return the formats of a time: the one that the field's name suggests, then the others."""
    form = _FORMS.get(words(name)[-1])
    return _STAMPS if form is None else (form, *_STAMPS)


def _written_times(form: str) -> Iterator[str]:
    """Yield times as text, all in one format."""
    for days, seconds in product((0, 1, 2, 40), (0, 1)):
        yield (NOW + timedelta(days=days, seconds=seconds)).strftime(form)


def _valid_of(kind: EntityKind[Any], name: str, value: str) -> list[Any]:
    return valid(kind.model.model_fields[name].rebuild_annotation(), value)


def as_field_value(annotation: Any, end: datetime) -> list[Any]:
    """Return a time as a field stores it, in a list: as a time, or in seconds."""
    return valid(annotation, end) or valid(annotation, int(end.timestamp()))


def _in_utc(value: Any) -> Any:
    """Return a time as it is read back, in UTC."""
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
    """The values of one trial, drawn as needed."""

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
        """Let new records share values with these, and sometimes have others."""
        for record in records:
            for field in self._samples.fields(record.__kind__):
                value = getattr(record, field.name)
                values = self._met.setdefault(field.pool, [])
                if value is not None and value not in values:
                    values.append(value)

    def records(self, entities: TrialEntities) -> list[Entity]:
        """Draw a few records; those that their model refuses are left out.

        In half of the cases there is one of each entity, since a transaction may need them all.
        """
        if not (entities.own or entities.beside):
            return []
        each = [r for kind in entities.own for r in self._record(kind)] if self.number(1) else []
        least = self.number(_FEW_RECORDS + 2 * len(entities.own))
        most = least + _MORE_RECORDS
        drawn = self.several(
            "record", lambda: list(self._record(self._kind(entities))), least, most
        )
        records = each + [record for made in drawn for record in made]
        if any(kind.table.raw for kind in entities.beside) and self.number(1):
            # If two entities share a key, the record of the other entity is stored.
            records.sort(key=lambda record: record.__kind__ in entities.own)
        return records

    def several(self, what: str, make: Callable[[], T], least: int, most: int) -> list[T]:
        """Draw a list of so many values, each of which Hypothesis can remove to shrink a case."""
        _making.append(make)
        try:
            return self._draw(_lists(what, least, most))
        finally:
            _making.pop()

    def _kind(self, entities: TrialEntities) -> EntityKind[Any]:
        is_own = not entities.beside or self.number(_OWN_SHARE) < _OWN_SHARE
        return self.one(entities.own if is_own and entities.own else entities.beside)

    def _record(self, kind: EntityKind[Any], *, begins: bool = False) -> Iterator[Entity]:
        whole = self._samples.whole(kind)
        # The design's own file may have loaded the class a second time.
        values = self._draw(whole).model_dump() if whole is not None else dict(self._values(kind))
        if begins:
            values = {n: v for n, v in values.items() if n not in self._initial.get(kind, ())}
        moment = NOW if kind.updated_field is None else self.one(MOMENTS)
        try:
            with clock(moment.timestamp):
                # The record as it is stored, with its version and its times.
                record = kind.model.model_validate(values, by_name=True).create().record
        except (ValidationError, SortkeyError):
            return
        yield record

    def _values(self, kind: EntityKind[Any]) -> Iterator[tuple[str, Any]]:
        # Optional fields are often left out together.
        whole = self.one((_BARE, _FULL, _MIXED))
        for field in self._samples.fields(kind):
            at_times = whole == _MIXED or field.is_compared
            if field.has_default and whole == _BARE and not at_times:
                continue
            window = self._window(field)
            defaults = len(window) if field.has_default and at_times else 0
            place = self.number(defaults + len(window) - 1)
            if window and place >= defaults:
                yield field.name, window[place - defaults]

    def _window(self, field: _SampledField) -> tuple[Any, ...]:
        known = self._windows.get(field.pool)
        if known is None:
            met = self._met.get(field.pool, ())[-_WINDOW:]
            new = self._new_window(field)
            other = [value for value in new if value not in met] or new[:1]
            # As many new values as met ones.
            known = self._windows[field.pool] = (*met, *other[: len(met)]) if met else new
        return known

    def _new_window(self, field: _SampledField) -> tuple[Any, ...]:
        if field.own is not None:
            return tuple(self._draw(field.own) for _ in range(_WINDOW))
        if field.sought:
            return (*field.sought, *((self.one(field.values),) if field.values else ()))
        count = len(field.values)
        if count <= _WINDOW:
            return field.values
        # The first values break most designs, so half of the cases use them.
        start = self.number(count - 1) if self.number(1) else 0
        return tuple(field.values[(start + step) % count] for step in range(_WINDOW))

    # Arguments.

    def arguments(
        self,
        pattern: Pattern[..., Any],
        fixed: Mapping[str, Any],
        entities: TrialEntities,
        records: Sequence[Entity],
    ) -> dict[str, Any]:
        """Draw the arguments of one call; optional ones are sometimes left out."""
        links = self._samples.links
        own = [record for record in records if record.__kind__ in entities.own] or list(records)
        chosen = self.one(own) if own else None
        around_it = [*([chosen] if chosen else ()), *(r for r in own if r is not chosen)]
        arguments: dict[str, Any] = {}
        used: list[Any] = []
        for parameter in pattern.parameters:
            if parameter.name in fixed:
                arguments |= {parameter.name: fixed[parameter.name]} if parameter.required else {}
                continue
            if not parameter.required and not self.number(1):
                continue
            stated = self._samples.of_argument(pattern, parameter.name)
            argument = _Argument(self, parameter.name, links, around_it, used)
            arguments[parameter.name] = (
                argument.of(parameter.type) if stated is None else self._draw(stated)
            )
        return arguments

    def new_record(self, kind: EntityKind[Any], *, begins: bool = False) -> list[Entity]:
        """Draw a record that is not stored yet, in a list; empty if its model refuses it."""
        return list(self._record(kind, begins=begins))

    def number(self, most: int) -> int:
        """Draw a number from 0 to ``most``; 0 is the simplest."""
        return self._draw(_up_to(most)) if most > 0 else 0

    def one(self, several: Sequence[T]) -> T:
        """Draw one of several; the first is the simplest."""
        return several[self.number(len(several) - 1)]


# The functions that make the members of the lists being drawn. Hypothesis takes long to examine a
# new strategy, so the strategies of lists are made once, and look here for what to make.
_making: list[Callable[[], Any]] = []


@cache
def _lists(what: str, least: int, most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(_each(what), min_size=least, max_size=most)


@cache
def _each(what: str) -> st.SearchStrategy[Any]:
    """Return a strategy for a member; Hypothesis groups strategies by this default."""

    def made(_: str = what) -> Any:
        return _making[-1]()

    return st.builds(made)


@cache
def _up_to(most: int) -> st.SearchStrategy[int]:
    """Return a strategy, made once for each number: most draws are such numbers."""
    return st.integers(0, most)


def _annotations(model: type[BaseModel]) -> dict[str, Any]:
    return {name: info.rebuild_annotation() for name, info in model.model_fields.items()}


@dataclass(frozen=True, slots=True)
class _Argument:
    """Draws one argument of a call."""

    draw: _Draw
    name: str
    links: FieldLinks
    # The chosen record comes first.
    records: Sequence[Entity]
    used: list[Any]

    def of(self, annotation: Any) -> Any:
        """Draw a value of a type."""
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
        """Draw each member; the second of two records of a kind is a change of the first."""
        first, *rest = members
        made = self.of(first)
        if rest == [first] and isinstance(made, Entity):
            return made, self._changed(made)
        return made, *(self.of(member) for member in rest)

    def _entity(self, model: type[Entity]) -> Entity:
        """Draw a stored record, a changed copy of one, or a new one."""
        stored = [record for record in self.records if type(record) is model]
        choice = self.draw.number(_BESIDE)
        if stored and choice < _SAME:
            return self._unused(stored)
        if stored and choice < _OTHER:
            return self._changed(self.draw.one(stored))
        made = self.draw.new_record(model.__kind__, begins=True)
        return made[0] if made else reject()

    def _unused(self, several: Sequence[T]) -> T:
        """Draw one of several, preferably one that is not yet an argument of the call."""
        fresh = [one for one in several if one not in self.used]
        chosen = self.draw.one([*fresh, *several])
        self.used.append(chosen)
        return chosen

    def _changed(self, record: Entity) -> Entity:
        """Return the record with the fields of another, except those that identify it.

        Immutable fields mostly stay as well, since the call would otherwise be refused each time.
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
        """Draw a model of a stored record's fields if one has them all, else any value."""
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
        """Return the value with members that match the chosen record."""
        if self.draw.number(_BESIDE) >= _OTHER:
            return shape
        for name, annotation in members.items():
            for value in list(self._matching_values(f"{self.name}.{name}"))[:1]:
                if valid(annotation, value):
                    shape = with_member(shape, name, value)
        return shape

    def _scalar(self, annotation: Any) -> Any:
        if examples_of(annotation):
            return self.draw.one(values_of(annotation) or (None,))
        choice = self.draw.number(_BESIDE)
        held = self._matching_values(self.name, choice)
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

    def _matching_values(self, name: str, choice: int = 0) -> Iterator[Any]:
        """Yield the values that the argument is compared with, the chosen record's first."""
        if choice == _BESIDE:
            return
        for record in self.records:
            for link in self.links.of_argument(name):
                yield from link.values_in(record)
