"""Erasure of a shop: reads of all its records, and the writes that delete them."""

from datetime import datetime

from pydantic import BaseModel

from sortkey import Collection, Op, Update, exists, pattern, write_many
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import Job
from sortkey_systems.shuttle.design.schemas import CurrentSchema, SchemaVersion
from sortkey_systems.shuttle.design.sessions import Session
from sortkey_systems.shuttle.design.shops import Shop
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly


class OtherRecords(Collection):
    """A shop's records other than its jobs and sessions."""

    days: list[UsageDaily]
    months: list[UsageMonthly]
    schemas: list[CurrentSchema]
    versions: list[SchemaVersion]
    history: list[ImportHistory]


class StoredSession(BaseModel):
    """The id of a session."""

    session_id: str


@pattern(
    "Jobs of a shop, expired or not",
    rate="1/h",
    fresh=True,
    where=lambda job, domain: job.domain == domain,
    order=lambda job: job.job_id,
)
def stored_jobs(domain: str) -> Op[list[Job]]:
    """Read consistently, including expired jobs that DynamoDB has not deleted yet."""
    return Job.query(domain=domain).with_expired().consistently()


@pattern(
    "Other records of a shop",
    rate="1/h",
    fresh=True,
    where=lambda record, domain: record.domain == domain,
    ignore={
        "SK407": "its jobs are already erased, and the shop itself is one record",
        "SK414": "an erasure needs all records",
    },
)
def other_records(domain: str) -> Op[OtherRecords]:
    """Read usage, schemas and history with one consistent Query."""
    return OtherRecords.load(domain=domain).consistently()


@pattern(
    "Ids of a shop's sessions, expired or not",
    rate="1/h",
    where=lambda session, shop: session.shop == shop,
    order=lambda session: session.session_id,
)
def stored_session_ids(shop: str) -> Op[list[StoredSession]]:
    """Return only the ids, so that no encryption key is needed."""
    return Session.query(Session.by_shop, shop=shop).with_expired().select(StoredSession)


@pattern("Mark a shop for erasure", rate="1/h")
def mark_erasing(domain: str, at: datetime) -> Op[Shop]:
    """Mark the shop; it accepts no new records from then on."""
    return _marked(domain, at)


@pattern("Mark a shop for purge", rate="1/h")
def mark_purging(domain: str, left: datetime, at: datetime) -> Op[Shop]:
    """Mark the shop if it has not been reinstalled."""
    return _marked(domain, at).where(lambda s: s.uninstalled_at == left)


def _marked(domain: str, at: datetime) -> Update[Shop]:
    return Shop.update(domain=domain).set(erasing_since=at)


@pattern("Erase jobs", rate="1/h")
def erase_jobs(jobs: list[Job]) -> Op[None]:
    """Delete in batches; items that DynamoDB leaves unprocessed are sent again."""
    return write_many(job.erase() for job in jobs)


@pattern("Erase the other records of a shop", rate="1/h")
def erase_other_records(
    days: list[UsageDaily],
    months: list[UsageMonthly],
    schemas: list[CurrentSchema],
    versions: list[SchemaVersion],
    history: list[ImportHistory],
) -> Op[None]:
    """Delete in batches; items that DynamoDB leaves unprocessed are sent again."""
    records = (*days, *months, *schemas, *versions, *history)
    return write_many(record.erase() for record in records)


@pattern("Erase a marked shop", rate="1/h")
def erase_shop(domain: str) -> Op[Shop | None]:
    """Delete the shop's own record, which is the last."""
    return Shop.erase(domain=domain).where(lambda s: exists(s.erasing_since))
