"""A Lambda function has one database for all of its invocations."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.access.servers import Scripted

from sortkey import DB, AsyncDB, Entity, Table
from sortkey.access.aws_lambda import lambda_handler
from sortkey.access.background_loop import run_in_background
from sortkey.access.endpoint import SettingsError

FOUND = b'{"Item":{"PK":{"S":"USER#u1"},"SK":{"S":"USER"},"user_id":{"S":"u1"}}}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(FOUND), FOUND)


class App(Table):
    pass


class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")


@pytest.fixture
def server(scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A server that handles many requests on one connection, named in the environment."""
    server = scripted([ANSWER] * 10)
    monkeypatch.setenv("SORTKEY_TARGET", str(server.endpoint))
    return server


def test_two_invocations_use_one_connection(server: Scripted) -> None:
    given: list[DB] = []

    @lambda_handler(App)
    def handler(event: dict[str, str], _context: object, db: DB) -> str:
        given.append(db)
        return db(User.get(user_id=event["user"]).required()).user_id

    answers = [handler({"user": "u1"}, None) for _ in range(2)]
    for db in given:
        db.close()

    assert answers == ["u1", "u1"]
    assert len(server.requests) == 2
    assert server.connections == 1


def test_two_invocations_of_a_function_that_awaits_use_one_connection(server: Scripted) -> None:
    given: list[AsyncDB] = []

    @lambda_handler(App)
    async def handler(event: dict[str, str], _context: object, db: AsyncDB) -> str:
        given.append(db)
        return (await db(User.get(user_id=event["user"]).required())).user_id

    answers = [handler({"user": "u1"}, None) for _ in range(2)]
    for db in given:
        run_in_background(db.close())

    assert answers == ["u1", "u1"]
    assert len(server.requests) == 2
    assert server.connections == 1


@pytest.fixture
def in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_TARGET", "memory")


def test_threads_that_come_at_the_same_time_get_the_same_database(in_memory: None) -> None:
    @lambda_handler(App)
    def handler(_event: None, _context: None, db: DB) -> DB:
        return db

    with ThreadPoolExecutor(8) as pool:
        databases = list(pool.map(handler, [None] * 32, [None] * 32))

    assert len({id(db) for db in databases}) == 1


def test_what_one_invocation_stores_the_next_one_finds(in_memory: None) -> None:
    @lambda_handler(App)
    async def handler(user_id: str, _context: None, db: AsyncDB) -> int:
        await db(User(user_id=user_id).create())
        return len(await db(User.scan()))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(handler, "abcdefgh", [None] * 8))

    assert max(found) == 8


def test_a_function_called_from_a_loop_that_runs_awaits_on_its_own(in_memory: None) -> None:
    @lambda_handler(App)
    async def handler(_event: None, _context: None, _db: AsyncDB) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    async def caller() -> bool:
        return handler(None, None) is not asyncio.get_running_loop()

    assert asyncio.run(caller())


def test_the_decorated_function_takes_a_database_of_a_tests_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SORTKEY_TARGET", "http://127.0.0.1:9")  # where nothing listens

    @lambda_handler(App)
    def blocking(user_id: str, _context: None, db: DB) -> User:
        return db(User(user_id=user_id).create())

    @lambda_handler(App)
    async def waiting(user_id: str, _context: None, db: AsyncDB) -> User:
        return await db(User(user_id=user_id).create())

    async def wait() -> User:
        async with AsyncDB.memory(App) as db:
            return await waiting.__wrapped__("u1", None, db)

    with DB.memory(App) as db:
        assert blocking.__wrapped__("u1", None, db) == User(user_id="u1")
    assert asyncio.run(wait()) == User(user_id="u1")


def test_an_error_reaches_lambda_and_the_database_stays(in_memory: None) -> None:
    @lambda_handler(App)
    async def handler(fails: bool, _context: None, db: AsyncDB) -> AsyncDB:
        if fails:
            raise ValueError("no")
        return db

    before = handler(False, None)
    with pytest.raises(ValueError, match="no"):
        handler(True, None)

    assert handler(False, None) is before


def test_the_database_is_made_when_it_is_first_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_TARGET", "ftp.x:/")
    monkeypatch.delenv("AWS_LAMBDA_FUNCTION_NAME", raising=False)

    @lambda_handler(App)
    def handler(_event: None, _context: None, db: DB) -> str:
        return db._target.shown

    monkeypatch.setenv("SORTKEY_TARGET", "memory")

    assert handler(None, None) == "memory"


