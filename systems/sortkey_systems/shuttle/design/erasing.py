"""Erasure of a shop: the mark, reads of all its records, and the writes that delete them.

Every deletion checks that the shop still has the mark of this erasure.
"""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic.alias_generators import to_camel

from sortkey import (
    Check,
    Collection,
    Entity,
    Op,
    Page,
    Update,
    missing,
    pattern,
    raw_pattern,
    transact,
)
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import Job
from sortkey_systems.shuttle.design.retaining import RetainedSuspension, RetainedUsage
from sortkey_systems.shuttle.design.schemas import CurrentSchema, SchemaVersion
from sortkey_systems.shuttle.design.sessions import Session, SignedOut
from sortkey_systems.shuttle.design.shops import Shop, ShopSettings
from sortkey_systems.shuttle.design.table import Domain, Shuttle, Ulid
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly

# Replaces the name, which is required, while a shop is being erased.
ERASED_NAME = "erased"
# A transaction has at most 100 actions; one checks the mark.
BATCH = 99
# Two actions for each session: delete it, and mark it as signed out.
SESSION_BATCH = 49
# Items on a page of a search.
SEARCHED = 1_000
SESSION_PREFIX = "SESSION#"


class Erasure(
    Entity,
    table=Shuttle,
    stored=to_camel,
    ignore={"SK611": "it remains when the domain is deleted, and only the eraser uses it"},
):
    """Added: an erasure. Its record remains, without the domain."""

    erasure_id: Ulid
    # Until the erasure ends.
    domain: Domain | None = None
    started_at: datetime
    finished_at: datetime | None = None

    primary = Shuttle.primary.key("ERASURE#{erasure_id}", "METADATA")
    by_domain = Shuttle.gsi3.key("ERASURES", "{domain}#{erasure_id}")


class SessionIndex(Entity, table=Shuttle, stored=to_camel):
    """Added: a mark that every session of the table has the keys of the index."""

    checked_at: datetime

    primary = Shuttle.primary.key("SESSION_INDEX", "METADATA")


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


class JobKey(BaseModel):
    """The key of a job."""

    domain: str
    job_id: str


class DayKey(BaseModel):
    """The key of the usage of a day."""

    domain: str
    day: date


class MonthKey(BaseModel):
    """The key of the usage of a month."""

    domain: str
    month: str


class SchemaKey(BaseModel):
    """The key of the current schema."""

    domain: str


class VersionKey(BaseModel):
    """The key of a version of the schema."""

    domain: str
    version: int


class HistoryKey(BaseModel):
    """The key of a row of history."""

    domain: str
    completed_at: datetime
    job_id: str


@pattern(
    "Jobs of a shop, expired or not",
    rate="1/h",
    fresh=True,
    where=lambda job, domain: job.domain == domain,
    order=lambda job: job.job_id,
)
def stored_jobs(domain: str) -> Op[list[JobKey]]:
    """Read the keys consistently, including expired jobs that DynamoDB has not deleted yet."""
    return Job.query(domain=domain).with_expired().consistently().select(JobKey)


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


# If one of these records cannot be read, only the keys are. An erasure must end all the same.


@pattern(
    "Keys of a shop's usage by day",
    rate="1/day",
    fresh=True,
    where=lambda usage, domain: usage.domain == domain,
    order=lambda usage: usage.day,
)
def day_keys(domain: str) -> Op[list[DayKey]]:
    """Read the keys consistently."""
    return UsageDaily.query(domain=domain).consistently().select(DayKey)


@pattern(
    "Keys of a shop's usage by month",
    rate="1/day",
    fresh=True,
    where=lambda usage, domain: usage.domain == domain,
    order=lambda usage: usage.month,
)
def month_keys(domain: str) -> Op[list[MonthKey]]:
    """Read the keys consistently."""
    return UsageMonthly.query(domain=domain).consistently().select(MonthKey)


@pattern("The key of a shop's current schema", rate="1/day", fresh=True)
def schema_key(domain: str) -> Op[SchemaKey | None]:
    """Read the key consistently."""
    return CurrentSchema.get(domain=domain).consistently().select(SchemaKey)


@pattern(
    "Keys of the versions of a shop's schema",
    rate="1/day",
    fresh=True,
    where=lambda version, domain: version.domain == domain,
    order=lambda version: version.version,
)
def version_keys(domain: str) -> Op[list[VersionKey]]:
    """Read the keys consistently."""
    return SchemaVersion.query(domain=domain).consistently().select(VersionKey)


