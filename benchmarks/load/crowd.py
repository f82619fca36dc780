"""Crowds: what the people of a system ask for, over HTTP or not, and what must then hold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeAlias

from sortkey import DB

# Reads one value of an answer by its name, whichever way the answer came.
Read: TypeAlias = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Visit:
    """Something that somebody asks for, over HTTP or of the services directly.

    ``learn`` is given the answer, where what is asked later depends on it. ``token`` is shown in
    place of the one that names who asks.
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


class Crowd(Protocol):
    """The people of one system; several threads ask for visits at the same time."""

    @property
    def system(self) -> str:
        """The package of the system."""
        ...

    @property
    def refusals(self) -> type[Exception]:
        """What its services raise where nothing is broken."""
        ...

    def prepare(self, db: DB) -> None:
        """Write what must be there before anybody comes."""
        ...

    def visit(self, chance: Random) -> Visit:
        """What somebody asks for next."""
        ...

    def faults(self, db: DB) -> Iterator[str]:
        """What does not hold after all visits, and always should."""
        ...
