"""Crowds: the visits of a system's users, over HTTP or directly, and the checks afterwards."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeAlias, runtime_checkable

from sortkey import DB

# Reads one value of a response by name, from HTTP or from a service.
Read: TypeAlias = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Visit:
    """One call of a user, over HTTP or to the services directly.

    ``learn`` gets the response, if later visits depend on it. ``token`` replaces the token that
    names the caller. ``doubt`` is called if the visit fails and is made again, although it may have
    been carried out.
    """

    operation: str
    who: str
    method: str
    path: str
    directly: Callable[[DB], object]
    body: dict[str, Any] | None = None
    learn: Callable[[Read], object] | None = None
    roles: frozenset[str] = frozenset()
    token: str | None = None
    doubt: Callable[[], object] | None = None


class Crowd(Protocol):
    """The users of one system; several threads take visits at the same time."""

    @property
    def system(self) -> str:
        """The package of the system."""
        ...

    @property
    def refusals(self) -> type[Exception]:
        """The errors that its services raise when nothing is broken."""
        ...

    def prepare(self, db: DB) -> None:
        """Write the records that must exist before the first visit."""
        ...

    def visit(self, chance: Random) -> Visit:
        """Return the next visit."""
        ...

    def faults(self, db: DB) -> Iterator[str]:
        """Yield every violated guarantee after all visits."""
        ...


@runtime_checkable
class Scheduled(Protocol):
    """A crowd whose system leaves some work to a schedule."""

    def finish(self, db: DB) -> None:
        """Do the work that is left."""
        ...


def least_to_most(least: int, most: int) -> str:
    """Return a range of expected counts as text: one number if both are the same."""
    return f"{least}" if least == most else f"{least} to {most}"
