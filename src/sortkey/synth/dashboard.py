"""The dashboard: a row for each table, its global indexes, and everything that runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sortkey.synth.model import (
    GRAPH_HEIGHT,
    GRID_WIDTH,
    Dashboard,
    DashboardRow,
    Graph,
    HttpApiResource,
    Metric,
    Statistic,
    TableResource,
)

PERIOD = 300


def dashboard_of(
    tables: Sequence[TableResource],
    operations: Mapping[str, tuple[str, ...]],
    others: Iterable[DashboardRow],
    name: str,
) -> Dashboard | None:
    """Return the dashboard of these tables and the operations on each; None if there are none.

    The rows of ``others`` follow.
    """
    if not tables:
        return None
    rows = [row for table in tables for row in _rows(table, operations.get(table.id, ()))]
    return Dashboard("Dashboard", name, (*rows, *others))


def _rows(table: TableResource, operations: tuple[str, ...]) -> Iterator[DashboardRow]:
    latency = [
        _metric(table, "SuccessfulRequestLatency", "Average", operation=o) for o in operations
    ]
    errors = [_metric(table, "SystemErrors", operation=o) for o in operations]
    contention = ("ConditionalCheckFailedRequests", "TransactionConflict")
    failures = [*errors, *(_metric(table, name) for name in contention)]
    yield DashboardRow(
        table.name,
        (
            *_load(table, None),
            *((Graph("Latency (ms)", tuple(latency)),) if latency else ()),
            Graph("Failures", tuple(failures)),
        ),
    )
    for index in table.global_indexes:
        yield DashboardRow(f"{table.name}, {index.name}", tuple(_load(table, index.name)))


def _load(table: TableResource, index: str | None) -> Iterator[Graph]:
    for dimension in ("Read", "Write"):
        units = f"{dimension}CapacityUnits"
        provisioned = _metric(table, f"Provisioned{units}", "Average", index=index)
        yield Graph(
            f"{dimension}s",
            (
                _metric(table, f"Consumed{units}", index=index),
                *((provisioned,) if table.provisioned is not None else ()),
            ),
        )
    throttled = [_metric(table, f"{d}ThrottleEvents", index=index) for d in ("Read", "Write")]
    yield Graph("Throttled", tuple(throttled))


def _metric(
    table: TableResource,
    name: str,
    statistic: Statistic = "Sum",
    *,
    index: str | None = None,
    operation: str | None = None,
) -> Metric:
    return Metric(name, statistic, PERIOD, table, index, operation)


def body_of(
    dashboard: Dashboard, region: Any, api_id: Callable[[HttpApiResource], Any] = lambda api: api.id
) -> dict[str, Any]:
    """Return the dashboard's body for CloudWatch; ``region`` may be a reference.

    ``api_id`` returns a reference to the id of an API, which is not known before it exists.
    """
    widgets: list[dict[str, Any]] = []
    top = 0
    for row in dashboard.rows:
        widgets.append(_title(row.title, top))
        widgets += [
            _widget(graph, region, api_id, (number * row.width, top + 1, row.width))
            for number, graph in enumerate(row.graphs)
        ]
        top += 1 + GRAPH_HEIGHT
    return {"widgets": widgets}


def _title(text: str, top: int) -> dict[str, Any]:
    place = {"x": 0, "y": top, "width": GRID_WIDTH, "height": 1}
    return {"type": "text", **place, "properties": {"markdown": f"## {text}"}}


def _widget(
    graph: Graph, region: Any, api_id: Callable[[HttpApiResource], Any], place: tuple[int, int, int]
) -> dict[str, Any]:
    left, top, width = place
    return {
        "type": "metric",
        "x": left,
        "y": top,
        "width": width,
        "height": GRAPH_HEIGHT,
        "properties": {
            "title": graph.title,
            "region": region,
            "period": PERIOD,
            "metrics": [_line(metric, api_id) for metric in graph.metrics],
        },
    }


def _line(metric: Metric, api_id: Callable[[HttpApiResource], Any]) -> list[Any]:
    named: dict[str, Any] = dict(metric.dimensions)
    if isinstance(metric.of, HttpApiResource):
        named[metric.dimension] = api_id(metric.of)
    dimensions = [text for pair in named.items() for text in pair]
    return [metric.namespace, metric.name, *dimensions, {"stat": metric.statistic}]
