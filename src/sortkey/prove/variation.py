"""Variations: as many records like one as are wanted, each with other values in some fields."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any, TypeAlias
from uuid import UUID

from hypothesis import find
from hypothesis.errors import HypothesisException
from pydantic import ValidationError

from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.errors import SortkeyError
from sortkey.prove.quiet import quietly
from sortkey.prove.samples import Cast, Samples, writable
from sortkey.prove.state import is_living
from sortkey.prove.strategies import Strategies
from sortkey.prove.values import valid, values_of

Numbered: TypeAlias = Callable[[int], Any]

# Where a family of values is tried: one that is good for these is good for those between.
_TRIED = (1, 2, 3, 10, 26, 99, 100, 800)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_TAIL = 4
_MONTHS = 12
_SEARCHED = 200


def numbered(annotation: Any, value: Any) -> Numbered | None:
    """A type's values by number, all different and none of them this one; None where it has few."""
    for family in _families(value):
        made = [held for n in _TRIED for held in _tried(annotation, family, n)]
        if len(made) == len(_TRIED) and len({repr(v) for v in (value, *made)}) == len(made) + 1:
            return lambda n, family=family: valid(annotation, family(n))[0]
    return None


def other(annotation: Any, value: Any) -> list[Any]:
    """A value of a type other than this one, alone in a list; nothing where there is none."""
    found = [v for v in values_of(annotation) if v is not None and v != value]
    return found[:1]


def _tried(annotation: Any, family: Numbered, number: int) -> list[Any]:
    try:
        return valid(annotation, family(number))
    except (ValueError, OverflowError):
        return []


def _families(value: Any) -> Iterator[Numbered]:
    match value:
        case bool():
            return
        case str():
            yield from _texts(value)
        case int() | Decimal():
            yield lambda n: value + n
            yield lambda n: value - n
        case datetime():
            yield lambda n: value + timedelta(minutes=n)
            yield lambda n: value - timedelta(minutes=n)
            yield lambda n: value + timedelta(days=n)
        case date():
            yield lambda n: value + timedelta(days=n)
        case UUID():
            yield lambda n: UUID(int=(value.int + n) % 2**128)
        case bytes():
            yield lambda n: value + n.to_bytes(2)
        case _:
            return


def _texts(text: str) -> Iterator[Numbered]:
    head, width = text[:-_TAIL], min(_TAIL, len(text))
    # A name stays readable at both ends; a text of fixed length keeps it.
    yield lambda n: f"{text}-{n:04d}"
    yield lambda n: f"{text}{n:04d}"
    yield lambda n: f"{head}{n:0{width}d}"
    yield lambda n: f"{head}{_letters(n, width)}"
    yield lambda n: f"{head}{n:0{width}x}"
    yield lambda n: (date.fromisoformat(text) + timedelta(days=n)).isoformat()
    yield lambda n: _month(text, n)
    yield lambda n: f"{n:04d}{text}"
    yield lambda n: f"{n:04d}{text[_TAIL:]}"


