"""Meters of functions, queues and APIs, under the names and dimensions of CloudWatch.

They are described as those of the engine are, with the namespace beside, so that `sortkey top`,
``/metrics`` and the alarms of the stack read both alike.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from sortkey.clock import Clock
from sortkey.engine.weather.meters import MINUTE, MetricRecord

LAMBDA = "AWS/Lambda"
SQS = "AWS/SQS"
API = "AWS/ApiGateway"


class _Series(NamedTuple):
    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]


class LocalMeters:
    """The metrics of everything that runs beside the engine."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._records: dict[_Series, MetricRecord] = {}
        self._lock = threading.Lock()
        self._gauges: list[Callable[[], None]] = []

    def sample(self, gauge: Callable[[], None]) -> None:
        """Call a function that adds levels, such as the depth of a queue, whenever one looks."""
        self._gauges.append(gauge)

    def look(self) -> None:
        """Add the levels as they are now."""
        for gauge in self._gauges:
            gauge()

    def add(
        self, namespace: str, name: str, dimensions: Mapping[str, str], value: float = 1
    ) -> None:
        """Record a value of a metric."""
        series = _Series(namespace, name, tuple(sorted(dimensions.items())))
        with self._lock:
            record = self._records.get(series)
            if record is None:
                record = self._records[series] = MetricRecord()
            record.add(value, int(self._clock() // MINUTE))

    def total(self, name: str, **dimensions: str) -> float:
        """Return the sum of a metric since the start."""
        with self._lock:
            return sum(
                record.total.sum
                for series, record in self._records.items()
                if series.name == name and dict(series.dimensions) == dimensions
            )

    def described(self) -> Iterator[dict[str, Any]]:
        """Yield every metric as a response to DescribeMeters has it."""
        self.look()
        with self._lock:
            for series, record in sorted(self._records.items()):
                yield {
                    "Namespace": series.namespace,
                    "MetricName": series.name,
                    "Dimensions": dict(series.dimensions),
                    "Total": {"SampleCount": record.total.count, "Sum": record.total.sum},
                    "Datapoints": [each.described() for each in record.minutes],
                }
