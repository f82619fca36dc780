"""CommitCollect on each place, at a time that the test decides."""

import time
from collections.abc import Callable, Iterator

import pytest
from tests.systems.commitcollect.people import KEYS, Clock

from sortkey import DB
from sortkey.testing import clock
from sortkey_systems.commitcollect.design import TABLES


@pytest.fixture(autouse=True)
def now() -> Iterator[Clock]:
    """The time, far enough ahead that no engine removes anything by its own clock."""
    ticking = Clock(int(time.time()) + 1_000_000)
    with clock(ticking):
        yield ticking


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    """An empty CommitCollect."""
    return opened(*TABLES, secrets=KEYS)


@pytest.fixture
def memory() -> Iterator[DB]:
    """An empty CommitCollect in memory, for explorations."""
    with DB.memory(*TABLES, secrets=KEYS) as db:
        yield db
