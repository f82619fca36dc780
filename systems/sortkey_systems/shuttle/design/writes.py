"""Every write of the shuttle's flows, with the conditions on which it happens.

Where several records must change together it is one transaction. The order of its writes is the
order of the failures that `TransactionFailed` tells.
"""

from datetime import datetime, timedelta

from pydantic import BaseModel

from sortkey import Op, exists, missing, one_of, pattern, transact, write_many
from sortkey.operations.delete import Check
from sortkey.operations.update import Update
from sortkey.operations.upsert import Upsert
from sortkey_systems.shuttle.design import (
    BillingStatus,
    CurrentSchema,
    ImportHistory,
    Job,
    JobStatus,
    Plan,
    SchemaVersion,
    Session,
    Shop,
    ShopSettings,
    SignedOut,
    UsageDaily,
    UsageMonthly,
)
from sortkey_systems.shuttle.design.plans import LIMITS

KEPT = timedelta(days=90)
UNFINISHED = (JobStatus.QUEUED, JobStatus.PROCESSING)


class Batch(BaseModel):
    """What became of a batch of a job: each error with how often it was met."""

    number: int
    successful: int
    errors: dict[str, int]
    imported: int
    api_calls: int

    @property
    def failed(self) -> int:
        """How many products were not taken."""
        return sum(self.errors.values())


def _is_here(domain: str) -> Check[Shop]:
    """That the shop is there and nobody is erasing it."""
    return Shop.check(domain=domain).where(lambda s: missing(s.erasing_since))


# Shops


@pattern("Install a shop that is not there", rate="1/min")
def add_shop(shop: Shop) -> Op[Shop]:
    """`AlreadyExists` where it is installed, or was."""
    return shop.create()


def _renewed(shop: Shop, new: Shop) -> Update[Shop]:
    return (
        shop.update()
        .set(lambda s: s.shop_name)
        .to(new.shop_name)
        .set(lambda s: s.access_token)
        .to(new.access_token)
        .where(lambda s: missing(s.erasing_since))
    )


@pattern("Renew the token of a shop that is installed", rate="1/min")
def renew_shop(shop: Shop, new: Shop) -> Op[Shop]:
    """Only while it has not left."""
    return _renewed(shop, new).where(lambda s: missing(s.uninstalled_at))


@pattern("Take back a shop that had left", rate="1/h")
def take_back_shop(shop: Shop, new: Shop, left: datetime) -> Op[Shop]:
    """On the free plan, if it is still as it left."""
    return (
        _renewed(shop, new)
        .set(lambda s: s.plan)
        .to(Plan.FREE)
        .set(lambda s: s.billing_status)
        .to(BillingStatus.ACTIVE)
        .set(lambda s: s.installed_at)
        .to(new.installed_at)
        .remove(lambda s: s.uninstalled_at)
        .where(lambda s: s.uninstalled_at == left)
    )


def _while_installed(change: Update[Shop]) -> Update[Shop]:
    return change.where(lambda s: missing(s.uninstalled_at) & missing(s.erasing_since))


@pattern("A shop leaves", rate="1/h")
def mark_uninstalled(shop: Shop, at: datetime) -> Op[Shop]:
    """Once: it keeps the time at which it first left."""
    return _while_installed(
        shop.update()
        .set(lambda s: s.uninstalled_at)
        .to(at)
        .set(lambda s: s.billing_status)
        .to(BillingStatus.CANCELLED)
    )


@pattern("Change a shop's plan", rate="10/h")
def set_plan(domain: str, plan: Plan) -> Op[Shop]:
    """While it is installed."""
    return _while_installed(Shop.update(domain=domain).set(lambda s: s.plan).to(plan))


@pattern("Change a shop's settings", rate="1/min")
def set_settings(domain: str, settings: ShopSettings) -> Op[Shop]:
    """While it is installed."""
    return _while_installed(Shop.update(domain=domain).set(lambda s: s.settings).to(settings))


@pattern("Suspend or resume a shop", rate="1/h")
def set_billing_status(shop: Shop, status: BillingStatus) -> Op[Shop]:
    """While it is installed; its place among the active ones moves with it."""
    return _while_installed(shop.update().set(lambda s: s.billing_status).to(status))


# Jobs


def _admission(shop: Shop) -> Update[Shop]:
    """One more job, while the shop has the plan that it was judged by."""
    plan = shop.plan
    admission = (
        Shop.update(domain=shop.domain)
        .add(lambda s: s.active_jobs)
        .by(1)
        .where(lambda s: s.plan == plan)
        .where(lambda s: s.billing_status == BillingStatus.ACTIVE)
        .where(lambda s: missing(s.erasing_since))
    )
    if LIMITS[plan].has_concurrent_jobs:
        return admission
    return admission.where(lambda s: s.active_jobs == 0)


