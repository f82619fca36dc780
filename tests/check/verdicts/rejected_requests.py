"""Requests that DynamoDB rejects and that cannot be read: of each, only the cause is reported."""

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
    title: str
    primary = Trips.primary.key("USER#{user_id}", "MAIL#{mail}")


visit = raw_pattern(
    "Write a visit, as it should be",
    name="visit",
    table=Trips,
    operation="PutItem",
    entity=Visit,
    item={
        "PK": "USER#{user_id}",
        "SK": "VISIT#{city}",
        "GSI1PK": "CITY#{city}",
        "GSI1SK": "USER#{user_id}",
        "user_id": "{user_id}",
        "city": "{city}",
        "day": "{day}",
    },
    condition="attribute_not_exists(PK)",
    arguments={"user_id": str, "city": str, "day": str},
)
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
put_with_index = raw_pattern(
    "Write a mail",
    name="put_with_index",
    table=Trips,
    operation="PutItem",
    entity=Mail,
    index="GSI1",
    item={
        "PK": "USER#{user_id}",
        "SK": "MAIL#{mail}",
        "user_id": "{user_id}",
        "mail": "{mail}",
        "title": "{title}",
    },
    arguments={"user_id": str, "mail": str, "title": str},
    rate="5000/s",
)
