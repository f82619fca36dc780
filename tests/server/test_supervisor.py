import os
import re
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sortkey.engine import Engine, StorageError
from sortkey.server import CannotServe, ServerSettings, serve
from sortkey.server.supervisor import Supervisor


def refuse(_: str) -> None:
    pytest.fail("the server should not have started")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.com", ""])
def test_only_this_machine_is_served(host: str) -> None:
    with pytest.raises(CannotServe, match="not a loopback address"):
        serve(ServerSettings(host=host, port=0), refuse)


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotServe, match=f"Port {port} on 127.0.0.1 is in use"):
            serve(ServerSettings(port=port), refuse)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_missing_folder_is_named(tmp_path: Path, workers: int) -> None:
    with pytest.raises(CannotServe, match=r"There is no folder .*missing"):
        serve(ServerSettings(db=tmp_path / "missing" / "app.db", port=0, workers=workers), refuse)


def test_a_folder_is_not_a_database(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match="is a folder"):
        serve(ServerSettings(db=tmp_path, port=0), refuse)


def written_by_another_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()


def not_a_database(path: Path) -> None:
    path.write_bytes(b"once upon a time " * 100)


@pytest.mark.parametrize("make", [written_by_another_program, not_a_database])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_is_not_ours_is_refused_by_name(
    tmp_path: Path, make: Callable[[Path], None], workers: int
) -> None:
    path = tmp_path / "app.db"
    make(path)

    with pytest.raises(StorageError, match=re.escape(str(path))):
        serve(ServerSettings(db=path, port=0, workers=workers), refuse)


def leave_an_index_unfilled(path: Path) -> None:
    attribute = {"AttributeName": "id", "AttributeType": "S"}
    schema = [{"AttributeName": "id", "KeyType": "HASH"}]
    created = {"IndexName": "by_id", "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
    table = {"TableName": "items", "AttributeDefinitions": [attribute]}
    with Engine.open(path, grouped=True) as engine:
        engine.answer(
            "CreateTable", table | {"KeySchema": schema, "BillingMode": "PAY_PER_REQUEST"}
        )
        engine.answer("PutItem", {"TableName": "items", "Item": {"id": {"S": "a"}}})
        engine.answer("UpdateTable", table | {"GlobalSecondaryIndexUpdates": [{"Create": created}]})


def test_an_unfilled_index_does_not_delay_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "app.db"
    leave_an_index_unfilled(path)

    def never_serve(*_: object) -> None: ...

    monkeypatch.setattr(Supervisor, "run", never_serve)

    serve(ServerSettings(db=path, port=0, workers=2), refuse)

    with Engine.open(path, grouped=True) as engine:
        described = engine.answer("DescribeTable", {"TableName": "items"})["Table"]
    assert described["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"


def test_several_workers_need_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")

    with pytest.raises(CannotServe, match=r"need os\.fork"):
        serve(ServerSettings(port=0, workers=2), refuse)
