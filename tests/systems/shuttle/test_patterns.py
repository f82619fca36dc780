"""Every access pattern matches its specification on generated shops, on every database."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from types import NoneType
from typing import Any, get_args, get_origin

import pytest
from tests.systems.shuttle.conftest import MORNING
from tests.systems.specification import expected, returned

from sortkey import DB, Entity, Page, Pattern, load_design
from sortkey.access.filling import fill
from sortkey.design.plans.value import pattern_plan
from sortkey_systems.shuttle.design.erasing import other_records, stored_session_ids
from sortkey_systems.shuttle.design.history import ImportHistory, history_between
from sortkey_systems.shuttle.design.jobs import Job, JobStatus
from sortkey_systems.shuttle.design.schemas import CurrentSchema, SchemaVersion
from sortkey_systems.shuttle.design.sessions import Session
from sortkey_systems.shuttle.design.shops import Shop
from sortkey_systems.shuttle.design.usage import (
    UsageDaily,
    UsageMonthly,
    usage_of_days,
    usage_of_months,
)
from sortkey_systems.shuttle.generator import records

RECORDS: list[Entity] = [record for group in records(60, now=MORNING) for record in group]
JOBS = [record for record in RECORDS if isinstance(record, Job)]
[(BUSIEST, _)] = Counter(job.domain for job in JOBS).most_common(1)
# A shop with many jobs, one with few, one whose name is a prefix of others, and an unknown one.
DOMAINS = (BUSIEST, JOBS[0].domain, "shop1.myshopify.com", "shop11.myshopify.com", "shop.com")
DAYS = (date(2032, 2, 29), date(2032, 2, 1), date(2031, 12, 24), date(2030, 1, 1))
MONTHS = ("2032-02", "2032-01", "2031-12", "2030-01")
# From the time of one job to the time of another, so that both ends are tested.
TIMES = sorted(job.created_at for job in JOBS if job.domain == BUSIEST)
ENDS = sorted(job.completed_at for job in JOBS if job.domain == BUSIEST and job.completed_at)
DESIGN = load_design("sortkey_systems.shuttle.design")
ENTITIES = {type(record) for record in RECORDS}


def is_read(pattern: Pattern[..., Any]) -> bool:
    steps = pattern_plan(pattern, DESIGN)["steps"]
    return all(step["operation"] in {"GetItem", "BatchGetItem", "Query", "Scan"} for step in steps)


READS = [found for found in DESIGN.patterns if is_read(found)]
WRITES = [found for found in DESIGN.patterns if found not in READS]
# Only until a table that an earlier application has filled is back-filled.
SCANS = {"searched_sessions"}
# They return only keys, for an erasure.
KEYS: dict[str, type[Entity]] = {
    "stored_jobs": Job,
    "day_keys": UsageDaily,
    "month_keys": UsageMonthly,
    "schema_key": CurrentSchema,
    "version_keys": SchemaVersion,
    "history_keys": ImportHistory,
}


def given(name: str) -> Iterator[tuple[Any, ...]]:
    """Return the arguments of a pattern."""
    match name:
        case "shops_by_install_date" | "active_shops":
            yield ()
        case "shops_due_for_purge":
            yield from ((MORNING - timedelta(days=days),) for days in (0, 29, 30, 70, 71))
        case "jobs_of_shop":
            yield from ((domain,) for domain in DOMAINS)
        case "sessions_of_shop":
            yield from ((shop,) for shop in DOMAINS)
        case "jobs_by_status" | "jobs_in_status":
            yield from ((domain, status) for domain in DOMAINS for status in JobStatus)
        case "jobs_by_status_between":
            for status in JobStatus:
                yield (BUSIEST, status, TIMES[3], TIMES[-3])
                yield (BUSIEST, status, TIMES[5], TIMES[5])
                yield (BUSIEST, status, TIMES[-1], TIMES[0])
                yield (DOMAINS[2], status, TIMES[0], TIMES[-1])
        case "jobs_due":
            yield from ((status, MORNING) for status in JobStatus)
            yield (JobStatus.QUEUED, MORNING - timedelta(minutes=30))
        case "usage_of_days":
            yield from ((domain, DAYS[2], DAYS[0]) for domain in DOMAINS)
        case "usage_of_months":
            yield from ((domain, MONTHS[2], MONTHS[0]) for domain in DOMAINS)
        case "usage_on_day":
            yield from ((day,) for day in DAYS)
        case "usage_in_month":
            yield from ((month,) for month in MONTHS)
        case "history_between":
            yield (BUSIEST, ENDS[3], ENDS[-3])
            yield (BUSIEST, ENDS[5], ENDS[5])
            yield from ((domain, MORNING - timedelta(days=20), MORNING) for domain in DOMAINS)
        case _:
            raise AssertionError(f"there are no arguments for {name}")


def entity_of(pattern: Pattern[..., Any]) -> type[Entity]:
    [entity] = get_args(pattern.returns)
    return entity


def returns_several(pattern: Pattern[..., Any]) -> bool:
    return get_origin(pattern.returns) in {list, Page} and entity_of(pattern) in ENTITIES


def returns_one(pattern: Pattern[..., Any]) -> bool:
    return NoneType in get_args(pattern.returns)


def test_every_list_matches_its_specification(db: DB) -> None:
    fill(db, RECORDS)
    several = [found for found in READS if returns_several(found)]

    for asked in several:
        sizes: set[int] = set()
        for arguments in given(asked.name):
            found, wanted = returned(db, asked, arguments), expected(RECORDS, asked, arguments)
            if asked.order is None:
                found, wanted = (sorted(records, key=str) for records in (found, wanted))
            assert found == wanted, (asked.name, arguments)
            sizes.add(len(found))
        assert max(sizes) > 1, f"{asked.name} was never asked for more than one"
    assert len(several) == 14


def test_every_get_returns_its_record_and_no_other(db: DB) -> None:
    shops = {record.domain for record in RECORDS if isinstance(record, Shop)}
    few = [r for r in RECORDS if getattr(r, "domain", getattr(r, "shop", "")) in sorted(shops)[:20]]
    fill(db, few)
    keys = {
        "shop_by_domain": ("domain",),
        "job_by_id": ("domain", "job_id"),
        "usage_of_day": ("domain", "day"),
        "usage_of_month": ("domain", "month"),
        "current_schema": ("domain",),
        "schema_version": ("domain", "version"),
        "session_by_id": ("session_id",),
        "fresh_session": ("session_id",),
    }
    # The generator erases no shop.
    kept = {"retained_usage", "retained_suspension", "erasure_by_id", "session_index", *KEYS}
    ones = [found for found in READS if returns_one(found) and found.name not in kept]
    assert {found.name for found in ones} == keys.keys()

    for asked in ones:
        entity, names = get_args(asked.returns)[0], keys[asked.name]
        own = [record for record in few if type(record) is entity]
        assert own
        for record in own[:40]:
            assert db(asked(*(getattr(record, name) for name in names))) == record
        absent = {"version": 999, "day": DAYS[3], "month": MONTHS[3], "job_id": "0" * 26}
        nowhere = [absent.get(name, "nowhere.com") for name in names]
        assert db(asked(*nowhere)) is None


def test_a_range_that_ends_before_it_begins_is_empty(db: DB) -> None:
    assert returned(db, history_between, (BUSIEST, ENDS[-1], ENDS[0])) == []
    assert returned(db, usage_of_days, (BUSIEST, DAYS[0], DAYS[2])) == []
    assert returned(db, usage_of_months, (BUSIEST, MONTHS[0], MONTHS[2])) == []


def test_the_records_of_an_erasure_are_found(db: DB) -> None:
    fill(db, RECORDS)
    known = {*SCANS, *KEYS, "erasures_under_way", "other_records", "stored_session_ids"}
    other = [found.name for found in READS if not returns_several(found) and not returns_one(found)]
    assert {*other} | {"schema_key"} == known

    for domain in DOMAINS:
        own = [record for record in RECORDS if getattr(record, "domain", None) == domain]
        found = db(other_records(domain))
        rest = (*found.days, *found.months, *found.schemas, *found.versions, *found.history)
        assert sorted(rest, key=repr) == sorted(
            (record for record in own if not isinstance(record, Shop | Job)), key=repr
        )
        for asked in (found for found in READS if found.name in KEYS):
            keys: Any = db(asked(domain))
            several: list[Any] = list(filter(None, [keys])) if returns_one(asked) else keys
            wanted = [record for record in own if type(record) is KEYS[asked.name]]
            assert len(several) == len(wanted)
            assert all(
                any(key.model_dump().items() <= record.model_dump().items() for record in wanted)
                for key in several
            )
        sessions = [r.session_id for r in RECORDS if isinstance(r, Session) and r.shop == domain]
        assert [each.session_id for each in db(stored_session_ids(domain))] == sorted(sessions)


@pytest.mark.parametrize(
    "asked", [found for found in READS if found.name not in SCANS], ids=lambda found: found.name
)
def test_no_pattern_scans_or_filters(asked: Pattern[..., Any]) -> None:
    for step in pattern_plan(asked, DESIGN)["steps"]:
        assert step["operation"] in {"GetItem", "Query"}
        assert not step.get("filter")


@pytest.mark.parametrize("asked", WRITES, ids=lambda found: found.name)
def test_every_write_has_a_plan_and_a_role(asked: Pattern[..., Any]) -> None:
    plan = pattern_plan(asked, DESIGN)

    assert "error" not in plan
    assert plan["steps"]
    assert any(asked in role.patterns for role in DESIGN.roles)
