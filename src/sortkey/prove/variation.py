"""Variations: any number of records like one, each with other values in some fields."""

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

from sortkey.design.declaring.entity import Entity
from sortkey.design.records.kind import EntityKind
from sortkey.errors import SortkeyError
from sortkey.prove.quiet import quiet_settings
from sortkey.prove.samples import Samples, TrialEntities, writable
from sortkey.prove.state import is_living
from sortkey.prove.strategies import Strategies
from sortkey.prove.values import valid, values_of

Numbered: TypeAlias = Callable[[int], Any]

# The numbers at which a family of values is tried; if it works for these, it works in between.
_TRIED = (1, 2, 3, 10, 26, 99, 100, 800)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_TAIL = 4
_MONTHS = 12
_SEARCHED = 200


def numbered(annotation: Any, value: Any) -> Numbered | None:
    """Return distinct values of a type by number, other than this one; None if it has too few."""
    for family in _families(value):
        made = [held for n in _TRIED for held in _tried(annotation, family, n)]
        if len(made) == len(_TRIED) and len({repr(v) for v in (value, *made)}) == len(made) + 1:
            return lambda n, family=family: valid(annotation, family(n))[0]
    return None


def another_value(annotation: Any, value: Any) -> list[Any]:
    """Return a value of a type other than this one, in a list; empty if there is none."""
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
    # The first families keep the text readable; the others keep a fixed length or a date valid.
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
    """Records like one, with numbered values in some fields and fixed changes in others."""

    like: Entity
    numbers: Mapping[str, Numbered]
    others: Mapping[str, Any]

    @property
    def kind(self) -> EntityKind[Any]:
        """The entity of the records."""
        return self.like.__kind__

    def record(self, number: int) -> Entity | None:
        """Return the record with this number; None if its model refuses it."""
        changes = {name: made(number) for name, made in self.numbers.items()}
        return like(self.like, {**changes, **self.others})


def like(record: Entity, changes: Mapping[str, Any]) -> Entity | None:
    """Return a record with other values in some fields; None if its model refuses it."""
    names = record.model_fields_set - record.__kind__.kept_fields
    values = {name: getattr(record, name) for name in names}
    try:
        made = type(record).model_validate({**values, **changes}, by_name=True)
        return made.create().record
    except (ValidationError, SortkeyError):
        return None


def simplest(
    kind: EntityKind[Any], known: Mapping[str, Any], strategies: Strategies
) -> Entity | None:
    """Return a simple record of an entity with these known values; None if none is valid."""
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
        pass  # its values depend on each other, so search among generated records
    drawn = _drawn(kind, strategies)
    return None if drawn is None else like(drawn, fitting) or drawn


@cache
def _drawn(kind: EntityKind[Any], strategies: Strategies) -> Entity | None:
    """Return a generated record that has not expired; None if none is valid."""
    cases = Samples(strategies).records(TrialEntities([kind]))
    try:
        case = find(
            cases,
            lambda case: any(is_living(kind, record) for record in case.records),
            settings=quiet_settings(_SEARCHED),
            random=Random(0),  # noqa: S311 - for reproducible records
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
            yield name, find(own, lambda _: True, settings=quiet_settings(10))
            continue
        made = [value for value in writable(kind, name) if value is not None]
        if made:
            yield name, made[0]


def variations(record: Entity, compared: Iterable[str]) -> Iterator[Variation]:
    """Yield the ways to make many records like one, those with the fewest differences first.

    ``compared`` has the fields outside keys that a pattern compares.
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
    beside = list(dict.fromkeys([*_index_fields(kind), *compared]))
    for chosen in _subsets(identity):
        numbers = {name: families[name] for name in chosen}
        yield Variation(record, {**uniques, **numbers}, {})
        for name in beside:
            if name in chosen or name == kind.expires_field or name not in annotations:
                continue
            if name in families:
                yield Variation(record, {**uniques, **numbers, name: families[name]}, {})
            for value in another_value(annotations[name], held[name]):
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
    """Yield each name alone, the last first, since it distinguishes records of one owner."""
    yield from ((name,) for name in reversed(names))
    if len(names) > 1:
        yield tuple(names)
