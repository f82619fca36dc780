"""Process a job: start it, count its batches, and end it once."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sortkey import DB, Op, TransactionFailed, utc_now
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import (
    UNFINISHED,
    Batch,
    Job,
    JobStatus,
    cancel_job,
    count_batch,
    finish_job,
    job_by_id,
    start_job,
)
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfOrder,
    JobNotFound,
    WrongStatus,
    raising_bad_input,
)
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
    """Start a queued job and return it; only one of several workers succeeds."""
    job = find_job(db, domain, job_id)
    try:
        db(start_job(job, utc_now()))
    except TransactionFailed:
        raise WrongStatus(job_id, find_job(db, domain, job_id).status, "started") from None
    return find_job(db, domain, job_id)


def record_batch(
    db: DB,
    domain: str,
    job_id: str,
    batch: int,
    *,
    successful: int,
    errors: Mapping[str, int] | None = None,
    api_calls: int = 0,
) -> Job:
    """Count the next batch, with its successful products and its errors, and return the job.

    Batches are numbered from 0 and counted in order. A batch that is already counted raises
    `BatchOutOfOrder`, whose ``expected`` is the number of the next batch.
    """
    counts = errors or {}
    failed = sum(counts.values())
    if "" in counts:
        raise BadInput("errors", "an error code must not be empty")
    _check_not_negative(successful=[successful], api_calls=[api_calls], errors=counts.values())
    job = find_job(db, domain, job_id)
    # The condition on the next batch ensures that the counters do not change after this read.
    _check_turn(job, batch)
    if job.processed_products + successful + failed > job.total_products:
        raise BadInput("successful", f"the job has only {job.total_products:,} products")
    counted = Batch(
        number=batch,
        successful=successful,
        errors=dict(counts),
        imported=successful if counts_as_import(job) else 0,
        api_calls=api_calls,
    )
    try:
        db(count_batch(job, counted, utc_now()))
    except TransactionFailed:
        _check_turn(find_job(db, domain, job_id), batch)
        raise
    return find_job(db, domain, job_id)


def _check_turn(job: Job, batch: int) -> None:
    if job.status is not JobStatus.PROCESSING:
        raise WrongStatus(job.job_id, job.status, "given a batch")
    if job.next_batch != batch:
        raise BatchOutOfOrder(job.job_id, batch, job.next_batch)


def _check_not_negative(**values_of: Iterable[int]) -> None:
    for field, values in values_of.items():
        if any(value < 0 for value in values):
            raise BadInput(field, "must be at least 0")


def complete(db: DB, domain: str, job_id: str) -> Job:
    """Complete a job, release its slot, add it to the history, and return it."""
    return _end(db, domain, job_id, JobStatus.COMPLETED)


def fail(db: DB, domain: str, job_id: str) -> Job:
    """Mark a job as failed, release its slot, add it to the history, and return it."""
    return _end(db, domain, job_id, JobStatus.FAILED)


def cancel(db: DB, domain: str, job_id: str) -> Job:
    """Cancel an unfinished job, release its slot, add it to the history, and return it."""
    return _end(db, domain, job_id, JobStatus.CANCELLED)


def _end(db: DB, domain: str, job_id: str, status: JobStatus) -> Job:
    before = UNFINISHED if status is JobStatus.CANCELLED else (JobStatus.PROCESSING,)

    def decide() -> Op[None]:
        job = find_job(db, domain, job_id)
        if job.status not in before:
            raise WrongStatus(job_id, job.status, status.value)
        return _ending(job, status, _history(job, utc_now()))

    def look_again(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(None, *_)):
                raise conflict
            case _:
                pass  # a batch was counted since the job was read, or another caller ended it

    db.decide(decide, on_conflict=look_again)
    return find_job(db, domain, job_id)


def _ending(job: Job, status: JobStatus, row: ImportHistory) -> Op[None]:
    if status is JobStatus.CANCELLED:
        return cancel_job(job, row)
    return finish_job(job, status, row)


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
