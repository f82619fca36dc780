"""A job whose worker has died is taken over, queued again, or failed after three attempts."""

from collections.abc import Callable

import pytest
from tests.systems.guards import with_and_without_guard
from tests.systems.racing import explore
from tests.systems.shuttle.conftest import (
    CAFE,
    MORNING,
    Unguard,
    Watch,
    fails_unless,
    installed,
    job_id,
    queued,
    shop,
)

from sortkey import DB, Op, Unreadable
from sortkey.testing import Outcome
from sortkey_systems.shuttle import working
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import (
    LEASE,
    MAX_ATTEMPTS,
    UNFINISHED,
    Job,
    JobStatus,
    job_by_id,
    jobs_due,
)
from sortkey_systems.shuttle.design.shops import Plan, Shop
from sortkey_systems.shuttle.design.usage import usage_of_day
from sortkey_systems.shuttle.errors import LeaseLost, ShopBeingErased, ShuttleError, WrongStatus
from sortkey_systems.shuttle.working import (
    cancel,
    complete,
    fail,
    record_batch,
    renew,
    start,
    sweep,
)

REFUSALS = (ShuttleError,)


def job(db: DB, number: int = 1) -> Job:
    found = db(job_by_id(CAFE, job_id(number)))
    assert found is not None
    return found


def lose_the_worker(db: DB, watch: Watch, times: int = 1) -> None:
    """Start the job and let its lease pass."""
    for _ in range(times):
        start(db, CAFE, job_id(1))
        watch.wait(seconds=LEASE.total_seconds())


def test_a_job_is_taken_over_when_its_lease_has_passed_and_not_before(db: DB, watch: Watch) -> None:
    installed(db)
    queued(db, job_id(1))
    assert start(db, CAFE, job_id(1)).attempts == 1
    watch.wait(seconds=LEASE.total_seconds() - 1)
    with pytest.raises(WrongStatus):
        start(db, CAFE, job_id(1))

    watch.wait(seconds=1)
    taken = start(db, CAFE, job_id(1))

    assert (taken.status, taken.attempts) == (JobStatus.PROCESSING, 2)
    assert (taken.started_at, taken.due_at) == (MORNING, watch.now + LEASE)


def test_batches_and_renewals_keep_the_lease(db: DB, watch: Watch) -> None:
    installed(db)
    queued(db, job_id(1))
    start(db, CAFE, job_id(1))

    for batch in range(3):
        watch.wait(seconds=LEASE.total_seconds() - 1)
        record_batch(db, CAFE, job_id(1), batch, successful=1, attempt=1)
        watch.wait(seconds=LEASE.total_seconds() - 1)
        renew(db, CAFE, job_id(1), 1)

    assert sweep(db).queued == ()
    with pytest.raises(WrongStatus):
        start(db, CAFE, job_id(1))


def test_a_worker_that_was_replaced_can_report_nothing(db: DB, watch: Watch) -> None:
    installed(db)
    queued(db, job_id(1))
    lose_the_worker(db, watch)
    start(db, CAFE, job_id(1))

    for report in (
        lambda: record_batch(db, CAFE, job_id(1), 0, successful=1, attempt=1),
        lambda: renew(db, CAFE, job_id(1), 1),
        lambda: complete(db, CAFE, job_id(1), attempt=1),
        lambda: fail(db, CAFE, job_id(1), attempt=1),
    ):
        with pytest.raises(LeaseLost):
            report()

    assert job(db).processed_products == 0
    assert complete(db, CAFE, job_id(1), attempt=2).status is JobStatus.COMPLETED


def test_queued_and_stuck_jobs_of_all_shops_are_listed_and_no_others(db: DB, watch: Watch) -> None:
    installed(db, plan=Plan.MEDIUM)
    installed(db, "other.com")
    for number in range(1, 5):
        queued(db, job_id(number))
        watch.wait(seconds=1)
    queued(db, job_id(5), "other.com")
    start(db, CAFE, job_id(1))
    start(db, CAFE, job_id(2))
    complete(db, CAFE, job_id(2), attempt=1)
    cancel(db, CAFE, job_id(3))

    def listed(status: JobStatus) -> list[tuple[str, str]]:
        return [(found.domain, found.job_id) for found in db(jobs_due(status, watch.now))]

    assert listed(JobStatus.QUEUED) == [(CAFE, job_id(4)), ("other.com", job_id(5))]
    assert listed(JobStatus.PROCESSING) == []
    watch.wait(seconds=LEASE.total_seconds())
    assert listed(JobStatus.PROCESSING) == [(CAFE, job_id(1))]
    for status in (JobStatus.COMPLETED, JobStatus.CANCELLED):
        assert listed(status) == []


