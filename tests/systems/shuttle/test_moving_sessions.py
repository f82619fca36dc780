"""Sessions move out of a relational store, in SQLite and PostgreSQL."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text
from tests.access.executors import stored_items
from tests.systems.guards import with_and_without_guard
from tests.systems.racing import explore
from tests.systems.shuttle.conftest import (
    CAFE,
    KEY,
    MORNING,
    Unguard,
    Watch,
    fails_unless,
    installed,
)
from tests.systems.shuttle.former import FIRST_COLUMNS, add, filled, row
from tests.systems.shuttle.postgres import postgresql

from sortkey import DB, AlreadyExists, Entity, Keyring, RecordError, Table, TransactionFailed
from sortkey.operations.write import Write
from sortkey.testing import Outcome
from sortkey.wire.errors import TransactionConflictException
from sortkey_systems.shuttle.__main__ import main
from sortkey_systems.shuttle.design.sessions import (
    Session,
    SessionMove,
    SignedOut,
    session_by_id,
    sessions_of_shop,
)
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.errors import BadInput, MoveInProgress, ShuttleError
from sortkey_systems.shuttle.former_sessions import FormerSession
from sortkey_systems.shuttle.moving_sessions import Verification, move_sessions, verify_sessions
from sortkey_systems.shuttle.relational_sessions import RelationalSessions
from sortkey_systems.shuttle.signing_in import (
    SignIn,
    load_session,
    session_from,
    sign_out,
    store_session,
)

DAY = timedelta(days=1)
COMMAND = (sys.executable, "-m", "sortkey_systems.shuttle", "move-sessions")


@pytest.fixture(scope="module")
def postgresql_url() -> Iterator[str]:
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of the former store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/former.db"
    return request.getfixturevalue("postgresql_url")


@pytest.fixture
def former(url: str) -> Iterator[RelationalSessions]:
    """Yield an empty former store."""
    with filled(url, []) as former:
        yield former


def many(count: int) -> list[dict[str, Any]]:
    """Return rows of every kind, in no order of their ids."""
    return [
        row(
            f"{'offline_' if number % 3 else ''}shop{number * 7919 % count}.com_{number}",
            shop=f"shop{number}.com",
            isOnline=number % 3 == 0,
            expires=MORNING + timedelta(milliseconds=1_001 + number * 3_601_001)
            if number % 3 == 0
            else None,
            scope=None if number % 5 == 0 else "läse_prödukte,書く",
            userId=10**12 + number if number % 3 == 0 else None,
        )
        for number in range(count)
    ]


def moved(db: DB, former: RelationalSessions, batch: int = 10) -> SessionMove:
    """Move all sessions and return the final progress."""
    *_, last = move_sessions(db, former, batch=batch)
    return last


def verified(db: DB, former: RelationalSessions) -> Verification:
    *_, last = (Verification(), *verify_sessions(db, former, batch=10))
    return last


def expected(given: dict[str, Any]) -> Session:
    names = {"id": "id", "shop": "shop", "state": "state", "isOnline": "is_online"}
    names |= {"scope": "scope", "expires": "expires"}
    names |= {"accessToken": "access_token", "userId": "user_id"}
    session = session_from(
        FormerSession(**{names[name]: value for name, value in given.items() if name in names})
    )
    assert session is not None
    return session


def test_every_row_becomes_a_session_with_the_same_values(
    db: DB, former: RelationalSessions
) -> None:
    rows = many(57)
    add(former, *rows)

    done = moved(db, former)

    assert (done.copied, done.finished_at) == (57, MORNING)
    for given in rows:
        found = db(session_by_id(given["id"]))
        assert found == expected(given)
        assert found is not None
        assert found.access_token == given["accessToken"]
    assert len(db(sessions_of_shop("shop5.com"))) == 1
    assert verified(db, former) == Verification(rows=57, equal=57)
    assert verified(db, former).is_complete


def test_its_progress_is_reported_after_each_batch(memory: DB, former: RelationalSessions) -> None:
    add(former, *many(25))

    assert [move.copied for move in move_sessions(memory, former, batch=10)] == [10, 20, 25, 25]
    assert [found.rows for found in verify_sessions(memory, former, batch=10)] == [10, 20, 25]


def test_an_empty_store_is_moved_at_once(memory: DB, former: RelationalSessions) -> None:
    assert moved(memory, former).copied == 0
    assert verified(memory, former).is_complete


def test_a_move_goes_on_where_it_was_left(memory: DB, former: RelationalSessions) -> None:
    add(former, *many(57))
    going = move_sessions(memory, former, batch=10)
    next(going)
    next(going)

    rest = list(move_sessions(memory, former, batch=10))

    assert [move.copied for move in rest] == [30, 40, 50, 57, 57]
    assert verified(memory, former) == Verification(rows=57, equal=57)


def test_a_move_that_is_done_can_be_run_again_for_what_was_added(
    memory: DB, former: RelationalSessions, watch: Watch
) -> None:
    add(former, *many(12))
    moved(memory, former)
    add(former, row("0 first of all"), row("zz last of all"))
    late = verified(memory, former)
    assert late.missing == ("0 first of all", "zz last of all")
    assert not late.is_complete

    again = moved(memory, former)

    assert (again.copied, again.already_there, again.passes) == (2, 12, 2)
    assert verified(memory, former) == Verification(rows=14, equal=14)


def test_a_session_that_was_stored_since_is_newer_and_stays(
    db: DB, former: RelationalSessions
) -> None:
    installed(db)
    add(former, row("s1"), row("s2"))
    mine = store_session(db, SignIn("s1", CAFE, "new", "shpat_new"))

    done = moved(db, former)

    assert (done.copied, done.already_there) == (1, 1)
    assert db(session_by_id("s1")) == mine
    assert verified(db, former) == Verification(rows=2, equal=1, newer=1)


def test_an_ended_session_is_not_copied_again(db: DB, former: RelationalSessions) -> None:
    add(former, row("s1"), row("s2"))
    sign_out(db, "s1", former=former)
    # A move that read the row before its deletion still has it.
    add(former, row("s1"))

    done = moved(db, former)

    assert (done.copied, done.signed_out) == (1, 1)
    assert db(session_by_id("s1")) is None
    assert verified(db, former) == Verification(rows=2, equal=1, signed_out=1)


def test_a_session_that_has_expired_is_left_where_it_is(
    memory: DB, former: RelationalSessions
) -> None:
    within_this_second = MORNING + timedelta(milliseconds=999)
    add(
        former,
        row("s1", expires=MORNING),
        row("s2", expires=within_this_second, isOnline=True),
        row("s3", expires=MORNING + DAY),
    )

    done = moved(memory, former)

    assert (done.copied, done.expired) == (1, 2)
    assert verified(memory, former) == Verification(rows=3, equal=1, expired=2)


def test_an_online_session_ends_when_it_did_and_an_offline_one_a_year_later(
    memory: DB, former: RelationalSessions
) -> None:
    add(
        former,
        row("s1", isOnline=True, expires=MORNING + timedelta(hours=3)),
        row("s2", isOnline=True),
        row("s3"),
        row("s4", expires=MORNING + DAY),
    )
    moved(memory, former)

    ends = {s.session_id: s.expires_at - MORNING for s in memory(sessions_of_shop(CAFE))}
    assert ends == {"s1": timedelta(hours=3), "s2": DAY, "s3": 365 * DAY, "s4": 365 * DAY}


def test_an_invalid_row_is_reported_and_the_others_move(
    memory: DB, former: RelationalSessions
) -> None:
    add(former, row("a#b"), row("s1"), row("s2", shop="Not A Domain"))

    done = moved(memory, former)

    assert (done.copied, done.rejected) == (1, 2)
    found = verified(memory, former)
    assert found.equal == 1
    assert found.rejected["a#b"].startswith("session_id: ")
    assert found.rejected["s2"].startswith("shop: ")
    assert not found.is_complete


def test_verifying_finds_what_is_missing_and_what_differs(
    memory: DB, former: RelationalSessions
) -> None:
    add(former, row("s1"), row("s2"), row("s3"))
    moved(memory, former)
    memory(Session.delete(session_id="s1"))
    with former.engine.begin() as connection:
        connection.execute(
            text('UPDATE "Session" SET "accessToken" = \'x\', "scope" = NULL WHERE id = \'s2\'')
        )

    found = verified(memory, former)

    assert found.missing == ("s1",)
    assert found.different == {"s2": ("scope", "access_token")}
    assert found.equal == 1
    assert not found.is_complete


def test_a_row_that_has_changed_since_it_was_copied_is_copied_again(
    memory: DB, former: RelationalSessions
) -> None:
    installed(memory)
    add(former, row("s1"), row("s2"), row("s3"))
    moved(memory, former)
    store_session(memory, SignIn("s3", CAFE, "xyz", "mine"))
    with former.engine.begin() as connection:
        connection.execute(text("UPDATE \"Session\" SET \"accessToken\" = 'x' WHERE id <> 's1'"))

    again = moved(memory, former)

    assert (again.copied, again.updated, again.already_there) == (0, 1, 2)
    tokens = [load_session(memory, name) for name in ("s1", "s2", "s3")]
    assert [each and each.access_token for each in tokens] == ["shpat_s1", "x", "mine"]
    assert verified(memory, former) == Verification(rows=3, equal=2, newer=1)


DETAILS: dict[str, Any] = {
    "firstName": "Ann",
    "lastName": "Lee",
    "email": "ann@cafe.org",
    "accountOwner": True,
    "locale": "en",
    "collaborator": True,
    "emailVerified": True,
    "refreshToken": "shprt_1",
    "refreshTokenExpires": MORNING + DAY,
}


def test_everything_that_the_former_store_has_of_a_user_is_kept(
    memory: DB, former: RelationalSessions
) -> None:
    add(former, row("s1", **DETAILS))

    moved(memory, former)

    found = memory(session_by_id("s1"))
    assert found is not None
    assert (found.first_name, found.last_name, found.email) == ("Ann", "Lee", "ann@cafe.org")
    assert (found.account_owner, found.collaborator, found.email_verified) == (True, True, True)
    assert (found.locale, found.refresh_token) == ("en", "shprt_1")
    assert found.refresh_token_expires == MORNING + DAY
    assert "shprt_1" not in str(stored_items(memory, Shuttle))
    assert verified(memory, former).is_complete


@pytest.mark.parametrize("column", DETAILS)
def test_verifying_compares_every_column(
    memory: DB, former: RelationalSessions, column: str
) -> None:
    add(former, row("s1", **DETAILS))
    moved(memory, former)
    former.delete("s1")
    other = False if DETAILS[column] is True else None
    add(former, row("s1", **DETAILS | {column: other}))

    [differing] = verified(memory, former).different.values()

    assert len(differing) == 1


def test_a_table_without_the_later_columns_is_moved(memory: DB, tmp_path: Path) -> None:
    with RelationalSessions(f"sqlite:///{tmp_path}/old.db") as former:
        with former.engine.begin() as connection:
            connection.execute(text(FIRST_COLUMNS))
            values = "'s1', 'a.com', 'x', 0, NULL, NULL, 't', NULL"
            connection.execute(text(f'INSERT INTO "Session" VALUES ({values})'))

        assert moved(memory, former).copied == 1
        assert verified(memory, former).is_complete


@pytest.mark.parametrize("column", ["expires", "refreshTokenExpires"])
def test_a_time_that_cannot_be_read_is_reported_and_the_others_move(
    memory: DB, tmp_path: Path, column: str
) -> None:
    with filled(f"sqlite:///{tmp_path}/former.db", [row("s1"), row("s2")]) as former:
        with former.engine.begin() as connection:
            change = f"UPDATE \"Session\" SET \"{column}\" = 'soon' WHERE id = 's1'"
            connection.execute(text(change))

        done = moved(memory, former)

        assert (done.copied, done.rejected) == (1, 1)
        assert list(verified(memory, former).rejected) == ["s1"]


def test_a_copy_is_equal_to_its_row_before_and_after_it_is_used(
    memory: DB, former: RelationalSessions, watch: Watch
) -> None:
    installed(memory)
    add(former, row("s1"))
    moved(memory, former)
    watch.wait(days=100)
    assert verified(memory, former) == Verification(rows=1, equal=1)

    used = load_session(memory, "s1", former=former)

    assert used is not None
    assert used.expires_at == watch.now + 365 * DAY
    assert verified(memory, former) == Verification(rows=1, equal=1)


def test_sessions_are_found_at_every_moment_of_the_move(
    memory: DB, former: RelationalSessions
) -> None:
    rows = many(23)
    add(former, *rows)

    def all_are_found() -> bool:
        return all(load_session(memory, given["id"], former=former) for given in rows)

    assert all_are_found()
    for _ in move_sessions(memory, former, batch=10):
        assert all_are_found()


KILLED = dedent("""
    import os, signal, sys
    from sortkey import DB
    from sortkey.testing import clock
    from sortkey_systems.shuttle.design.table import Shuttle
    from sortkey_systems.shuttle.moving_sessions import move_sessions
    from sortkey_systems.shuttle.relational_sessions import RelationalSessions

    target, url, now, last = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    done = 0

    def die(call):
        global done
        done += 1
        if done == last:
            os.kill(os.getpid(), signal.SIGKILL)

    with DB.connect(Shuttle, target=target, observers=[die]) as db, clock(lambda: now):
        for _ in move_sessions(db, RelationalSessions(url), batch=10):
            pass
