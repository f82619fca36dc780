"""Which entity a sample item is, and what its attributes mean to it.

The type attribute decides, then the keys. An item whose keys follow no template may still be meant
as an entity's: its keys begin as the templates do, and it has the attributes. Such an item is
compared with that entity, so that its key is what is reported.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError

from sortkey.check.samples.reading import Sample, plain_item, shown
from sortkey.design.declaring.design import Design
from sortkey.design.records.codecs import Unstorable
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import secret_fields
from sortkey.design.tables.table import Table, TableDefinition
from sortkey.errors import Unreadable
from sortkey.wire.values import AttributeValue, Item
from sortkey.wording.prose import listed, uncapitalised

AnyKind: TypeAlias = EntityKind[Any]

# From here on, two keys begin alike.
_ALIKE = 0.75
_ENVIRONMENT = re.escape("{environment}")


@dataclass(frozen=True, slots=True, eq=False)
class Unmatched:
    """A sample that is not a record of an entity, as far as one can see, and why."""

    sample: Sample
    table: type[Table] | None
    message: str

    def __str__(self) -> str:
        if self.table is None:
            return self.sample.named(())
        return f"{self.table.__name__}, {self.sample.named(self.table.definition.key_names)}"


@dataclass(frozen=True, eq=False)
class Matched:
    """A sample, and the entity that it is a record of."""

    sample: Sample
    kind: AnyKind

    def __str__(self) -> str:
        return f"{self.kind}, {self.sample.named(self.kind.key_names)}"

    @cached_property
    def current(self) -> Item:
        """The attributes in the entity's present shape, if they can be upcast."""
        return self.sample.item if isinstance(self._upcast, Unreadable) else self._upcast

    @cached_property
    def _upcast(self) -> Item | Unreadable:
        try:
            upcast = self.kind.current(self.sample.item)
        except Unreadable as error:
            return error
        return plain_item(upcast) if self.sample.is_plain else upcast

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The values of fields, from the attributes or from the key; only those that are valid."""
        found = {**self._from_key, **self._read}
        return {name: value for name, value in found.items() if name not in self._rejected}

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The fields that keys are made of, as the model holds them; defaults for those left out.

        A time that only the key contains, truncated, is not included.
        """
        found: dict[str, Any] = {}
        for name in {name for key in self.kind.keys.values() for name in key.all_fields}:
            info = self.kind.model.model_fields[name]
            if name in self.fields:
                if not (name in self._from_key and self._is_cut(name)):
                    found |= _validated(self.kind.model, name, self.fields[name])
            elif name not in self._decoded and not info.is_required() and not info.default_factory:
                found[name] = info.default
        return found

    @cached_property
    def only_in_key(self) -> tuple[str, ...]:
        """The fields that have no attribute of their own, and are in the primary key."""
        return tuple(self._from_key)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The stored names of required fields that are neither attributes nor in the key."""
        if isinstance(self._upcast, Unreadable):
            return ()  # the entity requires it in the present shape
        there = {*self.current, *self.sample.faults}
        # Another program's keys may spell a field otherwise than the template reads it.
        in_key = self.kind.key_fields if self.kind.table.raw else self._from_key
        return tuple(
            field.stored
            for name, field in self.kind.codec.fields.items()
            if field.required and name not in in_key and field.stored not in there
        )

    @cached_property
    def type_faults(self) -> Mapping[str, str]:
        """Sentences about what is wrong with values, by the attribute; "" for the whole record."""
        if isinstance(self._upcast, Unreadable):
            return {name: f'"{name}": {fault}' for name, fault in self._upcast.faults.items()}
        stored = self.kind.stored_names
        unreadable = {
            stored[name]: f"{_path(stored[name], *value.path[1:])} {value.message}"
            for name, value in self._decoded.items()
            if isinstance(value, Unstorable)
        }
        return unreadable | {stored.get(name, ""): said for name, said in self._rejected.items()}

    @cached_property
    def _decoded(self) -> Mapping[str, Any]:
        """Return each attribute's value as the field reads it, or why it cannot be read."""
        found: dict[str, Any] = {}
        for name, field in self.kind.codec.fields.items():
            value = self.current.get(field.stored)
            if value is not None and name not in secret_fields(self.kind.model):
                try:
                    found[name] = field.decode(value)
                except Unstorable as error:
                    found[name] = error
        return found

    @cached_property
    def _read(self) -> Mapping[str, Any]:
        return {n: value for n, value in self._decoded.items() if not isinstance(value, Unstorable)}

    @cached_property
    def _from_key(self) -> Mapping[str, Any]:
        """The fields that the primary key has and the attributes have not."""
        found: dict[str, Any] = {}
        for part in self.kind.primary.parts:
            text = self.sample.item.get(part.attribute.name, {}).get("S")
            if text is not None and not part.is_natural:
                found |= part.parse(text) or {}
        return {name: value for name, value in found.items() if name not in self._decoded}

    @cached_property
    def _rejected(self) -> Mapping[str, str]:
        """Sentences about values that can be read and the model rejects, by the field."""
        try:
            self.kind.model.__pydantic_validator__.validate_python(
                {**self._from_key, **self._read}, by_alias=False, by_name=True
            )
        except ValidationError as error:
            return {
                str(fault["loc"][0]) if fault["loc"] else "": self._rejection(fault)
                for fault in error.errors(include_url=False)
                if not fault["loc"] or fault["loc"][0] in {*self._from_key, *self._read}
            }
        return {}

    def _rejection(self, fault: Any) -> str:
        said = uncapitalised(fault["msg"])
        if not fault["loc"]:
            return said
        name, *path = fault["loc"]
        stored = self.kind.stored_names[name]
        is_seen = not path and stored in self.sample.item
        value = f' is "{self.sample.text(stored)}"' if is_seen else ""
        return f"{_path(stored, *path)}{value}: {said}"

    def _is_cut(self, name: str) -> bool:
        """Whether the primary key keeps only a part of a field, as the day of a time."""
        slots = [slot for part in self.kind.primary.parts for slot in part.template.slots]
        return all(slot.lossy for slot in slots if slot.field == name)


