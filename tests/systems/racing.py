"""Calls that come at the same time, in every order of their requests."""

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
    """What must hold afterwards does, however they meet; whoever comes second may be refused."""
    explored = explore(
        *calls,
        db=db,
        invariant=holds,
        errors=(refusal,),
        crashes=crashes,
        lost_answers=crashes,
    )
    assert explored.schedules > 1, "they never met"