@pattern(
    "Keys of a shop's history",
    rate="1/day",
    fresh=True,
    where=lambda row, domain: row.domain == domain,
    order=lambda row: (row.completed_at, row.job_id),
)
def history_keys(domain: str) -> Op[list[HistoryKey]]:
    """Read the keys consistently."""
    return ImportHistory.query(domain=domain).consistently().select(HistoryKey)


@pattern(
    "Ids of a shop's sessions, expired or not",
    rate="1/h",
    where=lambda session, shop: session.shop == shop,
    order=lambda session: session.session_id,
)
def stored_session_ids(shop: str) -> Op[list[StoredSession]]:
    """Return only the ids, so that no encryption key is needed."""
    return Session.query(Session.by_shop, shop=shop).with_expired().select(StoredSession)


# Only this application stores the attribute, with each session.
searched_sessions = raw_pattern(
    "Sessions of a shop, and those of other shops that are not back-filled",
    name="searched_sessions",
    doc="Return the key and the shop of such sessions among the next thousand items.",
    operation="Scan",
    table=Shuttle,
    arguments={"shop": Domain},
    filter="begins_with(PK, :session) AND SK = :metadata"
    " AND (shop = :shop OR attribute_not_exists(isCopied))",
    values={":session": SESSION_PREFIX, ":metadata": "METADATA", ":shop": "{shop}"},
    projection="PK, shop, isCopied",
    consistent=True,
    limit=SEARCHED,
    page=SEARCHED,
    entities=[Session],
    fresh=True,
    rate="1/day",
    ignore={
        "SK413": "only until SessionIndex records that the index has every session",
        "SK409": "the index may not have them yet",
        "SK305": "an expired session that is still stored must be found too",
        "SK412": "a page without items is the normal case",
    },
)


@pattern("Whether every session has the keys of the index", rate="1/h", fresh=True)
def session_index() -> Op[SessionIndex | None]:
    """Return the mark, or None if a session may not have them."""
    return SessionIndex.get().consistently()


@pattern(
    "Mark that every session has the keys of the index",
    rate="1/day",
    ignore={"SK703": "all marks are equivalent"},
)
def mark_session_index(mark: SessionIndex) -> Op[SessionIndex]:
    """Store the mark, after a search has found no session without keys of the index."""
    return mark.put()


@pattern(
    "Erasures under way",
    rate="1/min",
    page=50,
    where=lambda erasure: erasure.domain is not None,
    order=lambda erasure: (erasure.domain, erasure.erasure_id),
)
def erasures_under_way(after: str | None = None) -> Op[Page[Erasure]]:
    """Sort by domain; an erasure that has ended is not in the index."""
    return Erasure.query(Erasure.by_domain).page(50, after)


@pattern("Begin the erasure of a shop", rate="1/h")
def begin_erasure(domain: str, erasure: Erasure) -> Op[None]:
    """Mark the shop, which accepts no writes from then on, and delete its token and settings."""
    return transact(_marked(domain, erasure), erasure.create())


@pattern("Begin the purge of a shop", rate="1/h")
def begin_purge(domain: str, left: datetime, erasure: Erasure) -> Op[None]:
    """Mark the shop if it has not been reinstalled."""
    marked = _marked(domain, erasure).where(lambda s: s.uninstalled_at == left)
    return transact(marked, erasure.create())


@pattern("Begin the erasure of records without a shop", rate="1/h")
def begin_without_shop(domain: Domain, erasure: Erasure) -> Op[None]:
    """Create a marked shop for records that were moved before their shop was installed."""
    marked = Shop(
        domain=domain,
        shop_name=ERASED_NAME,
        installed_at=erasure.started_at,
        erasing_since=erasure.started_at,
        erasure_id=erasure.erasure_id,
    )
    return transact(marked.create(), erasure.create())


def _marked(domain: str, erasure: Erasure) -> Update[Shop]:
    return (
        Shop.update(domain=domain)
        .set(erasing_since=erasure.started_at, erasure_id=erasure.erasure_id)
        .set(shop_name=ERASED_NAME, settings=ShopSettings())
        .remove(lambda s: s.access_token)
        .where(lambda s: missing(s.erasure_id))
    )


def _has_mark(domain: str, erasure_id: str) -> Check[Shop]:
    return Shop.check(domain=domain).where(lambda s: s.erasure_id == erasure_id)