def _validated(model: type[BaseModel], name: str, value: Any) -> dict[str, Any]:
    """Return the field as the model holds it, by its name; nothing if its type does not fit."""
    try:
        return {name: _adapter(model, name).validate_python(value)}
    except ValidationError:
        return {}


@lru_cache
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    return TypeAdapter(model.model_fields[name].rebuild_annotation())


def _path(*steps: str | int) -> str:
    return f'"{".".join(map(str, steps))}"'


def match_samples(
    design: Design, samples: Sequence[Sample]
) -> tuple[tuple[Matched, ...], tuple[Unmatched, ...]]:
    """Return the samples with their entities, and those that have none.

    Locks of unique fields are neither: sortkey writes and reads them itself.
    """
    found = [_matched(design, sample) for sample in samples if sample.item]
    matched = tuple(one for one in found if isinstance(one, Matched))
    return matched, tuple(one for one in found if isinstance(one, Unmatched))


def tables_of(design: Design, sample: Sample) -> list[type[Table]]:
    """Return the tables that a sample may be in: by the name in the file, else by its keys."""
    named = [t for t in design.tables if sample.table and _has_name(t.definition, sample.table)]
    return named or [
        table for table in design.tables if sample.names >= {*table.definition.key_names}
    ]


def _has_name(table: TableDefinition, name: str) -> bool:
    if callable(table.named):
        return name == table.title
    pattern = re.escape(table.named).replace(_ENVIRONMENT, ".+")
    return name == table.title or re.fullmatch(pattern, name) is not None


def _matched(design: Design, sample: Sample) -> Matched | Unmatched | None:
    tables = tables_of(design, sample)
    if not tables:
        return _by_type_alone(design, sample) or Unmatched(sample, None, _no_table(design, sample))
    kinds = [kind for table in tables for kind in design.kinds_of(table)]
    if any(kind.is_lock(sample.item) for kind in kinds) or _is_unbuilt(tables, sample):
        return None
    by_type = [kind for kind in kinds if _type_in(kind, sample) == kind.name]
    if by_type:
        return Matched(sample, by_type[0])
    meant = _best([kind for kind in kinds if _fits(kind, sample)], sample) or _best(
        [kind for kind in kinds if _is_meant(kind, sample)], sample
    )
    typed = next((kind for kind in kinds if _type_in(kind, sample) is not None), None)
    if typed is not None:
        return Unmatched(sample, tables[0], _other_type(typed, sample, kinds, meant))
    if len(meant) == 1:
        return Matched(sample, meant[0])
    if meant:
        names = listed([kind.model.__name__ for kind in meant])
        return Unmatched(
            sample,
            tables[0],
            f"its keys and attributes match {names}, and nothing shows which it is",
        )
    return Unmatched(sample, tables[0], _no_entity(tables[0], kinds, sample))


def _by_type_alone(design: Design, sample: Sample) -> Matched | None:
    """Return the entity that the type attribute names, for an item without its keys."""
    found = [kind for kind in design.kinds if _type_in(kind, sample) == kind.name]
    return Matched(sample, found[0]) if len(found) == 1 else None


def _type_in(kind: AnyKind, sample: Sample) -> str | None:
    """Return the name in the type attribute of a kind's table."""
    said = sample.item.get(kind.type_attribute or "")
    return None if said is None else said.get("S")


