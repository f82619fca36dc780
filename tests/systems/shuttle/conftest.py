"""The shuttle on every database, with a clock that only the test moves."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.access.executors import EMBEDDED, stored_items
from tests.systems.guards import Unguard, fails_unless, unguard
from tests.systems.watch import Watch

from sortkey import DB, Keyring, LocalKey
from sortkey.testing import clock
from sortkey.wire.values import Item
from sortkey_systems.shuttle.design.jobs import Job
from sortkey_systems.shuttle.design.shops import Plan, Shop, shop_by_domain
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.erasing import SETTLED_AFTER, erase, finish_erasures
from sortkey_systems.shuttle.installing import change_plan, install
from sortkey_systems.shuttle.submitting import submit

__all__ = ["Unguard", "Watch", "fails_unless", "unguard"]

KEY = LocalKey.new("test")
# In the far future, so that no engine deletes expired items by its own clock.
MORNING = datetime(2032, 3, 1, 9, 30, tzinfo=UTC)
CAFE = "cafe.myshopify.com"


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch(MORNING)
    with clock(watch.read):
        yield watch


@pytest.fixture
def db(opened: Callable[..., DB], watch: Watch, place: str) -> DB:
    """Return an empty database."""
    db = opened(Shuttle, secrets=Keyring(KEY))
    if place not in EMBEDDED:
        # The table has the same name in every environment, so a server may still have its items.
        db.delete_tables()
        db.create_tables()
    return db


@pytest.fixture
def memory(watch: Watch) -> DB:
    """Return an empty database in memory."""
    return DB.memory(Shuttle, secrets=Keyring(KEY))


def installed(db: DB, domain: str = CAFE, plan: Plan = Plan.FREE) -> Shop:
    """Install a shop with this plan."""
    install(db, domain, shop_name="Café Olé", access_token="shpat_1")
    return change_plan(db, domain, plan)


def queued(db: DB, job_id: str | None = None, domain: str = CAFE, products: int = 100) -> Job:
    """Submit a job, which is queued."""
    return submit(
        db, domain, file_key="a.csv", total_products=products, created_by="ann", job_id=job_id
    )


def shop(db: DB, domain: str = CAFE) -> Shop:
    """Return the stored shop."""
    found = db(shop_by_domain(domain))
    assert found is not None
    return found


def earlier_session(domain: str, ends: datetime = MORNING + timedelta(days=30)) -> Item:
    """Return a session as an earlier application may have stored it: without keys of the index."""
    return {
        "PK": {"S": f"SESSION#{domain}_1"},
        "SK": {"S": "METADATA"},
        "shop": {"S": domain},
        "accessToken": {"S": "shpat_3"},
        "ExpiresAt": {"N": str(int(ends.timestamp()))},
    }


def erased(db: DB, watch: Watch, domain: str = CAFE) -> None:
    """Erase a shop, and wait until the erasure has ended."""
    progress = erase(db, domain)
    watch.wait(seconds=SETTLED_AFTER.total_seconds())
    assert progress.erasure_id in finish_erasures(db).finished


def left_of_shops(db: DB) -> list[str]:
    """Return the keys of all records of shops and sessions, and those that name a shop."""
    return [
        f"{item['PK']['S']} {item['SK']['S']}"
        for item in stored_items(db, Shuttle)
        if item["PK"]["S"].startswith(("SHOP#", "SESSION#")) or ".com" in str(item)
    ]


def job_id(number: int) -> str:
    """Return a job id for a number."""
    return f"{number:026d}"
