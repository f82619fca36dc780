"""DescribeMeters: what requests did, under the names and dimensions of CloudWatch."""

from collections.abc import Iterator
from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.table import Definition
from sortkey.engine.weather.meters import MINUTE

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
        "Metrics": [*weather.meters.described(), *_provisioned(db, now)],
        "Heat": weather.meters.heat(now),
    }


def _provisioned(db: Database, now: float) -> Iterator[dict[str, Any]]:
    """Yield the provisioned capacity as it is now, which CloudWatch reports as metrics too."""
    latest = int(now // MINUTE)
    for name in db.names:
        table = db.find(name)
        if table is None or table.is_on_demand:
            continue
        places: dict[str, Definition] = {"": table.definition}
        places |= {each.name: each.definition for each in table.indexes.values() if each.is_global}
        for index, definition in places.items():
            dimensions = {"GlobalSecondaryIndexName": index} if index else {}
            for units, value in definition["ProvisionedThroughput"].items():
                if units.endswith("CapacityUnits"):
                    yield {
                        "MetricName": f"Provisioned{units}",
                        "Dimensions": {"TableName": name, **dimensions},
                        "Total": {"SampleCount": 1, "Sum": value},
                        "Datapoints": [
                            {
                                "Timestamp": minute * MINUTE,
                                "SampleCount": 1,
                                "Sum": value,
                                "Minimum": value,
                                "Maximum": value,
                            }
                            for minute in range(latest - _PROVISIONED_MINUTES, latest + 1)
                        ],
                    }