def _day(job: Job, plan: Plan) -> Upsert[UsageDaily]:
    """One import more on the day, if there are fewer than the plan allows."""
    most = LIMITS[plan].imports_a_day
    usage = UsageDaily.upsert(domain=job.domain, day=job.created_at.date())
    usage = usage.where(lambda u: missing(u.imports_count) | (u.imports_count < most))
    return usage.add(lambda u: u.imports_count).by(1)


def _month(job: Job, plan: Plan) -> Upsert[UsageMonthly]:
    """One import more in the month, if there are fewer than the plan allows."""
    most = LIMITS[plan].imports_a_month
    usage = UsageMonthly.upsert(domain=job.domain, month=f"{job.created_at:%Y-%m}")
    usage = usage.where(lambda u: missing(u.imports_count) | (u.imports_count < most))
    return usage.add(lambda u: u.imports_count).by(1)


@pattern("Submit an import", rate="5/s")
def submit_import(shop: Shop, job: Job) -> Op[None]:
    """Let in and queued, and counted against the day and the month of the plan."""
    return transact(_admission(shop), job.create(), _day(job, shop.plan), _month(job, shop.plan))


@pattern("Submit a dry run or an export", rate="1/s")
def submit_uncounted(shop: Shop, job: Job) -> Op[None]:
    """Let in and queued."""
    return transact(_admission(shop), job.create())


@pattern(
    "Start a job",
    rate="5/s",
    ignore={"SK705": "its token tells a worker that lost the answer that it was the one"},
)
def start_job(job: Job, at: datetime) -> Op[None]:
    """Of several workers that want it, one gets it."""
    return transact(
        job.update()
        .set(lambda j: j.status)
        .to(JobStatus.PROCESSING)
        .set(lambda j: j.started_at)
        .to(at)
        .where(lambda j: j.status == JobStatus.QUEUED)
    )


@pattern(
    "Count a batch",
    rate="50/s",
    ignore={"SK806": "its map has a number for each code of an error, and programs have few"},
)
def count_batch(job: Job, batch: Batch, at: datetime) -> Op[None]:
    """Only as the next one of a job that is being processed; the day and the month grow with it."""
    number, successful, failed = batch.number, batch.successful, batch.failed
    imported, api_calls = batch.imported, batch.api_calls
    counted = (
        Job.update(domain=job.domain, job_id=job.job_id)
        .add(lambda j: j.next_batch)
        .by(1)
        .add(lambda j: j.processed_products)
        .by(successful + failed)
        .add(lambda j: j.successful_products)
        .by(successful)
        .add(lambda j: j.failed_products)
        .by(failed)
        .where(lambda j: (j.status == JobStatus.PROCESSING) & (j.next_batch == number))
    )
    for code, times in batch.errors.items():
        counted = _with_error(counted, code, times)
    if not imported and not api_calls:
        return transact(counted)
    day, month = _usage(job.domain, at)
    return transact(
        counted,
        day.add(lambda u: u.products_imported)
        .by(imported)
        .add(lambda u: u.api_calls)
        .by(api_calls),
        month.add(lambda u: u.products_imported)
        .by(imported)
        .add(lambda u: u.api_calls)
        .by(api_calls),
    )


def _with_error(update: Update[Job], code: str, times: int) -> Update[Job]:
    return update.add(lambda j: j.error_summary[code]).by(times)


def _usage(domain: str, at: datetime) -> tuple[Upsert[UsageDaily], Upsert[UsageMonthly]]:
    """The day and the month of a moment."""
    return (
        UsageDaily.upsert(domain=domain, day=at.date()),
        UsageMonthly.upsert(domain=domain, month=f"{at:%Y-%m}"),
    )


@pattern("Complete a job, or give it up", rate="5/s")
def finish_job(job: Job, status: JobStatus, row: ImportHistory) -> Op[None]:
    """Only one that is being processed: its place is free, and the history has it."""
    ending = _ending(job, status, row).where(lambda j: j.status == JobStatus.PROCESSING)
    return transact(ending, _release(job.domain), row.create())


@pattern("Cancel a job", rate="1/min")
def cancel_job(job: Job, row: ImportHistory) -> Op[None]:
    """Only one that has not ended: its place is free, and the history has it."""
    ending = _ending(job, JobStatus.CANCELLED, row).where(lambda j: one_of(j.status, UNFINISHED))
    return transact(ending, _release(job.domain), row.create())


def _ending(job: Job, status: JobStatus, row: ImportHistory) -> Update[Job]:
    counted = job.next_batch
    return (
        job.update()
        .set(lambda j: j.status)
        .to(status)
        .set(lambda j: j.completed_at)
        .to(row.completed_at)
        .set(lambda j: j.expires_at)
        .to(row.completed_at + KEPT)
        # The history row says what was counted up to here.
        .where(lambda j: j.next_batch == counted)
    )


