"""A range of days over a time, written so that the last day is in it."""

from datetime import date, datetime

from sortkey import Entity, RawPattern, Table, raw_pattern


class Gym(Table, raw=True):
    pass


class Session(Entity, table=Gym):
    user_id: str
    started_at: datetime
    session_id: str
    primary = Gym.primary.key("USER#{user_id}", "SESSION#{started_at}#{session_id}")


def sessions(name: str, end: str) -> RawPattern:
    return raw_pattern(
        "Sessions by date range",
        name=name,
        table=Gym,
        operation="Query",
        entity=Session,
        key_condition="PK = :pk AND SK BETWEEN :start AND :end",
        values={":pk": "USER#{user_id}", ":start": "SESSION#{start}", ":end": end},
        arguments={"user_id": str, "start": date, "end": date},
        rate="1/s",
        where=lambda s, user_id, start, end: (
            s.user_id == user_id and start <= s.started_at.date() <= end
        ),
    )


last_moment = sessions("last_moment", "SESSION#{end}T23:59:59.999999Z#~")
after_the_day = sessions("after_the_day", "SESSION#{end}~")
