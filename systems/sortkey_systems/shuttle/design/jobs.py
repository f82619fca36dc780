"""Jobs: imports and exports, from submission to completion."""

from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Check,
    Entity,
    Expected,
    Op,
    Page,
    Stored,
    Update,
    Upsert,
    immutable,
    invariant,
    missing,
    one_of,
    pattern,
    refers,
    transact,
)
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.shops import (
    LIMITS,
    BillingStatus,
    JobMode,
    Plan,
    Shop,
    accepts_writes,
)
from sortkey_systems.shuttle.design.table import LONG_AGO, UNKNOWN, Count, Domain, Shuttle, Ulid
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly, usage_at

KEPT_FOR = timedelta(days=90)
# A worker that has not reported anything for this long has lost its job to the next worker.
LEASE = timedelta(minutes=5)
# A job that this many workers have lost is failed: it may be what stops them.
MAX_ATTEMPTS = 3


class JobType(Enum):
    """The direction of a job."""

    IMPORT = "IMPORT"
    EXPORT = "EXPORT"


class JobStatus(Enum):
    """The status of a job; the last three are final."""

    QUEUED = "QUEUED"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


UNFINISHED = (JobStatus.QUEUED, JobStatus.PROCESSING)


class Job(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(count=500_000, per_partition=100),
    relations=(refers("domain", Shop),),
):
    """An import or export; it expires 90 days after its end."""

    # These two attributes are the key of StatusIndex, and no other entity has them.
    domain: Annotated[Domain, Stored("ShopDomain")]
    status: Annotated[JobStatus, Stored("Status")] = JobStatus.QUEUED
    job_id: Ulid
    type: Annotated[JobType, immutable] = JobType.IMPORT
    mode: Annotated[JobMode, immutable] = JobMode.NEW_ONLY
    is_dry_run: Annotated[bool, immutable] = False
    file_key: Annotated[str, StringConstraints(min_length=1, max_length=1024), immutable] = UNKNOWN
    created_at: Annotated[datetime, immutable] = LONG_AGO
    created_by: Annotated[str, StringConstraints(min_length=1, max_length=255), immutable] = UNKNOWN
    total_products: Annotated[Count, immutable] = 0
    processed_products: Count = 0
    successful_products: Count = 0
    failed_products: Count = 0
    # Added: the number of the next batch. A worker that does not know whether its last batch was
    # counted can send it again, and it is counted once.
    next_batch: Count = 0
    error_summary: dict[str, int] = Field(default_factory=dict[str, int])
    started_at: datetime | None = None
    completed_at: datetime | None = None
    # Added: the time from which a worker may take the job, which is its creation while it is queued
    # and the end of the worker's lease while it is processing. A job that has ended has none.
    due_at: datetime | None = None
    # Added: how many workers have started the job. The number of the last one is its right to
    # report: a worker that was replaced has a smaller one.
    attempts: Count = 0
    # Added: the batch that was under way when somebody else ended the job. It is counted late, so
    # that usage and history have all that was imported.
    open_batch: Count | None = None
    failure_reason: Annotated[str, StringConstraints(max_length=255)] | None = None
    # Set when the job ends; an earlier expiry could delete a job that the shop still counts.
    expires_at: Annotated[TTL | None, Stored("ExpiresAt")] = None

    primary = Shuttle.primary.key("SHOP#{domain}", "JOB#{job_id}")
    by_status = Shuttle.gsi1.key("SHOP#{domain}", "STATUS#{status}#{created_at}#{job_id}")
    by_shop_and_status = Shuttle.status_index.key()
    # Added: the queued jobs of all shops, and those in process by the end of their lease. Every
    # batch moves an entry, so each status has several partitions.
    by_due_time = Shuttle.gsi2.key("JOBS#{status}", "{due_at}#{domain}#{job_id}", shards=4)


class Batch(BaseModel):
    """The result of a batch of a job, with the count of each error."""

    number: int
    successful: int
    errors: dict[str, int]
    imported: int
    api_calls: int

    @property
    def failed(self) -> int:
        """The number of products that were not imported."""
        return sum(self.errors.values())


