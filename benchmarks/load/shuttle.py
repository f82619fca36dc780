"""Shuttle under load: shops that submit jobs, and workers that process them."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from benchmarks.load.crowd import Read, Visit, least_to_most
from sortkey import DB
from sortkey_systems.shuttle import working
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import UNFINISHED, Job, jobs_of_shop
from sortkey_systems.shuttle.design.shops import LIMITS, Plan, Shop
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly
from sortkey_systems.shuttle.errors import ShuttleError
from sortkey_systems.shuttle.installing import change_plan, install
from sortkey_systems.shuttle.metering import count_api_calls
from sortkey_systems.shuttle.retaining import HASH_KEY
from sortkey_systems.shuttle.submitting import counts_as_import, submit

SHOPS = 400
PRODUCTS = 90
BATCH = 30
# Of the shop's API, for each batch.
CALLS = 2
# No worker lets its lease pass, so the first one keeps the job.
ATTEMPT = 1

_WORKER = frozenset({"worker"})
_WHAT = {"submit": 22, "start": 18, "batch": 30, "end": 12, "jobs": 10, "calls": 8}


class Shuttle:
    """Four hundred shops, of which one in four may have one job at a time."""

    system = "shuttle"
    refusals = ShuttleError

    def __init__(self) -> None:
        self._queued: dict[str, list[str]] = defaultdict(list)
        # The jobs in progress, each with its next batch.
        self._running: dict[str, dict[str, int]] = defaultdict(dict[str, int])
        # The successful calls, as reported to their callers.
        self._batches: list[tuple[str, int]] = []
        self._calls: list[tuple[str, int]] = []
        # Those that failed: they may have been carried out too.
        self._doubtful_batches: set[tuple[str, int]] = set()
        self._doubtful_calls: list[tuple[str, int]] = []

    def prepare(self, db: DB) -> None:
        """Install every shop with a paid plan."""
        os.environ.setdefault(HASH_KEY, "a key for a benchmark")
        for number in range(SHOPS):
            domain = _domain(number)
            install(db, domain, shop_name=f"Shop {number}", access_token="shpat")  # noqa: S106 - not a real token
            change_plan(db, domain, Plan.SMALL if number % 4 == 0 else Plan.LARGE)

    def visit(self, chance: Random) -> Visit:
        """Return a visit, mostly of a job, from its submission to its end."""
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
            doubt=lambda: self.doubt_calls(shop, calls),
        )

    def _work(self, what: str, chance: Random) -> Visit:
        """Process a submitted job, sometimes with two workers at once."""
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
        if chance.random() < 0.9:  # otherwise another worker takes it too
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
        report: dict[str, Any] = {
            "successful": BATCH - 1,
            "errors": {"NO_PRICE": 1},
            "api_calls": CALLS,
            "attempt": ATTEMPT,
        }

        def counted(read: Read) -> None:
            self.counted_batch(job, number)
            self._running[shop][job] = read("next_batch")

        def directly(db: DB) -> object:
            return working.record_batch(db, shop, job, number, **report)

        body = {"batch": number, **report}
        return self._worker(
            "batches",
            shop,
            job,
            directly,
            body=body,
            learn=counted,
            doubt=lambda: self.doubt_batch(job, number),
        )

    def _end(self, shop: str, job: str, chance: Random) -> Visit:
        if chance.random() < 0.8:
            return self._complete(shop, job)
        self._running[shop].pop(job, None)
        if chance.random() < 0.5:
            return self._finish("fail", shop, job, working.fail)
        path = f"/jobs/{job}/cancel"
        return Visit("cancel", shop, "POST", path, lambda db: working.cancel(db, shop, job))

    def _complete(self, shop: str, job: str) -> Visit:
        self._running[shop].pop(job, None)
        return self._finish("complete", shop, job, working.complete)

    def _finish(self, what: str, shop: str, job: str, finish: Callable[..., object]) -> Visit:
        lease = {"attempt": ATTEMPT}
        return self._worker(what, shop, job, lambda db: finish(db, shop, job, **lease), body=lease)

    @staticmethod
    def _worker(
        what: str,
        shop: str,
        job: str,
        directly: Callable[[DB], object],
        *,
        body: dict[str, Any] | None = None,
        learn: Callable[[Read], object] | None = None,
        doubt: Callable[[], object] | None = None,
    ) -> Visit:
        path = f"/shops/{shop}/jobs/{job}/{what}"
        return Visit(what, "worker", "POST", path, directly, body, learn, _WORKER, doubt=doubt)

    def counted_batch(self, job: str, number: int) -> None:
        """Note that this call counted the batch."""
        self._batches.append((job, number))

    def doubt_batch(self, job: str, number: int) -> None:
        """Note that a call failed which may have counted the batch."""
        self._doubtful_batches.add((job, number))

    def doubt_calls(self, shop: str, calls: int) -> None:
        """Note that a call failed which may have counted these calls."""
        self._doubtful_calls.append((shop, calls))

    def faults(self, db: DB) -> Iterator[str]:
        """Yield every usage, count of active jobs or batch that differs from the jobs."""
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
        certain = Counter(job for job, _ in granted)
        possible = Counter(job for job, _ in granted.keys() | self._doubtful_batches)
        for job in jobs:
            least, most, counted = certain[job.job_id], possible[job.job_id], job.next_batch
            counts = counted, job.successful_products, job.failed_products
            if not least <= counted <= most or counts != (counted, counted * (BATCH - 1), counted):
                batches = least_to_most(least, most)
                yield f"the job {job.job_id} counts {counts} after {batches} batches"
            if job.processed_products != job.successful_products + job.failed_products:
                yield f"the job {job.job_id} has processed {job.processed_products}"

    def _faults_of_usage(self, db: DB, jobs: Iterable[Job]) -> Iterator[str]:
        wanted: dict[str, Counter[str]] = defaultdict(Counter[str])
        for shop, calls in self._calls:
            wanted[shop]["api_calls"] += calls
        for job in jobs:
            wanted[job.domain]["api_calls"] += CALLS * job.next_batch
            if counts_as_import(job):
                wanted[job.domain]["imports_count"] += 1
                wanted[job.domain]["products_imported"] += job.successful_products
        doubtful: Counter[str] = Counter()
        for shop, calls in self._doubtful_calls:
            doubtful[shop] += calls
        days, months = db.each(UsageDaily.scan()), db.each(UsageMonthly.scan())
        for kind, used in (("days", _used(days)), ("months", _used(months))):
            for shop in sorted(used.keys() | wanted.keys()):
                more = used[shop]["api_calls"] - wanted[shop]["api_calls"]
                expected = wanted[shop].copy()
                if 0 <= more <= doubtful[shop]:
                    expected["api_calls"] += more
                if +used[shop] != +expected:
                    yield (
                        f"{shop} has used {dict(+wanted[shop])}, "
                        f"but its {kind} have {dict(+used[shop])}"
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
    """Return a shop and one of its jobs, while other threads change the list."""
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
            yield f"{shop.domain} counts {shop.active_jobs} active jobs but has {count}"
        if count > 1 and not LIMITS[shop.plan].has_concurrent_jobs:
            yield f"{shop.domain} has {count} jobs at once"
    for (domain, day), count in imports.items():
        if count > LIMITS[plans[domain]].imports_per_day:
            yield f"{domain} has {count} imports on {day}"


def _faults_of_history(history: Iterable[ImportHistory], jobs: Iterable[Job]) -> Iterator[str]:
    rows = Counter(row.job_id for row in history)
    for job in jobs:
        wanted = 0 if job.status in UNFINISHED else 1
        if rows[job.job_id] != wanted:
            yield f"the job {job.job_id} is in the history {rows[job.job_id]} times"
