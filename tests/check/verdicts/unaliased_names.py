"""Raw requests that use names as they are where an expression needs an alias."""

from typing import Annotated

from sortkey import Entity, Stored, Table, gsi, raw_pattern


class App(Table, raw=True):
    by_city = gsi("GSI1-PK", "GSI1-SK", name="GSI1")


class Person(Entity, table=App):
    user_id: str
    followers: Annotated[int, Stored("follower#")]
    name: str
    city: str
    primary = App.primary.key("USER#{user_id}", "PERSON")
    of_city = App.by_city.key("CITY#{city}", "{user_id}")


follow = raw_pattern(
    "Follow a person",
    table=App,
    operation="UpdateItem",
    entity=Person,
    key={"PK": "USER#{user_id}", "SK": "PERSON"},
    update="SET name = :n ADD follower# :one",
    condition="attribute_exists(PK) AND name <> :n",
    values={":one": 1, ":n": "{n}"},
    arguments={"user_id": str, "n": str},
    rate="1/s",
)
people = raw_pattern(
    "People of a city",
    table=App,
    operation="Query",
    index="GSI1",
    entity=Person,
    key_condition="GSI1-PK = :pk AND begins_with(GSI1-SK, :sk)",
    limit=20,
    values={":pk": "CITY#{city}", ":sk": "a"},
    arguments={"city": str},
    rate="1/s",
)
