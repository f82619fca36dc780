"""Twins: copies of a record that a call finds, each with one value changed.

Random records may miss the case that breaks a request, so these are tried beside each call that
finds something: an expired record, one without an optional field, and for each field that decides
whether a record is found, a longer text with the same beginning, a shorter one, a number of
another width and a time just beside. The arguments that are compared with the field take these
values too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from types import CodeType
from typing import Any

from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.records.kind import EntityKind
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.render import render_condition
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Step
from sortkey.prove.links import FieldLinks
from sortkey.prove.samples import Case, Samples, as_field_value
from sortkey.prove.state import expiry_field
from sortkey.prove.strategies import Strategies
from sortkey.prove.values import NOW, around, examples_of, valid
from sortkey.prove.variation import Numbered, like, numbered

# At most so many values of one field are tried, with at most so many calls.
_MOST_VALUES = 8
_MOST_CALLS = 12
_EXPIRED = NOW - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Hit:
    """A call that finds something, and one record of each entity that it finds."""

    arguments: Mapping[str, Any]
    operation: Operation[Any]
    found: tuple[Entity, ...]

    @property
    def case(self) -> Case:
        """The call on the records that it finds."""
        return Case(self.found, (self.arguments,))

    def with_one(self, record: Entity) -> Case:
        """Return the call on the records it finds, with this one in place of its entity's."""
        others = (one for one in self.found if one.__kind__ is not record.__kind__)
        return Case((record, *others), (self.arguments,))


def form_of(step: Step) -> tuple[Any, ...]:
    """Return the form of a request: everything except its values."""
    conditions = (step.key_condition, step.filter)
    texts = [None if one is None else render_condition(one).text for one in conditions]
    return step.verb, str(step.table), step.index, *texts, step.forward


def expiry(kind: EntityKind[Any]) -> Mapping[str, Any]:
    """Return the field and value that make a record expired; empty if the entity has no expiry."""
    name = expiry_field(kind)
    if name is None:
        return {}
    annotation = kind.model.model_fields[name].rebuild_annotation()
    held = as_field_value(annotation, _EXPIRED)
    return {name: held[0]} if held else {}


