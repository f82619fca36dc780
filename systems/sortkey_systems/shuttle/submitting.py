"""Submit a job: check the limits of the plan and queue the job in one transaction."""

from sortkey import DB, AlreadyExists, ConditionFailed, Done, Op, TransactionFailed, ulid, utc_now
from sortkey_systems.shuttle.design.jobs import (
    Job,
    JobType,
    job_by_id,
    submit_import,
    submit_uncounted,
)
from sortkey_systems.shuttle.design.shops import LIMITS, BillingStatus, JobMode, Shop
from sortkey_systems.shuttle.errors import (
    BadInput,
    DailyLimitReached,
    JobAlreadyRunning,
    JobAlreadySubmitted,
    MonthlyLimitReached,
    ShopNotActive,
    TooManyProducts,
    raising_bad_input,
)
from sortkey_systems.shuttle.finding import find_shop


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
    """Queue a job and return it, or raise an error if the shop's plan does not allow it.

    An import counts towards the limits for the day and the month; a dry run or an export does not.
    With a ``job_id``, a call whose response was lost can be repeated: there is one job, and the
    second call returns it. Another job with this id raises `JobAlreadySubmitted`.
    """
    moment = utc_now()
    with raising_bad_input():
        job = Job(
            domain=domain,
            job_id=ulid(moment) if job_id is None else job_id,
            type=job_type,
            mode=mode,
            is_dry_run=is_dry_run,
            file_key=file_key,
            created_at=moment,
            due_at=moment,
            created_by=created_by,
            total_products=total_products,
        )
    if total_products == 0:
        raise BadInput("total_products", "must be at least 1")

    def decide() -> Op[Job]:
        if job_id is not None and (existing := db(job_by_id(domain, job_id))) is not None:
            return Done(_repeated(existing, job))
        shop = find_shop(db, domain)
        _check_plan(shop, job)
        submission = submit_import if counts_as_import(job) else submit_uncounted
        return submission(shop.plan, job).returning(job)

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(_, AlreadyExists(), *_)):
                pass  # another call was faster: return its job if it is the same
            case TransactionFailed(failures=(None, _, *counted)):
                _check_counts(find_shop(db, domain), *counted)
            case _:
                pass  # the shop has changed: it has another plan, or a job began or ended

    return db.decide(decide, on_conflict=explain)


def _repeated(existing: Job, job: Job) -> Job:
    """Return the job that an earlier call has stored, if it is the same."""
    fields = ("type", "mode", "is_dry_run", "file_key", "created_by", "total_products")
    if any(getattr(existing, name) != getattr(job, name) for name in fields):
        raise JobAlreadySubmitted(job.job_id)
    return existing


def counts_as_import(job: Job) -> bool:
    """Return whether the job imports products into the shop."""
    return job.type is JobType.IMPORT and not job.is_dry_run


def _check_plan(shop: Shop, job: Job) -> None:
    limits = LIMITS[shop.plan]
    if shop.billing_status is not BillingStatus.ACTIVE:
        raise ShopNotActive(shop.domain, shop.billing_status)
    if job.type is JobType.IMPORT and job.total_products > limits.products:
        raise TooManyProducts(shop.plan, limits.products, "products in one import")
    if shop.active_jobs and not limits.has_concurrent_jobs:
        raise JobAlreadyRunning(shop.plan, 1, "job at a time")


def _check_counts(shop: Shop, day: Exception | None = None, month: Exception | None = None) -> None:
    limits = LIMITS[shop.plan]
    if isinstance(day, ConditionFailed):
        raise DailyLimitReached(shop.plan, limits.imports_per_day, "imports a day") from day
    if isinstance(month, ConditionFailed):
        raise MonthlyLimitReached(shop.plan, limits.imports_per_month, "imports a month") from month
