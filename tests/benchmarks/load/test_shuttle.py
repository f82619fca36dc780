"""The crowd of Shuttle reports violated guarantees."""

import pytest
from benchmarks.load.shuttle import BATCH, CALLS, PRODUCTS, Shuttle

from sortkey import DB, Keyring, LocalKey, utc_now
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import Job
from sortkey_systems.shuttle.design.shops import JobMode, Plan, Shop
from sortkey_systems.shuttle.design.table import Shuttle as Table
from sortkey_systems.shuttle.design.usage import UsageDaily
from sortkey_systems.shuttle.installing import change_plan, install
from sortkey_systems.shuttle.metering import count_api_calls
from sortkey_systems.shuttle.retaining import HASH_KEY
from sortkey_systems.shuttle.submitting import submit
from sortkey_systems.shuttle.working import complete, record_batch, start

CAFE = "cafe.myshopify.com"
JOB = "01KKZ3D5V1W4ZBT4Y5S1GYQ2M8"


@pytest.fixture(autouse=True)
def _hash_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY, "a key for tests")


@pytest.fixture
def db() -> DB:
    """Yield a database with a job in progress, of which one batch is counted."""
    db = DB.memory(Table, secrets=Keyring(LocalKey.new("test")))
    install(db, CAFE, shop_name="Café", access_token="shpat")
    change_plan(db, CAFE, Plan.LARGE)
    submit(db, CAFE, file_key="a.csv", total_products=PRODUCTS, created_by="ann", job_id=JOB)
    start(db, CAFE, JOB)
    counts(db, 0)
    return db


def counts(db: DB, batch: int) -> None:
    """Count a batch, as a visit of a worker does."""
    record_batch(
        db,
        CAFE,
        JOB,
        batch,
        successful=BATCH - 1,
        errors={"NO_PRICE": 1},
        api_calls=CALLS,
        attempt=1,
    )


@pytest.fixture
def crowd() -> Shuttle:
    """Return a crowd that noted the counted batch."""
    crowd = Shuttle()
    crowd.counted_batch(JOB, 0)
    return crowd


def test_what_the_services_write_is_as_it_should_be(db: DB, crowd: Shuttle) -> None:
    assert list(crowd.faults(db)) == []
    complete(db, CAFE, JOB, attempt=1)
    assert list(crowd.faults(db)) == []


def test_a_batch_that_is_counted_twice_is_found(db: DB, crowd: Shuttle) -> None:
    crowd.counted_batch(JOB, 0)

    assert list(crowd.faults(db)) == [f"the batch 0 of {JOB} was counted 2 times"]


def test_a_wrong_count_of_a_job_is_found(db: DB, crowd: Shuttle) -> None:
    [job] = db.each(Job.scan())
    db(job.update().add(lambda each: each.processed_products).by(1))
    assert list(crowd.faults(db)) == [f"the job {JOB} has processed {BATCH + 1}"]

    db(job.update().add(lambda each: each.next_batch).by(1))
    assert f"the job {JOB} counts (2, {BATCH - 1}, 1) after 1 batches" in crowd.faults(db)


def test_a_wrong_count_of_active_jobs_is_found(db: DB, crowd: Shuttle) -> None:
    [shop] = db.each(Shop.scan())
    db(shop.update().add(lambda each: each.active_jobs).by(1))

    assert list(crowd.faults(db)) == [f"{CAFE} counts 2 active jobs but has 1"]


def test_two_jobs_at_a_time_are_found_where_a_plan_has_one(db: DB, crowd: Shuttle) -> None:
    submit(db, CAFE, file_key="b.csv", total_products=PRODUCTS, created_by="ann")
    change_plan(db, CAFE, Plan.SMALL)

    assert list(crowd.faults(db)) == [f"{CAFE} has 2 jobs at once"]


def test_more_imports_than_a_plan_has_are_found(db: DB, crowd: Shuttle) -> None:
    for _ in range(5):
        job = submit(db, CAFE, file_key="b.csv", total_products=PRODUCTS, created_by="ann")
        start(db, CAFE, job.job_id)
        complete(db, CAFE, job.job_id, attempt=1)
    change_plan(db, CAFE, Plan.FREE)

    [fault] = crowd.faults(db)
    assert fault.startswith(f"{CAFE} has 6 imports on ")


def test_wrong_usage_is_found(db: DB, crowd: Shuttle) -> None:
    [usage] = db.each(UsageDaily.scan())
    db(usage.update().add(lambda each: each.imports_count).by(1))

    [fault] = crowd.faults(db)
    assert fault == (
        f"{CAFE} has used {{'api_calls': {CALLS}, 'imports_count': 1, "
        f"'products_imported': {BATCH - 1}}}, but its days have "
        f"{{'api_calls': {CALLS}, 'imports_count': 2, 'products_imported': {BATCH - 1}}}"
    )


def test_a_batch_of_a_call_that_failed_may_be_counted_or_not(db: DB, crowd: Shuttle) -> None:
    crowd.doubt_batch(JOB, 1)
    assert list(crowd.faults(db)) == []
    counts(db, 1)
    assert list(crowd.faults(db)) == []
    counts(db, 2)
    assert any("after 1 to 2 batches" in fault for fault in crowd.faults(db))


def test_calls_that_failed_may_be_counted_or_not(db: DB, crowd: Shuttle) -> None:
    crowd.doubt_calls(CAFE, 3)
    assert list(crowd.faults(db)) == []
    count_api_calls(db, CAFE, 3)
    assert list(crowd.faults(db)) == []
    count_api_calls(db, CAFE, 3)
    assert list(crowd.faults(db)) != []


def test_a_job_that_is_in_the_history_before_its_end_is_found(db: DB, crowd: Shuttle) -> None:
    row = ImportHistory(
        domain=CAFE,
        job_id=JOB,
        completed_at=utc_now(),
        products_imported=0,
        error_count=0,
        mode=JobMode.NEW_ONLY,
        duration_ms=1,
    )
    db(row.create())

    assert list(crowd.faults(db)) == [f"the job {JOB} is in the history 1 times"]
