"""The smallest items that the original document allows are read, erased, back-filled and used.

The document names the keys of each entity, the attributes of `StatusIndex` and the TTL attribute. A
session also has its shop and its token, since it is of no use without them.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.access.executors import put_item, stored_items
from tests.systems.shuttle.conftest import (
    CAFE,
    Watch,
    earlier_session,
    erased,
    installed,
    job_id,
    left_of_shops,
)

from sortkey import DB, Backfill, Done, Op
from sortkey.wire.values import Item
from sortkey_systems.shuttle import erasing
from sortkey_systems.shuttle.defining import mark_validated
from sortkey_systems.shuttle.design.erasing import (
    SEARCHED,
    SessionIndex,
    StoredSession,
    mark_session_index,
    session_index,
)
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import (
    LEASE,
    Job,
    JobStatus,
    job_by_id,
    jobs_by_status,
    jobs_in_status,
    jobs_of_shop,
)
from sortkey_systems.shuttle.design.schemas import (
    CurrentSchema,
    SchemaVersion,
    current_schema,
    schema_version,
)
from sortkey_systems.shuttle.design.sessions import Session, session_by_id
from sortkey_systems.shuttle.design.shops import (
    BillingStatus,
    Plan,
    Shop,
    shop_by_domain,
    shops_by_install_date,
)
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import (
    UsageDaily,
    UsageMonthly,
    usage_of_day,
    usage_of_month,
    usage_on_day,
)
from sortkey_systems.shuttle.erasing import SETTLED_AFTER, erase, finish_erasures
from sortkey_systems.shuttle.installing import change_plan, uninstall
from sortkey_systems.shuttle.signing_in import SignIn, list_sessions, load_session, store_session
from sortkey_systems.shuttle.working import cancel, complete, start, sweep

KINDS: list[Any] = [
    Shop,
    Job,
    UsageDaily,
    UsageMonthly,
    CurrentSchema,
    SchemaVersion,
    Session,
]


def documented(watch: Watch) -> list[Item]:
    """Return an item of each entity, as the document has it."""
    shop = {"S": f"SHOP#{CAFE}"}
    ends = {"N": str(int((watch.now + timedelta(days=30)).timestamp()))}
    return [
        {"PK": shop, "SK": {"S": "METADATA"}, "accessToken": {"S": "shpat_1"}},
        {
            "PK": shop,
            "SK": {"S": f"JOB#{job_id(1)}"},
            "ShopDomain": {"S": CAFE},
            "Status": {"S": "COMPLETED"},
            "ExpiresAt": ends,
        },
        {
            "PK": shop,
            "SK": {"S": f"JOB#{job_id(2)}"},
            "ShopDomain": {"S": CAFE},
            "Status": {"S": "FAILED"},
        },
        {"PK": shop, "SK": {"S": "USAGE#DAILY#2032-03-01"}},
        {"PK": shop, "SK": {"S": "USAGE#MONTHLY#2032-03"}},
        {"PK": shop, "SK": {"S": "SCHEMA#CURRENT"}},
        {"PK": shop, "SK": {"S": "SCHEMA#V000001"}},
        {
            "PK": {"S": "SESSION#offline_cafe"},
            "SK": {"S": "METADATA"},
            "GSI3PK": shop,
            "GSI3SK": {"S": "SESSION#offline_cafe"},
            "shop": {"S": CAFE},
            "accessToken": {"S": "shpat_2"},
            "email": {"S": "ann@a.com"},
            "ExpiresAt": ends,
        },
    ]


@pytest.fixture
def adopted(db: DB, watch: Watch) -> DB:
    """Return a database with the documented items, verbatim."""
    for item in documented(watch):
        put_item(db, Shuttle, item)
    return db


def test_they_are_read_by_their_documented_keys(adopted: DB, watch: Watch) -> None:
    shop = adopted(shop_by_domain(CAFE))
    assert shop is not None
    assert (shop.domain, shop.plan, shop.access_token) == (CAFE, Plan.FREE, "shpat_1")
    job = adopted(job_by_id(CAFE, job_id(1)))
    assert job is not None
    assert (job.job_id, job.status) == (job_id(1), JobStatus.COMPLETED)
    assert adopted(usage_of_day(CAFE, watch.now.date())) is not None
    assert adopted(usage_of_month(CAFE, "2032-03")) is not None
    assert adopted(current_schema(CAFE)) is not None
    assert adopted(schema_version(CAFE, 1)) is not None
    session = load_session(adopted, "offline_cafe")
    assert session is not None
    assert (session.shop, session.access_token) == (CAFE, "shpat_2")
    assert session.email == "ann@a.com"


def test_they_are_erased_as_they_are(adopted: DB, watch: Watch) -> None:
    erased(adopted, watch)

    assert left_of_shops(adopted) == []


def unindexed(db: DB, watch: Watch) -> None:
    """Store sessions of two shops without keys of the index, of which the first has expired."""
    for session in (earlier_session(CAFE, ends=watch.now), earlier_session("other.com")):
        put_item(db, Shuttle, session)


@pytest.mark.parametrize("has_shop", [True, False])
def test_sessions_that_are_not_in_the_index_are_erased_too(
    db: DB, watch: Watch, *, has_shop: bool
) -> None:
    if has_shop:
        installed(db)
    unindexed(db, watch)

    erased(db, watch)

    [left] = left_of_shops(db)
    assert left == "SESSION#other.com_1 METADATA"
    # A session of another shop is still not in the index.
    assert db(session_index()) is None


def test_no_erasure_scans_once_every_session_is_in_the_index(db: DB, watch: Watch) -> None:
    unindexed(db, watch)
    erased(db, watch)
    backfill(db)
    installed(db)
    erased(db, watch)
    assert db(session_index()) is not None
    installed(db)

    with db.budget() as calls:
        erased(db, watch)

    assert "searched_sessions" not in {call.pattern for call in calls}
    assert left_of_shops(db) == ["SESSION#other.com_1 METADATA"]


def test_a_search_reads_every_page(memory: DB, watch: Watch) -> None:
    installed(memory)
    for number in range(SEARCHED + 1):
        session = earlier_session(CAFE)
        put_item(memory, Shuttle, {**session, "PK": {"S": f"SESSION#{number}"}})

    erased(memory, watch)

    assert left_of_shops(memory) == []


def finds_no_session(_: str) -> Op[list[StoredSession]]:
    """Return what an index that is behind returns."""
    return Done([])


@pytest.mark.parametrize("seconds", [299, 300])
def test_an_erasure_searches_until_the_index_has_settled_after_the_back_fill(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    installed(memory)
    uninstall(memory, CAFE)
    put_item(memory, Shuttle, earlier_session(CAFE))
    watch.wait(minutes=5)
    backfill(memory)
    assert erase(memory, "other.com").erasure_id is None  # it has searched for its sessions
    assert memory(session_index()) is not None
    watch.wait(seconds=seconds)
    if seconds < SETTLED_AFTER.total_seconds():
        monkeypatch.setattr(erasing, "stored_session_ids", finds_no_session)

    with memory.budget() as calls:
        assert erase(memory, CAFE).is_complete

    searched = "searched_sessions" in {call.pattern for call in calls}
    assert searched == (seconds < SETTLED_AFTER.total_seconds())
    assert left_of_shops(memory) == []


@pytest.fixture
def settles_late(memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> DB:
    """Return a database with a session that the index has a second after it is read."""
    installed(memory)
    store_session(memory, SignIn("s1", CAFE, "xyz", "token"))

    def before_it_settles(shop: str) -> Op[list[StoredSession]]:
        watch.wait(seconds=1)
        return finds_no_session(shop)

    monkeypatch.setattr(erasing, "stored_session_ids", before_it_settles)
    return memory


def test_an_erasure_ends_only_if_the_index_had_settled_before_it_was_read(
    settles_late: DB, watch: Watch
) -> None:
    settles_late(mark_session_index(SessionIndex(checked_at=watch.now - SETTLED_AFTER)))
    assert not erase(settles_late, CAFE).is_complete
    watch.wait(seconds=SETTLED_AFTER.total_seconds() - 2)

    assert finish_erasures(settles_late).finished == ()


def test_an_erasure_searches_unless_the_index_had_settled_before_it_was_read(
    settles_late: DB, watch: Watch
) -> None:
    settles_late(mark_session_index(SessionIndex(checked_at=watch.now)))
    settles_late(Shop.update(domain=CAFE).set(uninstalled_at=watch.now - SETTLED_AFTER))
    watch.wait(seconds=SETTLED_AFTER.total_seconds() - 1)

    assert erase(settles_late, CAFE).is_complete
    assert left_of_shops(settles_late) == []


def backfill(db: DB) -> None:
    *_, last = Backfill(db, KINDS).run()
    assert last.failed == 0


def test_the_back_fill_makes_of_them_what_the_system_writes(adopted: DB, watch: Watch) -> None:
    backfill(adopted)

    items = stored_items(adopted, Shuttle)
    assert all("_type" in item for item in items)
    assert "shpat" not in str(items)
    assert "ann@a.com" not in str(items)
    assert [found.domain for found in adopted(shops_by_install_date())] == [CAFE]
    assert [found.job_id for found in adopted(jobs_of_shop(CAFE))] == [job_id(2), job_id(1)]
    for listed in (jobs_by_status, jobs_in_status):
        found = adopted(listed(CAFE, JobStatus.COMPLETED))
        assert [job.job_id for job in found] == [job_id(1)]
    assert [found.domain for found in adopted(usage_on_day(watch.now.date()))] == [CAFE]
    assert [found.session_id for found in list_sessions(adopted, CAFE)] == ["offline_cafe"]


def test_then_they_are_changed_and_erased_like_any_other(adopted: DB, watch: Watch) -> None:
    backfill(adopted)

    assert change_plan(adopted, CAFE, Plan.LARGE).billing_status is BillingStatus.ACTIVE
    assert mark_validated(adopted, CAFE, 1).last_validated_at == watch.now
    assert load_session(adopted, "offline_cafe") is not None
    watch.wait(seconds=1)
    extended = adopted(session_by_id("offline_cafe"))
    assert extended is not None
    assert extended.expires_at > watch.now + timedelta(days=300)

    erased(adopted, watch)
    assert left_of_shops(adopted) == []


# Not documented in this form, but an earlier application may have stored it.
ODD: dict[str, Item] = {
    f"JOB#{job_id(4)}": {"ShopDomain": {"S": CAFE}, "Status": {"S": "PAUSED"}},
    "USAGE#DAILY#2032-03-02": {"importsCount": {"S": "five"}},
    "USAGE#MONTHLY#2032-04": {"importsCount": {"N": "0.5"}},
    "SCHEMA#CURRENT": {"metafieldDefinitions": {"S": "[]"}},
    "SCHEMA#V000002": {"version": {"S": "2"}, "metaobjectDefinitions": {"S": "[]"}},
    f"HISTORY#2032-03-01T10:00:00.000000Z#{job_id(4)}": {"mode": {"S": "NEW"}},
}


@pytest.mark.parametrize("sort", ODD)
def test_an_item_that_cannot_be_read_does_not_stop_an_erasure(
    adopted: DB, watch: Watch, sort: str
) -> None:
    backfill(adopted)
    item = {"PK": {"S": f"SHOP#{CAFE}"}, "SK": {"S": sort}, **ODD[sort]}
    put_item(adopted, Shuttle, item)

    erased(adopted, watch)

    assert left_of_shops(adopted) == []


ENDS: dict[JobStatus, Callable[[DB], object]] = {
    JobStatus.CANCELLED: lambda db: cancel(db, CAFE, job_id(3)),
    JobStatus.COMPLETED: lambda db: complete(db, CAFE, job_id(3), attempt=3),
    JobStatus.FAILED: sweep,
}


@pytest.mark.parametrize("active_jobs", [0, 1])
@pytest.mark.parametrize(("status", "end"), ENDS.items())
def test_a_documented_job_ends_whether_or_not_its_shop_counts_it(
    adopted: DB, watch: Watch, status: JobStatus, end: Callable[[DB], object], active_jobs: int
) -> None:
    running = {
        "PK": {"S": f"SHOP#{CAFE}"},
        "SK": {"S": f"JOB#{job_id(3)}"},
        "ShopDomain": {"S": CAFE},
        "Status": {"S": "PROCESSING"},
    }
    put_item(adopted, Shuttle, running)
    backfill(adopted)
    adopted(Shop.update(domain=CAFE).set(active_jobs=active_jobs))
    for _ in range(3):
        start(adopted, CAFE, job_id(3))
        watch.wait(seconds=LEASE.total_seconds())

    end(adopted)

    job, shop = adopted(job_by_id(CAFE, job_id(3))), adopted(shop_by_domain(CAFE))
    assert job is not None
    assert shop is not None
    assert (job.status, shop.active_jobs) == (status, 0)
    assert [row.job_id for row in adopted(ImportHistory.query(domain=CAFE))] == [job_id(3)]
