"""Real processes on one file, and real tasks over HTTP: one owner, and each part once."""

import asyncio
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.systems.commitcollect.people import KEYS, SPRING, TRACE, ride, signed_in, under_way

from sortkey import DB, AsyncDB, LocalKey, TransactionFailed
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.milestones import milestone_with_awards
from sortkey_systems.commitcollect.design.strava import (
    StravaConnection,
    athlete_owner,
    connect_first,
    connection,
)
from sortkey_systems.commitcollect.earning import recompute

pytestmark = pytest.mark.acceptance

USERS = [f"user{number}" for number in range(8)]

# Each process waits for the others, then connects and recomputes.
PROGRAM = """
import sys
from sortkey_systems.commitcollect.connecting import connect
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.errors import AthleteAlreadyConnected
from sortkey_systems.commitcollect.earning import recompute
from tests.systems.commitcollect.people import TRACE, grant
from sortkey import DB

path, user_id, milestone_id = sys.argv[1:]
with DB.connect(*TABLES, target=path) as db:
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        connect(db, user_id, grant("99"), TRACE)
        won = True
    except AthleteAlreadyConnected:
        won = False
    minted = recompute(db, "ada", milestone_id, TRACE).minted
    print(won, *minted, flush=True)
"""


def test_processes_on_one_file_agree_on_an_owner_and_mint_each_part_once(tmp_path: Path) -> None:
    path, key = tmp_path / "race.db", LocalKey.new("race").text
    with DB.open(path, *TABLES, secrets=KEYS) as db:
        made = under_way(db)
        for user_id in USERS[:4]:
            signed_in(db, user_id)
        ride(db, "1", 60_000)
    with ExitStack() as ending:
        racers = [
            ending.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, str(path), user_id, made.milestone_id],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    cwd=Path(__file__).parents[3],
                    env={**os.environ, "SORTKEY_KEYS": f"race={key}"},
                )
            )
            for user_id in USERS[:4]
        ]
        for racer in racers:
            assert racer.stdout
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin
            racer.stdin.write("go\n")
            racer.stdin.flush()
        outputs = [racer.communicate(timeout=60)[0].split() for racer in racers]

    assert [words[0] for words in outputs].count("True") == 1
    assert sorted(part for words in outputs for part in words[1:]) == ["1", "2"]
    with DB.open(path, *TABLES, secrets=KEYS) as db:
        whole = db(milestone_with_awards("ada", made.milestone_id))
        assert whole.milestone is not None
        assert (whole.milestone.parts_earned, len(whole.awards)) == (2, 2)


def test_tasks_over_http_agree_on_an_owner(http_url: str) -> None:
    async def race() -> list[bool]:
        async with AsyncDB.endpoint(http_url, *TABLES, secrets=KEYS, environment="tasks") as db:
            return await asyncio.gather(*(claims(db, user_id) for user_id in USERS))

    async def claims(db: AsyncDB, user_id: str) -> bool:
        mine = StravaConnection(
            user_id=user_id,
            athlete_id="99",
            access_token="hush",
            refresh_token="hush",
            expires_at_utc=SPRING,
            updated_at_utc=SPRING,
        )
        try:
            await db(connect_first(mine))
        except TransactionFailed:
            return False
        return True

    with DB.endpoint(http_url, *TABLES, secrets=KEYS, environment="tasks") as db:
        db.create_tables()
        for user_id in USERS:
            signed_in(db, user_id)

        won = asyncio.run(race())

        assert won.count(True) == 1
        winner = USERS[won.index(True)]
        owner = db(athlete_owner("99"))
        assert owner is not None
        assert owner.user_id == winner
        assert [user for user in USERS if db(connection(user))] == [winner]


def test_tasks_over_http_mint_each_part_once(http_url: str) -> None:
    async def race(db: DB, milestone_id: str) -> list[tuple[int, ...]]:
        def minted() -> tuple[int, ...]:
            return recompute(db, "ada", milestone_id, TRACE).minted

        return await asyncio.gather(*(asyncio.to_thread(minted) for _ in range(4)))

    with DB.endpoint(http_url, *TABLES, secrets=KEYS, environment="minting") as db:
        db.create_tables()
        made = under_way(db)
        ride(db, "1", 60_000)

        results = asyncio.run(race(db, made.milestone_id))

        assert sorted(part for parts in results for part in parts) == [1, 2]
        whole = db(milestone_with_awards("ada", made.milestone_id))
        assert [award.part_index for award in whole.awards] == [1, 2]
