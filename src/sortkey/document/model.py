"""A design arranged for its catalog, in the order of its declarations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from sortkey.design.declaring.design import Design
from sortkey.design.plans.plan import PatternPlan
from sortkey.design.plans.tracing import trace
from sortkey.design.records.keys.entity_key import EntityKey, KeyPart
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.unbuilt import UnbuiltEntity
from sortkey.design.tables.expectations import Expected
from sortkey.design.tables.table import Attribute, Key, Table

T = TypeVar("T")

# An entity of a raw design may be one that could not be built.
Described: TypeAlias = EntityKind[Any] | UnbuiltEntity


class CatalogModel:
    """A design in the order of its declarations, with the plan of each pattern."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.about = design.about

    @cached_property
    def tables(self) -> list[type[Table]]:
        """The tables in the order in which their modules declare them."""
        return self._as_declared(self.design.tables)

    @cached_property
    def plans(self) -> list[PatternPlan]:
        """The plans of the patterns, in the order in which their modules declare them."""
        patterns = self._as_declared(self.design.patterns)
        return [trace(pattern, self.design) for pattern in patterns]

    def entities_of(self, table: type[Table]) -> list[Described]:
        """Return the entities of a table; in a raw design also those that could not be built."""
        return [*self.design.kinds_of(table), *table.definition.unbuilt]

    @cached_property
    def entities(self) -> list[tuple[type[Table], Described]]:
        """Every entity with its table."""
        return [(table, entity) for table in self.tables for entity in self.entities_of(table)]

    def title_of(self, table: type[Table], name: str) -> str:
        """Return an entity's heading: its name, with its table if another has the same name."""
        namesakes = [entity for _, entity in self.entities if entity.name == name]
        return name if len(namesakes) == 1 else f"{name} of {table.__name__}"

    def _as_declared(self, items: Sequence[T]) -> list[T]:
        """Return the items in the order of their declarations."""
        places: dict[int, int] = {}
        for module in self.design.modules:
            for value in vars(module).values():
                if getattr(value, "__module__", None) == module.__name__:
                    places.setdefault(id(value), len(places))
        return sorted(items, key=lambda item: places.get(id(item), len(places)))


@dataclass(frozen=True, slots=True)
class WrittenKey:
    """An entity's key in a table or index; its templates use the names of stored attributes."""

    index: str | None
    partition: tuple[tuple[Attribute, str], ...]
    sort: tuple[tuple[Attribute, str], ...]
    sparse: bool = False
    shards: int = 1
    expected: Expected | None = None

    @property
    def parts(self) -> tuple[tuple[Attribute, str], ...]:
        """Every key attribute with its template."""
        return (*self.partition, *self.sort)

    @property
    def partition_text(self) -> str:
        """The template of the partition."""
        return ", ".join(text for _, text in self.partition)

    @property
    def sort_text(self) -> str:
        """The template of the sort key."""
        return ", ".join(text for _, text in self.sort)


def stored_name(entity: Described, field: str) -> str:
    """Return the attribute that a field is stored as, or the field's name if it is unknown."""
    names: Mapping[str, str] = {} if isinstance(entity, UnbuiltEntity) else entity.stored_names
    return names.get(field, field)


def keys_of(entity: Described) -> list[WrittenKey]:
    """Return an entity's keys, the table's own first."""
    if isinstance(entity, UnbuiltEntity):
        keys = list(map(_declared, entity.keys.values()))
    else:
        keys = [_compiled(entity, key) for key in entity.keys.values()]
    return sorted(keys, key=lambda key: key.index is not None)


def _compiled(kind: EntityKind[Any], key: EntityKey) -> WrittenKey:
    optional = {name for name, field in kind.codec.fields.items() if field.optional}
    return WrittenKey(
        key.index,
        tuple((part.attribute, _template(kind, part)) for part in key.partition),
        tuple((part.attribute, _template(kind, part)) for part in key.sort),
        sparse=key.index is not None and bool(optional & set(key.all_fields)),
        shards=key.shard_count,
        expected=key.expected,
    )


def _template(kind: EntityKind[Any], part: KeyPart) -> str:
    """Return a key's template with the names of stored attributes."""
    return "".join(
        piece
        if isinstance(piece, str)
        else str(piece).replace(piece.field, kind.stored_names[piece.field], 1)
        for piece in part.template.parts
    )


def _declared(key: Key) -> WrittenKey:
    index = key.index
    return WrittenKey(
        None if index.kind == "primary" else index.name,
        tuple(zip(index.partition, key.partition, strict=False)),
        tuple(zip(index.sort, key.sort, strict=False)),
        expected=key.expected,
    )
