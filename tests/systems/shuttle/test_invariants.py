"""The invariants of the records, and records that break them."""

from datetime import UTC, date, datetime

import pytest

from sortkey_systems.shuttle.design.jobs import Job, JobStatus, counts_its_jobs
from sortkey_systems.shuttle.design.shops import Shop
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly, is_the_sum_of_its_days

SHOP = Shop.model_construct(domain="a.example", active_jobs=1, erasing_since=None)
ERASED = Shop.model_construct(
    domain="a.example", active_jobs=1, erasing_since=datetime(2026, 3, 1, tzinfo=UTC)
)
MONTH = UsageMonthly.model_construct(
    domain="a.example", month="2026-03", imports_count=3, products_imported=30
)


def job(status: JobStatus, domain: str = "a.example") -> Job:
    return Job.model_construct(domain=domain, status=status)


def day(at: date, domain: str = "a.example", imports: int = 1, products: int = 10) -> UsageDaily:
    return UsageDaily.model_construct(
        domain=domain, day=at, imports_count=imports, products_imported=products
    )


DAYS = [day(date(2026, 3, 1)), day(date(2026, 3, 2), imports=2, products=20)]


@pytest.mark.parametrize("status", [JobStatus.QUEUED, JobStatus.PROCESSING])
def test_a_shop_counts_its_jobs_that_have_not_ended(status: JobStatus) -> None:
    others = [job(JobStatus.COMPLETED), job(status, "b.example")]

    assert counts_its_jobs(SHOP, [job(status), *others])
    assert not counts_its_jobs(SHOP, others)
    assert not counts_its_jobs(SHOP, [job(status), job(status)])
    assert counts_its_jobs(ERASED, others)


def test_a_month_is_the_sum_of_its_days() -> None:
    others = [day(date(2026, 4, 1)), day(date(2026, 3, 1), "b.example")]

    assert is_the_sum_of_its_days(MONTH, [*DAYS, *others], [SHOP])
    assert not is_the_sum_of_its_days(MONTH, DAYS[:1], [SHOP])
    assert not is_the_sum_of_its_days(MONTH, [*DAYS, day(date(2026, 3, 3), imports=0)], [SHOP])
    assert not is_the_sum_of_its_days(MONTH, [*DAYS, day(date(2026, 3, 3), products=0)], [SHOP])


def test_the_days_of_a_shop_that_is_erased_go_one_by_one() -> None:
    assert is_the_sum_of_its_days(MONTH, [], [ERASED])
    assert is_the_sum_of_its_days(MONTH, [], [])
    assert not is_the_sum_of_its_days(MONTH, [], [SHOP])
