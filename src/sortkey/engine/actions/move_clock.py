"""MoveClock: set the engine's clock forward or back, if it can be moved."""

from typing import Annotated, Any, TypedDict

from sortkey.clock import MovableClock
from sortkey.engine.database import Database
from sortkey.engine.shapes import NumberRange
from sortkey.wire.errors import ValidationException

_MOST_SECONDS = 100 * 366 * 24 * 3600


class MoveClock(TypedDict):
    """The request."""

    Seconds: Annotated[float, NumberRange(-_MOST_SECONDS, _MOST_SECONDS)]


def move_clock(db: Database, request: MoveClock) -> dict[str, Any]:
    """Move the clock by so many seconds, and return its new time."""
    if not isinstance(db.clock, MovableClock):
        raise ValidationException(
            "The clock cannot be moved: start the server with --movable-clock"
        )
    return {"Now": db.clock.move(request["Seconds"])}
