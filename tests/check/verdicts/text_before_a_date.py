"""A free text before a date: the key is unambiguous whatever the text contains."""

from datetime import date

from sortkey import Entity, Table, raw_pattern


class Gym(Table, raw=True):
    pass


class Progress(Entity, table=Gym):
    user_id: str
    exercise: str
    day: date
    primary = Gym.primary.key("USER#{user_id}", "PROGRESS#{exercise}#{day}")


one = raw_pattern(
    "Progress of a day",
    table=Gym,
    operation="GetItem",
    entity=Progress,
    key={"PK": "USER#{user_id}", "SK": "PROGRESS#{exercise}#{day}"},
    arguments={"user_id": str, "exercise": str, "day": date},
    rate="1/s",
)
