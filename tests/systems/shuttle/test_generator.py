"""Generated shops are realistic, follow every rule, and are the same for a seed."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

from tests.systems.shuttle.conftest import KEY, MORNING

from sortkey import DB, Entity, Keyring
from sortkey.access.filling import fill
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import UNFINISHED, Job, JobStatus
from sortkey_systems.shuttle.design.schemas import CurrentSchema, SchemaVersion
from sortkey_systems.shuttle.design.sessions import Session
from sortkey_systems.shuttle.design.shops import LIMITS, BillingStatus, Plan, Shop
from sortkey_systems.shuttle.design.usage import UsageDaily, UsageMonthly
from sortkey_systems.shuttle.generator import TABLES, records
from sortkey_systems.shuttle.submitting import counts_as_import


@cache
def shops() -> list[Sequence[Entity]]:
    return list(records(200, now=MORNING))


def shop_of(group: Sequence[Entity]) -> Shop:
    [shop] = [record for record in group if isinstance(record, Shop)]
    return shop


def test_the_same_seed_makes_the_same_shops_and_another_others() -> None:
    assert list(records(5, seed=1, now=MORNING)) == shops()[:5]
    assert list(records(5, seed=2, now=MORNING)) != shops()[:5]


def test_every_record_can_be_stored_and_no_two_have_one_key() -> None:
    with DB.memory(*TABLES, secrets=Keyring(KEY)) as db:
        for group in shops()[:20]:
            fill(db, group)
        for entity in (Job, UsageDaily, UsageMonthly, Session, ImportHistory, SchemaVersion):
            own = [record for group in shops()[:20] for record in group if type(record) is entity]
            assert db(entity.scan().count()) == len(own)


def test_some_shops_have_far_more_than_others() -> None:
    sizes = sorted(len(group) for group in shops())

    assert sizes[-1] > 20 * sizes[len(sizes) // 2]


def test_every_entity_plan_and_status_is_met() -> None:
    kinds = Counter(type(record) for group in shops() for record in group)
    jobs = [record for group in shops() for record in group if isinstance(record, Job)]

    assert set(kinds) == {
        Shop, Job, UsageDaily, UsageMonthly, CurrentSchema, SchemaVersion, Session, ImportHistory,
    }  # fmt: skip
    assert {shop_of(group).plan for group in shops()} == set(Plan)
    assert {shop_of(group).billing_status for group in shops()} == set(BillingStatus)
    assert {job.status for job in jobs} == set(JobStatus) - {JobStatus.PROCESSING}


def test_the_values_that_test_designs_are_included() -> None:
    domains = {shop_of(group).domain for group in shops()}
    jobs = [record for group in shops() for record in group if isinstance(record, Job)]
    moments = Counter((job.domain, job.created_at) for job in jobs)

    assert {"shop1.myshopify.com", "shop11.myshopify.com"} < domains
    assert max(moments.values()) > 1
    assert len({shop_of(group).installed_at for group in shops()}) < len(shops())
    assert any(not shop_of(group).shop_name.isascii() for group in shops())
    assert any(str(job.created_at.date()) == "2032-02-29" for job in jobs)


def test_each_shop_counts_its_jobs_as_the_rules_do() -> None:
    for group in shops():
        shop = shop_of(group)
        jobs = [record for record in group if isinstance(record, Job)]
        history = [record for record in group if isinstance(record, ImportHistory)]
        used: defaultdict[str, int] = defaultdict(int)
        for job in jobs:
            used[f"{job.created_at:%Y-%m}"] += counts_as_import(job)
            assert job.total_products <= LIMITS[shop.plan].products
            assert job.processed_products == job.successful_products + job.failed_products
            assert sum(job.error_summary.values()) == job.failed_products
        assert shop.active_jobs == sum(job.status in UNFINISHED for job in jobs)
        ended = {job.job_id for job in jobs if job.status not in UNFINISHED}
        assert {row.job_id for row in history} == ended
        for record in group:
            if isinstance(record, UsageMonthly):
                assert record.imports_count == used[record.month]
                assert record.imports_count <= LIMITS[shop.plan].imports_per_month
            if isinstance(record, UsageDaily):
                assert record.imports_count <= LIMITS[shop.plan].imports_per_day


def test_nothing_has_expired_when_it_is_written() -> None:
    for group in shops():
        for record in group:
            ends = getattr(record, "expires_at", None)
            assert ends is None or ends > MORNING
