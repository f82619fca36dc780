"""Concurrent calls in every order of their requests, with crashes, lost responses and lag.

Each exploration passes, and fails if its condition is removed.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.access.executors import put_item, stored_items
from tests.systems.guards import with_and_without_guard
from tests.systems.racing import explore
from tests.systems.shuttle.conftest import (
    CAFE,
    MORNING,
    Unguard,
    Watch,
    earlier_session,
    fails_unless,
    installed,
    job_id,
    left_of_shops,
    queued,
    shop,
)

from sortkey import (
    DB,
    AlreadyExists,
    Backfill,
    ConditionFailed,
    NotFound,
    Op,
    VersionConflict,
)
from sortkey.testing import Outcome, clock
from sortkey_systems.shuttle import erasing
from sortkey_systems.shuttle.defining import define
from sortkey_systems.shuttle.design.erasing import (
    Erasure,
    SessionIndex,
    begin_erasure,
    mark_session_index,
    searched_sessions,
)
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import LEASE, UNFINISHED, Job, job_by_id
from sortkey_systems.shuttle.design.schemas import CurrentSchema, current_schema, schema_version
from sortkey_systems.shuttle.design.sessions import Session, session_by_id
from sortkey_systems.shuttle.design.shops import LIMITS, BillingStatus, Plan, Shop, shop_by_domain
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import (
    UsageDaily,
    UsageMonthly,
    usage_of_day,
    usage_of_month,
)
from sortkey_systems.shuttle.erasing import SETTLED_AFTER, erase, finish_erasures, purge
from sortkey_systems.shuttle.errors import ShuttleError
from sortkey_systems.shuttle.installing import (
    UninstallNotice,
    change_plan,
    install,
    receive_uninstall,
    suspend,
    uninstall,
)
from sortkey_systems.shuttle.metering import count_api_calls, record_storage
from sortkey_systems.shuttle.signing_in import (
    ONLINE_LIFETIME,
    SignIn,
    load_session,
    sign_out,
    store_session,
)
from sortkey_systems.shuttle.submitting import submit
from sortkey_systems.shuttle.working import cancel, complete, record_batch, start, sweep

REFUSALS = (ShuttleError,)
# Schedules of races that have too many to run them all.
SAMPLES = [25, pytest.param(100, marks=pytest.mark.slow)]


def jobs(db: DB) -> list[Job]:
    return db(Job.query(domain=CAFE).consistently())


def places_are_right(db: DB) -> bool:
    """Assert that the shop counts its unfinished jobs."""
    return shop(db).active_jobs == sum(job.status in UNFINISHED for job in jobs(db))


# Submissions


@with_and_without_guard
def test_of_two_submissions_to_a_plan_with_one_slot_one_wins(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    if not guarded:
        unguard("Shop")

    def one_job() -> None:
        found = jobs(memory)
        assert len(found) <= 1, "two jobs run"
        assert places_are_right(memory)
        usage = memory(usage_of_day(CAFE, MORNING.date()))
        assert (usage.imports_count if usage else 0) == len(found)

    with fails_unless(guarded=guarded, match="two jobs run"):
        explore(
            lambda: queued(memory, job_id(1)),
            lambda: queued(memory, job_id(2)),
            db=memory,
            invariant=one_job,
            errors=REFUSALS,
        )


@with_and_without_guard
@pytest.mark.parametrize("of", ["day", "month"])
def test_of_two_submissions_for_the_last_import_one_wins(
    memory: DB, unguard: Unguard, of: str, *, guarded: bool
) -> None:
    limits = LIMITS[Plan.MEDIUM]
    installed(memory, plan=Plan.MEDIUM)
    if of == "day":
        used = limits.imports_per_day - 1
        memory(UsageDaily(domain=CAFE, day=MORNING.date(), imports_count=used).put())
    else:
        used = limits.imports_per_month - 1
        memory(UsageMonthly(domain=CAFE, month="2032-03", imports_count=used).put())
    if not guarded:
        unguard("UsageDaily" if of == "day" else "UsageMonthly")

    def within_the_limit() -> None:
        day, month = (
            memory(usage_of_day(CAFE, MORNING.date())),
            memory(usage_of_month(CAFE, "2032-03")),
        )
        assert day is None or day.imports_count <= limits.imports_per_day, "over the limit"
        assert month is None or month.imports_count <= limits.imports_per_month, "over the limit"
        assert len(jobs(memory)) <= 1
        assert places_are_right(memory)

    with fails_unless(guarded=guarded, match="over the limit"):
        explore(
            lambda: queued(memory, job_id(1)),
            lambda: queued(memory, job_id(2)),
            db=memory,
            invariant=within_the_limit,
            declared=False,  # the day and the month are filled without each other
            errors=REFUSALS,
        )


@with_and_without_guard
def test_nothing_is_submitted_under_an_old_plan(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory, plan=Plan.MEDIUM)
    queued(memory, job_id(1))
    if not guarded:
        unguard("Shop")

    def downgrade() -> int:
        change_plan(memory, CAFE, Plan.FREE)
        return len(jobs(memory))

    def nothing_came_later(outcomes: list[Outcome]) -> None:
        [_, downgraded] = outcomes
        if downgraded.succeeded:
            assert len(jobs(memory)) == downgraded.result, "submitted after the change"

    with fails_unless(guarded=guarded, match="submitted after the change"):
        explore(
            lambda: queued(memory, job_id(2)),
            downgrade,
            db=memory,
            invariant=nothing_came_later,
            errors=REFUSALS,
        )


@with_and_without_guard
@pytest.mark.parametrize("stop", [suspend, uninstall])
def test_a_suspended_or_uninstalled_shop_submits_nothing(
    memory: DB, unguard: Unguard, stop: Callable[[DB, str], Shop], *, guarded: bool
) -> None:
    installed(memory)
    if not guarded:
        unguard("Shop")

    def stopped() -> int:
        stop(memory, CAFE)
        return len(jobs(memory))

    def nothing_came_later(outcomes: list[Outcome]) -> None:
        [_, end] = outcomes
        if end.succeeded:
            assert len(jobs(memory)) == end.result, "submitted after the end"

    with fails_unless(guarded=guarded, match="submitted after the end"):
        explore(
            lambda: queued(memory),
            stopped,
            db=memory,
            invariant=nothing_came_later,
            errors=REFUSALS,
        )


# Workers


@with_and_without_guard
def test_of_two_workers_one_gets_the_job(memory: DB, unguard: Unguard, *, guarded: bool) -> None:
    installed(memory)
    queued(memory, job_id(1))
    if not guarded:
        unguard("Job")

    def one_worker(outcomes: list[Outcome]) -> None:
        assert sum(outcome.succeeded for outcome in outcomes) <= 1, "both work on it"

    with fails_unless(guarded=guarded, match="both work on it"):
        explore(
            lambda: start(memory, CAFE, job_id(1)),
            lambda: start(memory, CAFE, job_id(1)),
            db=memory,
            invariant=one_worker,
            errors=REFUSALS,
        )


@with_and_without_guard
def test_a_batch_that_two_workers_report_is_counted_once(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    queued(memory, job_id(1))
    start(memory, CAFE, job_id(1))
    if not guarded:
        unguard("Job")

    def report() -> None:
        record_batch(
            memory, CAFE, job_id(1), 0, successful=40, errors={"X": 2}, api_calls=1, attempt=1
        )

    def counted_once() -> None:
        [job] = jobs(memory)
        assert job.processed_products in {0, 42}, "counted twice"
        usage = memory(usage_of_day(CAFE, MORNING.date()))
        assert usage is not None
        assert usage.products_imported == job.successful_products

    with fails_unless(guarded=guarded, match="counted twice"):
        explore(report, report, db=memory, invariant=counted_once, errors=REFUSALS)


@with_and_without_guard
def test_a_job_that_is_completed_and_cancelled_ends_once(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory, plan=Plan.MEDIUM)
    queued(memory, job_id(1))
    queued(memory, job_id(2))
    start(memory, CAFE, job_id(1))
    if not guarded:
        unguard("Job")

    def ended_once() -> None:
        rows = memory(ImportHistory.query(domain=CAFE))
        job = memory(job_by_id(CAFE, job_id(1)))
        assert job is not None
        assert places_are_right(memory), "another job's place was freed"
        assert len(rows) == (job.status not in UNFINISHED), "two rows of history"

    with fails_unless(guarded=guarded, match="another job's place|two rows"):
        explore(
            lambda: complete(memory, CAFE, job_id(1), attempt=1),
            lambda: cancel_a_second_later(memory),
            db=memory,
            invariant=ended_once,
            errors=REFUSALS,
        )


def cancel_a_second_later(db: DB) -> None:
    """With a stopped clock, their rows of history would otherwise have one key."""
    with clock(lambda: MORNING.timestamp() + 1):
        cancel(db, CAFE, job_id(1))


@with_and_without_guard
def test_the_history_has_every_batch_that_the_job_has(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    queued(memory, job_id(1))
    start(memory, CAFE, job_id(1))
    if not guarded:
        unguard("Job")

    def they_agree() -> None:
        [job] = jobs(memory)
        for row in memory(ImportHistory.query(domain=CAFE)):
            assert row.products_imported == job.successful_products, "the history lacks a batch"

    with fails_unless(guarded=guarded, match="the history lacks a batch"):
        explore(
            lambda: record_batch(memory, CAFE, job_id(1), 0, successful=40, attempt=1),
            lambda: cancel(memory, CAFE, job_id(1)),
            db=memory,
            invariant=they_agree,
            errors=REFUSALS,
        )


# Installation, uninstallation and erasure


def test_of_two_installations_both_find_one_shop(memory: DB) -> None:
    def come(token: str) -> Shop:
        return install(memory, CAFE, shop_name="Café", access_token=token)

    def it_is_there(outcomes: list[Outcome]) -> None:
        if any(outcome.succeeded for outcome in outcomes):
            assert shop(memory).access_token in {"1", "2"}

    explore(lambda: come("1"), lambda: come("2"), db=memory, invariant=it_is_there, errors=REFUSALS)


@with_and_without_guard
def test_a_shop_that_is_installed_during_an_uninstall_is_active(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    if not guarded:
        unguard("Shop")

    def leave() -> Shop:
        uninstall(memory, CAFE)
        return shop(memory)

    def it_is_active(outcomes: list[Outcome]) -> None:
        [came, left] = outcomes
        if came.succeeded and left.succeeded and left.result.access_token != "2":
            active = shop(memory).billing_status is BillingStatus.ACTIVE
            assert active, "installed after it left, and not active"

    with fails_unless(guarded=guarded, match="installed after it left, and not active"):
        explore(
            lambda: install(memory, CAFE, shop_name="Café", access_token="2"),
            leave,
            db=memory,
            invariant=it_is_active,
        )


@with_and_without_guard
def test_a_second_reinstall_keeps_the_chosen_plan(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    uninstall(memory, CAFE)
    if not guarded:
        unguard("Shop")

    def come_back() -> Shop:
        return install(memory, CAFE, shop_name="Café", access_token="2")

    def come_back_and_choose() -> Shop:
        come_back()
        return change_plan(memory, CAFE, Plan.SMALL)

    def it_is_kept(outcomes: list[Outcome]) -> None:
        [_, chosen] = outcomes
        if chosen.succeeded:
            assert shop(memory).plan is Plan.SMALL, "the plan was reset"

    with fails_unless(guarded=guarded, match="the plan was reset"):
        explore(
            come_back,
            come_back_and_choose,
            db=memory,
            invariant=it_is_kept,
            crashes=False,
        )


@with_and_without_guard
def test_two_concurrent_uninstalls_store_one_time(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    if not guarded:
        unguard("Shop")

    def leave_a_second_later() -> Shop:
        with clock(lambda: MORNING.timestamp() + 1):
            return uninstall(memory, CAFE)

    def both_say_when(outcomes: list[Outcome]) -> None:
        times = {outcome.result.uninstalled_at for outcome in outcomes if outcome.succeeded}
        assert len(times) <= 1, "it left at two times"

    with fails_unless(guarded=guarded, match="it left at two times"):
        explore(
            lambda: uninstall(memory, CAFE),
            leave_a_second_later,
            db=memory,
            invariant=both_say_when,
        )


@with_and_without_guard
def test_a_shop_that_is_reinstalled_during_its_purge_is_either_installed_or_erased(
    memory: DB, watch: Watch, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    count_api_calls(memory, CAFE, 1)
    uninstall(memory, CAFE)
    watch.wait(days=31)
    if not guarded:
        unguard("Shop")

    def come_back() -> None:
        install(memory, CAFE, shop_name="Café", access_token="2")

    def whole_or_gone(outcomes: list[Outcome]) -> None:
        [back, _] = outcomes
        found = memory(shop_by_domain(CAFE))
        if back.succeeded:
            assert found is not None, "it came back and is gone"
            assert found.erasing_since is None, "it came back and is being erased"
        if found is not None and found.uninstalled_at is None and found.installed_at < watch.now:
            assert memory(UsageDaily.query(domain=CAFE)), "it lost its usage"

    with fails_unless(guarded=guarded, match="it came back and is"):
        explore(
            come_back,
            lambda: purge(memory, CAFE),
            db=memory,
            invariant=whole_or_gone,
            errors=REFUSALS,
            crashes=False,
        )


def late_sweep(db: DB) -> None:
    """Sweep when the lease of every job has passed."""
    with clock((MORNING + LEASE).timestamp):
        sweep(db)


Writer = Callable[[DB], object]
WRITERS: dict[str, Writer] = {
    "submit": lambda db: queued(db, job_id(2)),
    "record_storage": lambda db: record_storage(db, CAFE, 1),
    "define": lambda db: define(db, CAFE, after=0, metafields=[], metaobjects=[]),
    "store_session": lambda db: store_session(db, SignIn("s1", CAFE, "xyz", "token")),
}
OTHER_WRITERS: dict[str, Writer] = {
    "receive_uninstall": lambda db: receive_uninstall(
        db, CAFE, UninstallNotice("n1", MORNING + timedelta(seconds=1))
    ),
    "install": lambda db: install(db, CAFE, shop_name="x", access_token="2"),
}


def finish_later(db: DB) -> None:
    """End the erasures when the index has settled."""
    later = MORNING + 2 * SETTLED_AFTER
    with clock(later.timestamp):
        assert not finish_erasures(db).failed


def is_erased_or_whole(db: DB) -> None:
    """Assert that there is a shop that is not being erased, or nothing of it."""
    found = db(shop_by_domain(CAFE))
    assert found is None or found.erasing_since is None, "the erasure has not ended"
    left = left_of_shops(db)
    assert found is not None or not left, "something is left"


@pytest.fixture
def settled(memory: DB, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an erasure end at once, as if the index had settled, and without a scan."""
    monkeypatch.setattr(erasing, "SETTLED_AFTER", timedelta())
    memory(mark_session_index(SessionIndex(checked_at=MORNING)))


