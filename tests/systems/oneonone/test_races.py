"""Races for real: processes on one database file, and tasks over HTTP."""

import asyncio
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from tests.systems.oneonone.conftest import Watch, matched

from sortkey import DB, utc_now
from sortkey_systems.oneonone.calling import end
from sortkey_systems.oneonone.design import Session, Sessions, Users, waiting_users
from sortkey_systems.oneonone.matching import match
from sortkey_systems.oneonone.queueing import join, status
from sortkey_systems.oneonone.registering import register

PROCESSES = 4
TASKS = 8

MATCHER = """
import sys
from sortkey import DB
from sortkey_systems.oneonone.design import Sessions, Users
from sortkey_systems.oneonone.matching import match

with DB.open(sys.argv[1], Users, Sessions) as db:
    print("ready", flush=True)
    sys.stdin.readline()
    made = 0
    while match(db):
        made += 1
    print(made)
"""


def fill_queue(db: DB, people: int) -> None:
    for number in range(people):
        register(db, f"user{number}")
        join(db, f"user{number}")


def everybody_talks_once(db: DB, people: int) -> None:
    sessions = db(Session.scan())
    often = Counter(name for session in sessions for name in (session.user_a, session.user_b))
    assert often == Counter({f"user{number}": 1 for number in range(people)})
    for session in sessions:
        for name in (session.user_a, session.user_b):
            assert status(db, name).session_id == session.session_id
    assert db(waiting_users(utc_now() - timedelta(days=1))).items == []


@pytest.mark.acceptance
def test_matchers_in_several_processes_put_everybody_in_one_session(tmp_path: Path) -> None:
    people = 60
    file = str(tmp_path / "calls.db")
    with DB.open(file, Users, Sessions) as db:
        fill_queue(db, people)
    matchers = [
        subprocess.Popen(
            [sys.executable, "-c", MATCHER, file],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    for matcher in matchers:
        assert matcher.stdout
        assert matcher.stdout.readline() == "ready\n"

    for matcher in matchers:
        assert matcher.stdin
        matcher.stdin.write("go\n")
        matcher.stdin.flush()
    made = [int(matcher.communicate(timeout=60)[0]) for matcher in matchers]

    assert sum(made) == people // 2
    with DB.open(file, Users, Sessions) as db:
        everybody_talks_once(db, people)


def test_tasks_over_http_put_everybody_in_one_session(http_url: str) -> None:
    people = 24

    def match_all(db: DB) -> int:
        made = 0
        while match(db):
            made += 1
        return made

    async def race(db: DB) -> int:
        return sum(await asyncio.gather(*(asyncio.to_thread(match_all, db) for _ in range(TASKS))))

    with DB.endpoint(http_url, Users, Sessions, environment="race") as db:
        db.create_tables()
        fill_queue(db, people)

        assert asyncio.run(race(db)) == people // 2
        everybody_talks_once(db, people)


def test_tasks_over_http_end_a_call_once(http_url: str, watch: Watch) -> None:
    async def race(db: DB, session: Session) -> list[Session]:
        ends = [
            asyncio.to_thread(end, db, name, session.session_id)
            for name in (session.user_a, session.user_b) * (TASKS // 2)
        ]
        return await asyncio.gather(*ends)

    with DB.endpoint(http_url, Users, Sessions, environment="ends") as db:
        db.create_tables()
        session = matched(db, watch, "ann", "bob")
        watch.wait(minutes=4)

        ended = asyncio.run(race(db, session))

        assert {one.duration for one in ended} == {4}
        assert [status(db, name).points_left for name in ("ann", "bob")] == [11, 11]
