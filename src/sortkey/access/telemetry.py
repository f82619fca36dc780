"""OpenTelemetry: a span and a duration for each request, named by the semantic conventions.

    db = DB.aws(App, observers=[telemetry()])

Needs ``pip install 'sortkey[otel]'``, and an SDK that the application sets up.
"""

from typing import Any

import orjson
from opentelemetry import metrics, trace
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import SpanKind, Status, StatusCode, TracerProvider

from sortkey.access.observing import Call, Exchange, Observer

_NAME = "sortkey"
_SYSTEM = {"db.system.name": "aws.dynamodb"}
# The buckets that the conventions advise, in seconds.
_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]


def telemetry(
    tracers: TracerProvider | None = None, meters: MeterProvider | None = None
) -> Observer:
    """Return an observer that reports to OpenTelemetry, with the global providers by default."""
    tracer = trace.get_tracer(_NAME, tracer_provider=tracers)
    meter = metrics.get_meter(_NAME, meter_provider=meters)
    durations = meter.create_histogram(
        "db.client.operation.duration",
        unit="s",
        description="Duration of database client operations.",
        explicit_bucket_boundaries_advisory=_BUCKETS,
    )
    units = meter.create_counter(
        "sortkey.consumed_units", unit="{unit}", description="Capacity units consumed."
    )

    def observe(call: Call) -> None:
        for exchange in call.exchanges:
            attributes = _attributes(exchange, call.pattern)
            durations.record(exchange.seconds, attributes)
            for kind, used in (("read", exchange.read_units), ("write", exchange.write_units)):
                if used:
                    units.add(used, attributes | {"sortkey.unit": kind})
            began = int(exchange.began * 1e9)
            span = tracer.start_span(
                f"DynamoDB.{exchange.operation}",
                kind=SpanKind.CLIENT,
                attributes=attributes | _details(exchange),
                start_time=began,
            )
            if exchange.error:
                span.set_status(Status(StatusCode.ERROR))
            span.end(began + int(exchange.seconds * 1e9))

    return observe


def _attributes(exchange: Exchange, pattern: str) -> dict[str, Any]:
    """Return the attributes of a request that have few enough values for a metric."""
    attributes: dict[str, Any] = _SYSTEM | {"db.operation.name": exchange.operation}
    if len(exchange.tables) == 1:
        attributes["db.collection.name"] = exchange.tables[0]
    if exchange.error:
        attributes["error.type"] = attributes["db.response.status_code"] = exchange.error
    if pattern:
        attributes["sortkey.pattern"] = pattern
    return attributes


def _details(exchange: Exchange) -> dict[str, Any]:
    """Return the attributes that only a span has."""
    details: dict[str, Any] = {
        "aws.dynamodb.table_names": exchange.tables,
        "aws.dynamodb.consumed_capacity": [
            orjson.dumps({"TableName": table, "CapacityUnits": units}).decode()
            for table, units in exchange.consumed
        ],
    }
    if exchange.index is not None:
        details["aws.dynamodb.index_name"] = exchange.index
    if exchange.operation in {"Query", "Scan"} and not exchange.error:
        details["aws.dynamodb.count"] = exchange.items_returned
        details["aws.dynamodb.scanned_count"] = exchange.items_read
    if exchange.is_retry:
        details["sortkey.is_retry"] = True
    return details
