"""Records that are to expire, by what is no number of seconds or is never set."""

import time
from datetime import datetime, timedelta

from pydantic import Field

from sortkey import TTL, Entity, Op, Table, pattern, raw_pattern, utc_now


def milliseconds() -> int:
    return int(time.time() * 1000)


class Sessions(Table, ttl="expires_at"):
    pass


class Session(Entity, table=Sessions):
    session_id: str
    expires_at: int
    primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")


class Defaulted(Entity, table=Sessions):
    session_id: str
    expires_at: int = Field(default_factory=milliseconds)
    primary = Sessions.primary.key("DEFAULTED#{session_id}", "DEFAULTED")


@pattern("By the clock", rate="1/s")
def by_the_clock(session_id: str) -> Op[Session]:
    return Session(session_id=session_id, expires_at=milliseconds() + 60_000).create()


@pattern("By the time", rate="1/s")
def by_the_time(session_id: str) -> Op[Session]:
    return Session(session_id=session_id, expires_at=int(utc_now().timestamp() * 1000)).create()


@pattern("By an argument", rate="1/s")
def by_an_argument(session_id: str, until: datetime, more: timedelta) -> Op[Session]:
    end = until + more
    return Session(session_id=session_id, expires_at=int(end.timestamp() * 1000)).create()


@pattern("A constant", rate="1/s")
def a_constant(session_id: str) -> Op[Session]:
    return Session.update(session_id=session_id).set(lambda s: s.expires_at).to(2_000_000_000_000)


# Nothing is wrong with these: seconds, and what an argument makes of it.


@pattern("In seconds", rate="1/s")
def in_seconds(session_id: str, days: int) -> Op[Session]:
    end = int(utc_now().timestamp()) + days * 86_400
    return Session(session_id=session_id, expires_at=end).create()


@pattern("Until a day", rate="1/s")
def until_a_day(session_id: str, until: datetime) -> Op[Session]:
    return Session(session_id=session_id, expires_at=int(until.timestamp())).create()


@pattern("As it is", rate="1/s")
def as_it_is(session: Session) -> Op[Session]:
    return session.create()


class Old(Table, raw=True, ttl="ttl"):
    pass


class Entry(Entity, table=Old):
    entry_id: str
    ttl: int
    primary = Old.primary.key("ENTRY#{entry_id}", "ENTRY")


KEY = {"PK": "ENTRY#{entry_id}", "SK": "ENTRY"}

by_name = raw_pattern(
    "By name",
    table=Old,
    operation="PutItem",
    entity=Entry,
    item={**KEY, "ttl": "{expires_ms}"},
    arguments={"entry_id": str, "expires_ms": int},
)
a_text = raw_pattern(
    "A text",
    table=Old,
    operation="UpdateItem",
    entity=Entry,
    key=KEY,
    update="SET #ttl = :end",
    names={"#ttl": "ttl"},
    values={":end": "{end}"},
    arguments={"entry_id": str, "end": str},
)
an_iso_time = raw_pattern(
    "An ISO time",
    table=Old,
    operation="PutItem",
    item={**KEY, "ttl": "{now()}"},
    arguments={"entry_id": str},
)
unless_there = raw_pattern(
    "Unless there",
    table=Old,
    operation="UpdateItem",
    entity=Entry,
    key=KEY,
    update="SET #ttl = if_not_exists(#ttl, :end)",
    names={"#ttl": "ttl"},
    values={":end": 2_000_000_000_000},
    arguments={"entry_id": str},
)


class Tokens(Table, ttl="gone"):
    pass


class Forgotten(Entity, table=Tokens):
    token_id: str
    gone: TTL | None = None
    primary = Tokens.primary.key("TOKEN#{token_id}", "TOKEN")


@pattern("Make a token", rate="1/s")
def make(token_id: str) -> Op[Forgotten]:
    return Forgotten(token_id=token_id).create()


class Kept(Table, ttl="gone"):
    pass


class Remembered(Entity, table=Kept):
    token_id: str
    gone: TTL | None = None
    primary = Kept.primary.key("TOKEN#{token_id}", "TOKEN")


@pattern("Keep a token", rate="1/s")
def keep(token: Remembered) -> Op[Remembered]:
    return token.create()
