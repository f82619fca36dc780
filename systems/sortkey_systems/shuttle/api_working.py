"""Operations for workers, which process the jobs of all shops."""

import logging
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from fastapi import Depends, Path

from sortkey import BadCursor, Contended, Page, utc_now
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import NotAllowed, RequireRole, SignedIn
from sortkey_systems.shuttle import defining, metering, working
from sortkey_systems.shuttle.api_models import (
    BatchRequest,
    CallsRequest,
    LeaseRequest,
    StorageRequest,
    SweepResponse,
    VersionRequest,
)
from sortkey_systems.shuttle.design import jobs
from sortkey_systems.shuttle.design.jobs import Job, JobStatus
from sortkey_systems.shuttle.design.schemas import CurrentSchema, current_schema
from sortkey_systems.shuttle.design.table import Domain, Ulid
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfOrder,
    JobNotFound,
    LeaseLost,
    SchemaChanged,
    SchemaNotFound,
    ShopBeingErased,
    ShopNotFound,
    WrongStatus,
)

Worker = Annotated[Caller, Depends(RequireRole("worker"))]
ShopDomain = Annotated[Domain, Path(examples=["shop1.myshopify.com"])]
JobId = Annotated[Ulid, Path(examples=["01KKZ3D5V1W4ZBT4Y5S1GYQ2M8"])]

LATEST = datetime.max.replace(tzinfo=UTC)

_log = logging.getLogger(__name__)

operations = Operations()


async def _worker_or_operator(caller: SignedIn) -> Caller:
    if not caller.roles & {"worker", "operator"}:
        raise NotAllowed("this requires the role worker or operator")
    return caller


WorkerOrOperator = Annotated[Caller, Depends(_worker_or_operator)]


class QueueFilter(StrEnum):
    """A selection of jobs that a worker can start."""

    QUEUED = "queued"
    STUCK = "stuck"


@operations.get("/queue", NotAllowed, BadCursor)
def queue(
    db: Database,
    _caller: WorkerOrOperator,
    only: QueueFilter = QueueFilter.QUEUED,
    cursor: Cursor = None,
) -> Page[Job]:
    """List the queued jobs of all shops, or the stuck ones, whose worker has let its lease pass.

    Stuck jobs are those at the start of the minute.
    """
    if only is QueueFilter.QUEUED:
        return db(jobs.jobs_due(JobStatus.QUEUED, LATEST, cursor))
    # One time for the whole minute, so that a cursor continues the same query.
    until = utc_now().replace(second=0, microsecond=0)
    return db(jobs.jobs_due(JobStatus.PROCESSING, until, cursor))


@operations.post("/queue/sweep", NotAllowed, Contended)
def sweep(db: Database, _caller: WorkerOrOperator) -> SweepResponse:
    """Queue the stuck jobs again, or fail those that three workers have lost."""
    swept = working.sweep(db)
    for job_id, error in swept.errors.items():
        _log.error("job %s is not swept", job_id, exc_info=error)
    return SweepResponse(
        queued=[job.job_id for job in swept.queued],
        failed=[job.job_id for job in swept.failed],
        errors=[*swept.errors],
    )


@operations.get("/shops/{domain}/jobs", NotAllowed)
def jobs_in_status(
    db: Database, _worker: Worker, domain: ShopDomain, status: JobStatus = JobStatus.QUEUED
) -> list[Job]:
    """List the jobs of a shop with a status; by default, the queued ones."""
    return db(jobs.jobs_in_status(domain, status))


@operations.post(
    "/shops/{domain}/jobs/{job_id}/start", NotAllowed, JobNotFound, WrongStatus, ShopBeingErased
)
def start_job(db: Database, _worker: Worker, domain: ShopDomain, job_id: JobId) -> Job:
    """Start a queued job, or take over a stuck one; only one worker can."""
    return working.start(db, domain, job_id)


@operations.post(
    "/shops/{domain}/jobs/{job_id}/renew",
    NotAllowed,
    JobNotFound,
    WrongStatus,
    LeaseLost,
    ShopBeingErased,
)
def renew_lease(
    db: Database, _worker: Worker, domain: ShopDomain, job_id: JobId, request: LeaseRequest
) -> Job:
    """Renew your lease on a job, if a batch takes long."""
    return working.renew(db, domain, job_id, request.attempt)


@operations.post(
    "/shops/{domain}/jobs/{job_id}/batches",
    NotAllowed,
    JobNotFound,
    WrongStatus,
    BatchOutOfOrder,
    LeaseLost,
    ShopBeingErased,
    BadInput,
)
def record_batch(
    db: Database, _worker: Worker, domain: ShopDomain, job_id: JobId, request: BatchRequest
) -> Job:
    """Count the next batch of a job and renew the lease; a repeated batch is not counted."""
    return working.record_batch(
        db,
        domain,
        job_id,
        request.batch,
        successful=request.successful,
        errors=request.errors,
        api_calls=request.api_calls,
        attempt=request.attempt,
    )


@operations.post(
    "/shops/{domain}/jobs/{job_id}/complete",
    NotAllowed,
    JobNotFound,
    WrongStatus,
    LeaseLost,
    ShopBeingErased,
    Contended,
)
def complete_job(
    db: Database, _worker: Worker, domain: ShopDomain, job_id: JobId, request: LeaseRequest
) -> Job:
    """Complete a job and release its slot."""
    return working.complete(db, domain, job_id, attempt=request.attempt)


@operations.post(
    "/shops/{domain}/jobs/{job_id}/fail",
    NotAllowed,
    JobNotFound,
    WrongStatus,
    LeaseLost,
    ShopBeingErased,
    Contended,
)
def fail_job(
    db: Database, _worker: Worker, domain: ShopDomain, job_id: JobId, request: LeaseRequest
) -> Job:
    """Mark a job as failed and release its slot."""
    return working.fail(db, domain, job_id, attempt=request.attempt)


@operations.post(
    "/shops/{domain}/usage/calls", NotAllowed, ShopNotFound, ShopBeingErased, status=204
)
def count_api_calls(
    db: Database, _worker: Worker, domain: ShopDomain, request: CallsRequest
) -> None:
    """Count API calls that were made for a shop."""
    metering.count_api_calls(db, domain, request.calls)


@operations.put(
    "/shops/{domain}/usage/storage", NotAllowed, ShopNotFound, ShopBeingErased, status=204
)
def record_storage(
    db: Database, _worker: Worker, domain: ShopDomain, request: StorageRequest
) -> None:
    """Set the storage that a shop uses."""
    metering.record_storage(db, domain, request.used_bytes)


@operations.get("/shops/{domain}/schema", NotAllowed, SchemaNotFound)
def schema_of_shop(db: Database, _worker: Worker, domain: ShopDomain) -> CurrentSchema:
    """Get the schema for a shop's next import."""
    found = db(current_schema(domain))
    if found is None:
        raise SchemaNotFound(domain)
    return found


@operations.post(
    "/shops/{domain}/schema/validated", NotAllowed, SchemaChanged, ShopNotFound, ShopBeingErased
)
def mark_validated(
    db: Database, _worker: Worker, domain: ShopDomain, request: VersionRequest
) -> CurrentSchema:
    """Mark a shop's schema as valid, if this version is still current."""
    return defining.mark_validated(db, domain, request.version)
