"""The resources of one environment: the value that every target is written from.

Every decision is made here and in the modules that build the value; a target only renders it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sortkey.design.tables.settings import Removal, Replica, StreamView
from sortkey.design.tables.table import Attribute

IndexKind: TypeAlias = Literal["global", "local"]
Dimension: TypeAlias = Literal["read", "write"]
Statistic: TypeAlias = Literal["Sum", "Average"]

# The width of a dashboard, and the height of its graphs.
GRID_WIDTH = 24
GRAPH_HEIGHT = 6


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


@dataclass(frozen=True, slots=True)
class Resource:
    """A table, one of its indexes or its streams, here or in the region of a replica."""

    table: TableResource
    index: str | None = None
    region: str | None = None
    is_stream: bool = False

    @property
    def suffix(self) -> str:
        """The end of the ARN, after the name of the table."""
        if self.is_stream:
            return "/stream/*"
        return "" if self.index is None else f"/index/{self.index}"


@dataclass(frozen=True, slots=True)
class SecretKeyResource:
    """The KMS key of secret fields, with its alias; ``regions`` have replicas of it."""

    alias: str
    description: str
    regions: tuple[str, ...]
    context: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RegionalKey:
    """The key of secret fields, here or in the region of a replica."""

    region: str | None = None


# Operator, condition key, values.
Condition: TypeAlias = tuple[str, str, tuple[str, ...]]


Place: TypeAlias = Resource | RegionalKey | str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a policy: actions, resources and conditions."""

    sid: str
    comment: str
    actions: tuple[str, ...]
    # Tables and indexes, the key of secret fields, or the ARNs of other keys.
    resources: tuple[Place, ...]
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """Permissions of a role of the design, as a policy to attach to its principals.

    A role whose permissions are too long for one policy has several.

    ``unconfined`` has the patterns for which no condition separates subjects.
    """

    id: str
    name: str
    description: str
    role: str
    statements: tuple[Statement, ...]
    unconfined: tuple[str, ...] = ()
    # The name of an existing IAM role that it is attached to.
    principal: str | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """A DynamoDB metric of a table, an index or an operation; without a table, of the account."""

    name: str
    statistic: Statistic
    period: int
    table: TableResource | None = None
    index: str | None = None
    operation: str | None = None

    @property
    def dimensions(self) -> dict[str, str]:
        """The dimensions of the metric in CloudWatch."""
        named = {
            "TableName": None if self.table is None else self.table.name,
            "GlobalSecondaryIndexName": self.index,
            "Operation": self.operation,
        }
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic for notifications, new or existing."""

    id: str
    name: str
    arn: str | None = None


@dataclass(frozen=True, slots=True)
class Alarm:
    """A notification when a metric, or a formula over several, reaches a threshold."""

    id: str
    name: str
    description: str
    metrics: tuple[Metric, ...]
    threshold: int
    topic: Topic
    # Over m1, m2 and so on; None if the only metric is compared itself.
    expression: str | None = None

    @property
    def period(self) -> int:
        """The period in seconds."""
        return self.metrics[0].period


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph of the dashboard."""

    title: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class DashboardRow:
    """A table or an index on the dashboard."""

    title: str
    graphs: tuple[Graph, ...]

    @property
    def width(self) -> int:
        """The width of each graph on CloudWatch's grid."""
        return GRID_WIDTH // len(self.graphs)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A row for each table and index."""

    id: str
    name: str
    rows: tuple[DashboardRow, ...]


@dataclass(frozen=True, slots=True)
class BackupVault:
    """A vault of this account, in another region, which the stack creates there."""

    region: str
    name: str


@dataclass(frozen=True, slots=True)
class Copies:
    """The vault for copies of backups, by its ARN or in this account, and their retention."""

    vault: str | BackupVault
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
    tables: tuple[TableResource, ...]

    @property
    def comment(self) -> str:
        """The note for the operator who deploys it."""
        if self.copies is None:
            return ""
        vault = self.copies.vault
        if isinstance(vault, str):
            return f"Copies go to the vault {vault}, which must exist."
        return f"Copies go to the vault {vault.name} in {vault.region}."


@dataclass(frozen=True, slots=True)
class RegionalPart:
    """The resources that a stack needs in another region."""

    region: str
    description: str
    key: SecretKeyResource | None = None
    vault: BackupVault | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """Everything that a design needs in one environment."""

    name: str
    design: str
    environment: str
    tables: tuple[TableResource, ...]
    parameters: tuple[ExportedName, ...] = ()
    policies: tuple[Policy, ...] = ()
    topics: tuple[Topic, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    dashboard: Dashboard | None = None
    backup_plans: tuple[BackupPlan, ...] = ()
    secret_key: SecretKeyResource | None = None
    regions: tuple[RegionalPart, ...] = ()
    # Tables that exist, and become part of the stack.
    adopted: tuple[TableResource, ...] = ()

    @property
    def description(self) -> str:
        """The description in one line."""
        return (
            f"The DynamoDB tables of {self.design} in {self.environment}, and their access policies"
        )

    @property
    def unconfined(self) -> tuple[str, ...]:
        """A sentence for each place where a policy cannot separate a role's sessions."""
        return tuple(note for policy in self.policies for note in policy.unconfined)
