"""The data of Inavor Shuttle: shops, their jobs and usage, their schemas, and who is signed in.

One table with the keys, indexes and attribute names of the original document. What was added to it
says why.
"""

from datetime import date, datetime
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Alarms,
    Collection,
    Entity,
    Expected,
    Op,
    Page,
    Settings,
    Stored,
    Table,
    gsi,
    immutable,
    invariant,
    pattern,
    refers,
    secret,
)

# Lower case, as DNS compares names: `A.com` and `a.com` would be two shops.
Domain = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$", max_length=253)
]
Ulid = Annotated[str, StringConstraints(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
# Without what separates the parts of a key, and within the 1,024 bytes of a sort key in any script.
SessionId = Annotated[str, StringConstraints(pattern=r"^[^#]+$", max_length=250)]
Month = Annotated[str, StringConstraints(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]
Count = Annotated[int, Field(ge=0)]


class Plan(Enum):
    """What a shop pays for; the limits of each are in `plans`."""

    FREE = "FREE"
    SMALL = "SMALL"
    MEDIUM = "MEDIUM"
    LARGE = "LARGE"


class BillingStatus(Enum):
    """Whether a shop may work."""

    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"
    CANCELLED = "CANCELLED"


class JobType(Enum):
    """The direction of a job."""

    IMPORT = "IMPORT"
    EXPORT = "EXPORT"


class JobMode(Enum):
    """What happens to the products that the shop has."""

    OVERWRITE_EXISTING = "OVERWRITE_EXISTING"
    NEW_ONLY = "NEW_ONLY"
    NEW_AND_DRAFT = "NEW_AND_DRAFT"
    WIPE_AND_RESTORE = "WIPE_AND_RESTORE"


class JobStatus(Enum):
    """Where a job is; the last three are final."""

    QUEUED = "QUEUED"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class Shuttle(
    Table,
    name="InavorShuttleTable",
    ttl="ExpiresAt",
    settings=Settings(
        removal={"dev": "destroy", "prod": "retain"},
        alarms=Alarms(throttled_requests=1, system_errors=1),
    ),
):
    """Everything, on demand."""

    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    gsi2 = gsi("GSI2PK", "GSI2SK", name="GSI2")
    gsi3 = gsi("GSI3PK", "GSI3SK", name="GSI3")
    status_index = gsi("ShopDomain", "Status", name="StatusIndex")


class ShopSettings(BaseModel):
    """How a shop likes its imports."""

    default_mode: JobMode = JobMode.NEW_ONLY
    notify_email: str | None = None
    locale: str = "en"


class Shop(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(count=5_000),
    ignore={"SK610": "the indexes are documented with whole records, and it is encrypted there"},
):
    """A shop that has installed the application."""

    domain: Domain
    shop_name: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    access_token: Annotated[str, secret]
    plan: Plan = Plan.FREE
    billing_status: BillingStatus = BillingStatus.ACTIVE
    installed_at: datetime
    uninstalled_at: datetime | None = None
    settings: ShopSettings = ShopSettings()
    active_jobs: Count = 0
    # An addition: from this moment nothing new is written for the shop, so that what removes its
    # records, which no single transaction can, leaves none behind and can be taken up again.
    erasing_since: datetime | None = None

    primary = Shuttle.primary.key("SHOP#{domain}", "METADATA")
    by_installation = Shuttle.gsi1.key("SHOPS", "{installed_at}#{domain}")
    by_billing = Shuttle.gsi2.key("SHOPS#{billing_status}", "{installed_at}#{domain}")
    by_purge = Shuttle.gsi3.key("PURGE", "{uninstalled_at}#{domain}")


class Job(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(count=500_000, per_partition=100),
    relations=(refers("domain", Shop),),
):
    """One import or export, from its submission until three months after its end."""

    # These two names are StatusIndex's key, and no other entity stores them.
    domain: Annotated[Domain, Stored("ShopDomain")]
    status: Annotated[JobStatus, Stored("Status")] = JobStatus.QUEUED
    job_id: Ulid
    type: Annotated[JobType, immutable] = JobType.IMPORT
    mode: Annotated[JobMode, immutable] = JobMode.NEW_ONLY
    is_dry_run: Annotated[bool, immutable] = False
    file_key: Annotated[str, StringConstraints(min_length=1, max_length=1024), immutable]
    created_at: Annotated[datetime, immutable]
    created_by: Annotated[str, StringConstraints(min_length=1, max_length=255), immutable]
    total_products: Annotated[Count, immutable]
    processed_products: Count = 0
    successful_products: Count = 0
    failed_products: Count = 0
    # An addition: the number of the batch that comes next. A worker that does not know whether its
    # last batch was counted may count it again, and it is counted once.
    next_batch: Count = 0
    error_summary: dict[str, int] = Field(default_factory=dict[str, int])
    started_at: datetime | None = None
    completed_at: datetime | None = None
    # Set when the job ends. Set before, it could remove a job that still holds the shop's place.
    expires_at: Annotated[TTL | None, Stored("ExpiresAt")] = None

    primary = Shuttle.primary.key("SHOP#{domain}", "JOB#{job_id}")
    by_status = Shuttle.gsi1.key("SHOP#{domain}", "STATUS#{status}#{created_at}#{job_id}")
    by_shop_and_status = Shuttle.status_index.key()


class UsageDaily(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(per_partition=365),
):
    """What a shop used on a day, in UTC."""

    domain: Domain
    day: date
    imports_count: Count = 0
    products_imported: Count = 0
    api_calls: Count = 0
    storage_used_bytes: Count = 0

    primary = Shuttle.primary.key("SHOP#{domain}", "USAGE#DAILY#{day}")
    by_day = Shuttle.gsi2.key("USAGE_DAILY#{day}", "{domain}")


class UsageMonthly(Entity, table=Shuttle, stored=to_camel, expected=Expected(per_partition=24)):
    """What a shop used in a month, in UTC."""

    domain: Domain
    month: Month
    imports_count: Count = 0
    products_imported: Count = 0
    api_calls: Count = 0
    storage_used_bytes: Count = 0

    primary = Shuttle.primary.key("SHOP#{domain}", "USAGE#MONTHLY#{month}")
    by_month = Shuttle.gsi2.key("USAGE_MONTHLY#{month}", "{domain}")


# The most of a schema that one record holds.
MOST_METAFIELDS, MOST_METAOBJECTS, MOST_FIELDS = 250, 100, 40


class FieldDefinition(BaseModel):
    """One field that a shop defines for itself."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    type: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    is_required: bool = False


class MetafieldDefinition(FieldDefinition):
    """A field of a shop's products."""

    namespace: Annotated[str, StringConstraints(min_length=1, max_length=255)]


class MetaobjectDefinition(BaseModel):
    """A kind of object of a shop's own."""

    type: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    name: str
    fields: Annotated[list[FieldDefinition], Field(max_length=MOST_FIELDS)] = Field(
        default_factory=list[FieldDefinition]
    )


class CurrentSchema(Entity, table=Shuttle, stored=to_camel):
    """The definitions that a shop's next import is checked against."""

    domain: Domain
    version: Annotated[int, Field(ge=1, le=999_999)]
    metafield_definitions: Annotated[
        list[MetafieldDefinition], Field(max_length=MOST_METAFIELDS)
    ] = Field(default_factory=list[MetafieldDefinition])
    metaobject_definitions: Annotated[
        list[MetaobjectDefinition], Field(max_length=MOST_METAOBJECTS)
    ] = Field(default_factory=list[MetaobjectDefinition])
    last_validated_at: datetime

    primary = Shuttle.primary.key("SHOP#{domain}", "SCHEMA#CURRENT")


class SchemaVersion(Entity, table=Shuttle, stored=to_camel, immutable=True):
    """The definitions as a version had them."""

    domain: Domain
    version: Annotated[int, Field(ge=1, le=999_999)]
    metafield_definitions: Annotated[
        list[MetafieldDefinition], Field(max_length=MOST_METAFIELDS)
    ] = Field(default_factory=list[MetafieldDefinition])
    metaobject_definitions: Annotated[
        list[MetaobjectDefinition], Field(max_length=MOST_METAOBJECTS)
    ] = Field(default_factory=list[MetaobjectDefinition])
    last_validated_at: datetime

    primary = Shuttle.primary.key("SHOP#{domain}", "SCHEMA#V{version:06d}")


class Session(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(per_partition=20),
    relations=(refers("shop", Shop),),
    ignore={"SK610": "the index is documented with whole records, and it is encrypted there"},
):
    """Somebody who is signed in, or the application's own access to a shop."""

    session_id: SessionId
    shop: Domain
    state: str
    is_online: bool = False
    scope: str | None = None
    expires: datetime | None = None
    access_token: Annotated[str, secret]
    user_id: int | None = None
    expires_at: Annotated[TTL, Stored("ExpiresAt")]
    # An addition: that the record is a copy of a row of the former store, and nobody has stored
    # the session again since. Only such a record must equal its row.
    is_copied: bool = False

    primary = Shuttle.primary.key("SESSION#{session_id}", "METADATA")
    by_shop = Shuttle.gsi3.key("SHOP#{shop}", "SESSION#{session_id}")


class SignedOut(
    Entity,
    table=Shuttle,
    stored=to_camel,
):
    """An addition: that a session was ended while the former store was still in use.

    Whoever is copying its row at that moment does not bring it back. It stays for a day.
    """

    session_id: SessionId
    expires_at: Annotated[TTL, Stored("ExpiresAt")]

    primary = Shuttle.primary.key("SESSION#{session_id}", "SIGNED_OUT")


class SessionMove(
    Entity,
    table=Shuttle,
    stored=to_camel,
    ignore={"SK419": "only the move from the former store asks for it"},
):
    """An addition: how far the sessions have come from the former store."""

    source: str
    # Sessions are copied in the order of their ids, and those up to this one are done.
    after: str | None = None
    passes: int = 1
    copied: int = 0
    already_there: int = 0
    expired: int = 0
    signed_out: int = 0
    refused: int = 0
    started_at: datetime
    finished_at: datetime | None = None

    primary = Shuttle.primary.key("SESSION_MOVE#{source}", "METADATA")


class ImportHistory(
    Entity, table=Shuttle, stored=to_camel, immutable=True, expected=Expected(per_partition=1_000)
):
    """What a job came to; it stays when the job has expired."""

    domain: Domain
    job_id: Ulid
    completed_at: datetime
    products_imported: Count
    error_count: Count
    mode: JobMode
    duration_ms: Count

    primary = Shuttle.primary.key("SHOP#{domain}", "HISTORY#{completed_at}#{job_id}")


class Belongings(Collection):
    """What a shop has beside its jobs."""

    days: list[UsageDaily]
    months: list[UsageMonthly]
    schemas: list[CurrentSchema]
    versions: list[SchemaVersion]
    history: list[ImportHistory]


class StoredSession(BaseModel):
    """A session without its secret."""

    session_id: str


# Shops


@pattern("A shop by its domain", rate="50/s", fresh=True)
def shop_by_domain(domain: str) -> Op[Shop | None]:
    """Consistent: the plan that a job is submitted under is read here."""
    return Shop.get(domain=domain).consistently()


@pattern(
    "All shops by install date",
    rate="1/min",
    page=50,
    where=lambda shop: True,  # noqa: ARG005 - every shop belongs to the answer
    order=lambda shop: (shop.installed_at, shop.domain),
)
def shops_by_install_date(after: str | None = None) -> Op[Page[Shop]]:
    """The first to install comes first."""
    return Shop.query(Shop.by_installation).page(50, after)


@pattern(
    "Active shops by install date",
    rate="1/min",
    page=50,
    where=lambda shop: shop.billing_status is BillingStatus.ACTIVE,
    order=lambda shop: (shop.installed_at, shop.domain),
)
def active_shops(after: str | None = None) -> Op[Page[Shop]]:
    """Those that may work."""
    return Shop.query(Shop.by_billing, billing_status=BillingStatus.ACTIVE).page(50, after)


@pattern(
    "Shops due for purge: uninstalled at a moment or before",
    rate="1/h",
    page=50,
    where=lambda shop, until: shop.uninstalled_at is not None and shop.uninstalled_at <= until,
    order=lambda shop: (shop.uninstalled_at, shop.domain),
)
def shops_due_for_purge(until: datetime, after: str | None = None) -> Op[Page[Shop]]:
    """Only shops that were uninstalled are in the index."""
    return Shop.query(Shop.by_purge).le(uninstalled_at=until).page(50, after)


# Jobs


@pattern("A job by shop and id", rate="50/s", fresh=True)
def job_by_id(domain: str, job_id: str) -> Op[Job | None]:
    """Consistent: a worker decides by what it reads here."""
    return Job.get(domain=domain, job_id=job_id).consistently()


@pattern(
    "A shop's jobs, newest first",
    rate="5/s",
    page=25,
    where=lambda job, domain: job.domain == domain,
    order=lambda job: job.job_id,
    descending=True,
)
def jobs_of_shop(domain: str, after: str | None = None) -> Op[Page[Job]]:
    """A ULID begins with its time."""
    return Job.query(domain=domain).reverse().page(25, after)


@pattern(
    "A shop's jobs of a status, newest first",
    rate="5/s",
    page=25,
    where=lambda job, domain, status: job.domain == domain and job.status is status,
    order=lambda job: (job.created_at, job.job_id),
    descending=True,
)
def jobs_by_status(domain: str, status: JobStatus, after: str | None = None) -> Op[Page[Job]]:
    """The status stands before the time in the key, so only these are read."""
    return Job.query(Job.by_status, domain=domain, status=status).reverse().page(25, after)


@pattern(
    "A shop's jobs of a status within a time, newest first",
    rate="1/s",
    page=25,
    where=lambda job, domain, status, since, until: (
        job.domain == domain and job.status is status and since <= job.created_at <= until
    ),
    order=lambda job: (job.created_at, job.job_id),
    descending=True,
)
def jobs_by_status_between(
    domain: str, status: JobStatus, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[Job]]:
    """Both ends are included."""
    query = Job.query(Job.by_status, domain=domain, status=status)
    return query.between(created_at=(since, until)).reverse().page(25, after)


@pattern(
    "Jobs by shop domain and status",
    rate="1/s",
    where=lambda job, domain, status: job.domain == domain and job.status is status,
)
def jobs_in_status(domain: str, status: JobStatus) -> Op[list[Job]]:
    """By StatusIndex, whose key holds nothing else: in no order."""
    return Job.query(Job.by_shop_and_status, domain=domain, status=status)


# Usage


@pattern("Usage of a shop on a day", rate="10/s")
def usage_of_day(domain: str, day: date) -> Op[UsageDaily | None]:
    """None where it used nothing."""
    return UsageDaily.get(domain=domain, day=day)


@pattern("Usage of a shop in a month", rate="10/s")
def usage_of_month(domain: str, month: str) -> Op[UsageMonthly | None]:
    """None where it used nothing."""
    return UsageMonthly.get(domain=domain, month=month)


@pattern(
    "Usage of a shop from day to day",
    rate="1/s",
    where=lambda usage, domain, first, last: usage.domain == domain and first <= usage.day <= last,
    order=lambda usage: usage.day,
)
def usage_of_days(domain: str, first: date, last: date) -> Op[list[UsageDaily]]:
    """Both days are included."""
    return UsageDaily.query(domain=domain).between(day=(first, last))


@pattern(
    "Usage of a shop from month to month",
    rate="1/min",
    where=lambda usage, domain, first, last: (
        usage.domain == domain and first <= usage.month <= last
    ),
    order=lambda usage: usage.month,
)
def usage_of_months(domain: str, first: str, last: str) -> Op[list[UsageMonthly]]:
    """Both months are included."""
    return UsageMonthly.query(domain=domain).between(month=(first, last))


@pattern(
    "All shops' usage on a day",
    rate="1/h",
    page=100,
    where=lambda usage, day: usage.day == day,
    order=lambda usage: usage.domain,
)
def usage_on_day(day: date, after: str | None = None) -> Op[Page[UsageDaily]]:
    """In the order of their domains."""
    return UsageDaily.query(UsageDaily.by_day, day=day).page(100, after)


@pattern(
    "All shops' usage in a month",
    rate="1/day",
    page=100,
    where=lambda usage, month: usage.month == month,
    order=lambda usage: usage.domain,
)
def usage_in_month(month: str, after: str | None = None) -> Op[Page[UsageMonthly]]:
    """In the order of their domains."""
    return UsageMonthly.query(UsageMonthly.by_month, month=month).page(100, after)


# History and schemas


@pattern(
    "History of a shop within a time",
    rate="1/s",
    page=50,
    where=lambda row, domain, since, until: (
        row.domain == domain and since <= row.completed_at <= until
    ),
    order=lambda row: (row.completed_at, row.job_id),
)
def history_between(
    domain: str, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[ImportHistory]]:
    """Both ends are included; the oldest comes first."""
    query = ImportHistory.query(domain=domain).between(completed_at=(since, until))
    return query.page(50, after)


@pattern("The current schema of a shop", rate="5/s", fresh=True)
def current_schema(domain: str) -> Op[CurrentSchema | None]:
    """Consistent: the next version follows from it."""
    return CurrentSchema.get(domain=domain).consistently()


@pattern("A version of a shop's schema", rate="1/min")
def schema_version(domain: str, version: int) -> Op[SchemaVersion | None]:
    """Versions are kept as they were."""
    return SchemaVersion.get(domain=domain, version=version)


# Sessions


@pattern("A session by its id", rate="200/s")
def session_by_id(session_id: str) -> Op[Session | None]:
    """None from the second on in which it expires, removed or not."""
    return Session.get(session_id=session_id)


@pattern("A session by its id, as it is now", rate="1/s", fresh=True)
def session_now(session_id: str) -> Op[Session | None]:
    """Consistent: whoever finds none looks in the former store."""
    return Session.get(session_id=session_id).consistently()


@pattern(
    "Sessions of a shop",
    rate="1/s",
    where=lambda session, shop: session.shop == shop,
    order=lambda session: session.session_id,
)
def sessions_of_shop(shop: str) -> Op[list[Session]]:
    """Those that have expired are gone from here too."""
    return Session.query(Session.by_shop, shop=shop)


# What an erasure removes


@pattern(
    "Jobs of a shop, expired or not",
    rate="1/h",
    fresh=True,
    where=lambda job, domain: job.domain == domain,
    order=lambda job: job.job_id,
)
def stored_jobs(domain: str) -> Op[list[Job]]:
    """Consistent, with those that DynamoDB has yet to remove."""
    return Job.query(domain=domain).with_expired().consistently()


@pattern(
    "All else of a shop",
    rate="1/h",
    fresh=True,
    where=lambda record, domain: record.domain == domain,
    ignore={
        "SK407": "its jobs are erased by then, and the shop itself is one record",
        "SK414": "what is erased is everything",
    },
)
def belongings(domain: str) -> Op[Belongings]:
    """Consistent: usage, schemas and history with one Query."""
    return Belongings.load(domain=domain).consistently()


@pattern(
    "Ids of a shop's sessions, expired or not",
    rate="1/h",
    where=lambda session, shop: session.shop == shop,
    order=lambda session: session.session_id,
)
def stored_session_ids(shop: str) -> Op[list[StoredSession]]:
    """Without their secrets, for which nobody needs a key."""
    return Session.query(Session.by_shop, shop=shop).with_expired().select(StoredSession)


# What is true after every write.

_RUNNING = (JobStatus.QUEUED, JobStatus.PROCESSING)


@invariant("A shop counts its jobs that have not ended")
def counts_its_jobs(shop: Shop, jobs: list[Job]) -> bool:
    """Of a shop that is being erased, the jobs go first."""
    running = [job for job in jobs if job.domain == shop.domain and job.status in _RUNNING]
    return shop.erasing_since is not None or shop.active_jobs == len(running)


@invariant("A month's imports and products are those of its days")
def is_the_sum_of_its_days(month: UsageMonthly, days: list[UsageDaily], shops: list[Shop]) -> bool:
    """Of a shop that is being erased, they go one by one."""
    if not any(s.domain == month.domain and s.erasing_since is None for s in shops):
        return True
    own = [d for d in days if d.domain == month.domain and f"{d.day:%Y-%m}" == month.month]
    return month.imports_count == sum(
        day.imports_count for day in own
    ) and month.products_imported == sum(day.products_imported for day in own)
