"""Reads of a server whose weather lags, from many connections while others write."""

import http.client
import json
import subprocess
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from sortkey.wire.services import target_of

_LAG = 0.3
_WRITERS = 3
_WRITES = 60
# Large enough that a Scan with a filter is answered beside the event loop.
_FILLER = [{"id": {"S": f"filler {n}"}, "text": {"S": "x" * 300_000}} for n in range(4)]
_WEATHER = f"""
throttling = false
index_lag_seconds = {_LAG}
stale_seconds = {_LAG}

[[faults]]
kind = "error-after"
share = 0.1
operations = ["PutItem"]

[[faults]]
kind = "lost-response"
share = 0.1
operations = ["PutItem"]

[[faults]]
kind = "latency"
share = 0.2
seconds = 0.02
"""
_TABLE = {
    "TableName": "Tab",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("id", "kind")
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_kind",
            "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}

Serve = Callable[..., tuple[subprocess.Popen[str], int]]
Ask = Callable[[str, dict[str, Any]], tuple[int, dict[str, Any]] | None]


class Written(NamedTuple):
    """A value, when its write was sent, and when it was certainly complete."""

    value: int
    sent: float
    done: float


class Seen(NamedTuple):
    """The values of all items that a read returned, and when it was sent and answered."""

    values: dict[str, int]
    sent: float
    done: float
    is_consistent: bool


@contextmanager
def connected(port: int) -> Generator[Ask]:
    """Provide requests over a connection, which is opened again after it was reset."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def ask(operation: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        headers = {
            "X-Amz-Target": target_of(operation),
            "Content-Type": "application/x-amz-json-1.0",
        }
        try:
            connection.request("POST", "/", json.dumps(request), headers)
            with connection.getresponse() as response:
                return response.status, json.loads(response.read())
        except (http.client.HTTPException, OSError):
            connection.close()
            return None

    try:
        yield ask
    finally:
        connection.close()


def write(port: int, name: str) -> list[Written]:
    """Write one value after the other, and between them what is rejected."""
    written: list[Written] = []
    with connected(port) as ask:
        for value in range(1, _WRITES + 1):
            item = {"id": {"S": name}, "kind": {"S": "counter"}, "v": {"N": str(value)}}
            sent = time.monotonic()
            while True:
                answer = ask("PutItem", {"TableName": "Tab", "Item": item})
                if answer is not None and answer[0] == 200:
                    break
            written.append(Written(value, sent, time.monotonic()))
            never = {**item, "v": {"N": "-1"}}
            check = {"ConditionExpression": "attribute_not_exists(id)"}
            ask("PutItem", {"TableName": "Tab", "Item": never, **check})
    return written


def read(port: int, request: tuple[str, dict[str, Any]], stopped: Event) -> list[Seen]:
    """Repeat a read until the writers have stopped."""
    seen: list[Seen] = []
    operation, body = request
    is_consistent: bool = body.get("ConsistentRead", False)
    with connected(port) as ask:
        while not stopped.is_set():
            sent = time.monotonic()
            answer = ask(operation, {"TableName": "Tab", **body})
            assert answer is not None
            assert answer[0] == 200, answer
            found = answer[1]
            items = found.get("Items", [found["Item"]] if "Item" in found else [])
            values = {each["id"]["S"]: int(each["v"]["N"]) for each in items}
            assert len(values) == len(items)
            seen.append(Seen(values, sent, time.monotonic(), is_consistent))
    return seen


def test_concurrent_reads_see_what_was_written_and_not_replaced_before_the_lag(
    serve: Serve, tmp_path: Path
) -> None:
    weather = tmp_path / "weather.toml"
    weather.write_text(_WEATHER)
    _, port = serve("--db", str(tmp_path / "app.db"), "--weather", str(weather))
    names = [f"item {n}" for n in range(_WRITERS)]
    with connected(port) as ask:
        ask("CreateTable", _TABLE)
        for filler in _FILLER:
            while (answer := ask("PutItem", {"TableName": "Tab", "Item": filler})) is None or (
                answer[0] != 200
            ):
                pass
    of_kind = {
        "IndexName": "by_kind",
        "KeyConditionExpression": "kind = :kind",
        "ExpressionAttributeValues": {":kind": {"S": "counter"}},
    }
    get = {"Key": {"id": {"S": names[0]}}}
    counters = {"FilterExpression": "attribute_exists(v)"}
    requests: list[tuple[str, dict[str, Any]]] = [
        ("GetItem", get),
        ("GetItem", {**get, "ConsistentRead": True}),
        ("Query", of_kind),
        ("Scan", counters),
        ("Scan", {**counters, "ConsistentRead": True}),
    ]
    stopped = Event()
    with ThreadPoolExecutor(_WRITERS + len(requests)) as threads:
        reading = [threads.submit(read, port, request, stopped) for request in requests]
        writing = {name: threads.submit(write, port, name) for name in names}
        try:
            written = {name: each.result() for name, each in writing.items()}
        finally:
            stopped.set()
        seen = [each.result() for each in reading]

    for (operation, body), results in zip(requests, seen, strict=True):
        concerned = names[:1] if operation == "GetItem" else names
        for result in results:
            # A Scan reads a page of the table, which may end before an item.
            for name in concerned if operation != "Scan" else result.values:
                _check(written[name], result.values.get(name, 0), result, body)
    with connected(port) as ask:
        answer = ask("DescribeWeather", {})
    assert answer is not None
    kinds = {(each["operation"], each["what"]) for each in answer[1]["Events"]}
    assert {("GetItem", "stale-read"), ("Scan", "stale-read"), ("Query", "index-lag")} <= kinds


def _check(written: list[Written], value: int, result: Seen, body: dict[str, Any]) -> None:
    lag = 0.0 if result.is_consistent else _LAG
    assert 0 <= value <= len(written)
    if value:
        assert written[value - 1].sent <= result.done, (value, body)
    if value < len(written):
        replaced = written[value].done
        assert result.sent <= replaced + lag, (value, body)
