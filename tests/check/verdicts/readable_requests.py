"""Requests that DynamoDB rejects and that can be read all the same: they are judged further."""

from sortkey import Entity, Table, gsi, raw_pattern


class Trips(Table, raw=True):
    by_city = gsi("GSI1PK", "GSI1SK", name="GSI1", project=["day"])


class Visit(Entity, table=Trips):
    user_id: str
    city: str
    day: str
    note: str
    primary = Trips.primary.key("USER#{user_id}", "VISIT#{city}")
    by_city = Trips.by_city.key("CITY#{city}", "USER#{user_id}")


reserved_word = raw_pattern(
    "Change the day of a visit",
    name="reserved_word",
    table=Trips,
    operation="UpdateItem",
    entity=Visit,
    key={"PK": "USER#{user_id}", "SK": "VISIT#{city}"},
    update="SET day = :day",
    values={":day": "{day}"},
    arguments={"user_id": str, "city": str, "day": str},
)
spare_value = raw_pattern(
    "Write a visit",
    name="spare_value",
    table=Trips,
    operation="PutItem",
    entity=Visit,
    item={
        "PK": "USER#{user_id}",
        "SK": "VISIT#{city}",
        "user_id": "{user_id}",
        "city": "{city}",
        "note": "{note}",
    },
    condition="attribute_not_exists(PK)",
    values={":spare": 1},
    arguments={"user_id": str, "city": str, "note": str},
)
consistent_index = raw_pattern(
    "Visits of a city, as they are now",
    name="consistent_index",
    table=Trips,
    operation="Query",
    index="GSI1",
    entity=Visit,
    key_condition="GSI1PK = :pk",
    projection="#day",
    names={"#day": "day"},
    values={":pk": "CITY#{city}"},
    arguments={"city": str},
    consistent=True,
    fresh=True,
)
misspelt_filter = raw_pattern(
    "Visits of a city and a user on a day",
    name="misspelt_filter",
    table=Trips,
    operation="Query",
    index="GSI1",
    entity=Visit,
    key_condition="GSI1PK = :pk AND GSI1SK = :sk",
    filter="days = :day",
    projection="#day",
    names={"#day": "day"},
    values={":pk": "CITY#{city}", ":sk": "USER#{user_id}", ":day": "{day}"},
    arguments={"city": str, "user_id": str, "day": str},
)
not_projected = raw_pattern(
    "Notes of all visits",
    name="not_projected",
    table=Trips,
    operation="Scan",
    index="GSI1",
    entity=Visit,
    projection="note",
    rate="5/s",
)
filtered_key = raw_pattern(
    "Visits of all users",
    name="filtered_key",
    table=Trips,
    operation="Scan",
    entity=Visit,
    filter="begins_with(SK, :visit)",
    values={":visit": "VISITS#"},
    rate="5/s",
)
