"""A range that ends with the first moment of its last day, so that the day is lost."""

from datetime import date, datetime

from sortkey import Entity, Table, raw_pattern


class Gym(Table, raw=True):
    pass


class Session(Entity, table=Gym):
    user_id: str
    started_at: datetime
    session_id: str
    primary = Gym.primary.key("USER#{user_id}", "SESSION#{started_at}#{session_id}")


sessions = raw_pattern(
    "Sessions by date range",
    table=Gym,
    operation="Query",
    entity=Session,
    key_condition="PK = :pk AND SK BETWEEN :start AND :end",
    values={
        ":pk": "USER#{user_id}",
        ":start": "SESSION#{start}",
        ":end": "SESSION#{end}T00:00:00Z",
    },
    arguments={"user_id": str, "start": date, "end": date},
    rate="1/s",
)
