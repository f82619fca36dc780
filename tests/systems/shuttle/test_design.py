"""The table and its records have the documented names and keys."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.pages import Page
from tests.systems.shuttle.conftest import MORNING, installed, queued
from tests.systems.shuttle.former import filled, row
from tests.systems.shuttle.test_erasing import lived
from tests.systems.shuttle.test_patterns import BUSIEST, DESIGN, READS, RECORDS, SCANS, TIMES

from sortkey import DB, Entity
from sortkey.access.filling import fill
from sortkey.synth.stack import stack_of
from sortkey.wire.values import Item
from sortkey_systems.shuttle.design.erasing import Erasure
from sortkey_systems.shuttle.design.jobs import Job, JobStatus
from sortkey_systems.shuttle.design.shops import Shop
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly
from sortkey_systems.shuttle.erasing import erase
from sortkey_systems.shuttle.installing import suspend, uninstall
from sortkey_systems.shuttle.moving_sessions import move_sessions
from sortkey_systems.shuttle.signing_in import sign_out

PAGE = Page("shuttle")


def catalog() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each entity of the page with its keys, as attribute name and template."""
    for entity, partition, sort, indexes, _ in PAGE.rows("Item catalog"):
        keys = [("PK", code(partition)), ("SK", code(sort))]
        for index, *forms in re.findall(r"(GSI\d)[^`]*`([^`]+)` / `([^`]+)`", indexes):
            keys += zip((f"{index}PK", f"{index}SK"), forms, strict=True)
        yield entity.split()[0], keys


def code(cell: str) -> str:
    return cell.split("`")[1]


def has(item: Item, name: str, form: str) -> bool:
    """Return whether a key matches the template, with any value for each part in braces."""
    parts = "[^#]+".join(map(re.escape, re.split(r"\{[^}]+\}", form)))
    # The number of a shard, except the first.
    return re.fullmatch(parts + r"(#\d)?", item[name]["S"]) is not None


def test_every_record_is_stored_under_the_keys_of_the_catalog(memory: DB, tmp_path: Path) -> None:
    lived(memory)
    with filled(f"sqlite:///{tmp_path}/former.db", [row("s1")]) as former:
        list(move_sessions(memory, former))
        sign_out(memory, "s2", former=former)
    for domain in ("b.com", "c.com"):
        installed(memory, domain)
    uninstall(memory, "b.com")
    queued(memory, domain="c.com")
    suspend(memory, "c.com")
    erase(memory, "c.com")
    erase(memory, "nothing.com")
    stored = stored_items(memory, Shuttle)

    for entity, keys in catalog():
        own = [item for item in stored if item["_type"] == {"S": entity}]
        assert own, entity
        for name, form in keys:
            # A sparse index lacks some of them.
            listed = [item for item in own if name in item]
            assert listed, (entity, name)
            assert all(has(item, name, form) for item in listed), (entity, name)


def several() -> Iterator[Entity]:
    """Yield more than a page of the records of which the generator makes few."""
    for number in range(101):
        domain = f"due{number}.com"
        yield Shop(
            domain=domain,
            shop_name="x",
            access_token="t",
            installed_at=MORNING - timedelta(days=90),
            uninstalled_at=MORNING - timedelta(days=40),
        )
        yield Job(
            domain=domain,
            job_id=f"{number:026d}",
            file_key="a.csv",
            created_at=MORNING,
            due_at=MORNING,
            created_by="ann",
            total_products=1,
        )
        yield UsageDaily(domain=domain, day=MORNING.date())
        yield UsageMonthly(domain=domain, month="2032-02")
        yield Erasure(erasure_id=f"{number:026d}", domain=domain, started_at=MORNING)


FULL: dict[str, tuple[Any, ...]] = {
    "shops_by_install_date": (),
    "active_shops": (),
    "shops_due_for_purge": (MORNING,),
    "erasures_under_way": (),
    "jobs_of_shop": (BUSIEST,),
    "jobs_by_status": (BUSIEST, JobStatus.COMPLETED),
    "jobs_by_status_between": (BUSIEST, JobStatus.COMPLETED, TIMES[0], TIMES[-1]),
    "jobs_due": (JobStatus.QUEUED, MORNING),
    "usage_on_day": (MORNING.date(),),
    "usage_in_month": ("2032-02",),
    "history_between": (BUSIEST, TIMES[0], MORNING),
}


def test_a_page_has_as_many_records_as_its_pattern_says(memory: DB) -> None:
    busy = [r for r in RECORDS if isinstance(r, Shop) or getattr(r, "domain", "") == BUSIEST]
    fill(memory, [*busy, *several()])
    # A page of a search has as many items before its filter.
    paged = {
        found.name: found for found in READS if found.page is not None and found.name not in SCANS
    }

    assert paged.keys() == FULL.keys()
    for name, asked in paged.items():
        page = memory(asked(*FULL[name]))
        assert (len(page), page.cursor is None) == (asked.page, False), name


@pytest.mark.parametrize(("environment", "removal"), [("dev", "destroy"), ("prod", "retain")])
def test_the_table_has_its_removal_policy_and_alarms(environment: str, removal: str) -> None:
    made = stack_of(DESIGN, environment)

    [table] = made.tables
    assert (table.removal, table.ttl) == (removal, "ExpiresAt")
    for trouble in ("throttled", "system-errors"):
        alarms = [alarm for alarm in made.alarms if alarm.name.endswith(trouble)]
        assert alarms
        assert {(alarm.threshold, alarm.period) for alarm in alarms} == {(1, 300)}
