"""DescribeWeather: the scenario of the engine, and what it did to requests."""

from dataclasses import asdict
from typing import Any, TypedDict

from sortkey.engine.database import Database


class DescribeWeather(TypedDict):
    """The request, which has no members."""


def describe_weather(db: Database, _request: DescribeWeather) -> dict[str, Any]:
    """Return the settings of the scenario and the latest events, or nothing in fair weather."""
    weather = db.weather
    if weather is None:
        return {}
    events = [event.described() for event in weather.timeline]
    return {"Scenario": asdict(weather.scenario), "Events": events}
