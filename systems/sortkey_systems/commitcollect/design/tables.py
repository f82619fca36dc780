"""The four tables of CommitCollect, and the types of ids in their records."""

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from sortkey import Alarms, Settings, Table, accepts_number, gsi

# Ids are parts of keys, which # separates: an id that contains # is rejected.
Id = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#]+$")]


# Other programs may have stored such an id as a number.
NumericId = Annotated[Id, accepts_number]


# A new milestone has a ULID; existing ones may have other ids. Each of these characters sorts after
# `#`, so that the awards of milestones are in order even if one id begins as another.
MilestoneId = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,128}$")]


Ulid = Annotated[str, Field(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}$")]


# Each of these has its own account or file, where tables have their documented names.
_ALONE = ("dev", "prod")


def _named(name: str) -> Callable[[str], str]:
    """Return a function that names the table; environments that share an account add a prefix."""
    return lambda environment: name if environment in _ALONE else f"{environment}-{name}"


# Billed on demand, with an alarm for throttled requests.
_SETTINGS = Settings(alarms=Alarms())


class CommitCollect(Table, name=_named("CommitCollect"), settings=_SETTINGS):
    """Users, their workouts and milestones, and the models."""

    # Added: the catalog has no index here. It serves three lists, each in its own partitions:
    # workouts by time (activity ids are not in order of time), milestones without their awards
    # (which are between them in the table), and models by status. Connections have no entry, so
    # that no token is projected. A local index could be read consistently, but cannot be added to
    # an existing table.
    lists = gsi("GSI1PK", "GSI1SK", name="GSI1")


class CommitCollectSessions(
    Table, name=_named("CommitCollectSessions"), ttl="expiresAtUtc", settings=_SETTINGS
):
    """Sessions, and states of users who are connecting Strava."""

    # Added: to delete an account, all its sessions and states must be found.
    by_user = gsi(
        "GSI1PK",
        "GSI1SK",
        name="GSI1",
        project=["sessionId", "state", "userId", "createdAtUtc", "expiresAtUtc"],
    )


class CommitCollectAudit(
    Table, name=_named("CommitCollectAudit"), ttl="ExpiresAt", settings=_SETTINGS
):
    """Audit events of the last 90 days."""

    by_correlation = gsi("GSI1PK", "GSI1SK", name="GSI1")
    by_type = gsi("GSI2PK", "GSI2SK", name="GSI2")


class CommitCollectIdempotency(
    Table, name=_named("CommitCollectIdempotency"), ttl="expires", settings=_SETTINGS
):
    """Claims on events that are being processed or are done."""
