"""Concurrent calls, in every order of their requests."""

from collections.abc import Callable
from typing import Any

from sortkey import DB
from sortkey.testing import Outcome, explore


def meet(
    db: DB,
    *calls: Callable[[], Any],
    holds: Callable[[list[Outcome]], None],
    refusal: type[Exception],
    crashes: bool = False,
) -> None:
    """Assert that the invariant holds in every order; a later call may raise the refusal."""
    explored = explore(
        *calls,
        db=db,
        invariant=holds,
        errors=(refusal,),
        crashes=crashes,
        lost_responses=crashes,
    )
    assert explored.schedules > 1, "the calls had no conflict"
