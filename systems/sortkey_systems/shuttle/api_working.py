"""What workers do over HTTP, for whichever shop a job is of."""

from typing import Annotated

from fastapi import Depends, Path

from sortkey_systems.api.app import Database, Operations
from sortkey_systems.api.identity import Caller, Having, NotAllowed
from sortkey_systems.shuttle import defining, design, metering, working
from sortkey_systems.shuttle.api_models import GivenBatch, GivenCalls, GivenStorage, GivenVersion
from sortkey_systems.shuttle.design import CurrentSchema, Domain, Job, JobStatus, Ulid
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfTurn,
    JobNotFound,
    SchemaChanged,
    SchemaNotFound,
    ShopBeingErased,
    ShopBusy,
    ShopNotFound,
    WrongStatus,
)

Worker = Annotated[Caller, Depends(Having("worker"))]
OfShop = Annotated[Domain, Path(examples=["shop1.myshopify.com"])]
JobId = Annotated[Ulid, Path(examples=["01KKZ3D5V1W4ZBT4Y5S1GYQ2M8"])]

operations = Operations()


@operations.get("/shops/{domain}/jobs", NotAllowed)
def jobs_in_status(
    db: Database, _worker: Worker, domain: OfShop, status: JobStatus = JobStatus.QUEUED
) -> list[Job]:
    """The jobs of a shop that are queued, or in another status."""
    return db(design.jobs_in_status(domain, status))


@operations.post("/shops/{domain}/jobs/{job_id}/start", NotAllowed, JobNotFound, WrongStatus)
def start_job(db: Database, _worker: Worker, domain: OfShop, job_id: JobId) -> Job:
    """Take a job, which one worker gets."""
    return working.start(db, domain, job_id)


@operations.post(
    "/shops/{domain}/jobs/{job_id}/batches",
    NotAllowed,
    JobNotFound,
    WrongStatus,
    BatchOutOfTurn,
    BadInput,
)
def record_batch(
    db: Database, _worker: Worker, domain: OfShop, job_id: JobId, given: GivenBatch
) -> Job:
    """Count a batch of a job, once."""
    return working.record_batch(
        db,
        domain,
        job_id,
        given.batch,
        successful=given.successful,
        errors=given.errors,
        api_calls=given.api_calls,
    )


@operations.post(
    "/shops/{domain}/jobs/{job_id}/complete", NotAllowed, JobNotFound, WrongStatus, ShopBusy
)
def complete_job(db: Database, _worker: Worker, domain: OfShop, job_id: JobId) -> Job:
    """Complete a job, which frees its place."""
    return working.complete(db, domain, job_id)


@operations.post(
    "/shops/{domain}/jobs/{job_id}/fail", NotAllowed, JobNotFound, WrongStatus, ShopBusy
)
def fail_job(db: Database, _worker: Worker, domain: OfShop, job_id: JobId) -> Job:
    """Give a job up, which frees its place."""
    return working.fail(db, domain, job_id)


@operations.post(
    "/shops/{domain}/usage/calls", NotAllowed, ShopNotFound, ShopBeingErased, status=204
)
def count_api_calls(db: Database, _worker: Worker, domain: OfShop, given: GivenCalls) -> None:
    """Count calls that were made for a shop."""
    metering.count_api_calls(db, domain, given.calls)


@operations.put(
    "/shops/{domain}/usage/storage", NotAllowed, ShopNotFound, ShopBeingErased, status=204
)
def note_storage(db: Database, _worker: Worker, domain: OfShop, given: GivenStorage) -> None:
    """Say how much is stored for a shop."""
    metering.note_storage(db, domain, given.used_bytes)


@operations.get("/shops/{domain}/schema", NotAllowed, SchemaNotFound)
def schema_of_shop(db: Database, _worker: Worker, domain: OfShop) -> CurrentSchema:
    """The schema that a shop's next import is checked against."""
    found = db(design.current_schema(domain))
    if found is None:
        raise SchemaNotFound(domain)
    return found


@operations.post("/shops/{domain}/schema/validated", NotAllowed, SchemaChanged)
def mark_validated(
    db: Database, _worker: Worker, domain: OfShop, given: GivenVersion
) -> CurrentSchema:
    """Say that a shop's schema was found valid, if it is still this version."""
    return defining.mark_validated(db, domain, given.version)
