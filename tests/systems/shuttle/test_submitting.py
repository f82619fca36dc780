"""Jobs are accepted within the limits of the plan, in one transaction."""

from datetime import timedelta
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.pages import Page
from tests.systems.shuttle.conftest import (
    CAFE,
    MORNING,
    Watch,
    installed,
    job_id,
    queued,
    shop,
)

from sortkey import DB, Contended
from sortkey_systems.shuttle import submitting
from sortkey_systems.shuttle.design.jobs import Job, JobStatus, JobType, job_by_id
from sortkey_systems.shuttle.design.shops import Plan, Shop
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import (
    UsageDaily,
    UsageMonthly,
    usage_of_day,
    usage_of_month,
)
from sortkey_systems.shuttle.errors import (
    BadInput,
    DailyLimitReached,
    JobAlreadyRunning,
    JobAlreadySubmitted,
    MonthlyLimitReached,
    ShopNotActive,
    ShopNotFound,
    TooManyProducts,
)
from sortkey_systems.shuttle.installing import change_plan, suspend, uninstall
from sortkey_systems.shuttle.submitting import submit
from sortkey_systems.shuttle.working import cancel

PAGE = Page("shuttle")


def allowed(plan: Plan) -> list[int]:
    """Return the limits of a plan: products, and imports per day and month."""
    [cells] = [row for row in PAGE.rows("Limits of each plan") if row[0] == f"`{plan.value}`"]
    return [int(cell.replace(",", "")) for cell in cells[1:4]]


def used(db: DB) -> tuple[int, int]:
    """Return the imports of the day and of the month."""
    day, month = db(usage_of_day(CAFE, MORNING.date())), db(usage_of_month(CAFE, "2032-03"))
    return (day.imports_count if day else 0, month.imports_count if month else 0)


def test_a_job_is_queued_and_counted_and_takes_a_slot(db: DB) -> None:
    installed(db)

    job = queued(db)

    assert db(job_by_id(CAFE, job.job_id)) == job
    assert (job.status, job.created_at) == (JobStatus.QUEUED, MORNING)
    assert shop(db).active_jobs == 1
    assert used(db) == (1, 1)


def test_its_attributes_have_the_names_of_the_document(db: DB) -> None:
    installed(db)
    job = queued(db)

    [item] = [item for item in stored_items(db, Shuttle) if item["_type"] == {"S": "Job"}]
    assert item["PK"] == {"S": f"SHOP#{CAFE}"}
    assert item["SK"] == {"S": f"JOB#{job.job_id}"}
    assert item["GSI1PK"] == {"S": f"SHOP#{CAFE}"}
    assert item["GSI1SK"] == {"S": f"STATUS#QUEUED#2032-03-01T09:30:00.000000Z#{job.job_id}"}
    assert (item["ShopDomain"], item["Status"]) == ({"S": CAFE}, {"S": "QUEUED"})
    assert {"type", "mode", "isDryRun", "fileKey", "createdAt", "createdBy"} < item.keys()
    assert {"totalProducts", "processedProducts", "successfulProducts"} < item.keys()
    assert {"failedProducts", "errorSummary"} < item.keys()


def test_only_jobs_are_in_the_status_index(db: DB) -> None:
    installed(db)
    queued(db)

    [item] = stored_items(db, Shuttle, "StatusIndex")
    assert item["_type"] == {"S": "Job"}


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.SMALL])
def test_a_second_job_is_rejected_if_the_plan_allows_one(db: DB, plan: Plan) -> None:
    installed(db, plan=plan)
    first = queued(db)

    with pytest.raises(JobAlreadyRunning):
        queued(db)
    assert used(db) == (1, 1)
    cancel(db, CAFE, first.job_id)
    queued(db)
    assert used(db) == (2, 2)


@pytest.mark.parametrize("plan", [Plan.MEDIUM, Plan.LARGE])
def test_jobs_run_concurrently_if_the_plan_allows_it(db: DB, plan: Plan) -> None:
    installed(db, plan=plan)

    for _ in range(3):
        queued(db)

    assert shop(db).active_jobs == 3


@pytest.mark.parametrize("plan", list(Plan))
def test_an_import_has_as_many_products_as_the_plan_allows(db: DB, plan: Plan) -> None:
    installed(db, plan=plan)
    most, _, _ = allowed(plan)

    with pytest.raises(TooManyProducts) as refused:
        queued(db, products=most + 1)
    assert refused.value.limit == most
    assert used(db) == (0, 0)
    queued(db, products=most)


