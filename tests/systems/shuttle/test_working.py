"""Jobs change their status, and add a row of history."""

from collections.abc import Callable
from functools import partial

import pytest
from tests.access.executors import stored_items
from tests.systems.shuttle.conftest import CAFE, MORNING, Watch, installed, job_id, queued, shop

from sortkey import DB, Contended, TransactionFailed
from sortkey_systems.shuttle import working
from sortkey_systems.shuttle.design.history import ImportHistory, history_between
from sortkey_systems.shuttle.design.jobs import (
    Batch,
    HistoryKey,
    Job,
    JobStatus,
    JobType,
    count_last_batch,
    finish_job,
    job_by_id,
    jobs_by_status,
    jobs_in_status,
)
from sortkey_systems.shuttle.design.shops import Plan, Shop
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import usage_of_day, usage_of_month
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfOrder,
    JobNotFound,
    WrongStatus,
)
from sortkey_systems.shuttle.submitting import submit
from sortkey_systems.shuttle.working import cancel, complete, fail, record_batch, start

Step = Callable[[DB, str, str], Job]
COMPLETE: Step = partial(complete, attempt=1)
FAIL: Step = partial(fail, attempt=1)


@pytest.fixture
def job(db: DB) -> str:
    """Return a started job."""
    installed(db)
    queued(db, job_id(1))
    return start(db, CAFE, job_id(1)).job_id


def history(db: DB) -> list[ImportHistory]:
    return list(db(ImportHistory.query(domain=CAFE)))


def test_a_job_starts_once(db: DB, job: str) -> None:
    started = db(job_by_id(CAFE, job))

    assert started is not None
    assert (started.status, started.started_at) == (JobStatus.PROCESSING, MORNING)
    with pytest.raises(WrongStatus) as refused:
        start(db, CAFE, job)
    assert refused.value.status is JobStatus.PROCESSING


def test_its_index_entries_follow_its_status(db: DB, job: str) -> None:
    assert not db(jobs_by_status(CAFE, JobStatus.QUEUED))
    assert not db(jobs_in_status(CAFE, JobStatus.QUEUED))
    assert [found.job_id for found in db(jobs_by_status(CAFE, JobStatus.PROCESSING))] == [job]
    assert [found.job_id for found in db(jobs_in_status(CAFE, JobStatus.PROCESSING))] == [job]

    complete(db, CAFE, job, attempt=1)

    assert not db(jobs_by_status(CAFE, JobStatus.PROCESSING))
    assert [found.job_id for found in db(jobs_by_status(CAFE, JobStatus.COMPLETED))] == [job]
    assert [found.job_id for found in db(jobs_in_status(CAFE, JobStatus.COMPLETED))] == [job]


def test_batches_add_up(db: DB, job: str) -> None:
    record_batch(
        db, CAFE, job, 0, successful=40, errors={"INVALID_SKU": 10}, api_calls=5, attempt=1
    )
    done = record_batch(
        db, CAFE, job, 1, successful=48, errors={"INVALID_SKU": 1, "X": 1}, attempt=1
    )

    assert (done.processed_products, done.successful_products) == (100, 88)
    assert (done.failed_products, done.error_summary) == (12, {"INVALID_SKU": 11, "X": 1})
    for usage in (db(usage_of_day(CAFE, MORNING.date())), db(usage_of_month(CAFE, "2032-03"))):
        assert usage is not None
        assert (usage.imports_count, usage.products_imported, usage.api_calls) == (1, 88, 5)


def test_an_empty_batch_is_counted_and_uses_nothing(memory: DB, watch: Watch) -> None:
    installed(memory)
    queued(memory, job_id(1))
    start(memory, CAFE, job_id(1))
    watch.wait(days=31)

    done = record_batch(memory, CAFE, job_id(1), 0, successful=0, errors={"X": 1}, attempt=1)

    assert (done.next_batch, done.failed_products) == (1, 1)
    assert memory(usage_of_day(CAFE, watch.now.date())) is None
    assert memory(usage_of_month(CAFE, "2032-04")) is None


def test_two_jobs_that_end_at_the_same_time_each_have_a_row_of_history(memory: DB) -> None:
    installed(memory, plan=Plan.MEDIUM)
    for number in (1, 2):
        queued(memory, job_id(number))
        cancel(memory, CAFE, job_id(number))

    assert [row.job_id for row in history(memory)] == [job_id(1), job_id(2)]


