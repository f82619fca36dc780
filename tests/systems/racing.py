"""Concurrent calls, in every order of their requests."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sortkey import DB, testing
from sortkey.testing import Exploration, Outcome

# Reads miss writes, as indexes and eventually consistent reads may.
explore = partial(testing.explore, index_lag=True, stale_reads=True)


def explore_with_some_crashes(*calls: Callable[[], Any], db: DB, **settings: Any) -> Exploration:
    """Run a sample of the schedules with crashes, since all are too many, and all without."""
    explore(*calls, db=db, sample=25, **settings)
    return explore(*calls, db=db, crashes=False, **settings)


def meet(
    db: DB,
    *calls: Callable[[], Any],
    holds: Callable[[list[Outcome]], None],
    refusal: type[Exception],
    crashes: bool = False,
) -> None:
    """Assert that the invariant holds in every order; a later call may raise the refusal."""
    explored = testing.explore(
        *calls,
        db=db,
        invariant=holds,
        errors=(refusal,),
        crashes=crashes,
        lost_responses=crashes,
    )
    assert explored.schedules > 1, "the calls had no conflict"
