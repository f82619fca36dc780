"""Many concurrent callers: processes on one file, and tasks over HTTP."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from tests.systems.shuttle.conftest import CAFE, KEY, MORNING, installed, queued, shop

from sortkey import DB, Keyring
from sortkey_systems.shuttle.design.jobs import Job
from sortkey_systems.shuttle.design.shops import LIMITS, Plan
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import UsageDaily
from sortkey_systems.shuttle.errors import JobAlreadyRunning, ShuttleError

pytestmark = pytest.mark.acceptance

SUBMIT = dedent("""
    import sys
    from sortkey import DB
    from sortkey.testing import clock
    from sortkey_systems.shuttle.design.table import Shuttle
    from sortkey_systems.shuttle.errors import DailyLimitReached
    from sortkey_systems.shuttle.submitting import submit

    noon = float(sys.argv[3])
    with DB.connect(Shuttle, target=sys.argv[1]) as db, clock(lambda: noon):
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(20):
            try:
                submit(db, sys.argv[2], file_key="a", total_products=1, created_by="ann")
                print("submitted")
            except DailyLimitReached:
                print("refused")
""")


def test_processes_that_submit_together_stop_at_the_limit(tmp_path: Path) -> None:
    path, limit = str(tmp_path / "shuttle.db"), LIMITS[Plan.MEDIUM].imports_per_day
    with DB.open(path, Shuttle, secrets=Keyring(KEY)) as db:
        installed(db, plan=Plan.MEDIUM)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SUBMIT, path, CAFE, str(MORNING.timestamp())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"SORTKEY_KEYS": f"{KEY.name}={KEY.text}"},
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"

    said = ""
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        said += process.communicate(timeout=60)[0]
        assert process.returncode == 0

    assert said.count("submitted") == limit
    assert said.count("refused") == 4 * 20 - limit
    with DB.open(path, Shuttle, secrets=Keyring(KEY)) as db:
        days = db(UsageDaily.query(domain=CAFE))
        assert [usage.imports_count for usage in days] == [limit]
        assert len(db(Job.query(domain=CAFE))) == limit
        assert shop(db).active_jobs == limit


def test_of_tasks_that_submit_over_http_one_gets_the_only_slot(
    serve: Callable[..., tuple[subprocess.Popen[str], int]],
) -> None:
    _, port = serve()
    with DB.endpoint(f"http://127.0.0.1:{port}", Shuttle, secrets=Keyring(KEY)) as db:
        db.create_tables()
        installed(db)

        async def submit_together() -> list[Job | BaseException]:
            tasks = (asyncio.to_thread(queued, db) for _ in range(12))
            return await asyncio.gather(*tasks, return_exceptions=True)

        ended = asyncio.run(submit_together())

        assert sum(isinstance(found, Job) for found in ended) == 1
        refused = [found for found in ended if not isinstance(found, Job)]
        assert all(isinstance(found, ShuttleError) for found in refused), refused
        assert any(isinstance(found, JobAlreadyRunning) for found in refused)
        assert len(db(Job.query(domain=CAFE))) == 1
        assert shop(db).active_jobs == 1