def test_a_batch_that_is_counted_is_not_counted_again(db: DB, job: str) -> None:
    record_batch(db, CAFE, job, 0, successful=100, attempt=1)

    for wrong in (0, 2):
        with pytest.raises(BatchOutOfOrder) as refused:
            record_batch(db, CAFE, job, wrong, successful=100, attempt=1)
        assert refused.value.expected == 1


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("successful", {"successful": 101}),
        ("successful", {"successful": 100, "errors": {"X": 1}}),
        ("successful", {"successful": -1}),
        ("errors", {"successful": 1, "errors": {"X": 1, "Y": -1}}),
        ("errors", {"successful": 1, "errors": {"": 1}}),
        ("api_calls", {"successful": 1, "api_calls": -1}),
    ],
)
def test_an_invalid_batch_is_rejected_by_field(
    db: DB, job: str, field: str, given: dict[str, int]
) -> None:
    before = stored_items(db, Shuttle)

    with pytest.raises(BadInput) as refused:
        record_batch(db, CAFE, job, 0, **given, attempt=1)  # type: ignore[arg-type]

    assert refused.value.field == field
    assert stored_items(db, Shuttle) == before


def test_a_dry_run_imports_nothing(db: DB) -> None:
    installed(db)
    job = submit(
        db, CAFE, file_key="a", total_products=10, created_by="ann", is_dry_run=True
    ).job_id
    start(db, CAFE, job)
    record_batch(db, CAFE, job, 0, successful=10, api_calls=2, attempt=1)
    complete(db, CAFE, job, attempt=1)

    usage = db(usage_of_day(CAFE, MORNING.date()))
    assert usage is not None
    assert (usage.imports_count, usage.products_imported, usage.api_calls) == (0, 0, 2)
    [row] = history(db)
    assert row.products_imported == 0


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (COMPLETE, JobStatus.COMPLETED),
        (FAIL, JobStatus.FAILED),
        (cancel, JobStatus.CANCELLED),
    ],
)
def test_a_job_that_ends_releases_its_slot_and_writes_history_once(
    db: DB, job: str, watch: Watch, end: Step, status: JobStatus
) -> None:
    record_batch(db, CAFE, job, 0, successful=40, errors={"X": 2}, attempt=1)
    watch.wait(seconds=90.5)

    ended = end(db, CAFE, job)

    assert (ended.status, ended.completed_at) == (status, watch.now)
    assert shop(db).active_jobs == 0
    [row] = history(db)
    assert (row.job_id, row.completed_at, row.duration_ms) == (job, watch.now, 90_500)
    assert (row.products_imported, row.error_count, row.mode) == (40, 2, ended.mode)
    for again in (COMPLETE, FAIL, cancel, start):
        with pytest.raises(WrongStatus) as refused:
            again(db, CAFE, job)
        assert refused.value.status is status
    with pytest.raises(WrongStatus):
        record_batch(db, CAFE, job, 7, successful=1, attempt=1)
    assert history(db) == [row]


def test_a_batch_that_was_under_way_when_the_job_was_cancelled_is_counted(
    db: DB, job: str, watch: Watch
) -> None:
    record_batch(db, CAFE, job, 0, successful=10, attempt=1)
    cancel(db, CAFE, job)
    watch.wait(seconds=1)

    recorded = record_batch(
        db, CAFE, job, 1, successful=50, errors={"X": 2}, api_calls=5, attempt=1
    )

    assert (recorded.status, recorded.successful_products, recorded.due_at) == (
        JobStatus.CANCELLED,
        60,
        None,
    )
    [row] = history(db)
    assert (row.products_imported, row.error_count) == (60, 2)
    usage = db(usage_of_day(CAFE, MORNING.date()))
    assert usage is not None
    assert (usage.products_imported, usage.api_calls) == (60, 5)
    for more in (1, 2):
        with pytest.raises(WrongStatus):
            record_batch(db, CAFE, job, more, successful=1, attempt=1)


def test_only_the_batch_that_was_under_way_is_counted_after_the_end(db: DB, job: str) -> None:
    record_batch(db, CAFE, job, 0, successful=10, attempt=1)
    cancel(db, CAFE, job)
    record_batch(db, CAFE, job, 1, successful=10, attempt=1)
    ended = db(job_by_id(CAFE, job))
    assert ended is not None
    key = HistoryKey.model_validate(ended, from_attributes=True)
    another = Batch(number=2, successful=10, errors={}, imported=10, api_calls=0)

    with pytest.raises(TransactionFailed):
        db(count_last_batch(ended, key, another, MORNING))

    assert db(job_by_id(CAFE, job)) == ended


