"""For tests of applications: exploration of races, a clock, and counterexamples run again."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time on first use, because every pytest run imports this package
    from sortkey.clock import MovableClock as MovableClock
    from sortkey.clock import clock as clock
    from sortkey.engine.weather import WeatherEvent as WeatherEvent
    from sortkey.explore.exploration import Exploration as Exploration
    from sortkey.explore.exploration import ExplorationFailed as ExplorationFailed
    from sortkey.explore.exploration import explore as explore
    from sortkey.explore.outcome import Outcome as Outcome
    from sortkey.explore.schedule import BadSchedule as BadSchedule
    from sortkey.local.fakes import FakeRun as FakeRun
    from sortkey.prove.replay import names_in as names_in
    from sortkey.prove.replay import prove_again as prove_again
    from sortkey.prove.replay import replay as replay
    from sortkey.testing.databases import served as served
    from sortkey.testing.weather import weather_events as weather_events

_HOMES = {
    "BadSchedule": "sortkey.explore.schedule",
    "Exploration": "sortkey.explore.exploration",
    "ExplorationFailed": "sortkey.explore.exploration",
    "FakeRun": "sortkey.local.fakes",
    "MovableClock": "sortkey.clock",
    "Outcome": "sortkey.explore.outcome",
    "WeatherEvent": "sortkey.engine.weather",
    "clock": "sortkey.clock",
    "explore": "sortkey.explore.exploration",
    "names_in": "sortkey.prove.replay",
    "prove_again": "sortkey.prove.replay",
    "replay": "sortkey.prove.replay",
    "served": "sortkey.testing.databases",
    "weather_events": "sortkey.testing.weather",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'sortkey.testing' has no attribute '{name}'")
        found = getattr(import_module(_HOMES[name]), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES})
