"""Requests that DynamoDB would refuse: each has one cause, and nothing more is said of it."""

from sortkey import Entity, Table, gsi, raw_pattern


class Trips(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")


class Visit(Entity, table=Trips):
    user_id: str
    city: str
    day: str
    primary = Trips.primary.key("USER#{user_id}", "VISIT#{city}")
    by_city = Trips.gsi1.key("CITY#{city}", "USER#{user_id}")


class Mail(Entity, table=Trips):
    user_id: str
    mail: str
    primary = Trips.primary.key("USER#{user_id}", "MAIL#{mail}")


unknown_index = raw_pattern(
    "Visits of a city, by an index that is not there",
    name="unknown_index",
    table=Trips,
    operation="Query",
    index="GSI7",
    key_condition="GSI1PK = :pk",
    filter="mail = :mail",
    values={":pk": "CITYS", ":mail": "{mail}"},
    arguments={"mail": str},
    rate="500/s",
)
missing_index = raw_pattern(
    "Visits of a city, without the name of the index",
    name="missing_index",
    table=Trips,
    operation="Query",
    entity=Visit,
    key_condition="GSI1PK = :pk",
    values={":pk": "CITY#{city}"},
    arguments={"city": str},
    rate="500/s",
)
reserved_word = raw_pattern(
    "Visits of a user, by a reserved word",
    name="reserved_word",
    table=Trips,
    operation="Query",
    entity=Visit,
    key_condition="PK = :pk",
    filter="day = :day",
    values={":pk": "USER#{user_id}", ":day": "{day}"},
    arguments={"user_id": str, "day": str},
    rate="500/s",
)
unused_value = raw_pattern(
    "Change a visit",
    name="unused_value",
    table=Trips,
    operation="UpdateItem",
    entity=Visit,
    key={"PK": "USER#{user_id}", "SK": "VISIT#{city}"},
    update="SET note = :note",
    values={":note": "{note}", ":spare": 1},
    arguments={"user_id": str, "city": str, "note": str},
    rate="5000/s",
)
put_with_index = raw_pattern(
    "Write a mail",
    name="put_with_index",
    table=Trips,
    operation="PutItem",
    entity=Mail,
    index="GSI1",
    item={"PK": "USER#{user_id}", "SK": "MAIL#{mail}", "user_id": "{user_id}", "mail": "{mail}"},
    arguments={"user_id": str, "mail": str},
    rate="5000/s",
)
