"""The one table of GymCoach, and the types that its records share."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field

from sortkey import Alarms, Backups, Settings, Table, WholeSeconds, gsi, immutable, utc_now
from sortkey.design.marks import CREATED, UPDATED

# How many records a page of a list has.
PAGE = 25

# An id is part of a key, where # stands between the parts: such an id is refused with its name.
Id = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^#]+$")]
# Whose record it is, for as long as it is stored.
Owner = Annotated[Id, immutable]
# A word of an open vocabulary, such as a category; some are parts of keys too.
Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^#]+$")]
# A word that its key sorts by: none of its characters comes before the # that ends it there.
Slug = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[\w-]+$")]
Title = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=4_000)]
Url = Annotated[str, Field(min_length=1, max_length=2_048)]
ClockTime = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
# Within what an average can be rounded of.
Count = Annotated[int, Field(ge=0, le=10**10)]
Rating = Annotated[int, Field(ge=1, le=5)]
# Three digits in a key. The greater comes first.
Priority = Annotated[int, Field(ge=0, le=999)]
Measure = Annotated[Decimal, Field(ge=0)]
# As fine as floats were written, and 28 digits at most: what is reckoned with it is exact.
Amount = Annotated[Decimal, Field(ge=0, le=10**10, decimal_places=18)]
Share = Annotated[Decimal, Field(ge=0, le=1)]
Percentage = Annotated[Decimal, Field(ge=0)]


def _with_a_zone(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("it has no time zone")
    return moment


# Text such as 2024-01-01T00:00:00Z. To the second, since `.123Z` would sort before `Z`.
Moment: TypeAlias = Annotated[WholeSeconds, AfterValidator(_with_a_zone)]
CreatedAt = Annotated[WholeSeconds, CREATED]
UpdatedAt = Annotated[WholeSeconds, UPDATED]


def now_to_the_second() -> datetime:
    """The time, as a record can hold it."""
    return utc_now().replace(microsecond=0)


def stamped() -> Any:
    """The default of a time that is kept: now, until the record is written."""
    return Field(default_factory=now_to_the_second)


# What a list begins and ends with where nobody says.
EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


class Level(StrEnum):
    """How experienced somebody is, or an exercise asks for."""

    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    ADVANCED = "advanced"


# These have an account, or a file, of their own, and the name that is written down.
_ALONE = ("dev", "prod")


def _named(name: str) -> Callable[[str], str]:
    """The table's name; environments that share an account are told apart in front of it."""
    return lambda environment: name if environment in _ALONE else f"{environment}-{name}"


class GymCoach(
    Table,
    name=_named("gymcoach-ai-main"),
    ttl="ttl",
    settings=Settings(
        stream="NEW_AND_OLD_IMAGES",
        recovery_days=35,
        encryption="aws-managed",
        alarms=Alarms(latency_ms=50),
        # Every night, with a copy in a second region.
        backups=Backups(copy_to="eu-west-1"),
    ),
    ignore={"SK611": "the documented partitions are everybody's: services check whose a record is"},
):
    """Everything, on demand.

    Partitions such as ``WORKOUT_SESSIONS`` are everybody's. One begins at 1,000 write units and
    3,000 read units a second, and DynamoDB splits it only where the sort keys spread the load.
    They stay, for whoever has data in that shape; what they cost is on the system's page.
    """

    # What one user has of a kind, over time; exercises by difficulty.
    by_user = gsi("GSI1PK", "GSI1SK", name="GSI1")
    # What is active, open or due, and exercises by category. Most records are not in it.
    by_state = gsi("GSI2PK", "GSI2SK", name="GSI2")


def first_moment(day: date) -> datetime:
    """The beginning of a day in UTC."""
    return datetime.combine(day, time.min, UTC)


def last_moment(day: date) -> datetime:
    """The last second of a day in UTC."""
    return datetime.combine(day, time(23, 59, 59), UTC)