class HistoryKey(BaseModel):
    """The key of a job's row of history."""

    domain: str
    completed_at: datetime
    job_id: str


@pattern("A job by shop and id", rate="50/s", fresh=True)
def job_by_id(domain: str, job_id: str) -> Op[Job | None]:
    """Read the job consistently, since a worker decides from it."""
    return Job.get(domain=domain, job_id=job_id).consistently()


@pattern(
    "A shop's jobs, newest first",
    rate="5/s",
    page=25,
    where=lambda job, domain: job.domain == domain,
    order=lambda job: job.job_id,
    descending=True,
)
def jobs_of_shop(domain: str, after: str | None = None) -> Op[Page[Job]]:
    """Sort by id: a ULID begins with its time."""
    return Job.query(domain=domain).reverse().page(25, after)


@pattern(
    "A shop's jobs with a status, newest first",
    rate="5/s",
    page=25,
    where=lambda job, domain, status: job.domain == domain and job.status is status,
    order=lambda job: (job.created_at, job.job_id),
    descending=True,
)
def jobs_by_status(domain: str, status: JobStatus, after: str | None = None) -> Op[Page[Job]]:
    """Read only these jobs: the status precedes the time in the key."""
    return Job.query(Job.by_status, domain=domain, status=status).reverse().page(25, after)


@pattern(
    "A shop's jobs with a status in a time range, newest first",
    rate="1/s",
    page=25,
    where=lambda job, domain, status, since, until: (
        job.domain == domain and job.status is status and since <= job.created_at <= until
    ),
    order=lambda job: (job.created_at, job.job_id),
    descending=True,
)
def jobs_by_status_between(
    domain: str, status: JobStatus, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[Job]]:
    """Include both ends of the range."""
    query = Job.query(Job.by_status, domain=domain, status=status)
    return query.between(created_at=(since, until)).reverse().page(25, after)


@pattern(
    "A shop's jobs with a status, in no order",
    rate="1/s",
    where=lambda job, domain, status: job.domain == domain and job.status is status,
)
def jobs_in_status(domain: str, status: JobStatus) -> Op[list[Job]]:
    """Use StatusIndex, whose key has no time."""
    return Job.query(Job.by_shop_and_status, domain=domain, status=status)


@pattern(
    "Jobs of all shops that a worker may take by a time, first due first",
    rate="1/s",
    page=50,
    where=lambda job, status, until: (
        job.status is status and job.due_at is not None and job.due_at <= until
    ),
    order=lambda job: (job.due_at, job.domain, job.job_id),
)
def jobs_due(status: JobStatus, until: datetime, after: str | None = None) -> Op[Page[Job]]:
    """Return queued jobs, or jobs in process whose lease has passed; others are not listed."""
    return Job.query(Job.by_due_time, status=status).le(due_at=until).page(50, after)


def _admission(domain: str, plan: Plan) -> Update[Shop]:
    """Count one more job of the shop, if it is active and still has this plan."""
    admission = (
        Shop.update(domain=domain)
        .add(active_jobs=1)
        .where(lambda s: s.plan == plan)
        .where(lambda s: s.billing_status == BillingStatus.ACTIVE)
        .where(lambda s: missing(s.erasing_since))
    )
    if LIMITS[plan].has_concurrent_jobs:
        return admission
    return admission.where(lambda s: s.active_jobs == 0)


def _counted(job: Job, plan: Plan) -> tuple[Upsert[UsageDaily], Upsert[UsageMonthly]]:
    """Count an import on its day and in its month, if the plan allows one more in each."""
    limits = LIMITS[plan]
    per_day, per_month = limits.imports_per_day, limits.imports_per_month
    day, month = usage_at(job.domain, job.created_at)
    return (
        day.add(imports_count=1).where(
            lambda u: missing(u.imports_count) | (u.imports_count < per_day)
        ),
        month.add(imports_count=1).where(
            lambda u: missing(u.imports_count) | (u.imports_count < per_month)
        ),
    )


