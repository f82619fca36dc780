"""What an operation knows of the records that it reads and writes.

The design compiles one `Kind` for each entity; operations ask it and nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar

from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Path, Value
from sortkey.operations.operation import Context, Conversation
from sortkey.operations.origin import Given
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

    @property
    def is_whole(self) -> bool:
        """Whether the place is the whole field."""
        return len(self.path.parts) == 1

    def literal(self, value: Any) -> Value:
        """The value, checked against the field's type, as it is stored there."""
        return Value(self.encode(self.check(value)), Given(value))

    def amount(self, value: Any) -> Value:
        """A difference to the field's value, which need not be a value of the field itself."""
        return Value(self.encode(value), Given(value))


class Access(ABC):
    """A key to query by: the table's own, or an index's."""

    name: str
    index: str | None
    consistent: bool
    position_names: tuple[str, ...]

    @property
    @abstractmethod
    def table(self) -> TableName:
        """The table that the key is of."""

    @abstractmethod
    def condition(
        self, bound: Mapping[str, Any], comparison: Comparison | None
    ) -> Condition | None:
        """The key condition, or None where nothing can lie in the range."""

    @abstractmethod
    def shards(self, condition: Condition) -> Sequence[Condition]:
        """The condition for each shard of the key; the condition itself where there are none."""

    @abstractmethod
    def place(self, item: Item) -> Any:
        """Where an item stands in the order of the sort key."""

    @abstractmethod
    def residue(
        self, bound: Mapping[str, Any], comparison: Comparison
    ) -> Callable[[Mapping[str, Any]], bool] | None:
        """What of a comparison the key is too coarse to decide; None where it decides all."""

    @abstractmethod
    def refuse_filter(self, condition: Condition) -> None:
        """Refuse a filter over the key that is queried, which DynamoDB does not take."""

    @abstractmethod
    def holds(self, attribute: str) -> bool:
        """Whether the attribute can be read here."""

    @abstractmethod
    def refuse_projection(self, projection: Projection | None, entity: str) -> None:
        """Refuse to read what the index does not hold; None stands for whole records."""


class IndexEntry(ABC):
    """The attributes through which a record appears in an index."""

    name: str
    fields: frozenset[str]

    @abstractmethod
    def attributes(self, values: Mapping[str, Any]) -> dict[str, Value | None]:
        """The index's own attributes; all None where the record does not appear in it."""


@dataclass(frozen=True, slots=True)
class Unique:
    """A unique field, whose value is held by a lock record beside the entity's own."""

    field: str
    stored: str
    lock_key: Callable[[AttributeValue], dict[str, Value]]


class Kind(ABC, Generic[E]):
    """One entity, compiled: its names and marks, and how it is read and written."""

    name: str
    key_names: tuple[str, ...]
    key_fields: frozenset[str]
    type_attribute: str | None
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
    stored_names: Mapping[str, str]

    @property
    @abstractmethod
    def table(self) -> TableName:
        """The table that the records are in."""

    @property
    @abstractmethod
    def entries(self) -> Sequence[IndexEntry]:
        """The indexes that the records appear in under attributes of their own."""

    @abstractmethod
    def key(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """The primary key from exactly the fields that make it."""

    @abstractmethod
    def key_of(self, record: E) -> dict[str, Value]:
        """The primary key of a record."""

    @abstractmethod
    def earlier_key(self, key: Mapping[str, Value]) -> dict[str, Value] | None:
        """Where an earlier count of shards put the record of this key, if that is elsewhere."""

    @abstractmethod
    def settle(self, key: Mapping[str, Value], context: Context) -> Conversation[None]:
        """Bring the record of this key from its earlier place, if it is there; it stays away."""

    @abstractmethod
    def values(self, record: E) -> Mapping[str, Any]:
        """A record's fields by name."""

    @abstractmethod
    def with_values(self, record: E, values: Mapping[str, Any]) -> E:
        """The record with some fields changed."""

    @abstractmethod
    def was_given(self, record: E, field: str) -> bool:
        """Whether a record's field was set by whoever made the record."""

    @abstractmethod
    def moment(self, field: str, time: float) -> datetime:
        """A time as the field holds it, cut to whole seconds where it is stored so."""

    @abstractmethod
    def encode(self, record: E) -> Item:
        """The record as it is stored, with every key attribute."""

    @abstractmethod
    def encode_field(self, field: str, value: Any) -> AttributeValue | None:
        """A field's value as it is stored, or None where it is left out."""

    @abstractmethod
    def read(self, item: Item) -> E | None:
        """The record that is stored as this item, or None if the item is of another kind."""

    @abstractmethod
    def current(self, item: Item) -> Item:
        """A record's item as it would be in the present shape."""

    @abstractmethod
    def reading_as(
        self, shape: type[V], beside: tuple[str, ...], held: Callable[[str], bool]
    ) -> Reading[V]:
        """The reading of only the fields that a model names, beside these attributes.

        ``held`` says which attributes are there to be read.
        """

    @abstractmethod
    def reading_keys(self, beside: tuple[str, ...], held: Callable[[str], bool]) -> Reading[bool]:
        """The reading that only tells whether an item is a living record of this kind."""

    @abstractmethod
    def defaults(self) -> Mapping[str, Any]:
        """The fields that have a default, with its value."""

    @abstractmethod
    def required(self) -> frozenset[str]:
        """The fields that have no default and may not be left out."""

    @abstractmethod
    def condition(self, test: Callable[[E], bool]) -> Condition:
        """The condition that a function of a record's fields states."""

    @abstractmethod
    def place(self, select: Callable[[E], V]) -> Place[V]:
        """The place that a function selects from a record."""
