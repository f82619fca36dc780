"""The shuttle over HTTP: a shop's own jobs, usage, schema and sessions.

The subject of the token identifies the shop. Workers and operators have roles, and name a shop in
the path.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import Annotated

from fastapi import Depends, Query
from pydantic import TypeAdapter, ValidationError

from sortkey import DB, BadCursor, Contended, Page, ulid, utc_now
from sortkey_systems.api.app import Api, Cursor, Database, Moment
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.days import Day
from sortkey_systems.api.identity import NotAllowed, SignedIn
from sortkey_systems.api.serving import Records, Trial, TrialRequest, trials
from sortkey_systems.shuttle import (
    api_operating,
    api_working,
    defining,
    erasing,
    installing,
    signing_in,
    submitting,
    working,
)
from sortkey_systems.shuttle.api_former import Former
from sortkey_systems.shuttle.api_models import (
    ErasureResponse,
    JobRequest,
    NoticeRequest,
    SchemaRequest,
    SessionRequest,
    SessionResponse,
    SettingsRequest,
    ShopRequest,
    ShopResponse,
    Version,
)
from sortkey_systems.shuttle.api_working import JobId
from sortkey_systems.shuttle.design import schemas, usage
from sortkey_systems.shuttle.design.history import ImportHistory, history_between
from sortkey_systems.shuttle.design.jobs import (
    Job,
    JobStatus,
    jobs_by_status,
    jobs_by_status_between,
    jobs_of_shop,
)
from sortkey_systems.shuttle.design.schemas import CurrentSchema, SchemaVersion, current_schema
from sortkey_systems.shuttle.design.sessions import SessionId
from sortkey_systems.shuttle.design.shops import BillingStatus, Shop
from sortkey_systems.shuttle.design.table import Domain, Month
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfOrder,
    DailyLimitReached,
    JobAlreadyRunning,
    JobAlreadySubmitted,
    JobNotFound,
    LeaseLost,
    MonthlyLimitReached,
    NotDueForPurge,
    SchemaChanged,
    SchemaNotFound,
    SessionNotFound,
    SessionOfAnotherShop,
    SettingMissing,
    ShopBeingErased,
    ShopNotActive,
    ShopNotFound,
    TooManyProducts,
    WrongStatus,
)
from sortkey_systems.shuttle.finding import find_shop
from sortkey_systems.shuttle.installing import UninstallNotice
from sortkey_systems.shuttle.retaining import HASH_KEY
from sortkey_systems.shuttle.signing_in import SignIn

STATUSES: dict[type[Exception], int] = {
    ShopNotActive: 403,
    TooManyProducts: 403,
    JobNotFound: 404,
    SchemaNotFound: 404,
    SessionNotFound: 404,
    ShopNotFound: 404,
    BatchOutOfOrder: 409,
    JobAlreadyRunning: 409,
    JobAlreadySubmitted: 409,
    LeaseLost: 409,
    NotDueForPurge: 409,
    SchemaChanged: 409,
    SessionOfAnotherShop: 409,
    ShopBeingErased: 409,
    WrongStatus: 409,
    BadInput: 422,
    DailyLimitReached: 429,
    MonthlyLimitReached: 429,
    SettingMissing: 503,
}
MAX_RANGE = timedelta(days=366)
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)

api = Api(
    "Inavor Shuttle",
    "Bulk product import for online shops.",
    STATUSES,
    roles=["worker", "operator"],
    parts=[api_working.operations, api_operating.operations],
)


def demo_caller(record: object) -> Caller | None:
    """Return a caller for a shop that can submit a job, or None for other records."""
    if not isinstance(record, Shop) or record.active_jobs:
        return None
    return Caller(record.domain) if record.billing_status is BillingStatus.ACTIVE else None


def demo_requests(_db: DB, callers: Sequence[Caller]) -> list[TrialRequest]:
    """Return requests with which a shop submits a job, a worker starts it, and the shop sees it."""
    shop, job_id = callers[0].user_id, ulid(utc_now())
    job = {"file": "products.csv", "total_products": 50, "job_id": job_id}
    return [
        TrialRequest(shop, "POST", "/jobs", "your job, whose status is QUEUED", job),
        TrialRequest(
            "worker",
            "POST",
            f"/shops/{shop}/jobs/{job_id}/start",
            "the job, which is PROCESSING; due_at is the end of the worker's lease",
        ),
        TrialRequest(
            shop, "GET", f"/usage/days/{utc_now():%F}", "imports_count has your import of today"
        ),
    ]


_trial = trials(api, demo_caller, demo_requests)


def trial(db: DB, records: Records) -> Trial:
    """Return a trial of the API on stored records, with a key for hashes of its own."""
    os.environ.setdefault(HASH_KEY, token_hex())
    return _trial(db, records)


_DOMAIN: TypeAdapter[str] = TypeAdapter(Domain)


async def _shop(caller: SignedIn) -> str:
    try:
        return _DOMAIN.validate_python(caller.user_id)
    except ValidationError:
        raise NotAllowed("only a shop can do this") from None


OwnShop = Annotated[str, Depends(_shop)]
Since = Annotated[Moment | None, Query(examples=["2032-03-01T00:00:00Z"])]
Until = Annotated[Moment | None, Query(examples=["2032-03-02T00:00:00Z"])]


# The shop.


@api.get("/shop", NotAllowed, ShopNotFound, ShopBeingErased)
def shop(db: Database, domain: OwnShop) -> ShopResponse:
    """Get your shop with its plan."""
    return ShopResponse.of(find_shop(db, domain))


@api.put("/shop", NotAllowed, BadInput, ShopBeingErased, Contended)
def install(db: Database, domain: OwnShop, request: ShopRequest) -> ShopResponse:
    """Install the application, or renew your token and name."""
    installed = installing.install(
        db,
        domain,
        shop_name=request.shop_name,
        access_token=request.access_token,
        settings=request.settings.settings(),
    )
    return ShopResponse.of(installed)


@api.delete("/shop", NotAllowed, ShopNotFound, ShopBeingErased, Contended, status=200)
def uninstall(db: Database, domain: OwnShop, former: Former) -> ShopResponse:
    """Uninstall the application; your records are purged after 30 days."""
    return ShopResponse.of(installing.uninstall(db, domain, former=former))


@api.post("/shop/uninstalled", NotAllowed, BadInput, Contended, status=204)
def receive_uninstall(
    db: Database, domain: OwnShop, former: Former, request: NoticeRequest
) -> None:
    """Uninstall the application on a notice of the platform.

    A notice from before the installation changes nothing, and neither does a repeated one.
    """
    notice = UninstallNotice(request.notice_id, request.sent_at)
    installing.receive_uninstall(db, domain, notice, former=former)


@api.delete("/shop/records", NotAllowed, Contended, status=200)
def erase(db: Database, domain: OwnShop, former: Former) -> ErasureResponse:
    """Erase your shop with all its records now.

    Until `retry_at`, if it is set, the shop cannot be installed again.
    """
    return ErasureResponse.model_validate(erasing.erase(db, domain, former=former))


@api.put("/shop/settings", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive)
def change_settings(db: Database, domain: OwnShop, request: SettingsRequest) -> ShopResponse:
    """Change your settings for imports."""
    return ShopResponse.of(installing.change_settings(db, domain, request.settings()))


# Jobs.


@api.get("/jobs", NotAllowed, BadInput, BadCursor)
def jobs(
    *,
    db: Database,
    domain: OwnShop,
    status: JobStatus | None = None,
    since: Since = None,
    until: Until = None,
    cursor: Cursor = None,
) -> Page[Job]:
    """List your jobs, newest first; filter by status, or by status and time."""
    if status is None:
        if since or until:
            raise BadInput("status", "is required with since or until")
        return db(jobs_of_shop(domain, cursor))
    if since is None and until is None:
        return db(jobs_by_status(domain, status, cursor))
    first, last = _in_order(since, until)
    return db(jobs_by_status_between(domain, status, first, last, cursor))


@api.post(
    "/jobs",
    NotAllowed,
    BadInput,
    ShopNotFound,
    ShopBeingErased,
    ShopNotActive,
    TooManyProducts,
    DailyLimitReached,
    MonthlyLimitReached,
    JobAlreadyRunning,
    JobAlreadySubmitted,
    Contended,
    status=201,
)
def submit(db: Database, domain: OwnShop, caller: SignedIn, request: JobRequest) -> Job:
    """Submit a job for one of your uploaded files, if your plan allows it."""
    return submitting.submit(
        db,
        domain,
        file_key=f"uploads/{domain}/{request.file}",
        total_products=request.total_products,
        created_by=caller.email or domain,
        job_type=request.type,
        mode=request.mode,
        is_dry_run=request.is_dry_run,
        job_id=request.job_id,
    )


@api.get("/jobs/{job_id}", NotAllowed, JobNotFound)
def job(db: Database, domain: OwnShop, job_id: JobId) -> Job:
    """Get one of your jobs."""
    return working.find_job(db, domain, job_id)


@api.post("/jobs/{job_id}/cancel", NotAllowed, JobNotFound, WrongStatus, ShopBeingErased, Contended)
def cancel(db: Database, domain: OwnShop, job_id: JobId) -> Job:
    """Cancel one of your jobs and release its slot."""
    return working.cancel(db, domain, job_id)


@api.get("/history", NotAllowed, BadInput, BadCursor)
def history(
    db: Database,
    domain: OwnShop,
    since: Since = None,
    until: Until = None,
    cursor: Cursor = None,
) -> Page[ImportHistory]:
    """List the results of your jobs, oldest first."""
    first, last = _in_order(since, until)
    return db(history_between(domain, first, last, cursor))


def _in_order(since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    first, last = since or EARLIEST, until or LATEST
    if last < first:
        raise BadInput("until", "must not be before since")
    return first, last


# Usage.


@api.get("/usage/days", NotAllowed, BadInput)
def usage_of_days(db: Database, domain: OwnShop, first: Day, last: Day) -> list[UsageDaily]:
    """List your usage by day, for at most a year."""
    if not timedelta(0) <= last - first < MAX_RANGE:
        raise BadInput("last", "must be within a year after first")
    return db(usage.usage_of_days(domain, first, last))


@api.get("/usage/days/{day}", NotAllowed)
def usage_of_day(db: Database, domain: OwnShop, day: Day) -> UsageDaily:
    """Get your usage on a day."""
    return db(usage.usage_of_day(domain, day)) or UsageDaily(domain=domain, day=day)


@api.get("/usage/months", NotAllowed, BadInput)
def usage_of_months(db: Database, domain: OwnShop, first: Month, last: Month) -> list[UsageMonthly]:
    """List your usage by month."""
    if last < first:
        raise BadInput("last", "must not be before first")
    return db(usage.usage_of_months(domain, first, last))


@api.get("/usage/months/{month}", NotAllowed)
def usage_of_month(db: Database, domain: OwnShop, month: Month) -> UsageMonthly:
    """Get your usage in a month."""
    return db(usage.usage_of_month(domain, month)) or UsageMonthly(domain=domain, month=month)


# The schema.


@api.get("/schema", NotAllowed, SchemaNotFound)
def schema(db: Database, domain: OwnShop) -> CurrentSchema:
    """Get your current schema."""
    found = db(current_schema(domain))
    if found is None:
        raise SchemaNotFound(domain)
    return found


@api.put(
    "/schema", NotAllowed, BadInput, SchemaChanged, ShopNotFound, ShopBeingErased, ShopNotActive
)
def define(db: Database, domain: OwnShop, request: SchemaRequest) -> CurrentSchema:
    """Define the next version of your schema, unless it has changed."""
    return defining.define(
        db,
        domain,
        after=request.after,
        metafields=request.metafield_definitions(),
        metaobjects=request.metaobject_definitions(),
    )


@api.get("/schema/versions/{version}", NotAllowed, SchemaNotFound)
def schema_version(db: Database, domain: OwnShop, version: Version) -> SchemaVersion:
    """Get a version of your schema."""
    found = db(schemas.schema_version(domain, version))
    if found is None:
        raise SchemaNotFound(domain)
    return found


# Sessions.


@api.get("/sessions", NotAllowed)
def sessions(db: Database, domain: OwnShop) -> list[SessionResponse]:
    """List the sessions of your shop."""
    return [SessionResponse.of(session) for session in signing_in.list_sessions(db, domain)]


@api.put(
    "/sessions/{session_id}",
    NotAllowed,
    BadInput,
    SessionOfAnotherShop,
    ShopNotFound,
    ShopBeingErased,
    ShopNotActive,
    Contended,
)
def store_session(
    db: Database, domain: OwnShop, session_id: SessionId, request: SessionRequest
) -> SessionResponse:
    """Store a session: for a day if it is a user's, or for a year if it is the application's."""
    stored = signing_in.store_session(db, SignIn(session_id, domain, **request.model_dump()))
    return SessionResponse.of(stored)


@api.get("/sessions/{session_id}", NotAllowed, SessionNotFound)
def session(
    db: Database, domain: OwnShop, former: Former, session_id: SessionId
) -> SessionResponse:
    """Get a session of your shop; a session of the application is extended to a year."""
    found = signing_in.load_session(db, session_id, shop=domain, former=former)
    if found is None:
        raise SessionNotFound(session_id)
    return SessionResponse.of(found)


@api.delete("/sessions/{session_id}", NotAllowed, SessionOfAnotherShop)
def sign_out(db: Database, domain: OwnShop, former: Former, session_id: SessionId) -> None:
    """End a session of your shop, if it has not ended."""
    signing_in.sign_out_of_shop(db, domain, session_id, former=former)
