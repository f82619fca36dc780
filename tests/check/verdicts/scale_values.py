"""Keys whose partitions have few values at a time, declared in every way."""

from datetime import date, datetime
from enum import Enum
from typing import Literal

from sortkey import Entity, Expected, Op, Table, gsi, pattern, raw_pattern, utc_now


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class App(Table, raw=True):
    by_due = gsi("due", "account")
    by_due_date = gsi("due_date", "account")
    by_month = gsi("GSI3PK", "account")
    by_both = gsi(("day", "level"), "account")
    by_owner_and_day = gsi(("owner", "on"), "account")
    by_status = gsi("GSI6PK", "account")
    by_moment = gsi("at", "account")
    by_birth = gsi("birth_date", "account")


class ByDay(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    due: date
    primary = App.primary.key("A#{account}", "DAY")
    by = App.by_due.key()


class ByText(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    due_date: str
    primary = App.primary.key("A#{account}", "TEXT")
    by = App.by_due_date.key()


class ByMonth(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    made: datetime
    primary = App.primary.key("A#{account}", "MONTH")
    by = App.by_month.key("{made:%Y-%m}", "{account}")


class ByBoth(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    day: date
    level: Level
    primary = App.primary.key("A#{account}", "BOTH")
    by = App.by_both.key()


class ByOwnerAndDay(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    owner: str
    on: date
    primary = App.primary.key("A#{account}", "OWNER")
    by = App.by_owner_and_day.key()


class ByStatus(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    state: str
    primary = App.primary.key("A#{account}", "STATUS")
    by = App.by_status.key("STATUS#{state}", "{account}")


class ByMoment(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    at: datetime
    primary = App.primary.key("A#{account}", "MOMENT")
    by = App.by_moment.key()


class ByBirth(Entity, table=App, expected=Expected(count=5_000_000)):
    account: str
    birth_date: str
    primary = App.primary.key("A#{account}", "BIRTH")
    by = App.by_birth.key()


class Country(Entity, table=App, expected=Expected(count=250)):
    country: str
    primary = App.primary.key("COUNTRIES", "{country}")


class Setting(Entity, table=App):
    setting: str
    kind: Literal["a", "b"]
    primary = App.primary.key("SETTINGS#{kind}", "{setting}", expected=Expected(per_partition=50))


@pattern("A record of a day", rate="900/s")
def by_day(record: ByDay) -> Op[ByDay]:
    return record.create()


@pattern("A record of a day that is a text", rate="900/s")
def by_text(record: ByText) -> Op[ByText]:
    return record.create()


@pattern("A record of a month", rate="900/s")
def by_month(record: ByMonth) -> Op[ByMonth]:
    return record.create()


@pattern("A record of a day and one of two levels", rate="1800/s")
def by_both(record: ByBoth) -> Op[ByBoth]:
    return record.create()


@pattern("A record of an owner and a day", rate="900/s")
def by_owner(record: ByOwnerAndDay) -> Op[ByOwnerAndDay]:
    return record.create()


@pattern("A record whose status is always the same at first", rate="1100/s")
def by_status(account: str) -> Op[ByStatus]:
    return ByStatus(account=account, state="new").create()


@pattern("A record of a moment", rate="900/s")
def by_moment(account: str) -> Op[ByMoment]:
    return ByMoment(account=account, at=utc_now()).create()


@pattern("A record with a day of birth", rate="900/s")
def by_birth(record: ByBirth) -> Op[ByBirth]:
    return record.create()


@pattern("A country", rate="1/day")
def country(record: Country) -> Op[Country]:
    return record.create()


class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")


raw_write = raw_pattern(
    "A scan, about no entity",
    table=Old,
    operation="PutItem",
    item={"PK": "SCANS", "SK": "{number}", "GSI1PK": "DAY#{day}", "GSI1SK": "{number}"},
    condition="attribute_not_exists(PK)",
    arguments={"number": str, "day": date},
    rate="1500/s",
)
raw_spread = raw_pattern(
    "A scan of a gate, about no entity",
    table=Old,
    operation="PutItem",
    item={"PK": "GATE#{gate}", "SK": "{number}"},
    condition="attribute_not_exists(PK)",
    arguments={"number": str, "gate": str},
    rate="1500/s",
)
