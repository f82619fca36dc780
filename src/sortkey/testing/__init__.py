"""For tests of applications: every interleaving of calls that can race, explored."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time when first used: every pytest run loads the plugin beside this
    from sortkey.testing.exploration import Exploration as Exploration
    from sortkey.testing.exploration import ExplorationFailed as ExplorationFailed
    from sortkey.testing.exploration import explore as explore
    from sortkey.testing.outcome import Outcome as Outcome

_HOMES = {
    "Exploration": "exploration",
    "ExplorationFailed": "exploration",
    "Outcome": "outcome",
    "explore": "exploration",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'sortkey.testing' has no attribute '{name}'")
        found = getattr(import_module(f"sortkey.testing.{_HOMES[name]}"), name)
        globals()[name] = found
        return found
