"""Each request is reported to OpenTelemetry by its naming conventions, without any value."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from sortkey import DB, Entity, NotFound, Op, Table, gsi, pattern
from sortkey.access.telemetry import telemetry


class Diary(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Entry(Entity, table=Diary):
    owner: str
    number: int
    text: str = ""

    primary = Diary.primary.key("OWNER#{owner}", "ENTRY#{number:04d}")
    by_number = Diary.gsi1.key("NUMBER#{number:04d}", "{owner}")


@pattern("Who wrote under a number")
def entries_under(number: int) -> Op[list[Entry]]:
    return Entry.query(Entry.by_number, number=number)


class Recorded:
    """The spans and metrics that OpenTelemetry received."""

    def __init__(self) -> None:
        self.tracers, self._exporter = TracerProvider(), InMemorySpanExporter()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._reader = InMemoryMetricReader()
        self.meters = MeterProvider([self._reader])

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def metric(self, name: str) -> list[Any]:
        """Return the data points of a metric."""
        data = self._reader.get_metrics_data()
        assert data is not None
        return [
            point
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


@pytest.fixture
def db(recorded: Recorded) -> Iterator[DB]:
    with DB.memory(Diary, observers=[telemetry(recorded.tracers, recorded.meters)]) as opened:
        yield opened


def test_a_request_is_a_span(db: DB, recorded: Recorded) -> None:
    db(Entry(owner="ann", number=7, text="private").put())
    db(entries_under(7))

    put, query = recorded.spans
    assert (put.name, query.name) == ("DynamoDB.PutItem", "DynamoDB.Query")
    assert query.kind is SpanKind.CLIENT
    assert dict(query.attributes or {}) == {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": "Query",
        "db.collection.name": "Diary",
        "sortkey.pattern": "entries_under",
        "aws.dynamodb.table_names": ("Diary",),
        "aws.dynamodb.index_name": "gsi1",
        "aws.dynamodb.consumed_capacity": ('{"TableName":"Diary","CapacityUnits":0.5}',),
        "aws.dynamodb.count": 1,
        "aws.dynamodb.scanned_count": 1,
    }
    assert (query.end_time or 0) >= (query.start_time or 0)
    assert "private" not in put.to_json() + query.to_json()


def test_a_span_belongs_to_the_one_around_it(db: DB, recorded: Recorded) -> None:
    with recorded.tracers.get_tracer("application").start_as_current_span("request") as around:
        db(Entry.get(owner="ann", number=1))

    [span, _] = recorded.spans
    assert span.parent is not None
    assert span.parent.span_id == around.get_span_context().span_id


def test_a_failed_request_says_so(db: DB, recorded: Recorded) -> None:
    with pytest.raises(NotFound):
        db(Entry.update(owner="ann", number=1).set(lambda e: e.text).to("x"))

    [span] = recorded.spans
    assert span.status.status_code is StatusCode.ERROR
    assert (span.attributes or {})["error.type"] == "ConditionalCheckFailedException"


def test_durations_and_units_are_metrics(db: DB, recorded: Recorded) -> None:
    db(Entry(owner="ann", number=7).put())
    db(entries_under(7))

    durations = recorded.metric("db.client.operation.duration")
    units = recorded.metric("sortkey.consumed_units")
    assert {(p.attributes["db.operation.name"], p.count) for p in durations} == {
        ("PutItem", 1),
        ("Query", 1),
    }
    assert {(p.attributes["sortkey.unit"], p.value) for p in units} == {("read", 0.5), ("write", 2)}
