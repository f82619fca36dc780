"""Generated shops with jobs, usage, history, schemas and sessions up to now.

The same seed gives the same data at the same time.

Most shops are small and a few are large. Some values test the design: a domain that is a prefix of
another, jobs of the same millisecond, names beyond ASCII, a leap day, uninstalled and suspended
shops.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random

from sortkey import Entity, ulid, utc_now
from sortkey_systems.shuttle.design import TABLES
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import KEPT_FOR, Job, JobStatus, JobType
from sortkey_systems.shuttle.design.schemas import (
    CurrentSchema,
    FieldDefinition,
    MetafieldDefinition,
    MetaobjectDefinition,
    SchemaVersion,
)
from sortkey_systems.shuttle.design.sessions import Session
from sortkey_systems.shuttle.design.shops import (
    LIMITS,
    BillingStatus,
    JobMode,
    Plan,
    Shop,
    ShopSettings,
)
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly
from sortkey_systems.shuttle.submitting import counts_as_import

__all__ = ["TABLES", "domain", "records"]

_ADJECTIVES = (
    "nordic",
    "little",
    "urban",
    "wild",
    "golden",
    "quiet",
    "fresh",
    "blue",
    "old",
    "tiny",
)
_NOUNS = ("candle", "bike", "tea", "garden", "paper", "wool", "coffee", "toy", "lamp", "surf")
_NAMES = (
    "Café Olé",
    "Größenwahn",
    "東京雑貨店",
    "Ærø Sæbe",
    "Магазин №1",
    "O'Brien & Söhne",
    "قهوة الصباح",
    "🧶 Wool",
)
_PEOPLE = ("maria", "jürgen", "akira", "zoë", "li.wei", "o.brien", "fatima", "søren")
_ERRORS = ("INVALID_SKU", "PRICE_MISSING", "IMAGE_404", "VARIANT_LIMIT", "TITLE_TOO_LONG")
_PLANS = (Plan.FREE,) * 12 + (Plan.SMALL,) * 5 + (Plan.MEDIUM,) * 2 + (Plan.LARGE,)
_DAYS = 80


def records(
    users: int, *, seed: int = 1, now: datetime | None = None
) -> Iterator[Sequence[Entity]]:
    """Yield the records of each shop, up to ``now``."""
    at = _whole(now or utc_now())
    for number in range(users):
        # Each shop has its own seed; a string is hashed the same on every machine.
        yield _shop(number, at, Random(f"{seed}/{number}"))


def domain(number: int) -> str:
    """Return the domain of a shop; `shop1` begins like `shop11` and `shop13`."""
    if number % 2:
        return f"shop{number}.myshopify.com"
    words = f"{_ADJECTIVES[number // 2 % 10]}-{_NOUNS[number // 20 % 10]}"
    return f"{words}-{number}.myshopify.com" if number >= 200 else f"{words}.myshopify.com"


def _shop(number: int, now: datetime, random: Random) -> list[Entity]:
    plan = random.choice(_PLANS)
    status = random.choices(list(BillingStatus), (18, 1, 2))[0]
    installed = now - timedelta(days=random.randrange(_DAYS, 1200), seconds=number % 7)
    left = None
    if status is BillingStatus.CANCELLED:
        left = now - timedelta(days=random.choice((1, 29, 30, 31, 70)))
    jobs = _jobs(domain(number), plan, now, left or now, random)
    running = sum(job.completed_at is None for job in jobs)
    shop = Shop(
        domain=domain(number),
        shop_name=_NAMES[number % len(_NAMES)] if number % 3 == 0 else f"Shop {number}",
        access_token=f"shpat_{random.randbytes(16).hex()}",
        plan=plan,
        billing_status=status,
        installed_at=installed,
        uninstalled_at=left,
        settings=ShopSettings(locale=random.choice(("en", "de", "ja", "fr"))),
        active_jobs=running,
    )
    return [
        shop,
        *jobs,
        *_usage(jobs, random),
        *(_history(job) for job in jobs if job.completed_at is not None),
        *_schemas(shop, random),
        *_sessions(shop, now, random),
    ]


def _jobs(shop: str, plan: Plan, now: datetime, until: datetime, random: Random) -> list[Job]:
    # Half of the shops have two jobs or fewer, and a few have hundreds.
    per_day = LIMITS[plan].imports_per_day
    wanted = min(int(random.paretovariate(0.8) * per_day / 5), 3 * per_day)
    earliest = now - timedelta(days=_DAYS)
    span = int((until - earliest).total_seconds()) - 3_600
    jobs: list[Job] = []
    while len(jobs) < wanted:
        created = _whole(earliest + timedelta(seconds=random.randrange(span)))
        # A double click: two jobs of one millisecond.
        twins = 2 if random.random() < 0.05 else 1
        jobs += [_job(shop, plan, created, random) for _ in range(twins)]
    jobs.sort(key=lambda job: job.job_id)
    if until == now and random.random() < 0.3:
        jobs.append(_running(shop, now, random))
    return jobs


def _job(shop: str, plan: Plan, created: datetime, random: Random) -> Job:
    total = min(int(20 * random.paretovariate(0.7)), LIMITS[plan].products)
    status = random.choices(
        (JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED), (16, 3, 1)
    )[0]
    processed = total if status is JobStatus.COMPLETED else random.randrange(total)
    failed = random.randrange(processed // 10 + 1)
    started = created + timedelta(seconds=random.randrange(1, 90))
    ended = started + timedelta(milliseconds=130 * processed + random.randrange(1_000))
    return Job(
        domain=shop,
        status=status,
        job_id=ulid(created, random=random.getrandbits(80)),
        type=random.choices(list(JobType), (9, 1))[0],
        mode=random.choice(list(JobMode)),
        is_dry_run=random.random() < 0.15,
        file_key=f"uploads/{shop}/{created:%Y/%m/%d}/products.csv",
        created_at=created,
        created_by=random.choice(_PEOPLE),
        total_products=total,
        processed_products=processed,
        successful_products=processed - failed,
        failed_products=failed,
        next_batch=-(-processed // 50),
        error_summary=_errors(failed, random),
        started_at=started,
        completed_at=ended,
        expires_at=ended + KEPT_FOR,
    )


def _running(shop: str, now: datetime, random: Random) -> Job:
    created = now - timedelta(seconds=random.randrange(3_600))
    return Job(
        domain=shop,
        job_id=ulid(created, random=random.getrandbits(80)),
        file_key=f"uploads/{shop}/now.csv",
        created_at=created,
        due_at=created,
        created_by=random.choice(_PEOPLE),
        total_products=random.randrange(1, 100),
    )


def _errors(failed: int, random: Random) -> dict[str, int]:
    met: dict[str, int] = {}
    for _ in range(failed):
        code = random.choice(_ERRORS)
        met[code] = met.get(code, 0) + 1
    return met


def _usage(jobs: Sequence[Job], random: Random) -> Iterator[UsageDaily | UsageMonthly]:
    """Yield the usage by day and by month that the jobs add up to."""
    days: dict[object, UsageDaily] = {}
    months: dict[str, UsageMonthly] = {}
    stored = 0
    for job in jobs:
        created = job.created_at
        stored += random.randrange(10_000, 5_000_000)
        day = days.setdefault(created.date(), UsageDaily(domain=job.domain, day=created.date()))
        month = months.setdefault(
            f"{created:%Y-%m}", UsageMonthly(domain=job.domain, month=f"{created:%Y-%m}")
        )
        for usage in (day, month):
            usage.imports_count += counts_as_import(job)
            usage.products_imported += job.successful_products if counts_as_import(job) else 0
            usage.api_calls += job.next_batch
            usage.storage_used_bytes = stored
    yield from days.values()
    yield from months.values()


def _history(job: Job) -> ImportHistory:
    assert job.completed_at is not None  # noqa: S101 - only jobs that have ended have history
    ended, started = job.completed_at, job.started_at or job.completed_at
    return ImportHistory(
        domain=job.domain,
        job_id=job.job_id,
        completed_at=ended,
        products_imported=job.successful_products if counts_as_import(job) else 0,
        error_count=job.failed_products,
        mode=job.mode,
        duration_ms=(ended - started) // timedelta(milliseconds=1),
    )


def _schemas(shop: Shop, random: Random) -> Iterator[CurrentSchema | SchemaVersion]:
    versions = random.choice((0, 1, 1, 2, 3, 11))
    for version in range(1, versions + 1):
        kept = SchemaVersion(
            domain=shop.domain,
            version=version,
            metafield_definitions=[
                MetafieldDefinition(namespace="custom", key=f"field_{n}", type="single_line_text")
                for n in range(version)
            ],
            metaobject_definitions=[
                MetaobjectDefinition(
                    type="size_chart",
                    name="Größentabelle",
                    fields=[FieldDefinition(key="waist", type="dimension", is_required=True)],
                )
            ],
            last_validated_at=shop.installed_at + timedelta(days=version),
        )
        yield kept
        if version == versions:
            yield CurrentSchema.model_validate(kept.model_dump())


def _sessions(shop: Shop, now: datetime, random: Random) -> Iterator[Session]:
    if shop.uninstalled_at is not None:
        return
    yield Session(
        session_id=f"offline_{shop.domain}",
        shop=shop.domain,
        state=random.randbytes(8).hex(),
        scope="read_products,write_products",
        access_token=f"shpat_{random.randbytes(16).hex()}",
        expires_at=now + timedelta(days=random.randrange(1, 365)),
    )
    for _ in range(random.choice((0, 0, 1, 1, 2, 5))):
        user = random.randrange(10**9, 10**11)
        ends = now + timedelta(minutes=random.randrange(1, 1440))
        yield Session(
            session_id=f"{shop.domain}_{user}",
            shop=shop.domain,
            state=random.randbytes(8).hex(),
            is_online=True,
            scope="read_products",
            expires=ends,
            access_token=f"shpua_{random.randbytes(16).hex()}",
            user_id=user,
            expires_at=ends,
        )


def _whole(moment: datetime) -> datetime:
    """Return the time in whole seconds, so that many times are equal."""
    return moment.replace(microsecond=0)