@pattern("Retain the usage of a shop", rate="1/h")
def retain_usage(domain: str, erasure_id: str, usage: RetainedUsage) -> Op[None]:
    """Store the usage under the hash of the domain, once."""
    return transact(_has_mark(domain, erasure_id), usage.create())


@pattern("Retain the suspension of a shop", rate="1/h")
def retain_suspension(domain: str, erasure_id: str, suspension: RetainedSuspension) -> Op[None]:
    """Store the suspension under the hash of the domain."""
    return transact(_has_mark(domain, erasure_id), suspension.put())


@pattern("Erase jobs", rate="1/h")
def erase_jobs(
    domain: str, erasure_id: str, keys: Annotated[list[JobKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Delete records while the shop has this mark."""
    return _erased(domain, erasure_id, Job, keys)


@pattern("Erase usage by day", rate="1/h")
def erase_days(
    domain: str, erasure_id: str, keys: Annotated[list[DayKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Delete records while the shop has this mark."""
    return _erased(domain, erasure_id, UsageDaily, keys)


@pattern("Erase usage by month", rate="1/h")
def erase_months(
    domain: str, erasure_id: str, keys: Annotated[list[MonthKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Delete records while the shop has this mark."""
    return _erased(domain, erasure_id, UsageMonthly, keys)


@pattern("Erase the current schema", rate="1/h")
def erase_schemas(
    domain: str, erasure_id: str, keys: Annotated[list[SchemaKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Delete records while the shop has this mark."""
    return _erased(domain, erasure_id, CurrentSchema, keys)


@pattern("Erase versions of the schema", rate="1/h")
def erase_versions(
    domain: str, erasure_id: str, keys: Annotated[list[VersionKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Delete records while the shop has this mark."""
    return _erased(domain, erasure_id, SchemaVersion, keys)


@pattern("Erase history", rate="1/h")
def erase_history(
    domain: str, erasure_id: str, keys: Annotated[list[HistoryKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Delete records while the shop has this mark."""
    return _erased(domain, erasure_id, ImportHistory, keys)


def _erased(
    domain: str, erasure_id: str, entity: type[Entity], keys: Iterable[BaseModel]
) -> Op[None]:
    # The mark of a shop deletes nothing of another.
    own = ({**key.model_dump(), "domain": domain} for key in keys)
    return transact(_has_mark(domain, erasure_id), *(entity.erase(**key) for key in own))


Sessions = Annotated[list[StoredSession], Field(max_length=SESSION_BATCH)]
# While the former store is in use: a move in progress must not copy these sessions again.
Marks = Annotated[list[SignedOut], Field(max_length=SESSION_BATCH)]


@pattern("Erase sessions", rate="1/h", ignore={"SK703": "all marks of a session are equivalent"})
def erase_sessions(domain: str, erasure_id: str, sessions: Sessions, marks: Marks) -> Op[None]:
    """Delete sessions that belong to the shop, while it has this mark."""
    ended = (
        Session.erase(session_id=each.session_id).where(lambda s: s.shop == domain)
        for each in sessions
    )
    return transact(_has_mark(domain, erasure_id), *ended, *(mark.put() for mark in marks))


@pattern(
    "Erase expired sessions", rate="1/h", ignore={"SK703": "all marks of a session are equivalent"}
)
def erase_expired_sessions(
    domain: str, erasure_id: str, sessions: Sessions, marks: Marks
) -> Op[None]:
    """Delete sessions that have expired or ended, while the shop has this mark."""
    ended = (Session.erase(session_id=each.session_id) for each in sessions)
    return transact(_has_mark(domain, erasure_id), *ended, *(mark.put() for mark in marks))


@pattern("End an erasure", rate="1/h")
def end_erasure(domain: str, erasure: Erasure, at: datetime) -> Op[None]:
    """Delete the shop's own record, which is the last, and the domain from the erasure."""
    erasure_id = erasure.erasure_id
    return transact(
        Shop.erase(domain=domain).where(lambda s: s.erasure_id == erasure_id),
        erasure.update().set(finished_at=at).remove(lambda e: e.domain),
    )


@pattern("An erasure by its id", rate="1/h", fresh=True)
def erasure_by_id(erasure_id: str) -> Op[Erasure | None]:
    """Read the erasure consistently."""
    return Erasure.get(erasure_id=erasure_id).consistently()