def test_jobs_that_are_due_at_the_same_time_are_listed_by_shop(db: DB, watch: Watch) -> None:
    installed(db)
    installed(db, "a.com")
    queued(db, job_id(1), CAFE)
    queued(db, job_id(2), "a.com")

    found = [due.domain for due in db(jobs_due(JobStatus.QUEUED, watch.now))]

    assert found == ["a.com", CAFE]


def test_a_job_without_a_worker_is_queued_again(db: DB, watch: Watch) -> None:
    installed(db)
    queued(db, job_id(1))
    lose_the_worker(db, watch)

    swept = sweep(db)

    assert [found.job_id for found in swept.queued] == [job_id(1)]
    assert swept.failed == ()
    assert (job(db).status, job(db).attempts) == (JobStatus.QUEUED, 1)
    assert shop(db).active_jobs == 1
    assert sweep(db).queued == ()
    assert start(db, CAFE, job_id(1)).attempts == 2


def test_a_job_that_three_workers_have_lost_fails_and_releases_its_slot(
    db: DB, watch: Watch
) -> None:
    installed(db)
    queued(db, job_id(1))
    lose_the_worker(db, watch, MAX_ATTEMPTS)
    with pytest.raises(WrongStatus):
        start(db, CAFE, job_id(1))

    swept = sweep(db)

    assert [found.job_id for found in swept.failed] == [job_id(1)]
    failed = job(db)
    assert (failed.status, failed.completed_at) == (JobStatus.FAILED, watch.now)
    assert failed.failure_reason == "3 workers stopped without reporting an end"
    assert shop(db).active_jobs == 0
    assert [row.job_id for row in db(ImportHistory.query(domain=CAFE))] == [job_id(1)]
    assert queued(db, job_id(2)).status is JobStatus.QUEUED


def test_every_page_of_stuck_jobs_is_swept(memory: DB, watch: Watch) -> None:
    for number in range(1, 60):
        installed(memory, f"shop{number}.com")
        queued(memory, job_id(number), f"shop{number}.com")
        start(memory, f"shop{number}.com", job_id(number))
    watch.wait(seconds=LEASE.total_seconds())

    assert len(sweep(memory).queued) == 59