@pattern("Submit an import", rate="5/s")
def submit_import(plan: Plan, job: Job) -> Op[None]:
    """Queue the job, and count it towards the plan's limits for the day and the month."""
    return transact(_admission(job.domain, plan), job.create(), *_counted(job, plan))


@pattern("Submit a dry run or an export", rate="1/s")
def submit_uncounted(plan: Plan, job: Job) -> Op[None]:
    """Queue the job without counting it as an import."""
    return transact(_admission(job.domain, plan), job.create())


@pattern("Start a job", rate="5/s")
def start_job(job: Job, at: datetime) -> Op[None]:
    """Start a queued job, or one whose lease has passed; only one of several workers succeeds."""
    begun = job.started_at or at
    return transact(
        accepts_writes(job.domain),
        job.update()
        .set(status=JobStatus.PROCESSING, started_at=begun, due_at=at + LEASE)
        .add(attempts=1)
        .where(lambda j: (j.status == JobStatus.QUEUED) | _is_overdue(j, at))
        .where(lambda j: missing(j.attempts) | (j.attempts < MAX_ATTEMPTS)),
    )


def _is_overdue(job: Job, at: datetime) -> int:
    """Return the condition that the job's worker has let its lease pass."""
    due: Any = job.due_at
    return (job.status == JobStatus.PROCESSING) & (missing(due) | (due <= at))


# A job of the documented design has neither of these two numbers.


def _is_attempt(job: Job, attempt: int) -> int:
    """Return the condition that no other worker has taken the job over."""
    return missing(job.attempts) | (job.attempts == attempt)


def _is_next(job: Job, batch: int) -> int:
    """Return the condition that this is the next batch to count."""
    return missing(job.next_batch) | (job.next_batch == batch)


@pattern("Renew the lease of a job", rate="10/s")
def renew_lease(job: Job, attempt: int, at: datetime) -> Op[None]:
    """Prolong the lease if this attempt is the last one."""
    return transact(
        accepts_writes(job.domain),
        job.update()
        .set(due_at=at + LEASE)
        .where(lambda j: (j.status == JobStatus.PROCESSING) & _is_attempt(j, attempt)),
    )


@pattern("Queue a job again", rate="1/min")
def requeue_job(job: Job, at: datetime) -> Op[None]:
    """Return a job whose lease has passed to the queue."""
    return transact(
        accepts_writes(job.domain),
        job.update().set(status=JobStatus.QUEUED, due_at=at).where(lambda j: _is_overdue(j, at)),
    )


@pattern("Give up a job", rate="1/h")
def give_up_job(job: Job, row: ImportHistory, reason: str, *, is_counted: bool = True) -> Op[None]:
    """Fail a job whose lease has passed, release its slot, and add it to the history."""
    ended = row.completed_at
    ending = _ending(job, JobStatus.FAILED, row)
    ending = ending.set(failure_reason=reason, open_batch=job.next_batch)
    ending = ending.where(lambda j: _is_overdue(j, ended))
    return transact(ending, _release(job.domain, is_counted=is_counted), row.create())


@pattern(
    "Count a batch",
    rate="50/s",
    ignore={"SK806": "the map has one number for each error code, and there are few codes"},
)
def count_batch(job: Job, batch: Batch, at: datetime) -> Op[None]:
    """Count the next batch of a job in process, also in usage, and renew the lease."""
    number, attempt = batch.number, job.attempts
    counted = (
        _with_batch(job, batch)
        .set(due_at=at + LEASE)
        .where(lambda j: (j.status == JobStatus.PROCESSING) & _is_next(j, number))
        .where(lambda j: _is_attempt(j, attempt))
    )
    return transact(accepts_writes(job.domain), counted, *_used(job, batch, at))


