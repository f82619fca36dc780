"""GymCoach's single table, and the field types that entities share."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field

from sortkey import (
    CREATED,
    UPDATED,
    Alarms,
    Backups,
    Settings,
    Table,
    WholeSeconds,
    gsi,
    immutable,
    utc_now,
)

# Records on a page of a list.
PAGE = 25

# An id is part of a key, so it cannot contain the separator #.
Id = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^#]+$")]
# The owner of a record, which never changes.
Owner = Annotated[Id, immutable]
# A word of an open vocabulary, such as a category; some are parts of keys.
Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^#]+$")]
# A word that a key sorts by: no character of it sorts before the separator #.
Slug = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w-]+$")]
Title = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=4_000)]
Url = Annotated[str, Field(min_length=1, max_length=2_048)]
ClockTime = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
# Small enough that averages can be rounded.
Count = Annotated[int, Field(ge=0, le=10**10)]
Rating = Annotated[int, Field(ge=1, le=5)]
# Three digits in a key. Greater values come first.
Priority = Annotated[int, Field(ge=0, le=999)]
Measure = Annotated[Decimal, Field(ge=0)]
# As precise as a float, and at most 28 digits, so that calculations are exact.
Amount = Annotated[Decimal, Field(ge=0, le=10**10, decimal_places=18)]
Share = Annotated[Decimal, Field(ge=0, le=1)]
Percentage = Annotated[Decimal, Field(ge=0)]


def _with_a_zone(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("must have a time zone")
    return moment


# Text such as 2024-01-01T00:00:00Z, in whole seconds, because `.123Z` would sort before `Z`.
Moment: TypeAlias = Annotated[WholeSeconds, AfterValidator(_with_a_zone)]
CreatedAt = Annotated[WholeSeconds, CREATED]
UpdatedAt = Annotated[WholeSeconds, UPDATED]


def now_to_the_second() -> datetime:
    """Return the current time in whole seconds, as records store it."""
    return utc_now().replace(microsecond=0)


def stamped() -> Any:
    """Return the default of a timestamp field: the current time."""
    return Field(default_factory=now_to_the_second)


# Default range of a list.
EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


class Level(StrEnum):
    """The experience of a user, or the difficulty of an exercise."""

    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    ADVANCED = "advanced"


# Environments with their own AWS account use the documented name.
_SEPARATE = ("dev", "prod")


def _named(name: str) -> Callable[[str], str]:
    """Return a function that prefixes the table's name with the environment, if it needs one."""
    return lambda environment: name if environment in _SEPARATE else f"{environment}-{name}"


class GymCoach(
    Table,
    name=_named("gymcoach-ai-main"),
    ttl="ttl",
    settings=Settings(
        stream="NEW_AND_OLD_IMAGES",
        recovery_days=35,
        encryption="aws-managed",
        alarms=Alarms(latency_ms=50),
        # Daily, with a copy in a second region.
        backups={"prod": Backups(copy_to="eu-west-1")},
    ),
    ignore={"SK611": "users share the documented partitions: services check the owner of a record"},
):
    """All entities, in on-demand mode.

    All users share partitions such as ``WORKOUT_SESSIONS``. A partition serves 1,000 write units
    and 3,000 read units a second, and DynamoDB splits it only if the load is spread over sort keys.
    The documented keys are kept for existing data; the system's page shows their cost.
    """

    # A user's records of an entity, by time; exercises by difficulty.
    by_user = gsi("GSI1PK", "GSI1SK", name="GSI1")
    # Active, open or due records; exercises by category. Most records are not in this index.
    by_state = gsi("GSI2PK", "GSI2SK", name="GSI2")


def first_moment(day: date) -> datetime:
    """Return the start of a day in UTC."""
    return datetime.combine(day, time.min, UTC)


def last_moment(day: date) -> datetime:
    """Return the last second of a day in UTC."""
    return datetime.combine(day, time(23, 59, 59), UTC)
