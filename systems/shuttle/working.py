"""Working on a job: it starts, its batches are counted, and it ends once."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sortkey import DB, TransactionFailed, one_of, utc_now
from sortkey.operations.update import Update
from sortkey.operations.write import Write
from systems.shuttle.design import (
    ImportHistory,
    Job,
    JobStatus,
    Shop,
    UsageDaily,
    UsageMonthly,
    job_by_id,
)
from systems.shuttle.errors import (
    BadInput,
    BatchOutOfTurn,
    JobNotFound,
    ShopBusy,
    WrongStatus,
    checked,
)
from systems.shuttle.installing import ATTEMPTS
from systems.shuttle.submitting import counts_as_import

KEPT = timedelta(days=90)
UNFINISHED = (JobStatus.QUEUED, JobStatus.PROCESSING)


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
    starting = (
        job.update()
        .set(lambda j: j.status)
        .to(JobStatus.PROCESSING)
        .set(lambda j: j.started_at)
        .to(utc_now())
        .where(lambda j: j.status == JobStatus.QUEUED)
    )
    try:
        # As a transaction, whose token tells a worker that lost the answer that it was the one.
        db.transact(starting)
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
    _refuse_negative(
        successful=successful, api_calls=api_calls, errors=min(met.values(), default=0)
    )
    job = find_job(db, domain, job_id)
    # From here on the condition on the next batch holds the counters to what was read.
    _refuse_turn(job, batch)
    if job.processed_products + successful + failed > job.total_products:
        raise BadInput("successful", f"the job has {job.total_products:,} products in all")
    counted = (
        Job.update(domain=domain, job_id=job_id)
        .add(lambda j: j.next_batch)
        .by(1)
        .add(lambda j: j.processed_products)
        .by(successful + failed)
        .add(lambda j: j.successful_products)
        .by(successful)
        .add(lambda j: j.failed_products)
        .by(failed)
        .where(lambda j: (j.status == JobStatus.PROCESSING) & (j.next_batch == batch))
    )
    for code, times in met.items():
        counted = _with_error(counted, code, times)
    imported = successful if counts_as_import(job) else 0
    try:
        db.transact(counted, *_usage(domain, imported, api_calls))
    except TransactionFailed as failure:
        if failure.of(counted) is None:
            raise
        _refuse_turn(find_job(db, domain, job_id), batch)
        raise
    return find_job(db, domain, job_id)


def _refuse_turn(job: Job, batch: int) -> None:
    if job.status is not JobStatus.PROCESSING:
        raise WrongStatus(job.job_id, job.status, "given a batch")
    if job.next_batch != batch:
        raise BatchOutOfTurn(job.job_id, batch, job.next_batch)


def _refuse_negative(**given: int) -> None:
    for field, value in given.items():
        if value < 0:
            raise BadInput(field, "it cannot be less than 0")


def _with_error(update: Update[Job], code: str, times: int) -> Update[Job]:
    return update.add(lambda j: j.error_summary[code]).by(times)


def _usage(domain: str, imported: int, api_calls: int) -> tuple[Write[Any], ...]:
    """What a batch adds to the day and the month."""
    if not imported and not api_calls:
        return ()
    now = utc_now()
    day = UsageDaily.upsert(domain=domain, day=now.date())
    month = UsageMonthly.upsert(domain=domain, month=f"{now:%Y-%m}")
    return (
        day.add(lambda u: u.products_imported)
        .by(imported)
        .add(lambda u: u.api_calls)
        .by(api_calls),
        month.add(lambda u: u.products_imported)
        .by(imported)
        .add(lambda u: u.api_calls)
        .by(api_calls),
    )


def complete(db: DB, domain: str, job_id: str) -> Job:
    """The job, completed; its place is free, and the history has it."""
    return _end(db, domain, job_id, JobStatus.COMPLETED, (JobStatus.PROCESSING,))


def fail(db: DB, domain: str, job_id: str) -> Job:
    """The job, failed; its place is free, and the history has it."""
    return _end(db, domain, job_id, JobStatus.FAILED, (JobStatus.PROCESSING,))


def cancel(db: DB, domain: str, job_id: str) -> Job:
    """The job, cancelled before it ended by itself; its place is free, and the history has it."""
    return _end(db, domain, job_id, JobStatus.CANCELLED, UNFINISHED)


def _end(db: DB, domain: str, job_id: str, status: JobStatus, before: tuple[JobStatus, ...]) -> Job:
    for _ in range(ATTEMPTS):
        job = find_job(db, domain, job_id)
        if job.status not in before:
            raise WrongStatus(job_id, job.status, status.value)
        moment = utc_now()
        ending = _ending(job, status, moment).where(lambda j: one_of(j.status, before))
        try:
            db.transact(ending, _release(domain), _history(job, moment).create())
        except TransactionFailed as failed:
            if failed.of(ending) is None:
                raise
            # A batch was counted since the job was read, or somebody else ended it.
        else:
            return find_job(db, domain, job_id)
    raise ShopBusy(job_id)


def _ending(job: Job, status: JobStatus, moment: datetime) -> Update[Job]:
    return (
        job.update()
        .set(lambda j: j.status)
        .to(status)
        .set(lambda j: j.completed_at)
        .to(moment)
        .set(lambda j: j.expires_at)
        .to(moment + KEPT)
        # The history row says what was counted up to here.
        .where(lambda j: j.next_batch == job.next_batch)
    )


def _release(domain: str) -> Update[Shop]:
    """One job less; its place in the shop goes with the job's end and no sooner."""
    return (
        Shop.update(domain=domain)
        .add(lambda s: s.active_jobs)
        .by(-1)
        .where(lambda s: s.active_jobs > 0)
    )


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
