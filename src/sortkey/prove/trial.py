"""Trials: run cases until one fails, then find the smallest case that fails."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import given, seed
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy

from sortkey.prove.quiet import quiet_settings
from sortkey.prove.strategies import Strategies

C = TypeVar("C")
F = TypeVar("F")

QUICK = 25
THOROUGH = 150


@dataclass(frozen=True, slots=True)
class ProofSettings:
    """The settings of a proof; the same settings give the same verdicts."""

    seed: int = 0
    tries: int = THOROUGH
    strategies: Strategies = field(default_factory=Strategies)
    # Results of one aspect that another needs, by name.
    found: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)


class _Failed(Exception):  # noqa: N818 - it never leaves this module
    """A case that fails."""


def smallest(
    cases: SearchStrategy[C],
    attempt: Callable[[C], F | None],
    how: ProofSettings,
    parts: Callable[[C], Iterable[C]],
) -> F | None:
    """Return the fault of the smallest case that fails, or None if none does.

    ``parts`` returns the cases that remain when one thing is left out of a case.
    """
    failed: list[tuple[C, F]] = []

    def tried(case: Any) -> None:
        fault = attempt(case)
        if fault is not None:
            # Hypothesis runs the smallest case last.
            failed.append((case, fault))
            raise _Failed

    try:
        seed(how.seed)(quiet_settings(how.tries)(given(cases)(tried)))()
    except _Failed:
        return without_excess(*failed[-1], attempt, parts)
    except Unsatisfiable:
        # No case could be generated, so nothing was tried.
        return None
    return None


def without_excess(
    case: C, fault: F, attempt: Callable[[C], F | None], parts: Callable[[C], Iterable[C]]
) -> F:
    """Leave out parts of a case as long as it fails, and return the fault of the rest."""
    for part in parts(case):
        smaller = attempt(part)
        if smaller is not None:
            return without_excess(part, smaller, attempt, parts)
    return fault
