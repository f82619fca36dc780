"""Two moments of a list, as they are asked for over HTTP."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import Depends

from sortkey_systems.api.app import Moment

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Times:
    """Two moments, both included."""

    since: datetime
    until: datetime


def within(refusal: Callable[[str, str], Exception]) -> Any:
    """What an operation depends on for two moments, each of which may be left out.

    The system's own ``refusal`` names the field of one that comes before the other.
    """

    # Awaited, though nothing waits: FastAPI would send a plain function to a thread of its own.
    async def times(since: Moment = EARLIEST, until: Moment = LATEST) -> Times:
        if until < since:
            raise refusal("until", "it comes before since")
        return Times(since, until)

    return Depends(times)