def _fits(kind: AnyKind, sample: Sample) -> bool:
    """Whether the entity could have written the keys."""
    return all(part.matches(sample.item.get(part.attribute.name)) for part in kind.primary.parts)


def _is_meant(kind: AnyKind, sample: Sample) -> bool:
    """Whether the keys begin as the entity's do, and half of what it requires is there."""
    required = {kind.stored_names[name] for name in kind.required()}
    there = len(required & sample.item.keys())
    return there * 2 >= len(required) and all(
        _begins(part, sample.item.get(part.attribute.name)) for part in kind.primary.parts
    )


def _begins(part: KeyPart, stored: AttributeValue | None) -> bool:
    if part.is_natural:
        return stored is not None
    text = None if stored is None else stored.get("S")
    if text is None or not part.template.slots:
        return text == "".join(map(str, part.template.parts))
    return text.startswith(_start(part))


def _start(part: KeyPart) -> str:
    """Return what every key of an entity begins with."""
    first = part.template.parts[0]
    return first if isinstance(first, str) else ""


def _best(kinds: Sequence[AnyKind], sample: Sample) -> list[AnyKind]:
    """Return the entities that the attributes fit best: least is missing, least is unknown."""
    if len(kinds) <= 1:
        return list(kinds)

    def distance(kind: AnyKind) -> tuple[int, int]:
        known = {*kind.stored_names.values(), *kind.key_names, *kind.index_names}
        return len(Matched(sample, kind).missing), len(sample.item.keys() - known)

    least = min(map(distance, kinds))
    return [kind for kind in kinds if distance(kind) == least]


def _is_unbuilt(tables: Sequence[type[Table]], sample: Sample) -> bool:
    """Whether it may be a record of an entity whose key has findings of its own."""
    for table in tables:
        texts = [sample.item.get(n, {}).get("S", "") for n in table.definition.key_names]
        for entity in table.definition.unbuilt:
            for key in entity.keys.values():
                starts = [text.partition("{")[0] for text in (*key.partition, *key.sort)]
                pairs = zip(texts, starts, strict=False)
                if key.index is table.primary and all(text.startswith(s) for text, s in pairs):
                    return True
    return False


def _no_table(design: Design, sample: Sample) -> str:
    keys = [f"{t.__name__} has {listed(t.definition.key_names)}" for t in design.tables]
    name = f'there is no table "{shown(sample.table)}", and ' if sample.table else ""
    return (
        f"{name}it does not have the key attributes of any table of the design: {'; '.join(keys)}"
    )


def _other_type(
    typed: AnyKind, sample: Sample, kinds: Sequence[AnyKind], meant: Sequence[AnyKind]
) -> str:
    said = shown(_type_in(typed, sample))
    if len(meant) == 1:
        own = f'its keys are those of {meant[0].model.__name__}, whose type is "{meant[0].name}"'
    else:
        names = [f'"{kind.name}"' for kind in kinds]
        own = f"the types of its table are {listed(names)}"
    return f'its {typed.type_attribute} is "{said}", and {own}'


def _no_entity(table: type[Table], kinds: Sequence[AnyKind], sample: Sample) -> str:
    for name in table.definition.key_names:
        if name not in sample.names:
            return f"it has no {name}, which is in the key of {table.__name__}"
    said = f"no entity of {table.__name__} has such a key"
    near = _nearest(kinds, sample)
    if near is None:
        return said
    part = min(near.primary.parts, key=lambda part: _likeness(part, sample))
    return (
        f"{said}: the nearest is {near.model.__name__}, whose {part.attribute.name} is "
        f'"{part.template}"'
    )


def _nearest(kinds: Sequence[AnyKind], sample: Sample) -> AnyKind | None:
    """Return the entity with the most similar key, if one stands out."""
    similar = [kind for kind in kinds if _nearness(kind, sample)[0] >= _ALIKE]
    near = max(similar, key=lambda kind: _nearness(kind, sample), default=None)
    if near is None or (len(similar) > 1 and _nearness(near, sample)[-1] < _ALIKE):
        return None
    return near


def _nearness(kind: AnyKind, sample: Sample) -> list[float]:
    return sorted((_likeness(part, sample) for part in kind.primary.parts), reverse=True)


def _likeness(part: KeyPart, sample: Sample) -> float:
    """Return the similarity of a stored key to an entity's, from 0 to 1."""
    stored = sample.item.get(part.attribute.name)
    text = "" if stored is None else str(stored.get("S", ""))
    start = _start(part)
    begins = SequenceMatcher(None, start, text[: len(start)]).ratio() if start else 0
    return 1 if start and part.matches(stored) else begins * 0.9
