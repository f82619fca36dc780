"""CommitCollect on every database, with a clock that the test moves."""

import time
from collections.abc import Callable, Iterator

import pytest
from tests.systems.commitcollect.people import KEYS, Clock

from sortkey import DB
from sortkey.testing import clock
from sortkey_systems.commitcollect.design import TABLES


@pytest.fixture(autouse=True)
def now() -> Iterator[Clock]:
    """Yield a clock in the far future, so that no engine deletes items by its own clock."""
    ticking = Clock(int(time.time()) + 1_000_000)
    with clock(ticking):
        yield ticking


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    """Return an empty database."""
    return opened(*TABLES, secrets=KEYS)


@pytest.fixture
def memory() -> Iterator[DB]:
    """Yield an empty database in memory, for explorations."""
    with DB.memory(*TABLES, secrets=KEYS) as db:
        yield db
