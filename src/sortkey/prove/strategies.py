"""A design's own Hypothesis strategies, for constraints that its types do not express.

A module of the design, or a file beside it, has a mapping or a function named ``strategies``: from
an entity or a pattern to the strategies of its fields or arguments, or from an entity to one
strategy for whole records.
"""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Any, TypeAlias, cast

from hypothesis.strategies import SearchStrategy

from sortkey.errors import SortkeyError

Strategy: TypeAlias = SearchStrategy[Any]
NAME = "strategies"


class BadStrategies(SortkeyError):  # noqa: N818 - named after the fault
    """The strategies of a design are missing or have the wrong form."""


class Strategies:
    """The strategies of a design, by entity or pattern and then by field or argument."""

    def __init__(
        self, modules: Iterable[ModuleType] = (), also: Mapping[Any, Any] | None = None
    ) -> None:
        # By name, since a file that is loaded twice has each class twice.
        self._whole: dict[str, Strategy] = {}
        self._parts: dict[str, Mapping[str, Strategy]] = {}
        for module in modules:
            if hasattr(module, NAME):
                self._take(module.__name__, getattr(module, NAME))
        self._take("the file", also or {})

    def of_records(self, entity: type[Any]) -> Strategy | None:
        """Return the strategy for whole records of an entity, or None."""
        return self._whole.get(_name(entity))

    def of_part(self, owner: Any, name: str) -> Strategy | None:
        """Return the strategy for an entity's field or a pattern's argument, or None."""
        return self._parts.get(_name(owner), {}).get(name)

    def _take(self, where: str, declared: Any) -> None:
        # It may be a function, so that the application itself does not need Hypothesis.
        found = declared() if callable(declared) else declared
        if not isinstance(found, Mapping):
            raise BadStrategies(f"{where}.{NAME} is not a mapping from entities and patterns")
        for owner, own in cast("Mapping[Any, Any]", found).items():
            name = _name(owner)
            if isinstance(own, SearchStrategy):
                self._whole[name] = own
            elif isinstance(own, Mapping):
                self._parts[name] = cast("Mapping[str, Strategy]", own)
            else:
                raise BadStrategies(
                    f"{where}.{NAME}[{name}] is neither a strategy nor a mapping of them"
                )


def strategies_in(path: Path) -> Mapping[Any, Any]:
    """Return the ``strategies`` of a file, which may import modules beside it."""
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        found = run_path(str(path))
    except Exception as error:
        raise BadStrategies(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent.resolve()))
    if NAME not in found:
        raise BadStrategies(f"{path} has no {NAME}")
    declared: Any = found[NAME]
    return cast("Mapping[Any, Any]", declared() if callable(declared) else declared)


def _name(owner: Any) -> str:
    return owner if isinstance(owner, str) else owner.__name__
