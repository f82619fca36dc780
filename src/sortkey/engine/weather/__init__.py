"""Weather: production's bad days, as a scenario has them. Without one there is none."""

from sortkey.engine.weather.faults import ConnectionReset, Fault, LateReply, reply_or_error
from sortkey.engine.weather.scenario import SCENARIOS, Scenario, ScenarioError, scenario
from sortkey.engine.weather.throttling import Demand, Excess, cancelled, throttled
from sortkey.engine.weather.timeline import WeatherEvent
from sortkey.engine.weather.weather import CONFLICT, EngineWeather, WantedSplit

__all__ = [
    "CONFLICT",
    "SCENARIOS",
    "ConnectionReset",
    "Demand",
    "EngineWeather",
    "Excess",
    "Fault",
    "LateReply",
    "Scenario",
    "ScenarioError",
    "WantedSplit",
    "WeatherEvent",
    "cancelled",
    "reply_or_error",
    "scenario",
    "throttled",
]
