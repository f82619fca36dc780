"""The table of the Inavor Shuttle, and the types of values in its keys."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from sortkey import Alarms, Settings, Table, gsi

# Lower case, as DNS compares names: `A.com` and `a.com` would be two shops.
Domain = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$", max_length=253)
]


Ulid = Annotated[str, StringConstraints(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")]


Month = Annotated[str, StringConstraints(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]


Count = Annotated[int, Field(ge=0)]

# The original document requires only keys of a record. These stand for values that are missing.
UNKNOWN = "unknown"
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Shuttle(
    Table,
    name="InavorShuttleTable",
    ttl="ExpiresAt",
    settings=Settings(
        removal={"dev": "destroy", "prod": "retain"},
        alarms=Alarms(throttled_requests=1, system_errors=1),
    ),
):
    """All records of the Inavor Shuttle."""

    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    gsi2 = gsi("GSI2PK", "GSI2SK", name="GSI2")
    gsi3 = gsi("GSI3PK", "GSI3SK", name="GSI3")
    status_index = gsi("ShopDomain", "Status", name="StatusIndex")
