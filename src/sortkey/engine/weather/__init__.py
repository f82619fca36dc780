"""Weather: production's bad days, as a scenario has them. Without one there is none."""

from sortkey.engine.weather.scenario import SCENARIOS, Scenario, ScenarioError, scenario
from sortkey.engine.weather.throttling import Demand, Excess, cancelled, throttled
from sortkey.engine.weather.weather import EngineWeather, WantedSplit

__all__ = [
    "SCENARIOS",
    "Demand",
    "EngineWeather",
    "Excess",
    "Scenario",
    "ScenarioError",
    "WantedSplit",
    "cancelled",
    "scenario",
    "throttled",
]
