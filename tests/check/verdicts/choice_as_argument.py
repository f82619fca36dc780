"""Arguments that are a Literal, an enum or an annotated text stand in a key like any text."""

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import Field

from sortkey import Entity, RawPattern, Table, gsi, raw_pattern


class Region(Enum):
    NORTH = "north"
    SOUTH = "south"


class Trips(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")


class Visit(Entity, table=Trips):
    user_id: str
    region: str
    primary = Trips.primary.key("USER#{user_id}", "VISIT#{region}")
    by_region = Trips.gsi1.key("REGION#{region}", "USER#{user_id}")


class Mail(Entity, table=Trips):
    mail: str
    primary = Trips.primary.key("MAIL#{mail}", "MAIL")
    by_mail = Trips.gsi1.key("MAIL#{mail}", "X")


def visits(name: str, region: Any) -> RawPattern:
    return raw_pattern(
        "Visits of a region",
        name=name,
        table=Trips,
        operation="Query",
        index="GSI1",
        entity=Visit,
        key_condition="GSI1PK = :pk",
        values={":pk": "REGION#{region}"},
        arguments={"region": region},
        rate="1/s",
    )


plain = visits("plain", str)
chosen = visits("chosen", Literal["north", "south"])
member = visits("member", Region)
annotated = visits("annotated", Annotated[str, Field(pattern="^[a-z]+$")])
