"""Requests to indexes of all kinds: by the right one, by another, by keys that are fields."""

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import Field

from sortkey import Entity, RawPattern, Table, gsi, number, raw_pattern


class Zone(Enum):
    NORTH = "north"
    SOUTH = "south"


class Visits(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    gsi2 = gsi("GSI2PK", "GSI2SK", name="GSI2")
    inverse = gsi("SK", "PK", name="inverse")


class Visit(Entity, table=Visits):
    user_id: str
    region: str
    day: Literal[1, 2, 3, 4, 5, 6, 7]
    primary = Visits.primary.key("USER#{user_id}", "VISIT#{region}")
    by_region = Visits.gsi1.key("REGION#{region}", "DAY#{day}")
    by_user = Visits.gsi2.key("USER#{user_id}", "USER#{user_id}")


class Mail(Entity, table=Visits):
    mail: str
    primary = Visits.primary.key("MAIL#{mail}", "MAIL")
    by_mail = Visits.gsi1.key("MAIL#{mail}", "X")


class Scores(Table, raw=True, partition="game", sort=number("points")):
    of_team = gsi(("country", "of"), ("since", "player"), name="of_team")


class Score(Entity, table=Scores):
    game: str
    points: int
    country: str
    team: str
    season: int
    player: str
    teams = Scores.of_team.key(("{country}", "TEAM#{team}"), ("SEASON#{season:04d}", "{player}"))


class Scans(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")


class Scan(Entity, table=Scans):
    day: str
    scan_id: str
    primary = Scans.primary.key("DAY#{day}", "SCAN#{scan_id}", shards=4)


class Root(Entity, table=Scans):
    """It lies among its leaves, under its own id."""

    root_id: str
    primary = Scans.primary.key("ROOT#{root_id}", "ROOT")
    among = Scans.gsi1.key("ROOT#{root_id}", "ROOT#{root_id}")


class Leaf(Entity, table=Scans):
    root_id: str
    leaf_id: str
    primary = Scans.primary.key("LEAF#{leaf_id}", "LEAF")
    among = Scans.gsi1.key("ROOT#{root_id}", "LEAF#{leaf_id}")


def asked(
    title: str, condition: str, value: str, kind: Any = str, table: Any = Visits, **members: Any
) -> RawPattern:
    """A query by one or two values."""
    values = {":pk": value} | {f":{name}": text for name, text in members.pop("more", {}).items()}
    return raw_pattern(
        title,
        table=table,
        operation="Query",
        key_condition=condition,
        values=values,
        arguments={"x": kind} | members.pop("arguments", {}),
        **members,
    )


NAME = Annotated[str, Field(pattern="^[a-z]+$")]
PK = "GSI1PK = :pk"

annotated = asked("annotated", PK, "REGION#{x}", NAME, index="GSI1", entity=Visit)
choice = asked("choice", PK, "REGION#{x}", Literal["a", "b"], index="GSI1", entity=Visit)
zone = asked("zone", PK, "REGION#{x}", Zone, index="GSI1", entity=Visit)
inverted = asked("inverted", "SK = :pk", "VISIT#{x}", index="inverse", entity=Visit)
inverted_mail = asked("inverted mail", "SK = :pk", "MAIL", index="inverse")
points = asked(
    "points",
    "game = :pk AND points > :low",
    "{x}",
    table=Scores,
    more={"low": "{low}"},
    arguments={"low": int},
    entity=Score,
)
season = asked(
    "season",
    "country = :pk AND #of = :team AND since = :season",
    "{x}",
    table=Scores,
    index="of_team",
    names={"#of": "of"},
    more={"team": "TEAM#{team}", "season": "SEASON#{year}"},
    arguments={"team": str, "year": int},
    entity=Score,
)
shard = asked("shard", "PK = :pk", "DAY#{x}#{n}", table=Scans, arguments={"n": int}, entity=Scan)
first_shard = asked("first shard", "PK = :pk", "DAY#{x}", table=Scans, entity=Scan)
among = asked("among", PK, "ROOT#{x}", table=Scans, index="GSI1", entities=[Root, Leaf])

nobody = asked("nobody", PK, "NOBODY#{x}", index="GSI1", entity=Visit)
nobody_at_all = asked("nobody at all", "PK = :pk", "NOBODY#{x}")
inverted_typo = asked("inverted typo", "SK = :pk", "VISITS#{x}", index="inverse")
other_season = asked(
    "other season",
    "country = :pk AND #of = :team AND since = :season",
    "{x}",
    table=Scores,
    index="of_team",
    names={"#of": "of"},
    more={"team": "SQUAD#{team}", "season": "SEASON#{year}"},
    arguments={"team": str, "year": int},
    entity=Score,
)

no_index = asked("no index", PK, "REGION#{x}", entity=Visit)
other_index = asked("other index", PK, "REGION#{x}", index="GSI2", entity=Visit)
needless_index = asked("needless index", "PK = :pk", "USER#{x}", index="GSI1", entity=Visit)
small_letters = asked("small letters", "pk = :pk", "USER#{x}", entity=Visit)
one_letter = asked("one letter", "GSI1P = :pk", "REGION#{x}", index="GSI1", entity=Visit)
small_key = raw_pattern(
    "small key",
    table=Visits,
    operation="GetItem",
    key={"pk": "USER#{x}", "SK": "VISIT#{y}"},
    arguments={"x": str, "y": str},
    entity=Visit,
)
