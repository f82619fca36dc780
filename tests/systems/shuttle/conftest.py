"""A shuttle with a clock that only the test moves, and a shop or two."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from tests.access.executors import EMBEDDED
from tests.systems.guards import Unguard, fails_unless, unguard
from tests.systems.watch import Watch

from sortkey import DB, Keyring, LocalKey
from sortkey.testing import clock
from sortkey_systems.shuttle.design import Job, Plan, Shop, Shuttle, shop_by_domain
from sortkey_systems.shuttle.installing import change_plan, install
from sortkey_systems.shuttle.submitting import submit

__all__ = ["Unguard", "Watch", "fails_unless", "unguard"]

KEY = LocalKey.new("test")
# Far enough ahead that no engine removes anything by its own clock.
MORNING = datetime(2032, 3, 1, 9, 30, tzinfo=UTC)
CAFE = "cafe.myshopify.com"


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch(MORNING)
    with clock(watch.read):
        yield watch


@pytest.fixture
def db(opened: Callable[..., DB], watch: Watch, place: str) -> DB:
    """An empty database, wherever the test runs."""
    db = opened(Shuttle, secrets=Keyring(KEY))
    if place not in EMBEDDED:
        # The table has one name everywhere, so a server has it with what the last test left.
        db.delete_tables()
        db.create_tables()
    return db


@pytest.fixture
def memory(watch: Watch) -> DB:
    """An empty database in memory."""
    return DB.memory(Shuttle, secrets=Keyring(KEY))


def installed(db: DB, domain: str = CAFE, plan: Plan = Plan.FREE) -> Shop:
    """A shop that has this plan."""
    install(db, domain, shop_name="Café Olé", access_token="shpat_1")
    return change_plan(db, domain, plan)


def queued(db: DB, job_id: str | None = None, domain: str = CAFE, products: int = 100) -> Job:
    """A job that waits for a worker."""
    return submit(
        db, domain, file_key="a.csv", total_products=products, created_by="ann", job_id=job_id
    )


def shop(db: DB, domain: str = CAFE) -> Shop:
    """The shop as it is stored."""
    found = db(shop_by_domain(domain))
    assert found is not None
    return found


def job_id(number: int) -> str:
    """An id that a test can name."""
    return f"{number:026d}"
