"""The shuttle under load: shops that submit jobs, and workers who get them done."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from benchmarks.load.crowd import Read, Visit
from sortkey import DB
from sortkey_systems.shuttle import working
from sortkey_systems.shuttle.design import (
    ImportHistory,
    Job,
    Plan,
    Shop,
    UsageDaily,
    UsageMonthly,
    jobs_of_shop,
)
from sortkey_systems.shuttle.design.plans import LIMITS
from sortkey_systems.shuttle.design.writes import UNFINISHED
from sortkey_systems.shuttle.errors import ShuttleError
from sortkey_systems.shuttle.installing import change_plan, install
from sortkey_systems.shuttle.metering import count_api_calls
from sortkey_systems.shuttle.submitting import counts_as_import, submit

SHOPS = 400
PRODUCTS = 90
BATCH = 30

_WORKER = frozenset({"worker"})
_WHAT = {"submit": 22, "start": 18, "batch": 30, "end": 12, "jobs": 10, "calls": 8}


class Shuttle:
    """Four hundred shops, of which one in four may have one job at a time."""

    system = "shuttle"
    refusals = ShuttleError

    def __init__(self) -> None:
        self._queued: dict[str, list[str]] = defaultdict(list)
        # The jobs that workers are at, each with the batch that comes next.
        self._running: dict[str, dict[str, int]] = defaultdict(dict[str, int])
        # What was granted, as its callers were told.
        self._batches: list[tuple[str, int]] = []
        self._calls: list[tuple[str, int]] = []

    def prepare(self, db: DB) -> None:
        """Every shop is installed, and pays."""
        for number in range(SHOPS):
            domain = _domain(number)
            install(db, domain, shop_name=f"Shop {number}", access_token="shpat")  # noqa: S106 - of nobody
            change_plan(db, domain, Plan.SMALL if number % 4 == 0 else Plan.LARGE)

    def visit(self, chance: Random) -> Visit:
        """Mostly jobs, from their submission to their end."""
        shop = _domain(chance.randrange(SHOPS))
        what = chance.choices([*_WHAT], [*_WHAT.values()])[0]
        match what:
            case "jobs":
                return Visit("jobs", shop, "GET", "/jobs", lambda db: db(jobs_of_shop(shop)))
            case "calls":
                return self._count(shop, chance.randrange(1, 9))
            case "submit":
                return self._submit(shop, chance)
            case _:
                return self._work(what, chance)

    def _submit(self, shop: str, chance: Random) -> Visit:
        is_dry_run = chance.random() < 0.3
        return Visit(
            "submit",
            shop,
            "POST",
            "/jobs",
            lambda db: submit(
                db,
                shop,
                file_key=f"uploads/{shop}/a.csv",
                total_products=PRODUCTS,
                created_by=shop,
                is_dry_run=is_dry_run,
            ),
            {"file": "a.csv", "total_products": PRODUCTS, "is_dry_run": is_dry_run},
            lambda read: self._queued[shop].append(read("job_id")),
        )

    def _count(self, shop: str, calls: int) -> Visit:
        return Visit(
            "calls",
            "worker",
            "POST",
            f"/shops/{shop}/usage/calls",
            lambda db: count_api_calls(db, shop, calls),
            {"calls": calls},
            lambda _: self._calls.append((shop, calls)),
            _WORKER,
        )

    def _work(self, what: str, chance: Random) -> Visit:
        """Of a job that was submitted, or is being done; now and then by two workers at once."""
        found = _some(chance, self._queued if what == "start" else self._running)
        if found is None:
            return self._submit(_domain(chance.randrange(SHOPS)), chance)
        match what:
            case "start":
                return self._start(*found, chance)
            case "batch":
                return self._batch(*found)
            case _:
                return self._end(*found, chance)

    def _start(self, shop: str, job: str, chance: Random) -> Visit:
        if chance.random() < 0.9:  # else another worker wants it too
            self._queued[shop] = [each for each in self._queued[shop] if each != job]

        def started(_: Read) -> None:
            self._running[shop][job] = 0

        return self._worker(
            "start", shop, job, lambda db: working.start(db, shop, job), learn=started
        )

    def _batch(self, shop: str, job: str) -> Visit:
        number = self._running[shop].get(job, 0)
        if number * BATCH >= PRODUCTS:
            return self._complete(shop, job)
        body = {"batch": number, "successful": BATCH - 1, "errors": {"NO_PRICE": 1}, "api_calls": 2}

        def counted(read: Read) -> None:
            self.counted_batch(job, number)
            self._calls.append((shop, 2))
            self._running[shop][job] = read("next_batch")

        def directly(db: DB) -> object:
            return working.record_batch(
                db,
                shop,
                job,
                number,
                successful=BATCH - 1,
                errors={"NO_PRICE": 1},
                api_calls=2,
            )

        return self._worker("batches", shop, job, directly, body=body, learn=counted)

    def _end(self, shop: str, job: str, chance: Random) -> Visit:
        if chance.random() < 0.8:
            return self._complete(shop, job)
        self._running[shop].pop(job, None)
        if chance.random() < 0.5:
            return self._worker("fail", shop, job, lambda db: working.fail(db, shop, job))
        path = f"/jobs/{job}/cancel"
        return Visit("cancel", shop, "POST", path, lambda db: working.cancel(db, shop, job))

    def _complete(self, shop: str, job: str) -> Visit:
        self._running[shop].pop(job, None)
        return self._worker("complete", shop, job, lambda db: working.complete(db, shop, job))

    @staticmethod
    def _worker(
        what: str,
        shop: str,
        job: str,
        directly: Callable[[DB], object],
        *,
        body: dict[str, Any] | None = None,
        learn: Callable[[Read], object] | None = None,
    ) -> Visit:
        path = f"/shops/{shop}/jobs/{job}/{what}"
        return Visit(what, "worker", "POST", path, directly, body, learn, _WORKER)

    def counted_batch(self, job: str, number: int) -> None:
        """A worker was told that this call counted the batch."""
        self._batches.append((job, number))

    def faults(self, db: DB) -> Iterator[str]:
        """Usage is what jobs came to, places are those of jobs, and each batch counts once."""
        jobs = list(db.each(Job.scan()))
        yield from self._faults_of_batches(jobs)
        yield from _faults_of_places(db.each(Shop.scan()), jobs)
        yield from self._faults_of_usage(db, jobs)
        yield from _faults_of_history(db.each(ImportHistory.scan()), jobs)

    def _faults_of_batches(self, jobs: Iterable[Job]) -> Iterator[str]:
        granted = Counter(self._batches)
        for (job, number), times in granted.items():
            if times > 1:
                yield f"the batch {number} of {job} was counted {times} times"
        batches = Counter(job for job, _ in granted)
        for job in jobs:
            wanted = batches[job.job_id]
            counts = job.next_batch, job.successful_products, job.failed_products
            if counts != (wanted, wanted * (BATCH - 1), wanted):
                yield f"the job {job.job_id} counts {counts} after {wanted} batches"
            if job.processed_products != job.successful_products + job.failed_products:
                yield f"the job {job.job_id} has processed {job.processed_products}"

    def _faults_of_usage(self, db: DB, jobs: Iterable[Job]) -> Iterator[str]:
        wanted: dict[str, Counter[str]] = defaultdict(Counter[str])
        for shop, calls in self._calls:
            wanted[shop]["api_calls"] += calls
        for job in jobs:
            if counts_as_import(job):
                wanted[job.domain]["imports_count"] += 1
                wanted[job.domain]["products_imported"] += job.successful_products
        days, months = db.each(UsageDaily.scan()), db.each(UsageMonthly.scan())
        for kind, told in (("days", _used(days)), ("months", _used(months))):
            for shop in sorted(told.keys() | wanted.keys()):
                if +told[shop] != +wanted[shop]:
                    yield (
                        f"{shop} has used {dict(+wanted[shop])}, "
                        f"and its {kind} tell {dict(+told[shop])}"
                    )


def _used(usages: Iterable[UsageDaily | UsageMonthly]) -> dict[str, Counter[str]]:
    used: dict[str, Counter[str]] = defaultdict(Counter[str])
    for usage in usages:
        used[usage.domain].update(
            api_calls=usage.api_calls,
            imports_count=usage.imports_count,
            products_imported=usage.products_imported,
        )
    return used


def _domain(number: int) -> str:
    return f"shop{number}.myshopify.com"


def _some(chance: Random, among: dict[str, Any]) -> tuple[str, str] | None:
    """A shop and a job of it; several threads change what they are chosen from."""
    shops = [shop for shop, jobs in list(among.items()) if jobs]
    shop = chance.choice(shops) if shops else ""
    jobs = list(among.get(shop, ()))
    return (shop, chance.choice(jobs)) if jobs else None


def _faults_of_places(shops: Iterable[Shop], jobs: Iterable[Job]) -> Iterator[str]:
    active = Counter(job.domain for job in jobs if job.status in UNFINISHED)
    imports = Counter((job.domain, job.created_at.date()) for job in jobs if counts_as_import(job))
    plans: dict[str, Plan] = {}
    for shop in shops:
        plans[shop.domain] = shop.plan
        count = active[shop.domain]
        if shop.active_jobs != count:
            yield f"{shop.domain} counts {shop.active_jobs} places of {count} jobs"
        if count > 1 and not LIMITS[shop.plan].has_concurrent_jobs:
            yield f"{shop.domain} has {count} jobs at a time"
    for (domain, day), count in imports.items():
        if count > LIMITS[plans[domain]].imports_a_day:
            yield f"{domain} has {count} imports on {day}"


def _faults_of_history(history: Iterable[ImportHistory], jobs: Iterable[Job]) -> Iterator[str]:
    rows = Counter(row.job_id for row in history)
    for job in jobs:
        wanted = 0 if job.status in UNFINISHED else 1
        if rows[job.job_id] != wanted:
            yield f"the job {job.job_id} is in the history {rows[job.job_id]} times"
