"""People, a database and a clock that only the test moves."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from tests.systems.watch import Watch

from sortkey import DB, exists
from sortkey.testing import clock
from sortkey_systems.oneonone.design import Session, Sessions, User, Users, user_status
from sortkey_systems.oneonone.errors import VideoServerError
from sortkey_systems.oneonone.matching import match
from sortkey_systems.oneonone.queueing import join
from sortkey_systems.oneonone.registering import register

MORNING = datetime(2030, 5, 14, 10, tzinfo=UTC)


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch(MORNING)
    with clock(watch.read):
        yield watch


@pytest.fixture
def db(opened: Callable[..., DB], watch: Watch) -> DB:
    """An empty database, wherever the test runs."""
    return opened(Users, Sessions)


@pytest.fixture
def memory(watch: Watch) -> DB:
    """An empty database in memory."""
    return DB.memory(Users, Sessions)


class VideoRooms:
    """A video service with rooms that are open, and rooms that it fails to delete."""

    def __init__(self, *rooms: str) -> None:
        self.open = set(rooms)
        self.deleted: list[str] = []
        self.fails: dict[str, VideoServerError] = {}

    def delete_room(self, name: str) -> bool:
        """Delete a room; return whether it was open."""
        if name in self.fails:
            raise self.fails[name]
        self.deleted.append(name)
        existed = name in self.open
        self.open.discard(name)
        return existed


@pytest.fixture
def rooms() -> VideoRooms:
    """A video service without rooms."""
    return VideoRooms()


def registered(db: DB, *names: str) -> None:
    """Users who do nothing yet."""
    for name in names:
        register(db, name)


def with_points(db: DB, name: str, points: int) -> None:
    """A user with so many points left today."""
    db(User(user_id=name, points_left=points, points_day=MORNING.date()).create())


def waiting(db: DB, watch: Watch, *names: str) -> None:
    """Users who join the queue, a second after each other."""
    for name in names:
        register(db, name)
        watch.wait(seconds=1)
        join(db, name)


def matched(db: DB, watch: Watch, first: str, second: str) -> Session:
    """A call of two."""
    waiting(db, watch, first, second)
    session = match(db)
    assert session is not None
    assert {session.user_a, session.user_b} == {first, second}
    return session


def user(db: DB, name: str) -> User:
    """A user's record."""
    found = db(user_status(name))
    assert found is not None
    return found


def anything(user: User, *_: object) -> bool:
    """A condition that always holds, to take the place of one on a user."""
    return exists(user.user_id)


def any_session(session: Session) -> bool:
    """A condition that always holds, to take the place of one on a session."""
    return exists(session.session_id)
