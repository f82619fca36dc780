"""The declaration of a collection: one member for each entity, all found by one index."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.findings import Finding
from sortkey.design.records.keys.entity_key import EntityKey, KeyPart
from sortkey.design.records.keys.unify import can_collide
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index, Table
from sortkey.operations.reading import Reading
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class CollectionMember:
    """One field of a collection: an entity, its key there, and whether there may be several."""

    name: str
    entity: type[Entity]
    many: bool
    key: EntityKey

    @property
    def kind(self) -> EntityKind[Any]:
        """The compiled entity."""
        return kind_of(self.entity)

    def reading(self, bound: Mapping[str, Any]) -> Reading[Any]:
        """Return a reading of only the entity's records that have these values."""
        # Written as the key writes them: a time that is truncated to its day is bound by its day.
        wanted = [
            (field, write, write(bound[field]))
            for part in self.key.parts
            for field, write in _writers(part)
            if field in bound
        ]
        read = self.kind.read

        def read_bound(item: Item) -> Any:
            record = read(item)
            if record is None:
                return None
            values = record.__dict__
            for field, write, text in wanted:
                if values[field] is None or write(values[field]) != text:
                    return None
            return record

        return Reading(read_bound, self.kind.expires, secrets=self.kind.secrets)


def _writers(part: KeyPart) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Return how each field of a key attribute is written there."""
    if part.encode is not None:
        yield from ((name, part.encode) for name in part.fields)
    else:
        yield from ((slot.field, slot.write) for slot in part.template.slots)


@dataclass(frozen=True, slots=True)
class CollectionDefinition:
    """A collection's members, the index that finds them, and its faults."""

    name: str
    doc: str
    index: Index | None
    members: tuple[CollectionMember, ...]
    findings: tuple[Finding, ...]

    @property
    def table(self) -> type[Table] | None:
        """The table that the entities are in."""
        return self.index.table if self.index else None


def define(collection: type[Any], index: Index | None) -> CollectionDefinition:
    """Return the definition of a collection's class, with all its faults."""
    return _Declaration(collection).definition(index)


class _Declaration:
    """A collection's class while it is compiled."""

    def __init__(self, collection: type[Any]) -> None:
        self._collection = collection
        self._name = collection.__name__
        self._findings: list[Finding] = []

    def definition(self, index: Index | None) -> CollectionDefinition:
        """Return the definition that the class declares."""
        fields = list(self._fields())
        if index is None and fields:
            index = kind_of(fields[0][1]).primary.definition
        members = [] if index is None else list(self._members(fields, index))
        self._compare_partitions(members)
        return CollectionDefinition(
            self._name,
            (self._collection.__doc__ or "").strip(),
            index,
            tuple(members),
            tuple(self._findings),
        )

    def _fields(self) -> Iterator[tuple[str, type[Entity], bool]]:
        seen: dict[type[Entity], str] = {}
        types = self._types()
        if not types and not self._findings:
            self._find(
                "", "it has no fields", "Give it one for each entity, such as users: list[User]"
            )
        for name, annotation in types.items():
            entity, many = _entity_of(annotation)
            if name == "load":
                self._find(
                    name,
                    "a field named load would hide the method that reads the collection",
                    "Choose another name",
                )
            elif entity is None:
                shown = getattr(annotation, "__name__", None) or str(annotation)
                self._find(
                    name,
                    f"{shown} is neither one entity of a table nor a list of one",
                    "Write X | None for one record, list[X] for several",
                )
            elif entity in seen:
                self._find(
                    name,
                    f'"{seen[entity]}" holds the {entity.__name__} records already',
                    "Keep one field for each entity",
                )
            else:
                seen[entity] = name
                yield name, entity, many

    def _types(self) -> dict[str, Any]:
        try:
            hints = get_type_hints(self._collection)
        except NameError as error:
            self._find("", f"a type cannot be found: {error}", "Define the entities before it")
            return {}
        return {name: kind for name, kind in hints.items() if get_origin(kind) is not ClassVar}

    def _members(
        self, fields: list[tuple[str, type[Entity], bool]], index: Index
    ) -> Iterator[CollectionMember]:
        if index.projection != "ALL":
            self._find("", f"{index} does not contain whole records", 'Project "ALL" in that index')
        for name, entity, many in fields:
            kind = kind_of(entity)
            key = next((k for k in kind.keys.values() if k.definition is index), None)
            if key is not None:
                yield CollectionMember(name, entity, many, key)
            elif index.table is None or kind.table is not index.table.definition:
                self._find(
                    name,
                    f"{entity.__name__} is stored in {kind.table}, but {index} belongs to another "
                    "table",
                    "Collect entities of one table",
                )
            else:
                self._find(
                    name,
                    f"{entity.__name__} does not appear in {index}",
                    f"Declare a key there, {index}.key(...), or remove it from the collection",
                )

    def _compare_partitions(self, members: list[CollectionMember]) -> None:
        for first, other in ((members[0], m) for m in members[1:]):
            pairs = zip(first.key.partition, other.key.partition, strict=True)
            for one, another in pairs:
                if one.attribute.type == "S" and not can_collide(one.template, another.template):
                    self._find(
                        other.name,
                        f"{first.entity.__name__} and {other.entity.__name__} never share a "
                        f"partition ({one.template} and {another.template})",
                        "Collect entities whose partition keys have the same form",
                    )

    def _find(self, field: str, message: str, fix: str) -> None:
        where = f"{self._name}.{field}" if field else self._name
        self._findings.append(Finding(where, message, fix, code="SK119", name="collection-member"))


def _entity_of(annotation: Any) -> tuple[type[Entity] | None, bool]:
    """Return the entity of a field, and whether the field is a list."""
    arguments = get_args(annotation)
    if get_origin(annotation) is list:
        return _stored(arguments[0]), True
    if get_origin(annotation) in {Union, UnionType} and NoneType in arguments:
        others = [kind for kind in arguments if kind is not NoneType]
        return (_stored(others[0]) if len(others) == 1 else None), False
    return None, False


def _stored(entity: Any) -> type[Entity] | None:
    if isinstance(entity, type) and issubclass(entity, Entity) and hasattr(entity, "__kind__"):
        return entity
    return None