@with_and_without_guard
@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_writes_during_an_erasure_leave_nothing_behind(
    memory: DB, unguard: Unguard, write: Writer, *, guarded: bool
) -> None:
    installed(memory)
    if not guarded:
        unguard("Shop", ConditionFailed, NotFound)

    def nothing_is_left(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            is_erased_or_whole(memory)

    with fails_unless(guarded=guarded, match="something is left|not ended|raised"):
        explore(
            lambda: write(memory),
            lambda: erase(memory, CAFE),
            db=memory,
            invariant=nothing_is_left,
            errors=REFUSALS,
            crashes=False,
            index_lag=False,  # it does not wait for the index here
        )


@pytest.mark.acceptance
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_writes_during_an_erasure_that_waits_leave_nothing_behind_although_indexes_lag(
    memory: DB, write: Writer, sample: int
) -> None:
    installed(memory)

    explored = explore(
        lambda: write(memory),
        lambda: erase(memory, CAFE),
        db=memory,
        then=lambda: finish_later(memory),
        invariant=lambda: is_erased_or_whole(memory),
        errors=REFUSALS,
        sample=sample,
    )

    assert explored.schedules > 10


@pytest.mark.parametrize("other", ["store_session", "receive_uninstall", "install"])
def test_an_erasure_finds_every_session_although_the_index_lags(memory: DB, other: str) -> None:
    installed(memory)
    write = {**WRITERS, **OTHER_WRITERS}[other]

    def nothing_is_left(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            is_erased_or_whole(memory)

    explore(
        lambda: write(memory),
        lambda: erase(memory, CAFE),
        db=memory,
        then=lambda: finish_later(memory),
        invariant=nothing_is_left,
        errors=REFUSALS,
        crashes=False,
    )


def dry_run(db: DB, number: int) -> Job:
    """Submit a job that leaves no usage, so that an erasure has few requests."""
    return submit(
        db,
        CAFE,
        file_key="a.csv",
        total_products=1,
        created_by="ann",
        is_dry_run=True,
        job_id=job_id(number),
    )


def worked_on(db: DB) -> None:
    dry_run(db, 1)
    start(db, CAFE, job_id(1))


@with_and_without_guard
@pytest.mark.usefixtures("settled")
def test_a_worker_whose_shop_is_erased_leaves_nothing_behind(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    worked_on(memory)
    if not guarded:
        unguard("Shop", ConditionFailed, NotFound)

    def nothing_is_left(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            is_erased_or_whole(memory)

    with fails_unless(guarded=guarded, match="something is left"):
        explore(
            lambda: record_batch(memory, CAFE, job_id(1), 0, successful=1, api_calls=1, attempt=1),
            lambda: erase(memory, CAFE),
            db=memory,
            invariant=nothing_is_left,
            errors=REFUSALS,
            crashes=False,
        )


def left_by_notice(db: DB) -> None:
    receive_uninstall(db, CAFE, NOTICE)


NOTICE = UninstallNotice("n1", MORNING + timedelta(seconds=1))
# Each writer, after what has to be there.
BESIDE: dict[str, tuple[Writer, Writer]] = {
    "store_session": (shop, lambda db: store_session(db, SignIn("s1", CAFE, "xyz", "token"))),
    "submit": (shop, lambda db: dry_run(db, 1)),
    "record_storage": (shop, WRITERS["record_storage"]),
    "define": (shop, WRITERS["define"]),
    "record_batch": (
        worked_on,
        lambda db: record_batch(db, CAFE, job_id(1), 0, successful=1, attempt=1),
    ),
    "notice": (shop, left_by_notice),
    "notice again": (left_by_notice, left_by_notice),
}


@pytest.mark.parametrize(("before", "write"), BESIDE.values(), ids=BESIDE)
def test_an_erasure_beside_a_write_ends_despite_crashes_lost_responses_and_index_lag(
    memory: DB, before: Writer, write: Writer
) -> None:
    installed(memory)
    before(memory)

    explore(
        lambda: write(memory),
        lambda: erase(memory, CAFE),
        db=memory,
        then=lambda: finish_later(memory),
        invariant=lambda: is_erased_or_whole(memory),
        errors=REFUSALS,
    )


def test_a_sweep_beside_an_erasure_revives_no_job_although_the_indexes_lag(memory: DB) -> None:
    installed(memory)
    worked_on(memory)

    explore(
        lambda: late_sweep(memory),
        lambda: erase(memory, CAFE),
        db=memory,
        then=lambda: finish_later(memory),
        invariant=lambda: is_erased_or_whole(memory),
        errors=REFUSALS,
        crashes=False,
    )


def same_id(_: datetime) -> str:
    return job_id(7)


def only_not_back_filled(_: str) -> Op[Any]:
    return searched_sessions("no.shop")


@with_and_without_guard
@pytest.mark.parametrize("others", [False, True], ids=["alone", "beside another shop's"])
def test_a_back_fill_during_an_erasure_hides_no_session_from_it(
    memory: DB, monkeypatch: pytest.MonkeyPatch, *, others: bool, guarded: bool
) -> None:
    installed(memory)
    uninstall(memory, CAFE)  # so that the erasure need not wait for sessions stored until then
    for domain in (CAFE, "other.com") if others else (CAFE,):
        put_item(memory, Shuttle, earlier_session(domain))
    # A back-fill scans, and so must find the same keys in every schedule.
    monkeypatch.setattr(erasing, "ulid", same_id)
    if not guarded:
        monkeypatch.setattr(erasing, "searched_sessions", only_not_back_filled)

    def back_fill() -> None:
        *_, last = Backfill(memory, [Session]).run()
        assert last.failed == 0

    def nothing_is_left() -> None:
        assert memory(shop_by_domain(CAFE)) is None
        assert CAFE not in str(left_of_shops(memory)), "a session is left"

    with (
        clock((MORNING + SETTLED_AFTER).timestamp),
        fails_unless(guarded=guarded, match="a session is left"),
    ):
        explored = explore(
            back_fill,
            lambda: erase(memory, CAFE),
            db=memory,
            then=lambda: finish_later(memory),
            invariant=nothing_is_left,
            errors=REFUSALS,
            crashes=False,
            sample=300,  # there are too many to run them all
        )
        assert explored.schedules > 10


AGAIN: dict[str, Writer] = {
    "submit": lambda db: dry_run(db, 1),
    "store_session": lambda db: store_session(db, SignIn("s1", CAFE, "xyz", "token")),
}


@with_and_without_guard
@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("write", AGAIN.values(), ids=AGAIN)
def test_the_slower_of_two_erasures_deletes_nothing_of_the_next_installation(
    memory: DB, unguard: Unguard, write: Writer, *, guarded: bool
) -> None:
    installed(memory)
    memory(begin_erasure(CAFE, Erasure(erasure_id=job_id(7), domain=CAFE, started_at=MORNING)))
    if not guarded:
        unguard("Shop", ConditionFailed, NotFound)

    def erase_and_return() -> None:
        erase(memory, CAFE)
        install(memory, CAFE, shop_name="x", access_token="2")
        write(memory)

    def it_is_whole_or_gone(outcomes: list[Outcome]) -> None:
        # An erasure that began after the installation deletes it.
        is_erased_or_whole(memory)
        if outcomes[1].succeeded and memory(shop_by_domain(CAFE)) is not None:
            assert len(left_of_shops(memory)) == 2, "something is lost"

    with fails_unless(guarded=guarded, match="something is l"):
        explore(
            lambda: erase(memory, CAFE),
            erase_and_return,
            db=memory,
            invariant=it_is_whole_or_gone,
            errors=REFUSALS,
            crashes=False,
            index_lag=False,  # it does not wait for the index here
        )


@pytest.mark.acceptance
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("write", AGAIN.values(), ids=AGAIN)
def test_the_slower_of_two_erasures_that_wait_deletes_nothing_although_indexes_lag(
    memory: DB, write: Writer, sample: int
) -> None:
    """Two schedules finish the erasure when the index has settled; the shop returns after one."""
    installed(memory)
    erase(memory, CAFE)

    def finish_and_return() -> None:
        finish_later(memory)
        install(memory, CAFE, shop_name="x", access_token="2")
        write(memory)

    def it_is_whole(outcomes: list[Outcome]) -> None:
        is_erased_or_whole(memory)
        if outcomes[1].succeeded:
            assert memory(shop_by_domain(CAFE)) is not None, "the shop is lost"
            assert len(left_of_shops(memory)) == 2, "something is lost"

    explored = explore(
        lambda: finish_later(memory),
        finish_and_return,
        db=memory,
        then=lambda: finish_later(memory),
        invariant=it_is_whole,
        errors=REFUSALS,
        sample=sample,
    )

    assert explored.schedules > 10


@pytest.mark.parametrize("fault", ["crash", "lost response"])
def test_two_erasures_end_despite_crashes_and_lost_responses(memory: DB, fault: str) -> None:
    installed(memory)

    def ended(outcomes: list[Outcome]) -> None:
        is_erased_or_whole(memory)
        if any(outcome.succeeded for outcome in outcomes):
            assert memory(shop_by_domain(CAFE)) is None, "it is still there"

    explore(
        lambda: erase(memory, CAFE),
        lambda: erase(memory, CAFE),
        db=memory,
        then=lambda: finish_later(memory),
        invariant=ended,
        errors=REFUSALS,
        crashes=fault == "crash",
        lost_responses=fault == "lost response",
    )


def test_an_erasure_that_dies_is_finished_by_the_schedule(memory: DB) -> None:
    installed(memory)
    queued(memory, job_id(1))
    suspend(memory, CAFE)
    store_session(memory, SignIn("s1", CAFE, "xyz", "token"))

    def ended(outcomes: list[Outcome]) -> None:
        found = memory(shop_by_domain(CAFE))
        if outcomes[0].succeeded or found is None:
            assert found is None
            assert not left_of_shops(memory)
            back = install(memory, CAFE, shop_name="x", access_token="2")
            assert back.billing_status is BillingStatus.SUSPENDED
            usage = memory(usage_of_day(CAFE, MORNING.date()))
            assert usage is not None
            assert usage.imports_count == 1

    explore(
        lambda: erase(memory, CAFE),
        db=memory,
        then=lambda: finish_later(memory),
        invariant=ended,
        errors=REFUSALS,
    )


@with_and_without_guard
def test_a_redelivered_notice_changes_nothing_of_the_next_installation(
    memory: DB, watch: Watch, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    if not guarded:
        unguard("Shop", ConditionFailed, VersionConflict)
    watch.wait(seconds=1)
    notice = UninstallNotice("n1", watch.now)
    watch.wait(seconds=1)

    def leave_and_return() -> None:
        receive_uninstall(memory, CAFE, notice)
        install(memory, CAFE, shop_name="x", access_token="2")
        store_session(memory, SignIn("s1", CAFE, "xyz", "token"))

    def it_is_installed(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            assert shop(memory).uninstalled_at is None, "uninstalled again"
            assert load_session(memory, "s1") is not None, "its session is gone"

    with fails_unless(guarded=guarded, match="uninstalled again"):
        explore(
            lambda: receive_uninstall(memory, CAFE, notice),
            leave_and_return,
            db=memory,
            invariant=it_is_installed,
            errors=REFUSALS,
            crashes=False,
        )


@with_and_without_guard
def test_a_notice_from_before_the_return_of_a_shop_does_not_uninstall_it(
    memory: DB, watch: Watch, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    if not guarded:
        unguard("Shop", ConditionFailed, VersionConflict)
    watch.wait(seconds=1)
    notice = UninstallNotice("n1", watch.now)
    watch.wait(seconds=1)

    def it_is_installed(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            assert shop(memory).uninstalled_at is None, "uninstalled again"

    with fails_unless(guarded=guarded, match="uninstalled again"):
        explore(
            lambda: receive_uninstall(memory, CAFE, notice),
            lambda: install(memory, CAFE, shop_name="x", access_token="2"),
            db=memory,
            invariant=it_is_installed,
            errors=REFUSALS,
        )


# Schemas and sessions


@with_and_without_guard
def test_of_two_callers_that_define_the_next_schema_one_succeeds(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    define(memory, CAFE, after=0, metafields=[], metaobjects=[])
    if not guarded:
        unguard("CurrentSchema")
        unguard("SchemaVersion", AlreadyExists)

    def next_one() -> CurrentSchema:
        return define(memory, CAFE, after=1, metafields=[], metaobjects=[])

    def one_did(outcomes: list[Outcome]) -> None:
        assert sum(outcome.succeeded for outcome in outcomes) <= 1, "both did"
        current = memory(current_schema(CAFE))
        assert current is not None
        assert memory(schema_version(CAFE, current.version)) is not None

    with fails_unless(guarded=guarded, match="both did"):
        explore(next_one, next_one, db=memory, invariant=one_did, errors=REFUSALS)


@with_and_without_guard
def test_a_session_that_is_ended_while_it_is_used_stays_ended(
    memory: DB, watch: Watch, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    store_session(memory, SignIn("s1", CAFE, "xyz", "token"))
    watch.wait(days=100)
    if not guarded:
        unguard("Session", NotFound, ConditionFailed)

    def it_is_gone(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            stored = [
                item["SK"]
                for item in stored_items(memory, Shuttle)
                if item["PK"]["S"] == "SESSION#s1"
            ]
            assert not stored, "it is back"

    with fails_unless(guarded=guarded, match="it is back|raised Unreadable"):
        explore(
            lambda: load_session(memory, "s1"),
            lambda: sign_out(memory, "s1"),
            db=memory,
            invariant=it_is_gone,
            errors=REFUSALS,
        )


@with_and_without_guard
def test_a_session_that_another_shop_stores_meanwhile_is_not_extended(
    memory: DB, watch: Watch, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    installed(memory, "other.com")
    store_session(memory, SignIn("s1", CAFE, "xyz", "token"))
    watch.wait(days=100)
    if not guarded:
        unguard("Session", ConditionFailed)

    def begun_by_the_other() -> None:
        sign_out(memory, "s1")
        store_session(memory, SignIn("s1", "other.com", "xyz", "token", is_online=True))

    def it_ends_in_a_day(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            session = memory(session_by_id("s1"))
            assert session is not None
            assert session.expires_at == watch.now + ONLINE_LIFETIME, "it was extended"

    with fails_unless(guarded=guarded, match="it was extended"):
        explore(
            lambda: load_session(memory, "s1", shop=CAFE),
            begun_by_the_other,
            db=memory,
            invariant=it_ends_in_a_day,
            errors=REFUSALS,
            crashes=False,  # a call that crashes extends nothing more
        )
