"""Process a job: start it, count its batches, and end it once.

A worker has a lease on its job, which each batch renews. If the lease passes, the next worker takes
the job over and continues with the next batch. ``attempt`` is the job's ``attempts`` as `start`
returned it, and the worker's right to report: it gets `LeaseLost` once another worker has the job.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sortkey import DB, Done, Op, RecordError, TransactionFailed, utc_now
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import (
    MAX_ATTEMPTS,
    UNFINISHED,
    Batch,
    HistoryKey,
    Job,
    JobStatus,
    cancel_job,
    count_batch,
    count_last_batch,
    finish_job,
    give_up_job,
    job_by_id,
    jobs_due,
    renew_lease,
    requeue_job,
    start_job,
)
from sortkey_systems.shuttle.design.shops import shop_by_domain
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfOrder,
    JobNotFound,
    LeaseLost,
    WrongStatus,
    raising_bad_input,
)
from sortkey_systems.shuttle.finding import find_shop, write_for_shop
from sortkey_systems.shuttle.submitting import counts_as_import


def find_job(db: DB, domain: str, job_id: str) -> Job:
    """Return the job; raise `JobNotFound` if it does not exist."""
    with raising_bad_input():
        query = job_by_id(domain, job_id)
    job = db(query)
    if job is None:
        raise JobNotFound(domain, job_id)
    return job


def start(db: DB, domain: str, job_id: str) -> Job:
    """Start a queued job, or take over one whose lease has passed, and return it.

    Only one of several workers succeeds.
    """
    job = find_job(db, domain, job_id)
    try:
        write_for_shop(db, domain, start_job(job, utc_now()))
    except TransactionFailed:
        raise WrongStatus(job_id, find_job(db, domain, job_id).status, "started") from None
    return find_job(db, domain, job_id)


def renew(db: DB, domain: str, job_id: str, attempt: int) -> Job:
    """Renew the lease of a worker that needs longer for a batch, and return the job."""
    job = find_job(db, domain, job_id)
    _check_lease(job, attempt)
    try:
        write_for_shop(db, domain, renew_lease(job, attempt, utc_now()))
    except TransactionFailed:
        _check_lease(find_job(db, domain, job_id), attempt)
        raise
    return find_job(db, domain, job_id)


def _check_lease(job: Job, attempt: int) -> None:
    if job.status is not JobStatus.PROCESSING:
        raise WrongStatus(job.job_id, job.status, "worked on")
    if attempt != job.attempts:
        raise LeaseLost(job.job_id, job.attempts)


@dataclass(frozen=True, slots=True)
class Swept:
    """The jobs that are queued again, and those that have failed after their last attempt.

    ``errors`` has the errors of the others, by the ids of their jobs.
    """

    queued: tuple[Job, ...]
    failed: tuple[Job, ...]
    errors: Mapping[str, Exception]


def sweep(db: DB) -> Swept:
    """Queue every job again whose worker has let its lease pass, or fail it after three attempts.

    Call this on a schedule, such as every minute. It is safe to repeat, and to call concurrently.
    A job with an error is reported, the others continue, and the next call tries it again.
    """
    until, cursor = utc_now(), None
    swept: list[Job] = []
    errors: dict[str, Exception] = {}
    while True:
        due = db(jobs_due(JobStatus.PROCESSING, until, cursor))
        for job in due:
            try:
                done = _returned(db, job)
            except Exception as error:  # noqa: BLE001 - the other jobs continue
                errors[job.job_id] = error
            else:
                swept += [] if done is None else [done]
        if due.cursor is None:
            break
        cursor = due.cursor
    return Swept(
        tuple(job for job in swept if job.status is JobStatus.QUEUED),
        tuple(job for job in swept if job.status is JobStatus.FAILED),
        errors,
    )


def _returned(db: DB, listed: Job) -> Job | None:
    """Queue or fail a job; return it, or None if its worker or another call was faster."""

    def decide() -> Op[JobStatus | None]:
        # The index may be behind, and the jobs of a shop that is being erased stay as they are.
        now, shop = utc_now(), db(shop_by_domain(listed.domain))
        job = db(job_by_id(listed.domain, listed.job_id))
        if shop is None or shop.erasing_since is not None or job is None:
            return Done(None)
        if job.status is not JobStatus.PROCESSING or (job.due_at or now) > now:
            return Done(None)
        if job.attempts < MAX_ATTEMPTS:
            return requeue_job(job, now).returning(JobStatus.QUEUED)
        reason = f"{job.attempts} workers stopped without reporting an end"
        is_counted = shop.active_jobs > 0
        giving_up = give_up_job(job, _history(job, now), reason, is_counted=is_counted)
        return giving_up.returning(JobStatus.FAILED)

    return None if db.decide(decide) is None else find_job(db, listed.domain, listed.job_id)


def record_batch(
    db: DB,
    domain: str,
    job_id: str,
    batch: int,
    *,
    successful: int,
    errors: Mapping[str, int] | None = None,
    api_calls: int = 0,
    attempt: int,
) -> Job:
    """Count the next batch, with its successful products and its errors, and return the job.

    Batches are numbered from 0 and counted in order. A batch that is already counted raises
    `BatchOutOfOrder`, whose ``expected`` is the number of the next batch. If the job was cancelled
    during the batch, the batch is counted, and the status of the returned job says to stop.
    """
    counts = errors or {}
    failed = sum(counts.values())
    if "" in counts:
        raise BadInput("errors", "an error code must not be empty")
    _check_not_negative(successful=[successful], api_calls=[api_calls], errors=counts.values())

    def decide() -> Op[None]:
        job = find_job(db, domain, job_id)
        # The condition on the next batch ensures that the counters do not change after this read.
        is_last = _is_open(job, batch, attempt)
        if not is_last:
            _check_turn(job, batch, attempt)
        if job.processed_products + successful + failed > job.total_products:
            raise BadInput("successful", f"the job has only {job.total_products:,} products")
        counted = Batch(
            number=batch,
            successful=successful,
            errors=dict(counts),
            imported=successful if counts_as_import(job) else 0,
            api_calls=api_calls,
        )
        if not is_last:
            return count_batch(job, counted, utc_now())
        row = HistoryKey.model_validate(job, from_attributes=True)
        return count_last_batch(job, row, counted, utc_now())

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(RecordError(), *_)):
                find_shop(db, domain)  # raises ShopBeingErased during an erasure
            case _:
                pass  # another worker has counted the batch, or the job was ended meanwhile

    with raising_bad_input():
        db.decide(decide, on_conflict=explain)
    return find_job(db, domain, job_id)


def _is_open(job: Job, batch: int, attempt: int) -> bool:
    """Return whether this batch was under way when somebody else ended the job."""
    return (
        job.status in (JobStatus.CANCELLED, JobStatus.FAILED)
        and job.started_at is not None
        and job.open_batch == batch == job.next_batch
        and attempt == job.attempts
    )


def _check_turn(job: Job, batch: int, attempt: int) -> None:
    _check_lease(job, attempt)
    if job.next_batch != batch:
        raise BatchOutOfOrder(job.job_id, batch, job.next_batch)


def _check_not_negative(**values_of: Iterable[int]) -> None:
    for field, values in values_of.items():
        if any(value < 0 for value in values):
            raise BadInput(field, "must be at least 0")


def complete(db: DB, domain: str, job_id: str, *, attempt: int) -> Job:
    """Complete a job, release its slot, add it to the history, and return it."""
    return _end(db, domain, job_id, JobStatus.COMPLETED, attempt)


def fail(db: DB, domain: str, job_id: str, *, attempt: int) -> Job:
    """Mark a job as failed, release its slot, add it to the history, and return it."""
    return _end(db, domain, job_id, JobStatus.FAILED, attempt)


def cancel(db: DB, domain: str, job_id: str) -> Job:
    """Cancel an unfinished job, release its slot, add it to the history, and return it."""
    return _end(db, domain, job_id, JobStatus.CANCELLED)


def _end(db: DB, domain: str, job_id: str, status: JobStatus, attempt: int | None = None) -> Job:
    before = UNFINISHED if status is JobStatus.CANCELLED else (JobStatus.PROCESSING,)
    is_counted = True

    def decide() -> Op[None]:
        job = find_job(db, domain, job_id)
        if job.status not in before:
            raise WrongStatus(job_id, job.status, status.value)
        if attempt not in (None, job.attempts):
            raise LeaseLost(job_id, job.attempts)
        return _ending(job, status, _history(job, utc_now()), is_counted=is_counted)

    def look_again(conflict: Exception) -> None:
        nonlocal is_counted
        match conflict:
            case TransactionFailed(failures=(None, RecordError(), *_)):
                # Raises ShopBeingErased during an erasure.
                is_counted = find_shop(db, domain).active_jobs > 0
            case TransactionFailed(failures=(None, *_)):
                raise conflict
            case _:
                pass  # a batch was counted since the job was read, or another caller ended it

    db.decide(decide, on_conflict=look_again)
    return find_job(db, domain, job_id)


def _ending(job: Job, status: JobStatus, row: ImportHistory, *, is_counted: bool) -> Op[None]:
    if status is JobStatus.CANCELLED:
        return cancel_job(job, row, is_counted=is_counted)
    has_failed = status is JobStatus.FAILED
    return finish_job(job, row, has_failed=has_failed, is_counted=is_counted)


def _history(job: Job, moment: datetime) -> ImportHistory:
    lasted = moment - (job.started_at or moment)
    return ImportHistory(
        domain=job.domain,
        job_id=job.job_id,
        completed_at=moment,
        products_imported=job.successful_products if counts_as_import(job) else 0,
        error_count=job.failed_products,
        mode=job.mode,
        duration_ms=lasted // timedelta(milliseconds=1),
    )
