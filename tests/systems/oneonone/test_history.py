"""The calls that a user has had: two indexes, one history."""

from datetime import UTC, date, datetime, timedelta

import pytest
from tests.systems.oneonone.conftest import MORNING, Watch

from sortkey import DB, Page
from sortkey_systems.oneonone.design import KEPT_FOR, Session
from sortkey_systems.oneonone.errors import BadInput
from sortkey_systems.oneonone.history import list_sessions

TODAY = MORNING.date()


def call(number: int, first: str, second: str, start: datetime) -> Session:
    return Session(
        session_id=f"s{number:02d}",
        user_a=first,
        user_b=second,
        start_time=start,
        room_name=f"s{number:02d}",
        created_at=start,
        expires_at=start + KEPT_FOR,
    )


def stored(db: DB, calls: list[Session]) -> list[Session]:
    db.write_many(session.put() for session in calls)
    return calls


def alternating(count: int) -> list[Session]:
    """Calls of user1, who is now the first and now the second, one an hour."""
    return [
        call(
            number,
            *("user1", "user12") if number % 3 else ("user12", "user1"),
            start=MORNING - timedelta(hours=number),
        )
        for number in range(count)
    ]


def pages(
    db: DB, user_id: str, size: int, first: date = date.min, last: date = date.max
) -> list[Page[Session]]:
    found: list[Page[Session]] = []
    cursor: str | None = None
    while not found or cursor is not None:
        found.append(list_sessions(db, user_id, first=first, last=last, after=cursor, size=size))
        cursor = found[-1].cursor
    return found


@pytest.mark.parametrize("size", [1, 2, 7, 20, 100])
def test_pages_of_both_indexes_join_without_gaps_or_repeats(db: DB, size: int) -> None:
    calls = stored(db, alternating(23))
    stored(db, [call(90, "user12", "bob", MORNING), call(91, "bob", "user", MORNING)])

    found = pages(db, "user1", size)

    assert [session for page in found for session in page] == calls
    assert all(len(page) == size for page in found[:-1])


def test_a_page_has_twenty_calls_by_default(memory: DB) -> None:
    calls = stored(memory, alternating(23))

    assert list(list_sessions(memory, "user1")) == calls[:20]


def test_calls_of_the_same_moment_are_all_there_once(db: DB) -> None:
    calls = [
        *(call(number, "ann", "bob", MORNING) for number in range(5)),
        *(call(number, "bob", "ann", MORNING) for number in range(5, 10)),
    ]
    stored(db, calls)

    found = [session.session_id for page in pages(db, "ann", 3) for session in page]

    assert sorted(found) == [session.session_id for session in calls]


def test_a_range_has_both_of_its_days_to_their_ends(db: DB) -> None:
    midnight = datetime(2030, 5, 10, tzinfo=UTC)
    moments = [
        midnight - timedelta(microseconds=1),
        midnight,
        midnight + timedelta(days=1),
        midnight + timedelta(days=2, microseconds=-1),
        midnight + timedelta(days=2),
    ]
    stored(db, [call(n, *("ab" if n % 2 else "ba"), start=at) for n, at in enumerate(moments)])

    found = list_sessions(db, "a", first=date(2030, 5, 10), last=date(2030, 5, 11))

    assert [session.session_id for session in found] == ["s03", "s02", "s01"]


def test_pages_of_a_range_join_too(db: DB) -> None:
    calls = stored(db, alternating(60))
    yesterday = TODAY - timedelta(days=1)

    found = pages(db, "user1", 5, first=yesterday, last=yesterday)

    wanted = [session for session in calls if session.start_time.date() == yesterday]
    assert [session for page in found for session in page] == wanted


def test_sessions_that_have_expired_are_not_shown(db: DB, watch: Watch) -> None:
    calls = stored(db, alternating(10))
    watch.now = calls[4].expires_at

    assert [session for page in pages(db, "user1", 3) for session in page] == calls[:4]


def test_a_cursor_continues_the_same_user_and_days_only(db: DB) -> None:
    stored(db, alternating(5))
    cursor = list_sessions(db, "user1", size=2).cursor
    assert cursor is not None

    for user_id, last in (("user12", date.max), ("user1", TODAY)):
        with pytest.raises(BadInput, match="cursor is not a cursor of this list") as refused:
            list_sessions(db, user_id, last=last, after=cursor)
        assert refused.value.field == "cursor"


def test_a_user_without_calls_has_an_empty_history(db: DB) -> None:
    assert list_sessions(db, "ann") == Page([])


def test_a_history_reads_no_more_than_it_shows(db: DB) -> None:
    stored(db, alternating(40))
    stored(db, [call(90, "user12", "bob", MORNING)])

    with db.budget(requests=2) as calls:
        list_sessions(db, "user1", size=5)

    assert all(one.items_read <= 2 * 5 for one in calls)


@pytest.mark.parametrize("size", [0, -1, 101])
def test_a_page_of_no_size_is_refused_by_name(memory: DB, size: int) -> None:
    with pytest.raises(BadInput, match="size must be") as refused:
        list_sessions(memory, "ann", size=size)

    assert refused.value.field == "size"


def test_a_range_that_ends_before_it_begins_is_refused_by_name(memory: DB) -> None:
    with pytest.raises(BadInput, match="after the last day") as refused:
        list_sessions(memory, "ann", first=TODAY, last=TODAY - timedelta(days=1))

    assert refused.value.field == "first"


def test_an_invalid_id_or_cursor_is_rejected_by_name(memory: DB) -> None:
    with pytest.raises(BadInput, match="user_id must have"):
        list_sessions(memory, "a#b")
    with pytest.raises(BadInput, match="cursor is not a cursor"):
        list_sessions(memory, "ann", after="nonsense")
