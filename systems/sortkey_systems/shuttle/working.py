"""Working on a job: it starts, its batches are counted, and it ends once."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sortkey import DB, Op, TransactionFailed, utc_now
from sortkey_systems.shuttle.design import ImportHistory, Job, JobStatus, job_by_id
from sortkey_systems.shuttle.design.writes import (
    UNFINISHED,
    Batch,
    cancel_job,
    count_batch,
    finish_job,
    start_job,
)
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfTurn,
    JobNotFound,
    ShopBusy,
    WrongStatus,
    checked,
)
from sortkey_systems.shuttle.installing import ATTEMPTS
from sortkey_systems.shuttle.submitting import counts_as_import


def find_job(db: DB, domain: str, job_id: str) -> Job:
    """The job as it is stored."""
    with checked():
        asked = job_by_id(domain, job_id)
    job = db(asked)
    if job is None:
        raise JobNotFound(domain, job_id)
    return job


def start(db: DB, domain: str, job_id: str) -> Job:
    """The job, processing; of several workers that want it, one gets it."""
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
    """The job with one more batch counted: what succeeded, and how often each error was met.

    Batches are numbered from 0 and counted in order. One that is counted already raises
    `BatchOutOfTurn`, whose ``expected`` tells a worker where to go on.
    """
    met = errors or {}
    failed = sum(met.values())
    if "" in met:
        raise BadInput("errors", "an error has a code")
    _refuse_negative(successful=[successful], api_calls=[api_calls], errors=met.values())
    job = find_job(db, domain, job_id)
    # From here on the condition on the next batch holds the counters to what was read.
    _refuse_turn(job, batch)
    if job.processed_products + successful + failed > job.total_products:
        raise BadInput("successful", f"the job has {job.total_products:,} products in all")
    counted = Batch(
        number=batch,
        successful=successful,
        errors=dict(met),
        imported=successful if counts_as_import(job) else 0,
        api_calls=api_calls,
    )
    try:
        db(count_batch(job, counted, utc_now()))
    except TransactionFailed:
        _refuse_turn(find_job(db, domain, job_id), batch)
        raise
    return find_job(db, domain, job_id)


def _refuse_turn(job: Job, batch: int) -> None:
    if job.status is not JobStatus.PROCESSING:
        raise WrongStatus(job.job_id, job.status, "given a batch")
    if job.next_batch != batch:
        raise BatchOutOfTurn(job.job_id, batch, job.next_batch)


def _refuse_negative(**given: Iterable[int]) -> None:
    for field, values in given.items():
        if any(value < 0 for value in values):
            raise BadInput(field, "it cannot be less than 0")


def complete(db: DB, domain: str, job_id: str) -> Job:
    """The job, completed; its place is free, and the history has it."""
    return _end(db, domain, job_id, JobStatus.COMPLETED)


def fail(db: DB, domain: str, job_id: str) -> Job:
    """The job, failed; its place is free, and the history has it."""
    return _end(db, domain, job_id, JobStatus.FAILED)


def cancel(db: DB, domain: str, job_id: str) -> Job:
    """The job, cancelled before it ended by itself; its place is free, and the history has it."""
    return _end(db, domain, job_id, JobStatus.CANCELLED)


def _end(db: DB, domain: str, job_id: str, status: JobStatus) -> Job:
    before = UNFINISHED if status is JobStatus.CANCELLED else (JobStatus.PROCESSING,)
    for _ in range(ATTEMPTS):
        job = find_job(db, domain, job_id)
        if job.status not in before:
            raise WrongStatus(job_id, job.status, status.value)
        try:
            db(_ending(job, status, _history(job, utc_now())))
        except TransactionFailed as failed:
            if failed.failures[0] is None:
                raise
            # A batch was counted since the job was read, or somebody else ended it.
        else:
            return find_job(db, domain, job_id)
    raise ShopBusy(job_id)


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
