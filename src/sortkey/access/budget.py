"""Budgets: what a piece of code may consume, held to it."""

from collections.abc import Generator
from contextlib import contextmanager

from sortkey.access.observing import Call, observed_by
from sortkey.errors import SortkeyError


class OverBudget(SortkeyError, AssertionError):  # noqa: N818 - says what happened
    """A piece of code consumed more than it was given."""


@contextmanager
def budget(
    *, reads: float | None = None, writes: float | None = None, requests: int | None = None
) -> Generator[list[Call]]:
    """Hold the calls of a block to so many read units, write units and requests.

    What is not given is not held. The block's value is the list of its calls.
    """
    calls: list[Call] = []
    with observed_by(calls.append):
        yield calls
    consumed = {
        "read units": (sum(call.read_units for call in calls), reads),
        "write units": (sum(call.write_units for call in calls), writes),
        "requests": (sum(len(call.exchanges) for call in calls), requests),
    }
    over = [
        f"{used:g} {what}, not {most:g}"
        for what, (used, most) in consumed.items()
        if most is not None and used > most
    ]
    if over:
        told = "\n".join(f"  {call}" for call in calls)
        raise OverBudget(f"this took {' and '.join(over)}:\n{told}")
