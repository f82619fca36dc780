"""Trials: a case after the other until one fails, and then the smallest that fails."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import given, seed
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy

from sortkey.prove.quiet import quietly
from sortkey.prove.strategies import Strategies

C = TypeVar("C")
F = TypeVar("F")

QUICK = 25
THOROUGH = 150


@dataclass(frozen=True, slots=True)
class Settings:
    """How a design is tried; the same settings come to the same verdicts."""

    seed: int = 0
    tries: int = THOROUGH
    strategies: Strategies = field(default_factory=Strategies)
    # What one aspect found out and another needs, by its name.
    found: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)


class _Failed(Exception):  # noqa: N818 - it never leaves this module
    """A case that fails."""


def smallest(
    cases: SearchStrategy[C],
    attempt: Callable[[C], F | None],
    how: Settings,
    parts: Callable[[C], Iterable[C]],
) -> F | None:
    """What an attempt says of the smallest case that fails; None where none does.

    ``parts`` are the cases that a case becomes when one thing is left out of it.
    """
    failed: list[tuple[C, F]] = []

    def tried(case: Any) -> None:
        fault = attempt(case)
        if fault is not None:
            # Hypothesis runs the smallest case last.
            failed.append((case, fault))
            raise _Failed

    try:
        seed(how.seed)(quietly(how.tries)(given(cases)(tried)))()
    except _Failed:
        return without_excess(*failed[-1], attempt, parts)
    except Unsatisfiable:
        # No case could be made, so nothing was tried.
        return None
    return None


def without_excess(
    case: C, fault: F, attempt: Callable[[C], F | None], parts: Callable[[C], Iterable[C]]
) -> F:
    """The fault of a case from which nothing can be left out; values were made small before."""
    for part in parts(case):
        smaller = attempt(part)
        if smaller is not None:
            return without_excess(part, smaller, attempt, parts)
    return fault
