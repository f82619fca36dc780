"""Compile an entity's declaration into its keys, with all faults that this shows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from sortkey.design.findings import Finding
from sortkey.design.records.codecs import RecordCodec
from sortkey.design.records.keys.characters import Shape
from sortkey.design.records.keys.entity_key import EntityKey, KeyPart, Sharding, written_parts
from sortkey.design.records.keys.slots import UNORDERED
from sortkey.design.records.keys.template_findings import template_findings
from sortkey.design.records.keys.templates import Template, TemplateError, parse_template
from sortkey.design.records.keys.unify import can_collide, reads_alike
from sortkey.design.records.limits import text_shape, whole_bounds
from sortkey.design.records.marks import plain_type
from sortkey.design.tables.table import Attribute, Index, Key, TableDefinition

PRIMARY = "primary"


def field_types(model: type[BaseModel]) -> dict[str, Any]:
    """Return the type of each field, without None and marks."""
    return {name: field_type(model, name) for name in model.model_fields}


def field_type(model: type[BaseModel], name: str) -> Any:
    """Return the type of one field, without None and marks."""
    return plain_type(model.model_fields[name].annotation)[0]


class KeyCompiler:
    """Compiles the keys of one entity, and reports their faults."""

    def __init__(self, entity: str, table: TableDefinition, codec: RecordCodec) -> None:
        self.findings: list[Finding] = []
        self._entity = entity
        self._table = table
        self._codec = codec
        self._types = field_types(codec.model)
        fields = codec.model.model_fields.items()
        self._bounds = {name: whole_bounds(info) for name, info in fields}
        self._shapes = {name: text_shape(info) for name, info in fields}
        self._by_stored = {field.stored: field.name for field in codec.fields.values()}
        self._primary: Mapping[str, KeyPart] = {}
        self._shared: Sharding | None = None

    def keys(self, declared: Mapping[str, Key]) -> dict[str, EntityKey]:
        """Return every key by its name; a primary key that is not declared is natural."""
        first = declared.get(PRIMARY) or self._table.primary.key()
        keys: dict[str, EntityKey] = {}
        for name, key in {PRIMARY: first, **declared}.items():
            compiled = self._key(name, key)
            if compiled is not None:
                keys[name] = compiled
                if name == PRIMARY:
                    self._primary = {part.attribute.name: part for part in compiled.parts}
        return keys

    def _key(self, name: str, key: Key) -> EntityKey | None:
        index, where = key.index, f"{self._entity}.{name}"
        if index.table is None or index.table.definition is not self._table:
            self._find(
                "SK105",
                "foreign-index",
                where,
                f"{index} is not an index of {self._table}, the table of {self._entity}",
                "Use an index of its own table",
            )
            return None
        if index.kind == "local" and key.partition:
            (template,) = (key.sort or key.partition)[:1]
            self._find(
                "SK106",
                "templates-do-not-fit",
                where,
                f"{index} is a local index: its partition key is the table's, and only "
                f"{index.sort[0].name} has a template",
                f'Write key(sort="{template}")',
            )
            return None
        partition = self._parts(where, index, index.partition, key.partition, key)
        sort = self._parts(where, index, index.sort, key.sort, key)
        if partition is None or sort is None:
            return None
        if key.earlier is not None:
            sort = self._with_earlier(where, key, key.earlier, partition, sort)
        sharding = self._sharding(where, key, partition, sort)
        if sharding is not None and index.kind == "primary":
            partition = sharding.primary[:1]
        parts = (*partition, *sort)
        written = frozenset(f for part in written_parts(index, parts) for f in part.fields)
        positions = (*index.attributes, *self._table.primary.attributes)
        return EntityKey(
            name=where,
            table=self._table,
            index=None if index.kind == "primary" else index.name,
            consistent=index.kind != "global",
            position_names=tuple(dict.fromkeys(attribute.name for attribute in positions)),
            fields=written,
            definition=index,
            partition=partition,
            sort=sort,
            sharding=sharding,
            expected=key.expected,
        )

    def _with_earlier(
        self,
        where: str,
        key: Key,
        text: str,
        partition: tuple[KeyPart, ...],
        sort: tuple[KeyPart, ...],
    ) -> tuple[KeyPart, ...]:
        """Return the sort key with the template that its records may still have."""
        fault = "it is the previous template of a primary key that has templates and one shard"
        parts = (*partition, *sort)
        is_possible = key.index.kind == "primary" and (key.shards, key.was) == (1, None)
        if is_possible and sort and not any(part.is_natural for part in parts):
            try:
                earlier = parse_template(text, self._types, self._bounds, self._shapes)
            except TemplateError as error:
                fault = str(error)
            else:
                fault = _earlier_fault(earlier, parts)
                if not fault:
                    return (replace(sort[0], earlier=earlier),)
        self._find(
            "SK127",
            "bad-earlier-key",
            where,
            f'earlier="{text}" is not possible: {fault}',
            "Correct the template, or remove earlier=",
        )
        return sort

    def _sharding(
        self, where: str, key: Key, partition: tuple[KeyPart, ...], sort: tuple[KeyPart, ...]
    ) -> Sharding | None:
        kind, first = key.index.kind, partition[0]
        self._refuse_sharded_attribute(where, key, (*partition, *sort))
        if kind == "local" and key.shards == 1:
            return self._shared  # its partitions are the table's own
        if key.shards == 1 and key.was is None:
            return None
        has_text = any(isinstance(piece, str) for piece in first.template.parts)
        can_be = kind == "global" or (kind == "primary" and any(part.fields for part in sort))
        if key.shards < 1 or not can_be or not has_text:
            self._find(
                "SK116",
                "bad-shards",
                where,
                f"shards={key.shards} is not possible: it takes a positive number, and a primary "
                "key with fields in its sort key or a global index, whose partition key has a "
                "template with literal text",
                "Write it as NAME#{field} with a positive number, or remove shards=",
            )
            return None
        if key.was is not None and (kind != "primary" or not 1 <= key.was < key.shards):
            self._find(
                "SK116",
                "bad-shards",
                where,
                f"was={key.was} is not possible: it is the smaller number of shards that a primary "
                "key had before; an index does not need it",
                "Pass the previous number, or remove was=",
            )
            return None
        if kind == "global":
            return Sharding(key.shards, tuple(self._primary.values()))
        own = (replace(first, is_sharded=True), *partition[1:], *sort)
        self._shared = Sharding(key.shards, own, key.was)
        return self._shared

    def _refuse_sharded_attribute(self, where: str, key: Key, parts: tuple[KeyPart, ...]) -> None:
        for part in parts:
            if part.is_sharded and key.index.kind == "global":
                self._find(
                    "SK116",
                    "bad-shards",
                    where,
                    f"{part.attribute.name} contains the number of a shard, so an index on it "
                    "would not find records by their fields",
                    "Use another attribute for the index",
                )

    def _parts(
        self,
        where: str,
        index: Index,
        attributes: tuple[Attribute, ...],
        templates: tuple[str, ...],
        key: Key,
    ) -> tuple[KeyPart, ...] | None:
        if key.is_natural or (index.kind == "local" and attributes is index.partition):
            made = [self._natural(where, attribute) for attribute in attributes]
        elif len(templates) != len(attributes):
            names = ", ".join(attribute.name for attribute in attributes) or "no attributes"
            self._find(
                "SK106",
                "templates-do-not-fit",
                where,
                f"{index} needs a template for each of {names}, but has {len(templates)}",
                "Pass one template for each attribute, in order",
            )
            return None
        else:
            made = [
                self._templated(where, attribute, text, ordered=attributes is index.sort)
                for attribute, text in zip(attributes, templates, strict=True)
            ]
        complete = tuple(part for part in made if part is not None)
        return complete if len(complete) == len(made) else None

    def _natural(self, where: str, attribute: Attribute) -> KeyPart | None:
        if attribute.name in self._primary:
            return self._primary[attribute.name]
        name = self._by_stored.get(attribute.name)
        if name is None:
            self._find(
                "SK107",
                "no-such-attribute",
                f"{where}.{attribute.name}",
                f"{self._entity} stores no {attribute.name}",
                f"Give {where.rpartition('.')[2]} a template, or a field stored as "
                f'"{attribute.name}"',
            )
            return None
        field = self._codec.fields[name]
        if field.present.kinds != frozenset({attribute.type}):
            kinds = ", ".join(sorted(field.present.kinds))
            self._find(
                "SK108",
                "key-type",
                f"{where}.{attribute.name}",
                f'"{name}" is stored as {kinds}, but the key attribute has type {attribute.type}',
                "Change the field's type, or declare the attribute with number() or binary()",
            )
            return None
        return KeyPart(attribute, _bare(name, self._shapes[name]), field.present.encode)

    def _templated(
        self, where: str, attribute: Attribute, text: str, *, ordered: bool
    ) -> KeyPart | None:
        place = f"{where}.{attribute.name}"
        if text == f"{{{self._by_stored.get(attribute.name)}}}":
            return self._natural(where, attribute)
        if attribute.name in self._by_stored:
            self._find(
                "SK109",
                "attribute-clash",
                place,
                f'"{self._by_stored[attribute.name]}" is stored under the key attribute\'s name',
                "Store the field under another name",
            )
            return None
        if attribute.type != "S":
            self._find(
                "SK108",
                "key-type",
                place,
                f"a template writes text, but the key attribute has type {attribute.type}",
                f'Store a field as "{attribute.name}" and name it {{field}} alone',
            )
            return None
        try:
            template = parse_template(text, self._types, self._bounds, self._shapes)
        except TemplateError as error:
            self._find("SK200", "bad-template", place, str(error), "Correct the template")
            return None
        self.findings += template_findings(template, place, ordered=ordered)
        return KeyPart(attribute, template)

    def _find(self, code: str, name: str, where: str, message: str, fix: str) -> None:
        self.findings.append(Finding(where, message, fix, code=code, name=name))


def _bare(field: str, shape: Shape | None) -> Template:
    """Return the template of a field that is a key attribute itself."""
    return parse_template(f"{{{field}}}", {field: str}, shapes={field: shape})


def _earlier_fault(earlier: Template, parts: tuple[KeyPart, ...]) -> str:
    """Return why records cannot be found under an earlier sort key; empty if they can."""
    slots = {slot.field: slot for part in parts for slot in part.template.slots}
    for slot in earlier.slots:
        same = slots.get(slot.field)
        if same is None:
            return f'"{slot.field}" is not part of the key, so no get or write could find a record'
        if same.lossy and same.spec != slot.spec:
            return f'"{slot.field}" must have the same format as in the key'
    now = parts[-1].template
    # A text that stands for the same values in both templates is the key of one record.
    if can_collide(earlier, now) and not reads_alike(earlier, now):
        return (
            "the same text can be the key of another record now: restrict the fields with a "
            "pattern, or begin the new template with a different word"
        )
    return ""


def primary_findings(
    entity: str, model: type[BaseModel], primary: EntityKey, identity: tuple[str, ...]
) -> Iterator[Finding]:
    """Yield the faults of a primary key that concern its fields."""
    for name in primary.all_fields:
        if plain_type(model.model_fields[name].annotation)[1]:
            yield Finding(
                primary.name,
                f'"{name}" may be None, but a primary key must not',
                "Make the field required",
                code="SK103",
                name="optional-key",
            )
    for name in identity:
        if name not in primary.all_fields:
            yield Finding(
                primary.name,
                f'"{name}" identifies {entity} but is not in its key: one record would overwrite '
                "another",
                appended(primary, name),
                code="SK102",
                name="identity-not-in-key",
            )


def appended(key: EntityKey, field: str) -> str:
    """Return the fix that appends a field to a key."""
    last = key.parts[-1]
    if last.is_natural:
        return f"Write the key as a template that ends with `#{{{field}}}`"
    return f"Write `{last.template}#{{{field}}}` instead of `{last.template}`"


def collision_findings(
    entity: str, primary: EntityKey, others: Mapping[str, EntityKey]
) -> Iterator[Finding]:
    """Yield a finding for each other entity whose records could have the same key."""
    for other, key in others.items():
        if all(_can_meet(a, b) for a, b in zip(primary.parts, key.parts, strict=True)):
            yield Finding(
                primary.name,
                f"{entity} and {other} can have the same key "
                f"({_shown(primary)} and {_shown(key)}), so one would overwrite the other",
                "Begin one of the templates with a different word",
                code="SK101",
                name="shared-key",
            )


def _can_meet(one: KeyPart, other: KeyPart) -> bool:
    if one.attribute.type != "S":
        return True
    return any(can_collide(a, b) for a in _texts(one) for b in _texts(other))


def _texts(part: KeyPart) -> Iterator[Template]:
    """Return the templates of all texts that the attribute may have."""
    yield part.template
    if part.earlier is not None:
        yield part.earlier
    if part.is_sharded:
        types = {slot.field: slot.type for slot in part.template.slots} | {"shard": int}
        yield parse_template(f"{part.template.text}#{{shard:{UNORDERED}}}", types)


def _shown(key: EntityKey) -> str:
    return " / ".join(str(part.template) for part in key.parts)