@dataclass(frozen=True, slots=True)
class Twins:
    """Generates the twins of the records that the calls of a pattern find."""

    pattern: Pattern[..., Any]
    samples: Samples
    strategies: Strategies

    @property
    def _links(self) -> FieldLinks:
        return self.samples.links

    def cases(self, hit: Hit) -> Iterator[Case]:
        """Yield the call on twins of the records that it finds."""
        for record in hit.found:
            end = expiry(record.__kind__)
            past = like(record, end) if end else None
            if past is not None:
                yield hit.with_one(past)
            if self.strategies.of_records(type(record)) is None:
                for name in self._fields(record.__kind__, hit.operation._plan().steps):
                    yield from self._of_field(record, name, hit)

    def _fields(self, kind: EntityKind[Any], steps: Sequence[Step]) -> list[str]:
        """Return the fields that decide whether and in which order a record is found."""
        named = {
            name
            for stated in (self.pattern.where, self.pattern.order)
            for name in names_read(stated)
        }
        attributes = {n for step in steps if step.filter for n in condition_names(step.filter)}
        indexes = {step.index for step in steps}
        keys = [key for key in kind.keys.values() if key.index in indexes]
        in_keys = {name for key in keys for name in key.all_fields}
        return [
            name
            for name, stored in kind.stored_names.items()
            if (name in in_keys or name in named or stored in attributes)
            and name not in kind.kept_fields
            and name != expiry_field(kind)
            and self.strategies.of_part(kind.model, name) is None
        ]

    def _of_field(self, record: Entity, name: str, hit: Hit) -> Iterator[Case]:
        values = list(self._values(record, name))
        made = [(value, like(record, {name: value})) for value in values]
        twins = [(value, twin) for value, twin in made if twin is not None]
        if not twins:
            return
        held = [getattr(record, name), *(value for value, _ in twins)]
        calls = list(islice(self._calls(name, held, hit), _MOST_CALLS))
        together = self._apart(record, name, [twin for _, twin in twins], hit)
        if together:
            yield Case((record, *together), tuple(calls))
        else:
            for _, twin in twins:
                yield replace(hit.with_one(twin), calls=tuple(calls))

    def _values(self, record: Entity, name: str) -> Iterator[Any]:
        """Yield other values of a field, the neighbours of its current value first."""
        kind = record.__kind__
        info, held = kind.model.model_fields[name], getattr(record, name)
        annotation = info.rebuild_annotation()
        is_restricted = examples_of(info) or self.samples.is_written_time(kind, name)
        near = () if is_restricted else (*_longer(held), *_shorter(held), *_otherwise(held))
        made = [v for value in near for v in valid(annotation, value)]
        absent = [] if held is None or info.is_required() else valid(annotation, None)
        seen: list[Any] = [held]
        for value in (*made, *absent, *self.samples.values(kind, name)):
            if value not in seen:
                seen.append(value)
                yield value
            if len(seen) > _MOST_VALUES:
                return

    def _calls(self, name: str, values: Sequence[Any], hit: Hit) -> Iterator[Mapping[str, Any]]:
        """Yield the call, and the call with each value as an argument compared with the field."""
        yield hit.arguments
        compared = {
            parameter.name: parameter.type
            for parameter in self.pattern.parameters
            if name in self._links.fields_of(parameter.name)
            and hit.arguments.get(parameter.name) is not None
            and self.strategies.of_part(self.pattern, parameter.name) is None
            and not examples_of(parameter.type)
        }
        for value in values:
            for argument, annotation in compared.items():
                for one in valid(annotation, value) if value is not None else ():
                    yield {**hit.arguments, argument: one}

    def _apart(
        self, record: Entity, name: str, twins: Sequence[Entity], hit: Hit
    ) -> list[Entity] | None:
        """Return the twins with distinct keys, so that all can be stored; None if impossible."""
        kind = record.__kind__
        uniques = [unique.field for unique in kind.uniques if unique.field != name]
        if name in kind.primary.all_fields and not uniques:
            return list(twins)
        free = [n for n in kind.primary.all_fields if not self._is_compared(n, hit)][-1:]
        numbers = {n: _numbers(record, n) for n in (*free, *uniques)}
        if not free or name in numbers or not all(numbers.values()):
            return None
        made = [
            like(twin, {n: family(place) for n, family in numbers.items() if family is not None})
            for place, twin in enumerate(twins, 1)
        ]
        return [twin for twin in made if twin is not None]

    def _is_compared(self, name: str, hit: Hit) -> bool:
        return any(name in self._links.fields_of(argument) for argument in hit.arguments)


def _numbers(record: Entity, name: str) -> Numbered | None:
    value = getattr(record, name)
    annotation = record.__kind__.model.model_fields[name].rebuild_annotation()
    return None if value is None else numbered(annotation, value)


def _longer(value: Any) -> Iterator[Any]:
    """Yield values with a longer text that begins with this one's."""
    match value:
        case bool() | Enum():
            return
        case str() if value:
            yield from (f"{value}0", f"{value}a")
        case int() | Decimal() if value:
            yield value * 10
        case _:
            return


def _shorter(value: Any) -> Iterator[Any]:
    """Yield values with a shorter text that this one's begins with."""
    match value:
        case bool() | Enum():
            return
        case str() if len(value) > 1:
            yield value[:-1]
        case int() if abs(value) > 9:  # noqa: PLR2004 - one digit cannot be shortened
            yield int(value / 10)
        case _:
            return


def _otherwise(value: Any) -> Iterator[Any]:
    """Yield other values close to this one: in the other case, or at the ends of its day."""
    match value:
        case str() if not isinstance(value, Enum):
            yield value.swapcase()
        case datetime():
            yield from around(value)
            yield value.replace(hour=23, minute=59, second=59)
            yield value.replace(hour=0, minute=0, second=0, microsecond=0)
        case date() | int() | Decimal() if not isinstance(value, bool | Enum):
            yield from around(value)
        case _:
            return


def names_read(stated: Any) -> Iterator[str]:
    """Yield the attribute and global names in the code of a function of the design."""
    code: CodeType | None = getattr(stated, "__code__", None)
    if code is not None:
        yield from code.co_names
        for inner in code.co_consts:
            if isinstance(inner, CodeType):
                yield from inner.co_names
