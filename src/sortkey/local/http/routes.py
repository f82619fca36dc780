"""Which route of an HTTP API a request takes, as API Gateway chooses it.

A path without variables comes before one with variables; of several with variables, the one whose
first difference is a plain word. A path must match as a whole: ``/notes/`` is not ``/notes``.
"""

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import unquote

T = TypeVar("T")


class Match(NamedTuple, Generic[T]):
    """The route of a request, with the values of its path's variables, decoded."""

    key: str
    target: T
    parameters: dict[str, str]


class _Entry(NamedTuple, Generic[T]):
    method: str
    parts: tuple[str, ...]
    target: T


class RoutingTable(Generic[T]):
    """The routes of one API."""

    def __init__(self, routes: Iterable[tuple[str, str, T]]) -> None:
        """Take routes as method, path and target."""
        entries = [_Entry(method, _parts(path), target) for method, path, target in routes]
        self._entries = sorted(entries, key=lambda one: [_is_variable(part) for part in one.parts])

    def match(self, method: str, path: str) -> Match[T] | None:
        """Return the route of a request, or None if there is none."""
        parts = _parts(path)
        for entry in self._entries:
            if entry.method == method and (found := _values(entry.parts, parts)) is not None:
                return Match(f"{method} /{'/'.join(entry.parts)}", entry.target, found)
        return None


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.removeprefix("/").split("/"))


def _is_variable(part: str) -> bool:
    return part.startswith("{")


def _values(route: tuple[str, ...], path: tuple[str, ...]) -> dict[str, str] | None:
    """Return the values of a route's variables in a path, or None if it does not match."""
    if len(route) != len(path):
        return None
    values: dict[str, str] = {}
    for expected, part in zip(route, path, strict=True):
        if _is_variable(expected):
            if not part:
                return None
            values[expected.strip("{}")] = unquote(part)
        elif expected != unquote(part):
            return None
    return values