def _letters(number: int, width: int) -> str:
    digits = [_ALPHABET[number // len(_ALPHABET) ** place % len(_ALPHABET)] for place in range(4)]
    return "".join(reversed(digits))[-width:]


def _month(text: str, number: int) -> str:
    year, month = map(int, text.split("-"))
    past = year * _MONTHS + month - 1 + number
    return f"{past // _MONTHS:04d}-{past % _MONTHS + 1:02d}"


@dataclass(frozen=True, slots=True)
class Variation:
    """Records like one: numbered in some fields, and perhaps otherwise in another."""

    like: Entity
    numbers: Mapping[str, Numbered]
    others: Mapping[str, Any]

    @property
    def kind(self) -> EntityKind[Any]:
        """The entity of the records."""
        return self.like.__kind__

    def record(self, number: int) -> Entity | None:
        """One of the records; None where its own model refuses it."""
        changes = {name: made(number) for name, made in self.numbers.items()}
        return like(self.like, {**changes, **self.others})


def like(record: Entity, changes: Mapping[str, Any]) -> Entity | None:
    """A record with other values in some fields; None where its own model refuses it."""
    said = record.model_fields_set - record.__kind__.kept_fields
    values = {name: getattr(record, name) for name in said}
    try:
        made = type(record).model_validate({**values, **changes}, by_name=True)
        return made.create().record
    except (ValidationError, SortkeyError):
        return None


def simplest(
    kind: EntityKind[Any], known: Mapping[str, Any], strategies: Strategies
) -> Entity | None:
    """A record of an entity with these values where it has such fields; None where none is made."""
    fields = kind.model.model_fields
    fitting = {
        name: held
        for name, value in known.items()
        if name in fields
        for held in valid(fields[name].rebuild_annotation(), value)
    }
    try:
        if strategies.of_records(kind.model) is None:
            values = {**dict(_simple_values(kind, strategies)), **fitting}
            made = kind.model.model_validate(values, by_name=True).create().record
            if is_living(kind, made):
                return made
    except (ValidationError, SortkeyError, HypothesisException):
        pass  # its values belong together, so that one is looked for among many
    drawn = _drawn(kind, strategies)
    return None if drawn is None else like(drawn, fitting) or drawn


@cache
def _drawn(kind: EntityKind[Any], strategies: Strategies) -> Entity | None:
    """A living record such as trials have; None where none of those that were drawn is valid."""
    cases = Samples(strategies).records(Cast([kind]))
    try:
        case = find(
            cases,
            lambda case: any(is_living(kind, record) for record in case.records),
            settings=quietly(_SEARCHED),
            random=Random(0),  # noqa: S311 - to be the same each time
        )
    except HypothesisException:
        return None
    return next(record for record in case.records if is_living(kind, record))


def _simple_values(kind: EntityKind[Any], strategies: Strategies) -> Iterator[tuple[str, Any]]:
    in_keys = {name for key in kind.keys.values() for part in key.parts for name in part.fields}
    for name, info in kind.model.model_fields.items():
        if not info.is_required() and name not in in_keys:
            continue
        own = strategies.of_part(kind.model, name)
        if own is not None:
            yield name, find(own, lambda _: True, settings=quietly(10))
            continue
        made = [value for value in writable(kind, name) if value is not None]
        if made:
            yield name, made[0]


def variations(record: Entity, asked: Iterable[str]) -> Iterator[Variation]:
    """The ways in which many records can be like one, those with the fewest differences first.

    ``asked`` are the fields at which a pattern looks beside those of keys.
    """
    kind = record.__kind__
    fields = kind.model.model_fields
    annotations = {name: info.rebuild_annotation() for name, info in fields.items()}
    held = {name: getattr(record, name) for name in fields}
    families = {n: made for n in held if (made := _family(kind, annotations[n], n, held[n]))}
    identity = [name for name in kind.primary.all_fields if name in families]
    uniques = {
        unique.field: families[unique.field]
        for unique in kind.uniques
        if held[unique.field] is not None and unique.field in families
    }
    beside = list(dict.fromkeys([*_index_fields(kind), *asked]))
    for chosen in _subsets(identity):
        numbers = {name: families[name] for name in chosen}
        yield Variation(record, {**uniques, **numbers}, {})
        for name in beside:
            if name in chosen or name == kind.expires_field or name not in annotations:
                continue
            if name in families:
                yield Variation(record, {**uniques, **numbers, name: families[name]}, {})
            for value in other(annotations[name], held[name]):
                if name not in kind.primary.all_fields:
                    yield Variation(record, {**uniques, **numbers}, {name: value})


def _family(kind: EntityKind[Any], annotation: Any, name: str, value: Any) -> Numbered | None:
    if value is None or name == kind.expires_field:
        return None
    return numbered(annotation, value)


def _index_fields(kind: EntityKind[Any]) -> Iterator[str]:
    for key in kind.keys.values():
        if key is not kind.primary:
            yield from key.all_fields


def _subsets(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Each name alone, the last first, since it is what tells records of one owner apart."""
    yield from ((name,) for name in reversed(names))
    if len(names) > 1:
        yield tuple(names)
