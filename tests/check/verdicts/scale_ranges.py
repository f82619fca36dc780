"""Queries with a range that has two ends, one, or none."""

from datetime import UTC, datetime, timedelta

from sortkey import Entity, Expected, Op, Page, Table, gsi, pattern, raw_pattern, utc_now


class App(Table, raw=True):
    natural = gsi("account", "at")
    several = gsi("account", ("status", "at"))


class Event(Entity, table=App, expected=Expected(per_partition=50_000)):
    account: str
    at: datetime
    event_id: str
    status: str
    primary = App.primary.key("ACCOUNT#{account}", "EVENT#{at}#{event_id}")
    by_time = App.natural.key()
    by_status = App.several.key()


class Small(Entity, table=App, expected=Expected(per_partition=50_000)):
    account: str
    at: datetime
    primary = App.primary.key("SMALL#{account}", "{at}", expected=Expected(per_partition=20))


class Numbered(Entity, table=App, expected=Expected(per_partition=50_000)):
    account: str
    number: int
    primary = App.primary.key("NUMBERED#{account}", "{number:06d}")


@pattern("Half-open: since", rate="1/s")
def since(account: str, start: datetime) -> Op[list[Event]]:
    return Event.query(account=account).ge(at=start)


@pattern("Half-open: until", rate="1/s")
def until(account: str, end: datetime) -> Op[list[Event]]:
    return Event.query(account=account).lt(at=end)


@pattern("Half-open: since, by an attribute", rate="1/s")
def since_natural(account: str, start: datetime) -> Op[list[Event]]:
    return Event.query(Event.by_time, account=account).gt(at=start)


@pattern("Half-open: up to now", rate="1/s")
def up_to_now(account: str) -> Op[list[Event]]:
    return Event.query(account=account).le(at=utc_now())


@pattern("Half-open: since the beginning", rate="1/s")
def since_ever(account: str, end: datetime) -> Op[list[Event]]:
    return Event.query(account=account).between(at=(datetime(2020, 1, 1, tzinfo=UTC), end))


@pattern("Half-open: after the first", rate="1/s")
def after_first(account: str) -> Op[list[Numbered]]:
    return Numbered.query(account=account).gt(number=1)


@pattern("Bounded: the first ten", rate="1/s")
def first_ten(account: str) -> Op[list[Numbered]]:
    return Numbered.query(account=account).between(number=(1, 10))


@pattern("Open: the first of two sort attributes", rate="1/s")
def of_status(account: str, status: str) -> Op[list[Event]]:
    return Event.query(Event.by_status, account=account, status=status)


half_open_raw = raw_pattern(
    "Half-open, raw: up to a last text",
    table=App,
    operation="Query",
    entity=Event,
    key_condition="PK = :pk AND SK BETWEEN :start AND :end",
    values={":pk": "ACCOUNT#{account}", ":start": "EVENT#{start}", ":end": "EVENT#~"},
    arguments={"account": str, "start": datetime},
    rate="1/s",
)
open_raw = raw_pattern(
    "Open, raw: from the first text to the last",
    table=App,
    operation="Query",
    entity=Event,
    key_condition="PK = :pk AND SK BETWEEN :start AND :end",
    values={":pk": "ACCOUNT#{account}", ":start": "EVENT#", ":end": "EVENT#~"},
    arguments={"account": str},
    rate="1/s",
)


@pattern("Bounded: between", rate="1/s")
def between(account: str, start: datetime, end: datetime) -> Op[list[Event]]:
    return Event.query(account=account).between(at=(start, end))


@pattern("Bounded: the last week", rate="1/s")
def last_week(account: str) -> Op[list[Event]]:
    return Event.query(account=account).ge(at=utc_now() - timedelta(days=7))


@pattern("Bounded: a page", rate="1/s", page=20)
def page_since(account: str, start: datetime, after: str | None = None) -> Op[Page[Event]]:
    return Event.query(account=account).ge(at=start).page(20, after)


@pattern("Bounded: few are expected by this key", rate="1/s")
def small_since(account: str, start: datetime) -> Op[list[Small]]:
    return Small.query(account=account).ge(at=start)
