"""Metrics of a stack, its alarms and its dashboard."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sortkey.synth.model.functions import FunctionResource, HttpApiResource
from sortkey.synth.model.services import QueueResource
from sortkey.synth.model.tables import TableResource

Statistic: TypeAlias = Literal["Sum", "Average", "Maximum"]
Measured: TypeAlias = TableResource | FunctionResource | QueueResource | HttpApiResource

# The width of a dashboard, and the height of its graphs.
GRID_WIDTH = 24
GRAPH_HEIGHT = 6


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of a table, an index or an operation, of a function, a queue or an API.

    Without any of them it is a metric of DynamoDB in the account.
    """

    name: str
    statistic: Statistic
    period: int
    of: Measured | None = None
    index: str | None = None
    operation: str | None = None

    @property
    def namespace(self) -> str:
        """The service that publishes it."""
        match self.of:
            case FunctionResource():
                return "AWS/Lambda"
            case QueueResource():
                return "AWS/SQS"
            case HttpApiResource():
                return "AWS/ApiGateway"
            case _:
                return "AWS/DynamoDB"

    @property
    def dimension(self) -> str:
        """The dimension that names what it is a metric of."""
        match self.of:
            case FunctionResource():
                return "FunctionName"
            case QueueResource():
                return "QueueName"
            case HttpApiResource():
                return "ApiId"
            case _:
                return "TableName"

    @property
    def dimensions(self) -> dict[str, str]:
        """The dimensions of the metric in CloudWatch; an API has its name in place of its id."""
        named = {
            self.dimension: None if self.of is None else self.of.name,
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
    """A table, an index, a function, a queue or an API on the dashboard."""

    title: str
    graphs: tuple[Graph, ...]

    @property
    def width(self) -> int:
        """The width of each graph on CloudWatch's grid."""
        return GRID_WIDTH // len(self.graphs)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A row for each table and index, function, queue and API."""

    id: str
    name: str
    rows: tuple[DashboardRow, ...]