def _release(domain: str) -> Update[Shop]:
    """One job less; its place in the shop goes with the job's end and no sooner."""
    return (
        Shop.update(domain=domain)
        .add(lambda s: s.active_jobs)
        .by(-1)
        .where(lambda s: s.active_jobs > 0)
    )


# Usage beside jobs


@pattern("Count calls", rate="10/s")
def add_api_calls(domain: str, calls: int, at: datetime) -> Op[None]:
    """On the day and in the month, while the shop is here."""
    day, month = _usage(domain, at)
    return transact(
        _is_here(domain),
        day.add(lambda u: u.api_calls).by(calls),
        month.add(lambda u: u.api_calls).by(calls),
    )


@pattern("Note what is stored", rate="1/s")
def set_storage(domain: str, used_bytes: int, at: datetime) -> Op[None]:
    """The day and the month keep what was said last, while the shop is here."""
    day, month = _usage(domain, at)
    return transact(
        _is_here(domain),
        day.set(lambda u: u.storage_used_bytes).to(used_bytes),
        month.set(lambda u: u.storage_used_bytes).to(used_bytes),
    )


# Schemas


@pattern("Define the first schema", rate="1/h")
def add_schema(current: CurrentSchema, kept: SchemaVersion) -> Op[None]:
    """If the shop is here and has none."""
    return transact(_is_here(current.domain), current.create(), kept.create())


@pattern("Define the next schema", rate="1/min")
def replace_schema(current: CurrentSchema, kept: SchemaVersion, after: int) -> Op[None]:
    """If the shop is here, and the version before it is current."""
    following = current.replace().where(lambda schema: schema.version == after)
    return transact(_is_here(current.domain), following, kept.create())


@pattern("A schema was found valid", rate="1/min")
def set_validated(domain: str, version: int, at: datetime) -> Op[CurrentSchema]:
    """If it is still the version that was looked at."""
    found = CurrentSchema.update(domain=domain).set(lambda schema: schema.last_validated_at).to(at)
    return found.where(lambda schema: schema.version == version)


# Sessions


@pattern("Store a session", rate="5/s")
def put_session(session: Session) -> Op[None]:
    """If the shop is here, and the id is not that of another shop's session."""
    shop = session.shop
    stored = session.put().where(lambda s: missing(s.shop) | (s.shop == shop))
    return transact(_is_here(shop), stored)


@pattern("Extend a session", rate="1/min")
def extend_session(session_id: str, shop: str, until: datetime) -> Op[Session]:
    """If it has not ended, and is still the shop's."""
    extended = Session.update(session_id=session_id).set(lambda s: s.expires_at).to(until)
    return extended.where(lambda s: s.shop == shop)


@pattern("End a session", rate="1/s")
def end_session(session_id: str) -> Op[Session | None]:
    """The session as it was."""
    return Session.delete(session_id=session_id)


@pattern("End a session of a shop", rate="1/s")
def end_session_of_shop(session_id: str, shop: str) -> Op[Session | None]:
    """If it is there and this shop's."""
    return Session.delete(session_id=session_id).where(lambda s: s.shop == shop)


@pattern(
    "End a session while the former store is in use",
    rate="1/s",
    ignore={"SK703": "whoever marks it says the same"},
)
def end_moving_session(mark: SignedOut) -> Op[None]:
    """With a mark, which whoever is copying it meets."""
    return transact(Session.delete(session_id=mark.session_id), mark.put())


# Erasing


@pattern("Mark a shop that is to be erased", rate="1/h")
def mark_erasing(domain: str, at: datetime) -> Op[Shop]:
    """From here on nothing new is written for it."""
    return _marked(domain, at)


@pattern("Mark a shop that is to be purged", rate="1/h")
def mark_purging(domain: str, left: datetime, at: datetime) -> Op[Shop]:
    """If it has not come back since it left."""
    return _marked(domain, at).where(lambda s: s.uninstalled_at == left)


def _marked(domain: str, at: datetime) -> Update[Shop]:
    return Shop.update(domain=domain).set(lambda s: s.erasing_since).to(at)


@pattern("Erase jobs", rate="1/h")
def erase_jobs(jobs: list[Job]) -> Op[None]:
    """In batches, with what DynamoDB leaves over sent again."""
    return write_many(job.erase() for job in jobs)


@pattern("Erase all else of a shop", rate="1/h")
def erase_belongings(
    days: list[UsageDaily],
    months: list[UsageMonthly],
    schemas: list[CurrentSchema],
    versions: list[SchemaVersion],
    history: list[ImportHistory],
) -> Op[None]:
    """In batches, with what DynamoDB leaves over sent again."""
    records = (*days, *months, *schemas, *versions, *history)
    return write_many(record.erase() for record in records)


@pattern("Erase a shop that is marked", rate="1/h")
def erase_shop(domain: str) -> Op[Shop | None]:
    """The last of its records."""
    return Shop.erase(domain=domain).where(lambda s: exists(s.erasing_since))