def test_a_job_that_cannot_be_swept_does_not_stop_the_others(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        installed(memory, f"shop{number}.com")
        queued(memory, job_id(number), f"shop{number}.com")
        start(memory, f"shop{number}.com", job_id(number))
    watch.wait(seconds=LEASE.total_seconds())
    reads = job_by_id

    def unreadable(domain: str, name: str) -> Op[Job | None]:
        if name == job_id(1):
            raise Unreadable("Job", {}, {"status": "is unknown"})
        return reads(domain, name)

    monkeypatch.setattr(working, "job_by_id", unreadable)

    swept = sweep(memory)

    assert [job.job_id for job in swept.queued] == [job_id(2)]
    assert [*swept.errors] == [job_id(1)]


def test_the_jobs_of_a_shop_that_is_being_erased_are_left_alone(memory: DB, watch: Watch) -> None:
    installed(memory)
    queued(memory, job_id(1))
    lose_the_worker(memory, watch)
    memory(Shop.update(domain=CAFE).set(erasing_since=watch.now))

    assert sweep(memory).queued == ()
    for step in (
        lambda: start(memory, CAFE, job_id(1)),
        lambda: renew(memory, CAFE, job_id(1), 1),
        lambda: record_batch(memory, CAFE, job_id(1), 0, successful=1, attempt=1),
        lambda: complete(memory, CAFE, job_id(1), attempt=1),
        lambda: cancel(memory, CAFE, job_id(1)),
    ):
        with pytest.raises(ShopBeingErased):
            step()


@with_and_without_guard
def test_of_a_worker_that_returns_and_one_that_takes_over_one_has_the_job(
    memory: DB, watch: Watch, unguard: Unguard, *, guarded: bool
) -> None:
    installed(memory)
    queued(memory, job_id(1))
    lose_the_worker(memory, watch)
    if not guarded:
        unguard("Job")

    def one_has_it(outcomes: list[Outcome]) -> None:
        assert not all(outcome.succeeded for outcome in outcomes), "both have it"

    with fails_unless(guarded=guarded, match="both have it"):
        explore(
            lambda: renew(memory, CAFE, job_id(1), 1),
            lambda: start(memory, CAFE, job_id(1)),
            db=memory,
            invariant=one_has_it,
            errors=REFUSALS,
        )


Late = Callable[[DB], Job]
LATE: dict[str, Late] = {
    "record_batch": lambda db: record_batch(db, CAFE, job_id(1), 0, successful=1, attempt=1),
    "complete": lambda db: complete(db, CAFE, job_id(1), attempt=1),
    "fail": lambda db: fail(db, CAFE, job_id(1), attempt=1),
}


@with_and_without_guard
@pytest.mark.parametrize("late", LATE.values(), ids=LATE)
def test_nothing_that_a_worker_reports_late_counts_beside_the_next_worker(
    memory: DB, watch: Watch, unguard: Unguard, late: Late, *, guarded: bool
) -> None:
    installed(memory)
    queued(memory, job_id(1))
    lose_the_worker(memory, watch)
    if not guarded:
        unguard("Job")

    def take_over() -> Job:
        taken = start(memory, CAFE, job_id(1))
        number, rest = taken.next_batch, 100 - taken.processed_products
        try:
            return record_batch(memory, CAFE, job_id(1), number, successful=rest, attempt=2)
        except ShuttleError as refused:
            raise AssertionError("taken from the next worker") from refused

    def counted_once() -> None:
        found = job(memory)
        usage = memory(usage_of_day(CAFE, MORNING.date()))
        assert usage is not None
        assert usage.products_imported == found.successful_products <= 100, "counted twice"
        rows = memory(ImportHistory.query(domain=CAFE))
        assert len(rows) == (found.status not in UNFINISHED), "revived"

    with fails_unless(guarded=guarded, match="counted twice|revived"):
        explore(
            lambda: late(memory),
            take_over,
            db=memory,
            invariant=counted_once,
            errors=REFUSALS,
        )


def test_workers_that_share_the_queue_of_all_shops_start_a_job_once_although_it_lags(
    memory: DB, watch: Watch
) -> None:
    installed(memory)
    queued(memory, job_id(1))

    def take_the_next() -> None:
        for found in memory(jobs_due(JobStatus.QUEUED, watch.now)):
            start(memory, found.domain, found.job_id)

    def started_once() -> None:
        assert job(memory).attempts <= 1, "started twice"

    explore(
        take_the_next,
        take_the_next,
        db=memory,
        invariant=started_once,
        errors=REFUSALS,
    )


@with_and_without_guard
@pytest.mark.parametrize("times", [1, MAX_ATTEMPTS])
def test_a_job_is_swept_once_and_not_taken_from_a_worker(
    memory: DB, watch: Watch, unguard: Unguard, times: int, *, guarded: bool
) -> None:
    installed(memory, plan=Plan.MEDIUM)
    queued(memory, job_id(1))
    queued(memory, job_id(2))
    lose_the_worker(memory, watch, times)
    if not guarded:
        unguard("Job")

    def one_did(outcomes: list[Outcome]) -> None:
        reported = outcomes[0]
        found = job(memory)
        if reported.succeeded and reported.result.status is JobStatus.PROCESSING:
            assert found.status is JobStatus.PROCESSING, "taken from its worker"
        rows = memory(ImportHistory.query(domain=CAFE))
        assert len(rows) == (found.status is JobStatus.FAILED)
        assert all(row.products_imported == found.successful_products for row in rows)

    with fails_unless(guarded=guarded, match="taken from its worker"):
        explore(
            lambda: record_batch(memory, CAFE, job_id(1), 0, successful=1, attempt=times),
            lambda: sweep(memory),
            db=memory,
            invariant=one_did,
            errors=REFUSALS,
        )
