"""Generated data: the same each time, awkward, and what patterns are held against."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from click.testing import CliRunner
from tests.systems.oneonone.conftest import MORNING as NOW
from tests.systems.oneonone.conftest import Watch

from sortkey import DB, Entity, Op, Page
from sortkey.access.filling import fill
from sortkey.cli.main import main
from sortkey_systems.oneonone.design import Session, User, session_history, waiting_users
from sortkey_systems.oneonone.generator import TABLES, records, user_id
from sortkey_systems.oneonone.queueing import status

ALWAYS = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@pytest.fixture(autouse=True)
def now(watch: Watch) -> datetime:
    return watch.now


def generated(users: int) -> list[Entity]:
    return [record for group in records(users) for record in group]


def of(kind: type[Any], data: Iterable[Entity]) -> list[Any]:
    return [record for record in data if isinstance(record, kind)]


def test_the_same_seed_makes_the_same_data() -> None:
    assert generated(30) == generated(30)
    assert generated(30) != [record for group in records(30, seed=2) for record in group]


def test_there_is_one_group_for_each_user_and_no_key_twice() -> None:
    groups = list(records(500))
    data = [record for group in groups for record in group]

    assert len(groups) == 500
    assert [user.user_id for user in of(User, data)] == [user_id(number) for number in range(500)]
    assert max(Counter(session.session_id for session in of(Session, data)).values()) == 1


def test_a_session_has_two_different_registered_users() -> None:
    data = generated(50)
    known = {user.user_id for user in of(User, data)}

    for session in of(Session, data):
        assert session.user_a != session.user_b
        assert {session.user_a, session.user_b} <= known
    assert of(Session, generated(1)) == []


def test_the_data_has_what_breaks_designs() -> None:
    data = generated(300)
    sessions: list[Session] = of(Session, data)
    users: list[User] = of(User, data)

    assert {"user1", "user12"} <= {user.user_id for user in users}
    named = {user.user_id.partition("-")[0] for user in users if "-" in user.user_id}
    assert len(named) == 20, "of two hundred people every name is met"
    assert any(not user.user_id.isascii() for user in users)
    starts = Counter((session.user_a, session.start_time) for session in sessions)
    assert max(starts.values()) > 1  # two calls of one user that begin at one moment
    assert any(session.start_time.time() == time.max for session in sessions)
    assert any(session.expires_at <= NOW for session in sessions)
    overdue = [s for s in sessions if s.end_time is None and s.ends_by <= NOW]
    assert overdue  # calls that nobody has ended
    assert any(user.points_day is None for user in users)
    calls = Counter(name for session in sessions for name in (session.user_a, session.user_b))
    assert calls.most_common(1)[0][1] > 5 * calls.total() / len(users)  # some have far more


@pytest.fixture
def filled(opened: Callable[..., DB], watch: Watch) -> tuple[DB, list[Entity]]:
    """A database with generated data."""
    db, data = opened(*TABLES), generated(60)
    fill(db, data)
    return db, data


def all_pages(db: DB, ask: Callable[[str | None], Op[Page[Any]]]) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    while True:
        page = db(ask(cursor))
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


def test_histories_match_their_specification(filled: tuple[DB, list[Entity]]) -> None:
    db, data = filled
    sessions: list[Session] = of(Session, data)
    calls = Counter(name for session in sessions for name in (session.user_a, session.user_b))
    often = [name for name, _ in calls.most_common(4)]
    month = NOW - timedelta(days=30), NOW - timedelta(days=2)

    for name in {*often, "user1", "user12", user_id(10), user_id(59)}:
        for since, until in (ALWAYS, month):
            found = all_pages(
                db,
                lambda after, name=name, since=since, until=until: session_history(
                    name, since, until, after
                ),
            )
            wanted = [
                session
                for session in sessions
                if meant(session_history, session, name, since, until)
                and session.expires_at > NOW  # those that have expired are not shown
            ]
            assert_meant(session_history, found, wanted, key=lambda session: session.session_id)


def test_the_queue_matches_its_specification(filled: tuple[DB, list[Entity]]) -> None:
    db, data = filled
    since = NOW - timedelta(minutes=10)

    found = all_pages(db, lambda after: waiting_users(since, after))

    wanted = [user for user in of(User, data) if meant(waiting_users, user, since)]
    assert wanted
    assert_meant(waiting_users, found, wanted, key=lambda entry: entry.user_id)


def meant(pattern: Any, *arguments: Any) -> bool:
    """Whether a record belongs to a pattern's answer, in plain Python."""
    return pattern.where(*arguments)


def assert_meant(
    pattern: Any, found: list[Any], wanted: list[Any], key: Callable[[Any], str]
) -> None:
    assert sorted(map(key, found)) == sorted(map(key, wanted))
    order = [pattern.order(record) for record in found]
    assert order == sorted(order, reverse=pattern.descending)


def test_every_generated_user_has_a_status(filled: tuple[DB, list[Entity]]) -> None:
    db, data = filled

    for user in of(User, data)[:20]:
        found = status(db, user.user_id)
        if user.current_session is None and user.queue is None:
            is_today = user.points_day == NOW.date()
            assert found.points_left == (user.points_left if is_today else 15)


def test_the_demo_fills_a_database(tmp_path: Any) -> None:
    target = str(tmp_path / "calls.db")

    ran = CliRunner().invoke(main, ["demo", "oneonone", "--users", "20", "--target", target])

    assert ran.exit_code == 0, ran.output
    with DB.open(target, *TABLES) as db:
        assert len(db(User.scan())) == 20
        assert f"{len(db(Session.scan().with_expired()))}  Session" in ran.stdout
