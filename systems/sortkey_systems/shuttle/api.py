"""The shuttle over HTTP: a shop's own jobs, usage, schema and sessions.

The shop is the subject of the token, and is nowhere else in a request. Workers and operators have
roles, and name the shop that they work for.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import Depends, Query
from pydantic import TypeAdapter, ValidationError

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Api, Cursor, Database, Day, Moment
from sortkey_systems.api.identity import Caller, NotAllowed, SignedIn
from sortkey_systems.api.serving import trials
from sortkey_systems.shuttle import (
    api_operating,
    api_working,
    defining,
    design,
    erasing,
    installing,
    signing_in,
    submitting,
    working,
)
from sortkey_systems.shuttle.api_models import (
    GivenJob,
    GivenSchema,
    GivenSession,
    GivenSettings,
    GivenShop,
    ToldSession,
    ToldShop,
    Version,
)
from sortkey_systems.shuttle.api_working import JobId
from sortkey_systems.shuttle.design import (
    CurrentSchema,
    Domain,
    ImportHistory,
    Job,
    JobStatus,
    Month,
    SchemaVersion,
    SessionId,
    Shop,
    UsageDaily,
    UsageMonthly,
)
from sortkey_systems.shuttle.errors import (
    BadInput,
    BatchOutOfTurn,
    DailyLimitReached,
    JobAlreadyRunning,
    JobAlreadySubmitted,
    JobNotFound,
    MonthlyLimitReached,
    NotDueForPurge,
    SchemaChanged,
    SchemaNotFound,
    SessionNotFound,
    SessionOfAnotherShop,
    ShopBeingErased,
    ShopBusy,
    ShopNotActive,
    ShopNotFound,
    TooManyProducts,
    WrongStatus,
)
from sortkey_systems.shuttle.signing_in import SignIn

STATUSES: dict[type[Exception], int] = {
    ShopNotActive: 403,
    TooManyProducts: 403,
    JobNotFound: 404,
    SchemaNotFound: 404,
    SessionNotFound: 404,
    ShopNotFound: 404,
    BatchOutOfTurn: 409,
    JobAlreadyRunning: 409,
    JobAlreadySubmitted: 409,
    NotDueForPurge: 409,
    SchemaChanged: 409,
    SessionOfAnotherShop: 409,
    ShopBeingErased: 409,
    ShopBusy: 409,
    WrongStatus: 409,
    BadInput: 422,
    DailyLimitReached: 429,
    MonthlyLimitReached: 429,
}
LONGEST_RANGE = timedelta(days=366)
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)

api = Api(
    "Inavor Shuttle",
    "Bulk product import for online shops.",
    STATUSES,
    roles=["worker", "operator"],
    parts=[api_working.operations, api_operating.operations],
)


def someone(record: object) -> Caller | None:
    """Whom a record of the generated data signs in."""
    if isinstance(record, Shop) and record.uninstalled_at is None:
        return Caller(record.domain)
    return None


trial = trials(api, someone)


_DOMAIN: TypeAdapter[str] = TypeAdapter(Domain)


async def _shop(caller: SignedIn) -> str:
    try:
        return _DOMAIN.validate_python(caller.user_id)
    except ValidationError:
        raise NotAllowed("this is for shops") from None


OwnShop = Annotated[str, Depends(_shop)]
Since = Annotated[Moment | None, Query(examples=["2032-03-01T00:00:00Z"])]
Until = Annotated[Moment | None, Query(examples=["2032-03-02T00:00:00Z"])]


# The shop.


@api.get("/shop", NotAllowed, ShopNotFound, ShopBeingErased)
def shop(db: Database, domain: OwnShop) -> ToldShop:
    """Your shop, with its plan."""
    return ToldShop.of(installing.find_shop(db, domain))


@api.put("/shop", NotAllowed, BadInput, ShopBeingErased, ShopBusy)
def install(db: Database, domain: OwnShop, given: GivenShop) -> ToldShop:
    """Install the application, or renew your token and name."""
    installed = installing.install(
        db,
        domain,
        shop_name=given.shop_name,
        access_token=given.access_token,
        settings=given.settings.settings(),
    )
    return ToldShop.of(installed)


@api.delete("/shop", NotAllowed, ShopNotFound, ShopBeingErased, ShopBusy, status=200)
def uninstall(db: Database, domain: OwnShop) -> ToldShop:
    """Leave; your records are purged in thirty days."""
    return ToldShop.of(installing.uninstall(db, domain))


@api.delete("/shop/records", NotAllowed)
def erase(db: Database, domain: OwnShop) -> None:
    """Leave nothing of your shop, now."""
    erasing.erase(db, domain)


@api.put("/shop/settings", NotAllowed, ShopNotFound, ShopBeingErased, ShopNotActive)
def change_settings(db: Database, domain: OwnShop, given: GivenSettings) -> ToldShop:
    """Say how you like your imports."""
    return ToldShop.of(installing.change_settings(db, domain, given.settings()))


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
    """Your jobs, newest first; those of a status, within a time if you like."""
    if status is None:
        if since or until:
            raise BadInput("status", "a time goes with a status")
        return db(design.jobs_of_shop(domain, cursor))
    if since is None and until is None:
        return db(design.jobs_by_status(domain, status, cursor))
    first, last = _in_order(since, until)
    return db(design.jobs_by_status_between(domain, status, first, last, cursor))


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
    ShopBusy,
    status=201,
)
def submit(db: Database, domain: OwnShop, caller: SignedIn, given: GivenJob) -> Job:
    """Queue a job for a file of your uploads, if your plan allows it."""
    return submitting.submit(
        db,
        domain,
        file_key=f"uploads/{domain}/{given.file}",
        total_products=given.total_products,
        created_by=caller.email or domain,
        job_type=given.type,
        mode=given.mode,
        is_dry_run=given.is_dry_run,
        job_id=given.job_id,
    )


@api.get("/jobs/{job_id}", NotAllowed, JobNotFound)
def job(db: Database, domain: OwnShop, job_id: JobId) -> Job:
    """One of your jobs."""
    return working.find_job(db, domain, job_id)


@api.post("/jobs/{job_id}/cancel", NotAllowed, JobNotFound, WrongStatus, ShopBusy)
def cancel(db: Database, domain: OwnShop, job_id: JobId) -> Job:
    """Cancel one of your jobs, which frees its place."""
    return working.cancel(db, domain, job_id)


@api.get("/history", NotAllowed, BadInput, BadCursor)
def history(
    db: Database,
    domain: OwnShop,
    since: Since = None,
    until: Until = None,
    cursor: Cursor = None,
) -> Page[ImportHistory]:
    """What your jobs came to, oldest first."""
    first, last = _in_order(since, until)
    return db(design.history_between(domain, first, last, cursor))


def _in_order(since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    first, last = since or EARLIEST, until or LATEST
    if last < first:
        raise BadInput("until", "it comes before since")
    return first, last


# Usage.


@api.get("/usage/days", NotAllowed, BadInput)
def usage_of_days(db: Database, domain: OwnShop, first: Day, last: Day) -> list[UsageDaily]:
    """What you used from day to day, at most a year."""
    if not timedelta(0) <= last - first < LONGEST_RANGE:
        raise BadInput("last", "it is not within a year after first")
    return db(design.usage_of_days(domain, first, last))


@api.get("/usage/days/{day}", NotAllowed)
def usage_of_day(db: Database, domain: OwnShop, day: Day) -> UsageDaily:
    """What you used on a day."""
    return db(design.usage_of_day(domain, day)) or UsageDaily(domain=domain, day=day)


@api.get("/usage/months", NotAllowed, BadInput)
def usage_of_months(db: Database, domain: OwnShop, first: Month, last: Month) -> list[UsageMonthly]:
    """What you used from month to month."""
    if last < first:
        raise BadInput("last", "it comes before first")
    return db(design.usage_of_months(domain, first, last))


@api.get("/usage/months/{month}", NotAllowed)
def usage_of_month(db: Database, domain: OwnShop, month: Month) -> UsageMonthly:
    """What you used in a month."""
    return db(design.usage_of_month(domain, month)) or UsageMonthly(domain=domain, month=month)


# The schema.


@api.get("/schema", NotAllowed, SchemaNotFound)
def schema(db: Database, domain: OwnShop) -> CurrentSchema:
    """The fields that you have defined for yourself."""
    found = db(design.current_schema(domain))
    if found is None:
        raise SchemaNotFound(domain)
    return found


@api.put("/schema", NotAllowed, BadInput, SchemaChanged, ShopNotFound, ShopBeingErased)
def define(db: Database, domain: OwnShop, given: GivenSchema) -> CurrentSchema:
    """Define the next version, unless somebody else has."""
    return defining.define(
        db,
        domain,
        after=given.after,
        metafields=given.metafield_definitions(),
        metaobjects=given.metaobject_definitions(),
    )


@api.get("/schema/versions/{version}", NotAllowed, SchemaNotFound)
def schema_version(db: Database, domain: OwnShop, version: Version) -> SchemaVersion:
    """The fields as a version had them."""
    found = db(design.schema_version(domain, version))
    if found is None:
        raise SchemaNotFound(domain)
    return found


# Sessions.


@api.get("/sessions", NotAllowed)
def sessions(db: Database, domain: OwnShop) -> list[ToldSession]:
    """Who is signed in at your shop."""
    return [ToldSession.of(session) for session in db(design.sessions_of_shop(domain))]


@api.put(
    "/sessions/{session_id}",
    NotAllowed,
    BadInput,
    SessionOfAnotherShop,
    ShopNotFound,
    ShopBeingErased,
)
def store_session(
    db: Database, domain: OwnShop, session_id: SessionId, given: GivenSession
) -> ToldSession:
    """Sign somebody in: for a day, or for a year where it is the application itself."""
    stored = signing_in.store_session(db, SignIn(session_id, domain, **given.model_dump()))
    return ToldSession.of(stored)


@api.get("/sessions/{session_id}", NotAllowed, SessionNotFound)
def session(db: Database, domain: OwnShop, session_id: SessionId) -> ToldSession:
    """A session of your shop; the application's own lives on for a year from here."""
    found = signing_in.load_session(db, session_id, shop=domain)
    if found is None:
        raise SessionNotFound(session_id)
    return ToldSession.of(found)


@api.delete("/sessions/{session_id}", NotAllowed, SessionOfAnotherShop)
def sign_out(db: Database, domain: OwnShop, session_id: SessionId) -> None:
    """End a session of your shop; one that is over stays so."""
    signing_in.sign_out_of_shop(db, domain, session_id)