def test_no_batch_is_counted_for_a_job_that_never_started(db: DB) -> None:
    installed(db)
    queued(db, job_id(1))
    cancel(db, CAFE, job_id(1))

    with pytest.raises(WrongStatus):
        record_batch(db, CAFE, job_id(1), 0, successful=1, attempt=0)


def test_a_queued_job_can_only_start_or_be_cancelled(db: DB) -> None:
    installed(db)
    queued(db, job_id(1))

    for wrong in (complete, fail):
        with pytest.raises(WrongStatus) as refused:
            wrong(db, CAFE, job_id(1), attempt=0)
        assert refused.value.status is JobStatus.QUEUED
    with pytest.raises(WrongStatus):
        record_batch(db, CAFE, job_id(1), 0, successful=1, attempt=0)
    assert cancel(db, CAFE, job_id(1)).status is JobStatus.CANCELLED
    [row] = history(db)
    assert row.duration_ms == 0


def test_a_finished_job_is_gone_after_ninety_days_and_its_history_stays(
    db: DB, job: str, watch: Watch
) -> None:
    complete(db, CAFE, job, attempt=1)
    watch.wait(days=90, seconds=-1)
    assert db(job_by_id(CAFE, job)) is not None

    watch.wait(seconds=1)

    assert db(job_by_id(CAFE, job)) is None
    assert not db(jobs_by_status(CAFE, JobStatus.COMPLETED))
    with pytest.raises(JobNotFound):
        cancel(db, CAFE, job)
    rows = db(history_between(CAFE, MORNING, watch.now))
    assert [row.job_id for row in rows] == [job]


def test_an_unfinished_job_does_not_expire_and_keeps_its_slot(
    db: DB, job: str, watch: Watch
) -> None:
    watch.wait(days=365)

    assert complete(db, CAFE, job, attempt=1).status is JobStatus.COMPLETED
    assert shop(db).active_jobs == 0


def test_an_unknown_job_is_not_found(db: DB) -> None:
    installed(db, plan=Plan.MEDIUM)
    queued(db, job_id(1))

    for step in (start, COMPLETE, FAIL, cancel):
        with pytest.raises(JobNotFound):
            step(db, CAFE, job_id(12))
        with pytest.raises(JobNotFound):
            step(db, "other.com", job_id(1))
        with pytest.raises(BadInput) as refused:
            step(db, CAFE, "a#b")
        assert refused.value.field == "job_id"


def test_an_export_ends_as_an_import_does(db: DB) -> None:
    installed(db)
    job = submit(
        db, CAFE, file_key="a", total_products=500, created_by="ann", job_type=JobType.EXPORT
    ).job_id
    start(db, CAFE, job)
    record_batch(db, CAFE, job, 0, successful=500, attempt=1)
    complete(db, CAFE, job, attempt=1)

    [row] = history(db)
    assert row.products_imported == 0
    assert shop(db).active_jobs == 0


def test_a_shop_never_has_fewer_jobs_than_none(db: DB, job: str) -> None:
    db(Shop.update(domain=CAFE).set(lambda s: s.active_jobs).to(0))

    complete(db, CAFE, job, attempt=1)

    assert shop(db).active_jobs == 0
    found = db(job_by_id(CAFE, job))
    assert found is not None
    assert found.status is JobStatus.COMPLETED


def test_a_job_that_the_shop_counts_does_not_end_without_its_release(db: DB, job: str) -> None:
    found = working.find_job(db, CAFE, job)
    row = ImportHistory(
        domain=CAFE,
        job_id=job,
        completed_at=found.created_at,
        products_imported=0,
        error_count=0,
        mode=found.mode,
        duration_ms=0,
    )

    with pytest.raises(TransactionFailed):
        db(finish_job(found, row, has_failed=False, is_counted=False))

    assert (working.find_job(db, CAFE, job).status, history(db)) == (found.status, [])


def test_the_end_of_a_job_gives_up_after_five_conflicts(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(memory)
    queued(memory, job_id(1))
    read = start(memory, CAFE, job_id(1))
    record_batch(memory, CAFE, job_id(1), 0, successful=1, attempt=1)
    asked: list[str] = []

    def as_it_was(db: DB, domain: str, job_id: str) -> Job:
        asked.append(job_id)
        return read

    monkeypatch.setattr(working, "find_job", as_it_was)

    with pytest.raises(Contended):
        complete(memory, CAFE, job_id(1), attempt=1)

    assert asked == [job_id(1)] * 5
    assert history(memory) == []
