"""GymCoach on each place, with a clock that only the test moves."""

from collections.abc import Callable, Iterator

import pytest
from tests.systems.guards import unguard
from tests.systems.gymcoach.people import KEYS, MORNING
from tests.systems.watch import Watch

from sortkey import DB
from sortkey.testing import clock
from sortkey_systems.gymcoach.design import GymCoach

__all__ = ["unguard"]


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch(MORNING)
    with clock(watch.read):
        yield watch


@pytest.fixture
def db(opened: Callable[..., DB], watch: Watch) -> DB:
    """An empty GymCoach."""
    return opened(GymCoach, secrets=KEYS)


@pytest.fixture
def memory(watch: Watch) -> Iterator[DB]:
    """An empty GymCoach in memory, for explorations."""
    with DB.memory(GymCoach, secrets=KEYS) as db:
        yield db
