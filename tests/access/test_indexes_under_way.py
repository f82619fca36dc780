"""An index is complete as soon as it exists, whatever happens while it is added."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.access.two_designs import (
    KEYS,
    App,
    Before,
    Few,
    Ground,
    Item,
    More,
    Note,
    OldItem,
    OldUser,
    Shared,
    User,
    fill,
    found,
    is_complete,
    memory_ground,
)

from sortkey import (
    DB,
    AsyncDB,
    Table,
    TableMismatch,
)
from sortkey.access import indexes
from sortkey.access.backfill import Backfill
from sortkey.access.create_request import create_body
from sortkey.access.indexes import CreateIndexes
from sortkey.access.mismatch import missing_indexes
from sortkey.access.tables import create_missing
from sortkey.access.targets import EMBEDDED, Target, endpoint_target, file_target
from sortkey.engine import Engine
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation, Pause
from sortkey.operations.plan import Plan
from sortkey.testing import Outcome, explore
from sortkey.wire.errors import LimitExceededException
from sortkey.wire.messages import Request


class Killed(BaseException):
    """The end of a process."""


class Ending(Shared):
    """Ends the process at a request: before it is carried out, or before its response arrives."""

    def __init__(self, engine: Engine, last: int, *, carried_out: bool) -> None:
        super().__init__(lambda: engine, path=None)
        self.left = last
        self.carried_out = carried_out

    def send(self, request: Request) -> dict[str, Any]:
        self.left -= 1
        if self.left >= 0:
            return super().send(request)
        if self.carried_out:
            super().send(request)
        raise Killed


class AsyncEnding:
    """Ends the process at a request of an event loop."""

    def __init__(self, ending: Ending) -> None:
        self._ending = ending

    async def send(self, request: Request) -> dict[str, Any]:
        return self._ending.send(request)

    async def close(self) -> None:
        self._ending.close()


@pytest.mark.parametrize("carried_out", [False, True])
@pytest.mark.parametrize("awaited", [False, True])
def test_ended_at_any_request_it_is_finished_by_the_next_opening(
    awaited: bool, carried_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "PAGE", 3)
    engine = Engine.memory()
    ground = memory_ground(awaited=awaited, engine=engine)
    fill(ground)
    image = engine.image()
    ended = 0
    while True:
        engine.load(image)

        def ending(last: int = ended) -> Ending:
            return Ending(engine, last, carried_out=carried_out)

        target = Target("memory", EMBEDDED, ending, lambda: AsyncEnding(ending()))
        try:
            Ground(target, "dev", awaited=awaited).open(App, add_indexes=True).close()
        except Killed:
            ended += 1
        else:
            break
        try:
            complete = is_complete(ground)
        except TableMismatch:
            complete = False
            ground.open(App, add_indexes=True).close()
        # No index ever exists without one of the records.
        assert complete or is_complete(ground)

    # Describe; scan and write pages; describe and update for each index; expiry.
    assert ended > 15


PROGRAM = """
import sys
from sortkey import DB, Keyring, LocalKey
from sortkey.access.transports.embedded import EmbeddedTransport
from tests.access.two_designs import App

if "slowly" in sys.argv:
    send = EmbeddedTransport.send

    def shown(transport, request):
        print(request.operation, flush=True)
        return send(transport, request)

    EmbeddedTransport.send = shown
