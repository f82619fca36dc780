"""The items of the original document are read, back-filled and used.

The document has a description and no samples: these have each of its attributes, or only those that
it does not call optional.
"""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from tests.access.executors import put_item, stored_items
from tests.systems.oneonone.conftest import MORNING, Watch, registered

from sortkey import DB, Backfill, Page
from sortkey.wire.values import Item
from sortkey_systems.oneonone.calling import end
from sortkey_systems.oneonone.design import DAILY_POINTS, Session, Sessions, User, Users
from sortkey_systems.oneonone.gateway import response
from sortkey_systems.oneonone.history import list_sessions
from sortkey_systems.oneonone.queueing import join_and_match, leave, status
from sortkey_systems.oneonone.shapes import Call

ENDS = {"N": str(int((MORNING + timedelta(days=30)).timestamp()))}
ANN: Item = {
    "userId": {"S": "ann"},
    "pointsLeft": {"N": "3"},
    "lastSessionTimestamp": {"S": "2030-05-13T09:00:00.000Z"},
    "isWaitingInQueue": {"BOOL": False},
    "lastQueueEntry": {"S": "2030-05-13T08:59:00Z"},
    "email": {"S": "ann@example.org"},
}
# Who waited in the queue of the earlier application when it was switched off.
BOB: Item = {
    "userId": {"S": "bob"},
    "pointsLeft": {"N": "15"},
    "isWaitingInQueue": {"BOOL": True},
    "lastQueueEntry": {"S": "2030-05-14T09:59:00Z"},
}
ENDED: Item = {
    "sessionId": {"S": "s1"},
    "userA": {"S": "ann"},
    "userB": {"S": "bob"},
    "startTime": {"S": "2030-05-13T09:00:00.000Z"},
    "endTime": {"S": "2030-05-13T09:04:30.000Z"},
    "duration": {"N": "5"},
    "roomName": {"S": "room-1"},
    "createdAt": {"S": "2030-05-13T09:00:00.000Z"},
    "expiresAt": ENDS,
}
# A call whose end was not written, and one that was counted in parts of a minute.
OPEN: Item = {
    **{name: value for name, value in ENDED.items() if name not in {"endTime", "duration"}},
    "sessionId": {"S": "s2"},
    "startTime": {"S": "2030-05-13T10:00:00Z"},
}
COUNTED: Item = {
    **ENDED,
    "sessionId": {"S": "s3"},
    "startTime": {"S": "2030-05-12T09:00:00Z"},
    "duration": {"N": "4.5"},
}


@pytest.fixture(params=["as they are", "back-filled"])
def adopted(db: DB, watch: Watch, request: pytest.FixtureRequest) -> DB:
    """A database with these items, verbatim or after the back-fill."""
    for item in (ANN, BOB):
        put_item(db, Users, item)
    for item in (ENDED, OPEN, COUNTED):
        put_item(db, Sessions, item)
    if request.param == "back-filled":
        *_, last = Backfill(db, [User, Session]).run()
        assert (last.rewritten, last.failed) == (5, 0)
    return db


def test_users_have_the_points_of_a_new_day(adopted: DB) -> None:
    found = status(adopted, "ann")

    assert (found.points_left, found.waiting_since, found.session_id) == (DAILY_POINTS, None, None)
    assert found.last_session == datetime(2030, 5, 13, 9, tzinfo=UTC)


def test_calls_are_in_the_history_of_both(adopted: DB) -> None:
    for user in ("ann", "bob"):
        page = list_sessions(adopted, user, first=date(2030, 5, 13), last=date(2030, 5, 13))
        assert [session.session_id for session in page] == ["s2", "s1"]


def test_a_call_that_was_counted_in_parts_of_a_minute_is_shown_in_started_ones(
    adopted: DB,
) -> None:
    page = list_sessions(adopted, "ann", last=date(2030, 5, 12))

    assert [call.duration for call in page] == [Decimal("4.5")]
    assert json.loads(response(page, Page[Call])["body"])["items"][0]["duration"] == 5


def test_a_user_who_waited_joins_again_and_meets_the_next(adopted: DB) -> None:
    assert status(adopted, "bob").waiting_since is None
    assert join_and_match(adopted, "bob").session_id is None
    leave(adopted, "bob")
    join_and_match(adopted, "bob")
    registered(adopted, "cat")

    assert join_and_match(adopted, "cat").session_id is not None
    assert join_and_match(adopted, "ann").session_id is None


def test_a_call_that_was_not_ended_ends_at_its_deadline(adopted: DB) -> None:
    ended = end(adopted, "ann", "s2")

    assert (ended.duration, ended.end_time) == (15, datetime(2030, 5, 13, 10, 15, tzinfo=UTC))
    assert end(adopted, "ann", "s1").duration == 5


def test_the_back_fill_makes_of_them_what_the_system_writes(db: DB) -> None:
    put_item(db, Users, ANN)
    put_item(db, Sessions, ENDED)
    list(Backfill(db, [User, Session]).run())

    [user], [session] = stored_items(db, Users), stored_items(db, Sessions)
    assert user["lastQueueEntry"] == {"S": "2030-05-13T08:59:00.000000Z"}
    assert session["startTime"] == {"S": "2030-05-13T09:00:00.000000Z"}
    *_, again = Backfill(db, [User, Session]).run()
    assert again.rewritten == 0