""")


@pytest.mark.acceptance
def test_a_move_that_is_killed_again_and_again_moves_every_row_once(
    former: RelationalSessions, url: str, tmp_path: Path, watch: Watch
) -> None:
    rows = many(57)
    add(former, *rows)
    path = str(tmp_path / "shuttle.db")
    keys = {"SORTKEY_KEYS": f"{KEY.name}={KEY.text}"}

    for calls in (1, 2, 3, 4):
        command = [sys.executable, "-c", KILLED, path, url, str(MORNING.timestamp()), str(calls)]
        killed = subprocess.run(command, env=keys, check=False, timeout=60)
        assert killed.returncode == -signal.SIGKILL

    with DB.open(path, Shuttle, secrets=Keyring(KEY)) as db:
        before = db(SessionMove.get(source="prisma").required())
        assert 0 < before.copied < 57
        done = moved(db, former)
        assert (done.copied, done.already_there, done.passes) == (57, 0, 1)
        assert verified(db, former) == Verification(rows=57, equal=57)


def test_the_command_moves_verifies_and_reports(
    former: RelationalSessions, url: str, tmp_path: Path
) -> None:
    def run() -> Result:
        to = ["--from", url, "--to", str(tmp_path / "shuttle.db")]
        keys = {"SORTKEY_KEYS": f"{KEY.name}={KEY.text}"}
        return CliRunner().invoke(main, ["move-sessions", *to], env=keys)

    add(former, *(row(f"s{number}") for number in range(60)))
    done = run()
    assert done.stdout.splitlines() == [
        "60 copied, 0 updated, 0 already there, 0 expired, 0 signed out, 0 rejected.",
        "60 rows: 60 equal to their sessions, 0 older, 0 expired, 0 ended.",
    ]
    assert done.exit_code == 0
    assert "Moving" in done.stderr

    add(former, row("a#b"))
    again = run()
    assert again.stdout.splitlines() == [
        "0 copied, 0 updated, 60 already there, 0 expired, 0 signed out, 1 rejected.",
        "61 rows: 60 equal to their sessions, 0 older, 0 expired, 0 ended.",
        "a#b cannot be copied: session_id: String should match pattern '^[^#]+$'",
    ]
    assert again.exit_code == 1


def test_an_unreachable_store_is_reported_and_nothing_is_moved(tmp_path: Path) -> None:
    former = f"sqlite:///{tmp_path}/nowhere/former.db"
    done = CliRunner().invoke(main, ["move-sessions", "--from", former, "--to", "memory"])

    assert done.exit_code == 1
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


# Explorations: the former store is a table of the same database, so its requests are ordered too.


class Former(Table):
    """A row of the former store, for explorations."""


class FormerRow(Entity, table=Former):
    store: str = "prisma"
    session_id: str

    primary = Former.primary.key("{store}", "{session_id}")


class ExploredSessions:
    """The former store on a sortkey database."""

    def __init__(self, db: DB) -> None:
        self._db = db

    def get(self, session_id: str) -> FormerSession | None:
        found = self._db(FormerRow.get(store="prisma", session_id=session_id).consistently())
        return None if found is None else _row(found)

    def after(self, session_id: str | None, limit: int) -> list[FormerSession]:
        rows = FormerRow.query(store="prisma").consistently()
        if session_id is not None:
            rows = rows.gt(session_id=session_id)
        return [_row(found) for found in self._db(rows.limit(limit))]

    def ids_of_shop(self, shop: str) -> list[str]:
        return [found.session_id for found in self._db(FormerRow.query(store="prisma"))]

    def delete(self, session_id: str) -> None:
        self._db(FormerRow.delete(store="prisma", session_id=session_id))

    def count(self) -> int:
        return self._db(FormerRow.query(store="prisma").count())


def _row(found: FormerRow) -> FormerSession:
    return FormerSession(
        id=found.session_id,
        shop=CAFE,
        state="xyz",
        is_online=False,
        scope=None,
        expires=None,
        access_token="former",
        user_id=None,
    )


@pytest.fixture
def explored(watch: Watch) -> DB:
    """Return a database with two rows in the former store."""
    db = DB.memory(Shuttle, Former, secrets=Keyring(KEY))
    for name in ("s1", "s2"):
        db(FormerRow(session_id=name).create())
    installed(db)
    return db


def run(db: DB) -> SessionMove:
    *_, last = move_sessions(db, ExploredSessions(db), batch=1)
    return last


REFUSALS = (ShuttleError,)


@with_and_without_guard
def test_a_session_that_is_ended_while_it_is_copied_stays_ended(
    explored: DB, unguard: Unguard, *, guarded: bool
) -> None:
    if not guarded:
        unguard("SignedOut", AlreadyExists)

    def it_is_ended(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            found = load_session(explored, "s1", former=ExploredSessions(explored))
            assert found is None, "it is back"

    with fails_unless(guarded=guarded, match="it is back"):
        explore(
            lambda: run(explored),
            lambda: sign_out(explored, "s1", former=ExploredSessions(explored)),
            db=explored,
            invariant=it_is_ended,
            errors=REFUSALS,
        )


@with_and_without_guard
def test_a_session_that_is_stored_while_it_is_copied_stays_the_newer(
    explored: DB, unguard: Unguard, *, guarded: bool
) -> None:
    if not guarded:
        unguard("Session", RecordError)

    def it_is_the_newer(outcomes: list[Outcome]) -> None:
        if outcomes[1].succeeded:
            found = load_session(explored, "s1", former=ExploredSessions(explored))
            assert found is not None
            assert found.access_token == "newer", "it is the former one"

    with fails_unless(guarded=guarded, match="it is the former one"):
        explore(
            lambda: run(explored),
            lambda: store_session(explored, SignIn("s1", CAFE, "xyz", "newer")),
            db=explored,
            invariant=it_is_the_newer,
            errors=REFUSALS,
        )


@with_and_without_guard
def test_two_concurrent_moves_count_each_row_once(
    explored: DB, unguard: Unguard, *, guarded: bool
) -> None:
    if not guarded:
        unguard("SessionMove")

    def each_once() -> None:
        move = explored(SessionMove.get(source="prisma"))
        copied = len(explored(sessions_of_shop(CAFE)))
        assert (move.copied if move else 0) == copied, "counted otherwise"

    with fails_unless(guarded=guarded, match="counted otherwise"):
        explore(
            lambda: next(move_sessions(explored, ExploredSessions(explored), batch=1)),
            lambda: next(move_sessions(explored, ExploredSessions(explored), batch=1)),
            db=explored,
            invariant=each_once,
            errors=REFUSALS,
        )


def test_a_move_that_dies_anywhere_is_finished_by_the_next(explored: DB) -> None:
    def all_are_there() -> None:
        move = explored(SessionMove.get(source="prisma").required())
        assert (move.copied, move.already_there) in {(2, 0), (0, 2)}
        assert explored(sessions_of_shop(CAFE)) != []
        assert len(explored(Session.scan())) == 2

    explore(
        lambda: run(explored),
        db=explored,
        then=lambda: run(explored),
        invariant=all_are_there,
        errors=REFUSALS,
    )


# The progress of each: one row, both rows, the end, and one row of the next pass.
@pytest.mark.parametrize(("mine", "others"), [(1, 2), (1, 3), (1, 4), (2, 3)])
def test_a_concurrent_move_gets_an_error(explored: DB, mine: int, others: int) -> None:
    going = move_sessions(explored, ExploredSessions(explored), batch=1)
    for _ in range(mine):
        next(going)
    for _ in range(others - mine):
        next(move_sessions(explored, ExploredSessions(explored), batch=1))
    before = explored(SessionMove.get(source="prisma"))

    with pytest.raises(MoveInProgress):
        next(going)

    assert explored(SessionMove.get(source="prisma")) == before
    assert explored(SignedOut.scan()) == []


def test_a_batch_is_as_many_rows_as_a_transaction_takes(explored: DB) -> None:
    for number in range(10, 58):
        explored(FormerRow(session_id=f"s{number}").create())

    moves = list(move_sessions(explored, ExploredSessions(explored)))

    assert [move.copied for move in moves] == [49, 50, 50]


def test_a_batch_with_persistent_conflicts_raises_an_error(
    explored: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    def conflict(*writes: Write[Any]) -> None:
        others = [TransactionConflictException("another is writing it") for _ in writes[1:]]
        raise TransactionFailed([None, *others], writes)

    monkeypatch.setattr(explored, "transact", conflict)

    with pytest.raises(TransactionFailed):
        run(explored)


def test_a_move_continues_and_verifies_with_consistent_reads(explored: DB) -> None:
    run(explored)

    with explored.budget() as calls:
        run(explored)
        list(verify_sessions(explored, ExploredSessions(explored)))

    read = [e.read_units for c in calls for e in c.exchanges if e.tables == ("InavorShuttleTable",)]
    # The progress, two sessions one by one, then two sessions and two marks; an eventually
    # consistent read would cost half.
    assert list(filter(None, read)) == [1, 1, 1, 2, 2]


def test_a_copy_is_compared_with_its_row_even_if_it_should_have_ended(explored: DB) -> None:
    run(explored)
    explored(SignedOut(session_id="s1", expires_at=MORNING + DAY).put())

    *_, found = verify_sessions(explored, ExploredSessions(explored))

    assert found == Verification(rows=2, equal=2)


def test_an_invalid_row_is_rejected_by_field() -> None:
    with pytest.raises(BadInput) as refused:
        session_from(FormerSession("a#b", CAFE, "", False, None, None, "t", None))

    assert refused.value.field == "session_id"
