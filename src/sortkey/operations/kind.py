"""The interface through which operations know the records that they read and write.

The design compiles one `Kind` for each entity; operations use nothing else of the design.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar

from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Path, Value
from sortkey.operations.operation import Context, Conversation
from sortkey.operations.origin import FieldValue
from sortkey.operations.plan import TableName
from sortkey.operations.reading import Reading
from sortkey.operations.secrets import Secrets
from sortkey.wire.values import AttributeValue, Item

E = TypeVar("E")
V = TypeVar("V")

# A comparison over one slot of a sort key: its name ("ge"), the field, and one or two values.
Comparison: TypeAlias = tuple[str, str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Place(Generic[V]):
    """A field of a record, or something inside one."""

    path: Path
    field: str
    shown: str
    check: Callable[[Any], V]
    encode: Callable[[V], AttributeValue]
    secret: bool = False
    # Another form in which the value may still be stored, if there is one.
    also: Callable[[V], AttributeValue | None] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the place is the whole field."""
        return len(self.path.parts) == 1

    def literal(self, value: Any) -> Value:
        """Return the value as it is stored, checked against the field's type."""
        return Value(self.encode(self.check(value)), FieldValue(value))

    def amount(self, value: Any) -> Value:
        """Return an amount to add as it is stored; it need not be a valid value of the field."""
        return Value(self.encode(value), FieldValue(value))


class Access(ABC):
    """A key to query by: that of the table or of an index."""

    name: str
    table: TableName
    index: str | None
    consistent: bool
    position_names: tuple[str, ...]

    @abstractmethod
    def condition(
        self, bound: Mapping[str, Any], comparison: Comparison | None
    ) -> Condition | None:
        """Return the key condition, or None if the range is empty."""

    @abstractmethod
    def shards(self, condition: Condition | None) -> tuple[Condition, ...]:
        """Return the condition for each shard of the key; none if the range is empty."""

    @abstractmethod
    def place(self, item: Item) -> Any:
        """Return the position of an item in the order of the sort key."""

    @abstractmethod
    def residue(
        self, bound: Mapping[str, Any], comparison: Comparison
    ) -> Callable[[Mapping[str, Any]], bool] | None:
        """Return the part of a comparison that the key is too coarse to decide, if any."""

    @abstractmethod
    def refuse_filter(self, condition: Condition) -> None:
        """Refuse a filter on the key that is queried, which DynamoDB does not allow."""

    @abstractmethod
    def holds(self, attribute: str) -> bool:
        """Return whether the index has the attribute."""

    @abstractmethod
    def refuse_projection(self, projection: Projection) -> None:
        """Refuse to read attributes that the index does not have."""


class IndexEntry(ABC):
    """The attributes through which a record appears in an index."""

    name: str
    fields: frozenset[str]

    @abstractmethod
    def attributes(self, values: Mapping[str, Any]) -> dict[str, Value | None]:
        """Return the index's key attributes; all None if the record is not in the index."""


@dataclass(frozen=True, slots=True)
class Unique:
    """A unique field, each value of which has a lock record.

    ``within`` are the fields of its scope. ``attributes`` are the stored names of the scope's
    fields and of the field itself, whose values make up the lock's key.
    """

    field: str
    within: tuple[str, ...]
    attributes: tuple[str, ...]
    lock_key: Callable[[Sequence[AttributeValue]], dict[str, Value]]

    @property
    def fields(self) -> frozenset[str]:
        """The field and its scope's fields: the lock moves when one of them changes."""
        return frozenset((*self.within, self.field))


class Kind(ABC, Generic[E]):
    """A compiled entity: its names and marks, and how its records are read and written."""

    name: str
    table: TableName
    key_names: tuple[str, ...]
    key_fields: frozenset[str]
    type_attribute: str | None
    # Whether a record may still be stored under its earlier key.
    moving: bool
    shape: int
    shape_attribute: str
    immutable: bool
    frozen_fields: frozenset[str]
    version: str | None
    version_field: str | None
    expires: str | None
    expires_field: str | None
    created: str | None
    created_field: str | None
    updated: str | None
    updated_field: str | None
    uniques: tuple[Unique, ...]
    secrets: tuple[Secrets, ...]
    removable: frozenset[str]
    # The indexes whose key attributes are not fields of the entity.
    entries: tuple[IndexEntry, ...]
    stored_names: Mapping[str, str]

    @abstractmethod
    def key(self, fields: Mapping[str, Any]) -> dict[str, Value]:
        """Return the primary key made from exactly its fields."""

    @abstractmethod
    def key_outline(self, known: Mapping[str, Any]) -> dict[str, Value]:
        """Return the primary key as a plan shows it while some of its fields are not known."""

    @abstractmethod
    def key_of(self, record: E) -> dict[str, Value]:
        """Return the primary key of a record."""

    @abstractmethod
    def earlier_key(self, key: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return the record's key under an earlier template or count of shards, if it differs."""

    @abstractmethod
    def sole_earlier_key(self, key: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return the earlier key if it differs and no other record can have had it."""

    @abstractmethod
    def settle(self, key: Mapping[str, Value], context: Context) -> Conversation[None]:
        """Move the record to this key if it is stored under its earlier key."""

    @abstractmethod
    def is_of(self, item: Item, key: Mapping[str, Value]) -> bool:
        """Return whether this is the key of the record that is stored as this item."""

    @abstractmethod
    def values(self, record: E) -> Mapping[str, Any]:
        """Return a record's fields by name."""

    @abstractmethod
    def with_values(self, record: E, values: Mapping[str, Any]) -> E:
        """Return the record with some fields changed."""

    @abstractmethod
    def was_set(self, record: E, field: str) -> bool:
        """Return whether a record's field was set explicitly when the record was made."""

    @abstractmethod
    def moment(self, field: str, time: float) -> datetime:
        """Return a time as the field has it, truncated if it is stored in whole seconds."""

    @abstractmethod
    def encode(self, record: E) -> Item:
        """Return the record as it is stored, with every key attribute."""

    @abstractmethod
    def refuse_unfit(self, item: Item) -> None:
        """Refuse an item if a field that is an index key has a value that no key can have."""

    @abstractmethod
    def encode_field(self, field: str, value: Any) -> AttributeValue | None:
        """Return a field's value as it is stored, or None if it is left out."""

    @abstractmethod
    def read(self, item: Item) -> E | None:
        """Return the record that is stored as this item, or None if it is of another kind."""

    @abstractmethod
    def current(self, item: Item) -> Item:
        """Return a record's item converted to the current shape."""

    @abstractmethod
    def reading_as(
        self, shape: type[V], beside: tuple[str, ...], held: Callable[[str], bool]
    ) -> Reading[V]:
        """Return a reading of only the fields that a model has, and of these attributes.

        ``held`` returns whether an attribute can be read.
        """

    @abstractmethod
    def reading_keys(self, beside: tuple[str, ...], held: Callable[[str], bool]) -> Reading[bool]:
        """Return a reading that only finds whether an item is a live record of this kind."""

    @abstractmethod
    def defaults(self) -> Mapping[str, Any]:
        """Return the fields that have a default, with its value."""

    @abstractmethod
    def required(self) -> frozenset[str]:
        """Return the fields that have no default and cannot be left out."""

    @abstractmethod
    def condition(self, test: Callable[[E], int]) -> Condition:
        """Return the condition that a function of a record expresses."""

    @abstractmethod
    def place(self, select: Callable[[E], V]) -> Place[V]:
        """Return the place that a function selects from a record."""

    @abstractmethod
    def place_of_field(self, name: str) -> Place[Any]:
        """Return the place of a whole field, by its Python name."""
