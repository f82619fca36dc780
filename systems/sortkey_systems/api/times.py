"""Time ranges in the query of a request."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import Depends

from sortkey_systems.api.app import Moment

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A time range; both ends are included."""

    since: datetime
    until: datetime


def time_range(error: Callable[[str, str], Exception]) -> Any:
    """Return a FastAPI dependency on the query parameters ``since`` and ``until``, both optional.

    If ``until`` is before ``since``, it raises ``error(field, message)``.
    """

    # Async although it awaits nothing: FastAPI would run a plain function in a thread.
    async def times(since: Moment = EARLIEST, until: Moment = LATEST) -> TimeRange:
        if until < since:
            raise error("until", "must not be before since")
        return TimeRange(since, until)

    return Depends(times)