def test_on_lambda_it_is_made_before_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_TARGET", "http://")
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "shop")

    def handler(_event: None, _context: None, _db: DB) -> None:
        pass

    with pytest.raises(SettingsError):
        lambda_handler(App)(handler)


def test_a_target_and_settings_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORTKEY_TARGET", raising=False)

    @lambda_handler(App, target="memory", environment="prod")
    def handler(_event: Any, _context: Any, db: DB) -> tuple[str, str]:
        return db._target.shown, db._context.environment

    assert handler(None, None) == ("memory", "prod")


def test_without_a_target_it_is_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORTKEY_TARGET", raising=False)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")

    @lambda_handler(App)
    def handler(_event: None, _context: None, db: DB) -> str:
        return db._target.shown

    assert handler(None, None) == "https://dynamodb.eu-central-1.amazonaws.com"


_FORKING = """
import os, signal, sys
from sortkey import DB, AsyncDB, Entity, Table, lambda_handler

class App(Table):
    pass

class User(Entity, table=App):
    user_id: str
    logins: int = 0
    primary = App.primary.key("USER#{user_id}", "USER")

@lambda_handler(App, target=sys.argv[1], environment="forks")
def blocking(user_id, context, db):
    return db(User.upsert(user_id=user_id).add(logins=1)).logins

@lambda_handler(App, target=sys.argv[1], environment="forks")
async def waiting(user_id, context, db):
    return (await db(User.upsert(user_id=user_id).add(logins=1))).logins

DB.connect(App, target=sys.argv[1], environment="forks").create_tables()

def call(name):
    for handler in (blocking, waiting):
        print(name, *(handler(name + handler.__name__, None) for _ in range(3)), flush=True)

call("parent")
if os.fork() == 0:
    signal.alarm(30)  # a child that hangs ends all the same
    try:
        call("child")
    finally:
        os._exit(0)
os.wait()
call("parent")
"""

_FORKING_WHILE_OPENING = """
import os, signal, threading
from sortkey import DB, Table, lambda_handler

class App(Table):
    pass

opening, forked = threading.Event(), threading.Event()
connect = DB.connect

def connect_slowly(*tables, **settings):
    opening.set()
    forked.wait()
    return connect(*tables, **settings)

@lambda_handler(App, target="memory")
def handler(event, context, db):
    return "opened"

DB.connect = connect_slowly
thread = threading.Thread(target=handler, args=(None, None))
thread.start()
opening.wait()
child = os.fork()
DB.connect = connect
if child == 0:
    signal.alarm(30)  # a child that hangs ends all the same
    print("child", handler(None, None), flush=True)
    os._exit(0)
os.wait()
forked.set()
thread.join()
print("parent", handler(None, None))
"""


def run_forking(script: str, *arguments: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stderr == ""
    return ran.stdout.splitlines()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("place", ["http", "file", "memory"])
def test_parent_and_child_go_on_after_a_fork(
    place: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    targets: dict[str, Callable[[], str]] = {
        "http": lambda: request.getfixturevalue("http_url"),
        "file": lambda: str(tmp_path / "app.db"),
        "memory": lambda: "memory",
    }

    assert run_forking(_FORKING, targets[place]()) == [
        "parent 1 2 3",
        "parent 1 2 3",
        "child 1 2 3",
        "child 1 2 3",
        "parent 4 5 6",
        "parent 4 5 6",
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_while_a_thread_opens_the_database_does_not_block_the_child() -> None:
    assert run_forking(_FORKING_WHILE_OPENING) == ["child opened", "parent opened"]


_BLOCKING = """
import sys
from sortkey import DB, Entity, StreamHandler, Table, lambda_handler

class App(Table):
    pass

class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")

@lambda_handler(App, target=sys.argv[1])
def handler(event, context, db):
    return StreamHandler(App)({"Records": []})

handler({}, None)
print("asyncio" in sys.modules)
"""


def test_a_function_that_blocks_starts_without_asyncio() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _BLOCKING, "http://127.0.0.1:9"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert ran.stdout == "False\n"


@pytest.mark.usefixtures("unmeasured")
def test_a_function_on_lambda_opens_its_database_without_botocore() -> None:
    program = """
import sys
sys.modules["botocore"] = None
from sortkey import Table, lambda_handler

class App(Table):
    pass

@lambda_handler(App)
def handler(event, context, db):
    return str(db)

print(handler({}, None))
"""
    known = {
        "AWS_LAMBDA_FUNCTION_NAME": "join",
        "AWS_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "AKID",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_SESSION_TOKEN": "token",
    }
    others = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}

    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=others | known,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "https://dynamodb.eu-west-1.amazonaws.com" in ran.stdout
