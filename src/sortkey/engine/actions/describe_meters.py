"""DescribeMeters: what requests did, under the names and dimensions of CloudWatch."""

from collections.abc import Iterable, Iterator
from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.keys import HASH_BYTES
from sortkey.engine.partitions import HASHES
from sortkey.engine.table import Definition, StoredTable
from sortkey.engine.weather.meters import MINUTE, Series, Values

# Enough for the latest period of an alarm, and the one before.
_PROVISIONED_MINUTES = 10


class DescribeMeters(TypedDict):
    """The request, which has no members."""


def describe_meters(db: Database, _request: DescribeMeters) -> dict[str, Any]:
    """Return every metric, and the heat of partitions and keys; nothing without weather."""
    weather = db.weather
    if weather is None:
        return {}
    now = db.clock()
    return {
        "Time": now,
        "Scenario": weather.scenario.name,
        "Metrics": [*weather.meters.described(), *_provisioned(db, now), *_progress(db, now)],
        "Heat": weather.meters.heat(now),
    }


def _provisioned(db: Database, now: float) -> Iterator[dict[str, Any]]:
    """Yield the provisioned capacity as it is now, which CloudWatch reports as metrics too."""
    latest = int(now // MINUTE)
    minutes = range(latest - _PROVISIONED_MINUTES, latest + 1)
    for table in _tables(db):
        if table.is_on_demand:
            continue
        places: dict[str, Definition] = {"": table.definition}
        places |= {each.name: each.definition for each in table if each.is_global}
        for index, definition in places.items():
            for units, value in definition["ProvisionedThroughput"].items():
                if units.endswith("CapacityUnits"):
                    series = Series(f"Provisioned{units}", table.name, index)
                    yield _level(series, value, minutes)


def _progress(db: Database, now: float) -> Iterator[dict[str, Any]]:
    """Yield how far the back-fill of each new index is."""
    latest = int(now // MINUTE)
    for table in _tables(db):
        for index in table:
            if index.status == "CREATING":
                filled_to = index.definition.get("FilledTo", ["", ""])[0]
                filled = int(filled_to[: 2 * HASH_BYTES] or "0", 16)
                series = Series("OnlineIndexPercentageProgress", table.name, index.name)
                yield _level(series, 100 * filled // HASHES, range(latest, latest + 1))


def _tables(db: Database) -> Iterator[StoredTable]:
    for name in db.names:
        table = db.find(name)
        if table is not None:
            yield table


def _level(series: Series, value: float, minutes: Iterable[int]) -> dict[str, Any]:
    """Return a metric that is not counted but has a value."""
    return {
        "MetricName": series.name,
        "Dimensions": series.dimensions,
        "Total": {"SampleCount": 1, "Sum": value},
        "Datapoints": [Values(each, 1, value, value, value).described() for each in minutes],
    }
