"""The page about the shuttle matches the code: its units are measured, its names exist."""

from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getmembers, isfunction
from typing import Any

import pytest
from tests.systems.pages import Page, names, operations
from tests.systems.shuttle.conftest import CAFE, KEY, MORNING, Watch, installed, job_id, queued
from tests.systems.shuttle.test_patterns import (
    BUSIEST,
    DAYS,
    DESIGN,
    ENDS,
    JOBS,
    MONTHS,
    READS,
    RECORDS,
    TIMES,
    WRITES,
)

from sortkey import DB, Call, Keyring
from sortkey.access.filling import fill
from sortkey_systems.shuttle.api import api
from sortkey_systems.shuttle.defining import define, mark_validated
from sortkey_systems.shuttle.design.erasing import SessionIndex, mark_session_index
from sortkey_systems.shuttle.design.jobs import LEASE, MAX_ATTEMPTS, JobStatus
from sortkey_systems.shuttle.design.sessions import Session, SignedOut, end_moving_session
from sortkey_systems.shuttle.design.shops import Plan, ShopSettings
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.erasing import SETTLED_AFTER, erase, finish_erasures, purge
from sortkey_systems.shuttle.installing import (
    change_plan,
    change_settings,
    install,
    suspend,
    uninstall,
)
from sortkey_systems.shuttle.metering import count_api_calls, record_storage
from sortkey_systems.shuttle.signing_in import (
    ONLINE_LIFETIME,
    SignIn,
    load_session,
    sign_out,
    sign_out_of_shop,
    store_session,
)
from sortkey_systems.shuttle.submitting import submit
from sortkey_systems.shuttle.working import cancel, complete, record_batch, renew, start, sweep

PAGE = Page("shuttle")
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "shop_by_domain": (BUSIEST,),
    "shops_by_install_date": (),
    "active_shops": (),
    "shops_due_for_purge": (max(TIMES),),
    "job_by_id": (BUSIEST, next(job.job_id for job in JOBS if job.domain == BUSIEST)),
    "jobs_of_shop": (BUSIEST,),
    "jobs_by_status": (BUSIEST, JobStatus.COMPLETED),
    "jobs_by_status_between": (BUSIEST, JobStatus.COMPLETED, TIMES[10], TIMES[20]),
    "jobs_in_status": (BUSIEST, JobStatus.CANCELLED),
    "jobs_due": (JobStatus.QUEUED, MORNING),
    "usage_of_day": (BUSIEST, TIMES[0].date()),
    "usage_of_month": (BUSIEST, MONTHS[0]),
    "usage_of_days": (BUSIEST, DAYS[1], DAYS[0]),
    "usage_of_months": (BUSIEST, MONTHS[2], MONTHS[0]),
    "usage_on_day": (DAYS[0],),
    "usage_in_month": (MONTHS[0],),
    "history_between": (BUSIEST, ENDS[10], ENDS[20]),
    "current_schema": (BUSIEST,),
    "schema_version": (BUSIEST, 1),
    "session_by_id": (f"offline_{BUSIEST}",),
    "fresh_session": (f"offline_{BUSIEST}",),
    "sessions_of_shop": (BUSIEST,),
    "erasures_under_way": (),
    "erasure_by_id": ("0" * 26,),
    "retained_usage": ("0" * 64, MONTHS[0]),
    "retained_suspension": ("0" * 64,),
    "stored_jobs": (BUSIEST,),
    "other_records": (BUSIEST,),
    "day_keys": (BUSIEST,),
    "month_keys": (BUSIEST,),
    "schema_key": (BUSIEST,),
    "version_keys": (BUSIEST,),
    "history_keys": (BUSIEST,),
    "stored_session_ids": (BUSIEST,),
    "searched_sessions": (BUSIEST,),
    "session_index": (),
}


def pattern_rows() -> Iterator[str]:
    """Yield a line of the page for each read, measured with generated shops."""
    calls: list[Call] = []
    with DB.memory(Shuttle, secrets=Keyring(KEY), observers=[calls.append]) as db:
        fill(db, RECORDS)
        for read in READS:
            db(read(*ARGUMENTS[read.name]))
            call = calls[-1]
            cost = f"{len(call.exchanges)} | {call.items_returned} | {call.read_units:g}"
            yield f"| `{read.name}` | {read.title} | {cost} |"