@pattern(
    "Count the last batch of a job that was ended",
    rate="1/min",
    ignore={"SK806": "the map has one number for each error code, and there are few codes"},
)
def count_last_batch(job: Job, row: HistoryKey, batch: Batch, at: datetime) -> Op[None]:
    """Count the batch that was under way when the job was ended, also in its history."""
    number = batch.number
    counted = (
        _with_batch(job, batch)
        .where(lambda j: one_of(j.status, (JobStatus.CANCELLED, JobStatus.FAILED)))
        .where(lambda j: (j.open_batch == number) & _is_next(j, number))
    )
    history = ImportHistory.update(
        domain=row.domain, completed_at=row.completed_at, job_id=row.job_id
    ).add(products_imported=batch.imported, error_count=batch.failed)
    return transact(accepts_writes(job.domain), counted, history, *_used(job, batch, at))


def _with_batch(job: Job, batch: Batch) -> Update[Job]:
    """Return the job with the numbers of the batch added."""
    counted = job.update().add(
        next_batch=1,
        processed_products=batch.successful + batch.failed,
        successful_products=batch.successful,
        failed_products=batch.failed,
    )
    for code, times in batch.errors.items():
        counted = _with_error(counted, code, times)
    return counted


def _used(
    job: Job, batch: Batch, at: datetime
) -> tuple[()] | tuple[Upsert[UsageDaily], Upsert[UsageMonthly]]:
    """Return the usage of the batch, if there is any."""
    imported, api_calls = batch.imported, batch.api_calls
    if not imported and not api_calls:
        return ()
    day, month = usage_at(job.domain, at)
    return (
        day.add(products_imported=imported, api_calls=api_calls),
        month.add(products_imported=imported, api_calls=api_calls),
    )


def _with_error(update: Update[Job], code: str, times: int) -> Update[Job]:
    return update.add(lambda j: j.error_summary[code]).by(times)


@pattern("Complete or fail a job", rate="5/s")
def finish_job(
    job: Job, row: ImportHistory, *, has_failed: bool, is_counted: bool = True
) -> Op[None]:
    """End a job in process, release its slot, and add it to the history."""
    status = JobStatus.FAILED if has_failed else JobStatus.COMPLETED
    attempt = job.attempts
    ending = (
        _ending(job, status, row)
        .where(lambda j: j.status == JobStatus.PROCESSING)
        .where(lambda j: _is_attempt(j, attempt))
    )
    return transact(ending, _release(job.domain, is_counted=is_counted), row.create())


@pattern("Cancel a job", rate="1/min")
def cancel_job(job: Job, row: ImportHistory, *, is_counted: bool = True) -> Op[None]:
    """Cancel a job that has not ended, release its slot, and add it to the history."""
    ending = _ending(job, JobStatus.CANCELLED, row).where(lambda j: one_of(j.status, UNFINISHED))
    ending = ending.set(open_batch=job.next_batch)
    return transact(ending, _release(job.domain, is_counted=is_counted), row.create())


def _ending(job: Job, status: JobStatus, row: ImportHistory) -> Update[Job]:
    counted = job.next_batch
    return (
        job.update()
        .set(status=status, completed_at=row.completed_at, expires_at=row.completed_at + KEPT_FOR)
        .remove(lambda j: j.due_at)
        # The history contains the batches counted so far, so no other may be counted now.
        .where(lambda j: _is_next(j, counted))
    )


def _release(domain: str, *, is_counted: bool) -> Update[Shop] | Check[Shop]:
    """Count one job less of the shop, if the shop is not being erased.

    A job of the documented design was not counted: then the shop must count none.
    """
    if not is_counted:
        return accepts_writes(domain).where(lambda s: missing(s.active_jobs) | (s.active_jobs == 0))
    released = Shop.update(domain=domain).add(active_jobs=-1).where(lambda s: s.active_jobs > 0)
    return released.where(lambda s: missing(s.erasing_since))


@invariant("A shop's count of active jobs is the number of its unfinished jobs")
def counts_its_jobs(shop: Shop, jobs: list[Job]) -> bool:
    """Ignore shops that are being erased: their jobs are deleted first."""
    running = [job for job in jobs if job.domain == shop.domain and job.status in UNFINISHED]
    return shop.erasing_since is not None or shop.active_jobs == len(running)
