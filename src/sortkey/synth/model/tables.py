"""Tables of a stack, with their indexes and all their settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sortkey.design.tables.settings import Removal, Replica, StreamView
from sortkey.design.tables.table import Attribute

IndexKind: TypeAlias = Literal["global", "local"]
Dimension: TypeAlias = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Units:
    """Reads and writes in units a second; None if not declared."""

    reads: int | None
    writes: int | None


@dataclass(frozen=True, slots=True)
class IndexResource:
    """A secondary index of a table."""

    name: str
    kind: IndexKind
    partition: tuple[Attribute, ...]
    sort: tuple[Attribute, ...]
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    included: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AutoScaling:
    """Capacity that follows the load, of a table or of one of its global indexes."""

    dimension: Dimension
    index: str | None
    least: int
    most: int
    target_percent: int


@dataclass(frozen=True, slots=True)
class TableResource:
    """One table with all its settings; ``id`` is its name in code."""

    id: str
    name: str
    comment: str
    partition: Attribute
    sort: Attribute | None
    attributes: tuple[Attribute, ...]
    indexes: tuple[IndexResource, ...]
    # Exactly one of these two: provisioned capacity, or on-demand limits.
    provisioned: Units | None
    ceilings: Units | None
    scalings: tuple[AutoScaling, ...]
    ttl: str | None
    stream: StreamView | None
    recovery_days: int | None
    # None: the key that DynamoDB owns; "aws-managed"; or the ARN of a key.
    key: str | None
    deletion_protection: bool
    removal: Removal
    table_class: Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
    tags: Mapping[str, str]
    replicas: tuple[Replica, ...]

    @property
    def global_indexes(self) -> tuple[IndexResource, ...]:
        """The indexes with partitions of their own."""
        return tuple(index for index in self.indexes if index.kind == "global")

    @property
    def local_indexes(self) -> tuple[IndexResource, ...]:
        """The indexes within the table's own partitions."""
        return tuple(index for index in self.indexes if index.kind == "local")

    @property
    def own_key(self) -> str | None:
        """The ARN of the customer's own key, or None."""
        return None if self.key == "aws-managed" else self.key


@dataclass(frozen=True, slots=True)
class ExportedName:
    """The parameter in which other programs look up a table's name."""

    id: str
    path: str
    description: str
    table: TableResource
