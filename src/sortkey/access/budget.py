"""Budgets: limits on the units and requests of a block of code."""

from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType

from sortkey.access.observing import Call, observe
from sortkey.errors import SortkeyError
from sortkey.wording.prose import counted


class OverBudget(SortkeyError, AssertionError):  # noqa: N818 - says what happened
    """A block of code consumed more than its budget."""


class Budget:
    """A limit on what the calls in a ``with`` or ``async with`` block may consume.

    None means no limit. The value of the block is the list of its calls.
    """

    def __init__(
        self,
        *,
        reads: float | None = None,
        writes: float | None = None,
        requests: int | None = None,
    ) -> None:
        self._limited = _limited(reads, writes, requests)

    def __enter__(self) -> list[Call]:
        return self._limited.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._limited.__exit__(kind, error, trace)

    async def __aenter__(self) -> list[Call]:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, trace)


@contextmanager
def _limited(
    reads: float | None, writes: float | None, requests: int | None
) -> Generator[list[Call]]:
    calls: list[Call] = []
    with observe(calls.append):
        yield calls
    consumed = {
        "read unit": (sum(call.read_units for call in calls), reads),
        "write unit": (sum(call.write_units for call in calls), writes),
        "request": (sum(len(call.exchanges) for call in calls), requests),
    }
    over = [
        f"{counted(used, what)} (budget: {limit:g})"
        for what, (used, limit) in consumed.items()
        if limit is not None and used > limit
    ]
    if over:
        lines = "\n".join(f"  {call}" for call in calls)
        raise OverBudget(f"over budget: {' and '.join(over)}\n{lines}")
