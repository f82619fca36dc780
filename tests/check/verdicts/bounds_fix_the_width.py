"""A number whose bounds give every value four digits sorts as it is."""

from typing import Annotated

from pydantic import Field

from sortkey import Entity, Table, raw_pattern


class Games(Table, raw=True):
    pass


class Pick(Entity, table=Games, identity=("year", "person_id")):
    player_id: str
    year: Annotated[int, Field(ge=1900, le=9999)]
    person_id: str
    primary = Games.primary.key("PLAYER#{player_id}", "PICK#{year}#{person_id}")


picks = raw_pattern(
    "Picks of a player",
    table=Games,
    operation="Query",
    entity=Pick,
    key_condition="PK = :pk AND begins_with(SK, :pick)",
    values={":pk": "PLAYER#{player_id}", ":pick": "PICK#"},
    arguments={"player_id": str},
    rate="1/s",
)
