"""Many callers at the same time, for real: processes on one file, and tasks over HTTP."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.systems.agentcore.conftest import (
    MORNING,
    assign_tier,
    define_tiers,
    start_sessions,
    stored_tier,
)

from sortkey import DB, Contended
from sortkey.testing import clock
from sortkey_systems.agentcore.conversing import add_message, start_session
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.quotas import Assignment, AssignmentType
from sortkey_systems.agentcore.design.sessions import CostRecord, Session
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.design.summaries import CostSummary
from sortkey_systems.agentcore.errors import (
    AgentCoreError,
    AlreadyAssigned,
    StateInvalid,
)
from sortkey_systems.agentcore.signing_in import begin_sign_in, finish_sign_in

pytestmark = pytest.mark.acceptance

BACK = "https://chat.uni.edu/callback"
PROCESSES, COSTS = 4, 15
# Each process waits for the others, then records its own costs and those that all record.
PROGRAM = """
import sys
from datetime import datetime
from sortkey_systems.agentcore.assigning import assign
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.quotas import AssignmentType
from sortkey_systems.agentcore.errors import AlreadyAssigned
from sortkey_systems.agentcore.recording import Cost, record_cost
from sortkey import DB
from sortkey.testing import clock

path, number, costs, now = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
at = datetime.fromisoformat(now)
with DB.connect(*TABLES, target=path) as db, clock(at.timestamp):
    print("ready", flush=True)
    sys.stdin.readline()
    for place in range(costs):
        for name in (f"{number}-{place}", f"all-{place}"):
            record_cost(db, Cost("ann", name, at, "of-ann", name, 1000 + place, 10, 5, "haiku"))
    try:
        assign(db, AssignmentType.DIRECT_USER, "ann", f"tier{int(number) % 2}")
        print("assigned")
    except AlreadyAssigned:
        print("refused")
"""


def test_processes_on_one_file_count_every_cost_once_and_assign_one_tier(tmp_path: Path) -> None:
    path = str(tmp_path / "agentcore.db")
    with DB.open(path, *TABLES) as db:
        define_tiers(db, "tier0", "tier1")
        with clock(MORNING.timestamp):
            start_sessions(db, "ann")
    with ExitStack() as ending:
        processes = [
            ending.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, path, str(n), str(COSTS), MORNING.isoformat()],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    cwd=Path(__file__).parents[3],
                )
            )
            for n in range(PROCESSES)
        ]
        for process in processes:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        output = "".join(process.communicate(timeout=120)[0] for process in processes)
        assert [process.returncode for process in processes] == [0] * PROCESSES

    assert (output.count("assigned"), output.count("refused")) == (1, PROCESSES - 1)
    with DB.open(path, *TABLES) as db, clock(MORNING.timestamp):
        records, sums = db(CostRecord.scan()), db(CostSummary.scan())
        assert len(records) == (PROCESSES + 1) * COSTS
        total = sum(record.cost_micros for record in records)
        assert [(each.total_cost_micros, each.request_count) for each in sums] == [
            (total, len(records))
        ] * 2
        [own] = db(Assignment.scan())
        assert own.assignment_type is AssignmentType.DIRECT_USER
        assert stored_tier(db, own.tier_id).assignment_count == 1
        assert sum(stored_tier(db, f"tier{n}").assignment_count for n in range(2)) == 1


def test_tasks_over_http_lose_no_message_and_sign_in_once(
    serve: Callable[..., tuple[subprocess.Popen[str], int]],
) -> None:
    _, port = serve()
    with DB.endpoint(f"http://127.0.0.1:{port}", *TABLES) as db:
        db.create_tables()
        define_tiers(db, "basic")
        session = start_session(db, "ann", "Hegel").session_id
        state = begin_sign_in(db, BACK, allowed=[BACK]).state

        def message() -> Session:
            while True:
                try:
                    return add_message(db, "ann", session)
                except Contended:
                    continue  # try again

        calls: list[Callable[[], object]] = [
            *[message] * 12,
            *[lambda: finish_sign_in(db, state)] * 6,
            *[lambda: assign_tier(db, "ann", "basic")] * 6,
        ]

        async def together() -> list[object]:
            tasks = (asyncio.to_thread(call) for call in calls)
            return await asyncio.gather(*tasks, return_exceptions=True)

        ended = asyncio.run(together())

        failed = [end for end in ended if isinstance(end, BaseException)]
        assert all(isinstance(end, AgentCoreError) for end in failed), failed
        assert sum(isinstance(end, SignInState) for end in ended) == 1
        assert sum(isinstance(end, StateInvalid) for end in ended) == 5
        assert sum(isinstance(end, Assignment) for end in ended) == 1
        assert sum(isinstance(end, AlreadyAssigned) for end in ended) == 5
        [stored] = db(Session.scan())
        assert stored.message_count == 12
        sent = [end.last_message_at for end in ended if isinstance(end, Session)]
        assert stored.last_message_at == max(sent)
        assert stored_tier(db, "basic").assignment_count == 1
