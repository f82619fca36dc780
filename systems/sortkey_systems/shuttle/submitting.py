"""Submitting a job: counted against the plan, let in, and queued, in one transaction."""

from sortkey import DB, AlreadyExists, ConditionFailed, TransactionFailed, utc_now
from sortkey_systems.shuttle.design import BillingStatus, Job, JobMode, JobType, Shop
from sortkey_systems.shuttle.design.plans import LIMITS
from sortkey_systems.shuttle.design.writes import submit_import, submit_uncounted
from sortkey_systems.shuttle.errors import (
    BadInput,
    DailyLimitReached,
    JobAlreadyRunning,
    JobAlreadySubmitted,
    MonthlyLimitReached,
    ShopBusy,
    ShopNotActive,
    TooManyProducts,
    checked,
)
from sortkey_systems.shuttle.installing import ATTEMPTS, find_shop
from sortkey_systems.shuttle.ulids import ulid


def submit(
    db: DB,
    domain: str,
    *,
    file_key: str,
    total_products: int,
    created_by: str,
    job_type: JobType = JobType.IMPORT,
    mode: JobMode = JobMode.NEW_ONLY,
    is_dry_run: bool = False,
    job_id: str | None = None,
) -> Job:
    """The job, queued; or why the shop's plan does not allow it.

    An import counts against the day and the month. A dry run or an export does not, but runs as
    any job does. Whoever gives the ``job_id`` may submit again when no answer came: there is one.
    """
    moment = utc_now()
    with checked():
        job = Job(
            domain=domain,
            job_id=ulid(moment) if job_id is None else job_id,
            type=job_type,
            mode=mode,
            is_dry_run=is_dry_run,
            file_key=file_key,
            created_at=moment,
            created_by=created_by,
            total_products=total_products,
        )
    if total_products == 0:
        raise BadInput("total_products", "a job has at least one product")
    for _ in range(ATTEMPTS):
        shop = find_shop(db, domain)
        _refuse(shop, job)
        submission = submit_import if counts_as_import(job) else submit_uncounted
        try:
            db(submission(shop, job))
        except TransactionFailed as failed:
            admitted, created, *counted = failed.failures
            if isinstance(created, AlreadyExists):
                raise JobAlreadySubmitted(job.job_id) from None
            if admitted is None:
                _refuse_count(shop, *counted)
            # The shop is not as it was read: its plan changed, or a job began or ended.
        else:
            return job
    raise ShopBusy(domain)


def counts_as_import(job: Job) -> bool:
    """Whether products get into the shop by this job."""
    return job.type is JobType.IMPORT and not job.is_dry_run


def _refuse(shop: Shop, job: Job) -> None:
    limits = LIMITS[shop.plan]
    if shop.billing_status is not BillingStatus.ACTIVE:
        raise ShopNotActive(shop.domain, shop.billing_status)
    if job.type is JobType.IMPORT and job.total_products > limits.products:
        raise TooManyProducts(shop.plan, limits.products, "products in one import")
    if shop.active_jobs and not limits.has_concurrent_jobs:
        raise JobAlreadyRunning(shop.plan, 1, "job at a time")


def _refuse_count(shop: Shop, day: Exception | None = None, month: Exception | None = None) -> None:
    limits = LIMITS[shop.plan]
    if isinstance(day, ConditionFailed):
        raise DailyLimitReached(shop.plan, limits.imports_a_day, "imports a day") from day
    if isinstance(month, ConditionFailed):
        raise MonthlyLimitReached(shop.plan, limits.imports_a_month, "imports a month") from month
