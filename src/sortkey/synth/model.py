"""What is deployed in one environment: the value that every target is written from.

Everything is decided here and in the modules that make it; a target only says it in its language.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sortkey.design.settings import Removal, Replica, StreamView
from sortkey.design.table import Attribute

IndexKind: TypeAlias = Literal["global", "local"]
Dimension: TypeAlias = Literal["read", "write"]
Statistic: TypeAlias = Literal["Sum", "Average"]

# Of a dashboard, and how high its pictures are.
GRID_WIDTH = 24
GRAPH_HEIGHT = 6


@dataclass(frozen=True, slots=True)
class Units:
    """Reads and writes in units a second; None where nothing is said."""

    reads: int | None
    writes: int | None


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index of a table."""

    name: str
    kind: IndexKind
    partition: tuple[Attribute, ...]
    sort: tuple[Attribute, ...]
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"]
    included: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scaling:
    """Capacity that follows the load, of a table or of one of its global indexes."""

    dimension: Dimension
    index: str | None
    least: int
    most: int
    target_percent: int


@dataclass(frozen=True, slots=True)
class Table:
    """One table with everything that is set on it; ``id`` is what it is called in code."""

    id: str
    name: str
    comment: str
    partition: Attribute
    sort: Attribute | None
    attributes: tuple[Attribute, ...]
    indexes: tuple[Index, ...]
    # Exactly one of these two: what is reserved, or the ceilings of what is billed by request.
    provisioned: Units | None
    ceilings: Units | None
    scalings: tuple[Scaling, ...]
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
    def global_indexes(self) -> tuple[Index, ...]:
        """The indexes with partitions of their own."""
        return tuple(index for index in self.indexes if index.kind == "global")

    @property
    def local_indexes(self) -> tuple[Index, ...]:
        """The indexes within the table's own partitions."""
        return tuple(index for index in self.indexes if index.kind == "local")

    @property
    def own_key(self) -> str | None:
        """The ARN of the key, where it is neither DynamoDB's nor AWS's."""
        return None if self.key == "aws-managed" else self.key


@dataclass(frozen=True, slots=True)
class Parameter:
    """A table's name where other programs look it up."""

    id: str
    path: str
    description: str
    table: Table


@dataclass(frozen=True, slots=True)
class Resource:
    """A table or one of its indexes, here or in the region of a replica."""

    table: Table
    index: str | None = None
    region: str | None = None


# Operator, condition key, values.
Condition: TypeAlias = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Statement:
    """What one statement of a policy allows, and on which conditions."""

    sid: str
    comment: str
    actions: tuple[str, ...]
    # Tables and indexes, or the ARNs of keys.
    resources: tuple[Resource | str, ...]
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """What a role of the design may do, as a policy to attach to whoever takes that role.

    ``unconfined`` says of which patterns no condition keeps one subject from another's records.
    """

    id: str
    name: str
    description: str
    statements: tuple[Statement, ...]
    unconfined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Metric:
    """One of DynamoDB's metrics, of a table, an index or an operation; without a table of all."""

    name: str
    statistic: Statistic
    period: int
    table: Table | None = None
    index: str | None = None
    operation: str | None = None

    @property
    def dimensions(self) -> dict[str, str]:
        """What CloudWatch keeps the metric under."""
        named = {
            "TableName": None if self.table is None else self.table.name,
            "GlobalSecondaryIndexName": self.index,
            "Operation": self.operation,
        }
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Topic:
    """Where news goes: a topic that is made, or one that is there already."""

    id: str
    name: str
    arn: str | None = None


@dataclass(frozen=True, slots=True)
class Alarm:
    """Somebody is told when a metric, or what is computed of several, reaches a threshold."""

    id: str
    name: str
    description: str
    metrics: tuple[Metric, ...]
    threshold: int
    topic: Topic
    # Over m1, m2 and so on; None where the one metric is compared itself.
    expression: str | None = None

    @property
    def period(self) -> int:
        """Over how many seconds it looks."""
        return self.metrics[0].period


@dataclass(frozen=True, slots=True)
class Graph:
    """One picture of the dashboard."""

    title: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A table or an index on the dashboard."""

    title: str
    graphs: tuple[Graph, ...]

    @property
    def width(self) -> int:
        """How wide each of its pictures is, on CloudWatch's grid."""
        return GRID_WIDTH // len(self.graphs)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A row for each table and index."""

    id: str
    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Vault:
    """A vault of this account, in another region."""

    region: str
    name: str


@dataclass(frozen=True, slots=True)
class Copies:
    """Where copies of backups go, to a vault by its ARN or to one of this account, and how long."""

    vault: str | Vault
    keep_days: int


@dataclass(frozen=True, slots=True)
class BackupPlan:
    """A schedule of backups and the tables that it is for."""

    id: str
    name: str
    vault: str
    schedule: str
    keep_days: int
    copies: Copies | None
    tables: tuple[Table, ...]

    @property
    def comment(self) -> str:
        """What whoever deploys it has to see to."""
        if self.copies is None:
            return ""
        vault = self.copies.vault
        there = vault if isinstance(vault, str) else f"{vault.name} in {vault.region}"
        return f"Copies go to the vault {there}, which must be there."


@dataclass(frozen=True, slots=True)
class Stack:
    """Everything that a design needs in one environment."""

    name: str
    design: str
    environment: str
    tables: tuple[Table, ...]
    parameters: tuple[Parameter, ...] = ()
    policies: tuple[Policy, ...] = ()
    topics: tuple[Topic, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    dashboard: Dashboard | None = None
    backup_plans: tuple[BackupPlan, ...] = ()

    @property
    def description(self) -> str:
        """What it is, in one line."""
        return f"The DynamoDB tables of {self.design} in {self.environment}, and who may use them"

    @property
    def unconfined(self) -> tuple[str, ...]:
        """Where a role's sessions cannot be kept apart by policy, one sentence each."""
        return tuple(told for policy in self.policies for told in policy.unconfined)