print("begun", flush=True)
sys.stdin.readline()
DB.open(sys.argv[1], App, secrets=Keyring(LocalKey("k", b"1" * 32)), add_indexes=True).close()
"""


def program(path: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), *arguments],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_killed_in_the_middle_of_a_page_it_is_finished_by_the_next_opening(
    tmp_path: Path,
) -> None:
    ground = Ground(file_target(tmp_path / "app.db"), "dev")
    fill(ground, users=250)

    with program(tmp_path / "app.db", "slowly") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("\n")
        process.stdin.flush()
        written = 0
        for line in process.stdout:
            written += line == "UpdateItem\n"
            if written == 130:
                process.send_signal(signal.SIGKILL)
                break

    assert process.returncode == -signal.SIGKILL
    with pytest.raises(TableMismatch):
        ground.open(App)
    with ground.open(App, add_indexes=True) as db:
        versions = {user.rev for user in db(User.scan())}

    assert is_complete(ground, users=250)
    assert versions == {2}, "no record was rewritten twice"


def test_processes_that_open_it_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    ground = Ground(file_target(tmp_path / "app.db"), "dev")
    fill(ground, users=150)

    processes = [program(tmp_path / "app.db") for _ in range(3)]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()

    assert [process.returncode for process in processes] == [0, 0, 0]
    assert is_complete(ground, users=150)
    with ground.open(App) as db:
        assert {user.rev for user in db(User.scan())} == {2}


@dataclass(frozen=True)
class Adding(Operation[None]):
    """The steps of opening, as an operation of a database with the earlier design."""

    target: Target
    table: type[Table] = App

    def _plan(self) -> Plan:
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        return create_missing((self.table.definition,), context, self.target, add_indexes=True)


def described(**status: str) -> dict[str, Any]:
    """The response to DescribeTable for a table with these global indexes."""
    indexes = [{"IndexName": name, "IndexStatus": state} for name, state in status.items()]
    return {
        "Table": {
            "TableStatus": "ACTIVE",
            "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
            "GlobalSecondaryIndexes": indexes,
        }
    }


def adding_gsi1() -> Conversation[None]:
    """The creation of an index, up to its UpdateTable."""
    wanted = create_body(More.definition, "dev")
    found = create_body(Few.definition, "dev")
    steps = CreateIndexes(missing_indexes(More.definition, wanted, found))._steps()
    assert isinstance(next(steps), Request)
    step = steps.send(described())
    assert isinstance(step, Request)
    assert step.operation == "UpdateTable"
    return steps


REFUSED = LimitExceededException("Only 1 online index can be created or deleted simultaneously")


@pytest.mark.parametrize("meanwhile", [{"other": "CREATING"}, {"other": "ACTIVE"}])
def test_an_index_that_another_process_adds_meanwhile_comes_first(
    meanwhile: dict[str, str],
) -> None:
    steps = adding_gsi1()

    step = steps.throw(REFUSED)
    if meanwhile["other"] == "CREATING":
        assert isinstance(steps.send(described(**meanwhile)), Pause)
        step = steps.send({})
    assert isinstance(step, Request)
    again = steps.send(described(other="ACTIVE"))

    assert isinstance(again, Request)
    assert again.operation == "UpdateTable"
    steps.send({})
    with pytest.raises(StopIteration):
        steps.send(described(other="ACTIVE", gsi1="ACTIVE"))


def test_what_is_refused_for_another_reason_is_raised() -> None:
    steps = adding_gsi1()

    assert isinstance(steps.throw(REFUSED), Request)
    with pytest.raises(LimitExceededException):
        steps.send(described())


@pytest.fixture
def db() -> Iterator[DB]:
    """A database of the earlier design, with one user."""
    with DB.memory(Before, secrets=KEYS) as db:
        db(OldUser(user_id=1, city="Oslo").create())
        yield db


def in_agreement(db: DB) -> bool:
    """Return whether the indexes agree with the records, if they exist."""
    users = db(User.scan())
    return all(user in db(User.query(User.by_city, city=user.city)) for user in users) and sorted(
        found(db, "Oslo") + found(db, "Rome")
    ) == sorted(user.user_id for user in users)


def test_a_writer_with_the_new_design_is_not_overwritten_and_is_found(db: DB) -> None:
    def move() -> None:
        user = db(User.get(user_id=1).consistently().required())
        db(user.update().set(lambda u: u.city).to("Rome"))

    def add() -> None:
        db(Adding(db._target))

    explored = explore(
        add,
        move,
        db=db,
        crashes=False,
        lost_responses=False,
        then=add,
        invariant=lambda: in_agreement(db),
    )
    assert explored.schedules > 5


def test_a_new_record_of_the_new_design_is_found(db: DB) -> None:
    explore(
        lambda: db(Adding(db._target)),
        lambda: db(User(user_id=2, city="Rome").create()),
        db=db,
        crashes=False,
        lost_responses=False,
        invariant=lambda: in_agreement(db) and found(db, "Rome") == [2],
    )


def test_a_writer_with_the_design_before_is_not_overwritten_and_a_back_fill_finds_it(
    db: DB,
) -> None:
    def move() -> None:
        user = db(OldUser.get(user_id=1).consistently().required())
        db(user.model_copy(update={"city": "Rome"}).replace())

    def back_fill() -> None:
        for _ in Backfill(db, [User, Note]).run():
            pass

    def moved(outcomes: list[Outcome]) -> bool:
        [user] = db(User.scan())
        return in_agreement(db) and user.city == ("Oslo" if outcomes[1].error else "Rome")

    explore(
        lambda: db(Adding(db._target)),
        move,
        db=db,
        crashes=False,
        lost_responses=False,
        then=back_fill,
        invariant=moved,
    )


def test_two_processes_that_add_the_same_index_leave_it_complete() -> None:
    with DB.memory(Few) as db:
        db(OldItem(item_id="i").create())

        def add() -> None:
            db(Adding(db._target, More))

        def complete(outcomes: list[Outcome]) -> bool:
            added = all(outcome.error is None for outcome in outcomes)
            return added and len(db(Item.query(Item.all_items))) == 1

        explored = explore(add, add, db=db, crashes=False, lost_responses=False, invariant=complete)
        assert explored.schedules > 50


def test_an_index_that_another_process_adds_is_waited_for(http_url: str) -> None:
    """A server fills an index between requests, and DynamoDB creates one at a time."""
    ground = Ground(endpoint_target(http_url), "waited")
    fill(ground)

    async def both() -> None:
        opened = [
            AsyncDB(
                ground.target, App, environment=ground.environment, secrets=KEYS, add_indexes=True
            )
            for _ in range(3)
        ]
        await asyncio.gather(*(db.ready() for db in opened))
        for db in opened:
            await db.close()

    asyncio.run(both())

    assert is_complete(ground)