@pytest.mark.parametrize("plan", list(Plan))
def test_a_day_has_as_many_imports_as_the_plan_allows(db: DB, plan: Plan, watch: Watch) -> None:
    installed(db, plan=plan)
    _, most, _ = allowed(plan)
    db(UsageDaily(domain=CAFE, day=MORNING.date(), imports_count=most - 1).put())

    last = queued(db)
    cancel(db, CAFE, last.job_id)
    with pytest.raises(DailyLimitReached) as refused:
        queued(db)

    assert refused.value.limit == most
    assert used(db) == (most, 1)
    assert shop(db).active_jobs == 0
    watch.wait(days=1)
    queued(db)


@pytest.mark.parametrize("plan", list(Plan))
def test_a_month_has_as_many_imports_as_the_plan_allows(db: DB, plan: Plan, watch: Watch) -> None:
    installed(db, plan=plan)
    _, _, most = allowed(plan)
    db(UsageMonthly(domain=CAFE, month="2032-03", imports_count=most - 1).put())

    last = queued(db)
    cancel(db, CAFE, last.job_id)
    with pytest.raises(MonthlyLimitReached) as refused:
        queued(db)

    assert refused.value.limit == most
    assert used(db) == (1, most)
    assert shop(db).active_jobs == 0
    watch.wait(days=31)
    queued(db)


@pytest.mark.parametrize("given", [{"is_dry_run": True}, {"job_type": JobType.EXPORT}])
def test_a_dry_run_or_an_export_takes_a_slot_and_is_not_an_import(
    db: DB, given: dict[str, Any]
) -> None:
    installed(db)

    submit(db, CAFE, file_key="a", total_products=1, created_by="ann", **given)

    assert used(db) == (0, 0)
    assert shop(db).active_jobs == 1
    with pytest.raises(JobAlreadyRunning):
        queued(db)


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.MEDIUM])
def test_a_job_that_is_submitted_twice_is_there_once(db: DB, plan: Plan) -> None:
    installed(db, plan=plan)
    first = queued(db, job_id(1))

    assert queued(db, job_id(1)) == first
    with pytest.raises(JobAlreadySubmitted):
        queued(db, job_id(1), products=99)

    assert used(db) == (1, 1)
    assert shop(db).active_jobs == 1


def test_a_dry_run_does_not_replace_a_job_with_the_same_id(memory: DB) -> None:
    installed(memory, plan=Plan.MEDIUM)
    job = queued(memory, job_id(1))

    with pytest.raises(JobAlreadySubmitted):
        submit(
            memory,
            CAFE,
            file_key="b",
            total_products=1,
            created_by="bob",
            is_dry_run=True,
            job_id=job_id(1),
        )

    assert memory(job_by_id(CAFE, job_id(1))) == job
    assert shop(memory).active_jobs == 1


def test_a_suspended_or_uninstalled_shop_cannot_submit(db: DB) -> None:
    with pytest.raises(ShopNotFound):
        queued(db)
    installed(db)
    suspend(db, CAFE)
    with pytest.raises(ShopNotActive):
        queued(db)
    uninstall(db, CAFE)
    with pytest.raises(ShopNotActive):
        queued(db)
    assert used(db) == (0, 0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("file_key", ""),
        ("total_products", 0),
        ("total_products", -1),
        ("created_by", ""),
        ("job_id", "not a ulid"),
        ("job_id", "0" * 25 + "#"),
    ],
)
def test_bad_input_is_rejected_by_field_and_nothing_is_written(
    db: DB, field: str, value: Any
) -> None:
    installed(db)
    before = stored_items(db, Shuttle)
    given: dict[str, Any] = {"file_key": "a.csv", "total_products": 10, "created_by": "ann"}

    with pytest.raises(BadInput) as refused:
        submit(db, CAFE, **given | {field: value})

    assert refused.value.field == field
    assert stored_items(db, Shuttle) == before


def test_the_day_and_the_month_are_those_of_the_submission(db: DB, watch: Watch) -> None:
    installed(db, plan=Plan.MEDIUM)
    watch.now = MORNING.replace(hour=23, minute=59, second=59) + timedelta(days=30)
    queued(db)
    watch.wait(seconds=1)
    queued(db)

    days = db(UsageDaily.query(domain=CAFE))
    months = db(UsageMonthly.query(domain=CAFE))
    assert [(str(d.day), d.imports_count) for d in days] == [("2032-03-31", 1), ("2032-04-01", 1)]
    assert [(m.month, m.imports_count) for m in months] == [("2032-03", 1), ("2032-04", 1)]
    assert len(db(Job.query(domain=CAFE))) == 2


def test_a_submission_gives_up_after_five_conflicts(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = installed(memory, plan=Plan.MEDIUM)
    change_plan(memory, CAFE, Plan.SMALL)
    asked: list[str] = []

    def as_it_was(db: DB, domain: str) -> Shop:
        asked.append(domain)
        return read

    monkeypatch.setattr(submitting, "find_shop", as_it_was)

    with pytest.raises(Contended):
        queued(memory)

    assert asked == [CAFE] * 5
    assert used(memory) == (0, 0)