def flows(db: DB, watch: Watch) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each flow with a call that runs it, in a possible order."""
    yield "installing.install", lambda: install(db, CAFE, shop_name="Café", access_token="t")
    yield "installing.change_plan", lambda: change_plan(db, CAFE, Plan.MEDIUM)
    yield "installing.suspend", lambda: suspend(db, "other.com")
    yield "submitting.submit", lambda: queued(db, job_id(1))
    yield "working.start", lambda: start(db, CAFE, job_id(1))
    yield (
        "working.record_batch",
        lambda: record_batch(
            db, CAFE, job_id(1), 0, successful=48, errors={"X": 2}, api_calls=1, attempt=1
        ),
    )
    yield "working.renew", lambda: renew(db, CAFE, job_id(1), 1)
    yield "working.complete", lambda: complete(db, CAFE, job_id(1), attempt=1)
    queued(db, job_id(2))
    yield "working.cancel", lambda: cancel(db, CAFE, job_id(2))
    yield "metering.count_api_calls", lambda: count_api_calls(db, CAFE, 1)
    yield "defining.define", lambda: define(db, CAFE, after=0, metafields=[], metaobjects=[])
    yield "defining.mark_validated", lambda: mark_validated(db, CAFE, 1)
    signed_in = SignIn("s1", CAFE, "xyz", "token")
    yield "signing_in.store_session", lambda: store_session(db, signed_in)
    yield "signing_in.load_session", lambda: load_session(db, "s1")
    watch.wait(days=2)
    yield "signing_in.load_session (extended)", lambda: load_session(db, "s1")
    yield "signing_in.sign_out", lambda: sign_out(db, "s1")
    yield "installing.uninstall", lambda: uninstall(db, CAFE)
    watch.wait(seconds=SETTLED_AFTER.total_seconds())
    yield "erasing.erase", lambda: erase(db, CAFE)
    yield "erasing.finish_erasures", lambda: finish_erasures(db)


def story(db: DB, watch: Watch) -> None:
    """Run every write successfully, with records of typical size."""
    installed(db, "other.com")
    for _, flow in flows(db, watch):
        flow()
    installed(db)
    installed(db)
    change_settings(db, CAFE, ShopSettings())
    submit(db, CAFE, file_key="a", total_products=1, created_by="ann", is_dry_run=True)
    record_storage(db, CAFE, 1)
    for after in (0, 1):
        define(db, CAFE, after=after, metafields=[], metaobjects=[])
    give_up(db, watch)
    store_session(db, SignIn("s1", CAFE, "xyz", "token"))
    sign_out_of_shop(db, CAFE, "s1")
    db(end_moving_session(SignedOut(session_id="s1", expires_at=watch.now + ONLINE_LIFETIME)))
    store_session(db, SignIn("s1", CAFE, "xyz", "token"))
    uninstall(db, CAFE)
    install(db, CAFE, shop_name="Café", access_token="t")
    leave_and_return(db, watch)
    uninstall(db, CAFE)
    watch.wait(days=30)
    purge(db, CAFE)


def leave_and_return(db: DB, watch: Watch) -> None:
    """Erase a suspended shop with sessions, and install it again; then erase what has no shop."""
    installed(db, "fourth.com")
    define(db, "fourth.com", after=0, metafields=[], metaobjects=[])
    queued(db, job_id(1), "fourth.com")
    start(db, "fourth.com", job_id(1))
    cancel(db, "fourth.com", job_id(1))
    record_batch(db, "fourth.com", job_id(1), 0, successful=1, api_calls=1, attempt=1)
    for name, is_online in (("s2", True), ("s3", False)):
        store_session(db, SignIn(name, "fourth.com", "xyz", "token", is_online=is_online))
    suspend(db, "fourth.com")
    watch.wait(days=1)
    erase(db, "fourth.com")
    watch.wait(seconds=SETTLED_AFTER.total_seconds())
    finish_erasures(db)
    install(db, "fourth.com", shop_name="Café", access_token="t")
    moved = Session(
        session_id="s4",
        shop="fifth.com",
        state="xyz",
        access_token="t",
        expires_at=watch.now + ONLINE_LIFETIME,
        is_copied=True,
    )
    db(moved.put())
    erase(db, "fifth.com")


def give_up(db: DB, watch: Watch) -> None:
    """Lose every worker of a job, until it fails."""
    installed(db, "third.com")
    queued(db, job_id(1), "third.com")
    for _ in range(MAX_ATTEMPTS):
        start(db, "third.com", job_id(1))
        watch.wait(seconds=LEASE.total_seconds())
        sweep(db)


def write_rows(watch: Watch) -> Iterator[str]:
    """Yield a line of the page for each write, from its last call in the story."""
    calls: list[Call] = []
    with DB.memory(Shuttle, secrets=Keyring(KEY), observers=[calls.append]) as db:
        story(db, watch)
    last = {call.pattern: call for call in calls if call.error is None}
    for written in WRITES:
        call = last[written.name]
        cost = f"{len(call.exchanges)} | {call.write_units:g}"
        yield f"| `{written.name}` | {written.title} | {cost} |"


def flow_rows(watch: Watch) -> Iterator[str]:
    """Yield a line of the page for each flow."""
    with DB.memory(Shuttle, secrets=Keyring(KEY)) as db:
        installed(db, "other.com")
        # As an earlier erasure has done.
        db(mark_session_index(SessionIndex(checked_at=watch.now - SETTLED_AFTER)))
        for name, flow in flows(db, watch):
            with db.budget() as calls:
                flow()
            requests = sum(len(call.exchanges) for call in calls)
            reads = sum(call.read_units for call in calls)
            writes = sum(call.write_units for call in calls)
            shown, _, note = name.partition(" ")
            yield f"| `{shown}`{note and ' ' + note} | {requests} | {reads:g} | {writes:g} |"


def test_the_units_of_each_pattern_are_as_measured(watch: Watch) -> None:
    measured = list(pattern_rows())

    assert measured == PAGE.lines("Access patterns"), "\n".join(measured)
    assert ARGUMENTS.keys() == {found.name for found in READS}


def test_the_units_of_each_write_are_as_measured(watch: Watch) -> None:
    measured = list(write_rows(watch))

    assert measured == PAGE.lines("Writes"), "\n".join(measured)


def test_the_units_of_each_flow_are_as_measured(watch: Watch) -> None:
    measured = list(flow_rows(watch))

    assert measured == PAGE.lines("Cost of each flow"), "\n".join(measured)


def load(heading: str) -> dict[str, float]:
    """Return the units a second of each pattern in a table: its declared rate times its units."""
    rates = {found.name: found.rate.per_second for found in DESIGN.patterns if found.rate}
    return {
        name: rates[name] * float(row[-1]) for row in PAGE.rows(heading) for name in names(row[:1])
    }


def test_the_cost_of_the_expected_load_is_that_of_the_rates_and_the_units() -> None:
    reads, writes = sum(load("Access patterns").values()), sum(load("Writes").values())
    text = PAGE.text.replace("\n", " ")

    assert f"{reads:.0f} read units and {writes:,.0f} write units a second" in text
    assert f"counting batches takes {load('Writes')['count_batch']:.0f}: 50 batches" in text
    millions = 30 * 24 * 60 * 60 / 10**6
    assert f"{reads * millions:.0f} million read units" in text
    assert f"{writes * millions:,.0f} million write units" in text


@pytest.mark.parametrize("heading", ["Guarantees", "Requirements"])
def test_every_name_on_the_page_exists(heading: str) -> None:
    named = [names(row[1:]) for row in PAGE.rows(heading)]

    assert named
    assert all(any(name.startswith("test_") for name in row) for row in named)
    assert [name for row in named for name in row if not PAGE.exists(name)] == []


def test_every_pattern_and_every_flow_is_on_the_page() -> None:
    named = names([cell for row in PAGE.rows("Requirements") for cell in row[1:]])

    homes = [(found.function.__module__, found.name) for found in DESIGN.patterns]
    package, raw = "sortkey_systems.shuttle.", "sortkey.design.raw.pattern"
    wanted = {f"{home.removeprefix(package)}.{name}" for home, name in homes if home != raw}
    wanted.add("design.erasing.searched_sessions")
    for name in ("installing", "submitting", "working", "metering", "defining", "signing_in"):
        wanted |= public_functions(name)
    wanted |= public_functions("erasing") | public_functions("moving_sessions")
    assert wanted - set(named) == set()


def public_functions(name: str) -> set[str]:
    """Return the public functions of a module, without those that only other modules use."""
    module = import_module(f"sortkey_systems.shuttle.{name}")
    shared = {"find_shop", "find_job", "counts_as_import", "session_from", "end_sessions"}
    return {
        f"{name}.{found}"
        for found, function in getmembers(module, isfunction)
        if function.__module__ == module.__name__ and found[0] != "_" and found not in shared
    }


def test_every_operation_of_the_api_is_on_the_page(memory: DB) -> None:
    assert [row[:2] for row in PAGE.rows("Over HTTP")] == operations(api, memory)


def test_every_attribute_is_in_the_catalog() -> None:
    named = " ".join(PAGE.lines("Item catalog"))

    for kind in DESIGN.kinds:
        for stored in kind.stored_names.values():
            assert f"`{stored}`" in named, (kind.name, stored)
