"""For tests of applications: exploration of races, and a clock that the test controls."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time on first use, because every pytest run imports this package
    from sortkey.operations.clock import clock as clock
    from sortkey.testing.databases import served as served
    from sortkey.testing.exploration import Exploration as Exploration
    from sortkey.testing.exploration import ExplorationFailed as ExplorationFailed
    from sortkey.testing.exploration import explore as explore
    from sortkey.testing.outcome import Outcome as Outcome

_HOMES = {
    "Exploration": "sortkey.testing.exploration",
    "ExplorationFailed": "sortkey.testing.exploration",
    "Outcome": "sortkey.testing.outcome",
    "clock": "sortkey.operations.clock",
    "explore": "sortkey.testing.exploration",
    "served": "sortkey.testing.databases",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'sortkey.testing' has no attribute '{name}'")
        found = getattr(import_module(_HOMES[name]), name)
        globals()[name] = found
        return found
