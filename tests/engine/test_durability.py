"""An acknowledged write survives: a killed process always, a power cut with full durability."""

import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.engine.verify import SourceFile, verify

pytestmark = pytest.mark.acceptance

Serve = Callable[..., tuple[subprocess.Popen[str], int]]

KILLS = 20
WRITERS = 8
SCOPE = "20250101/us-east-1/dynamodb/aws4_request"
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20250101T000000Z",
    "Authorization": f"AWS4-HMAC-SHA256 Credential=any/{SCOPE}, SignedHeaders=host, Signature=0",
}
TABLE: dict[str, Any] = {
    "TableName": "names",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
}


class Writer:
    """Writes over a connection of its own, one request at a time, and counts the replies."""

    def __init__(self, port: int, name: str) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=30)
        self.name = name
        self.puts: int = 0
        self.pairs: int = 0

    def call(self, action: str, body: dict[str, Any]) -> None:
        target = {"X-Amz-Target": f"DynamoDB_20120810.{action}"}
        self.connection.request("POST", "/", json.dumps(body), HEADERS | target)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content

    def put(self) -> None:
        item = {"name": {"S": f"{self.name}-{self.puts}"}, "filler": {"S": "x" * 500}}
        self.call("PutItem", {"TableName": "names", "Item": item})
        self.puts += 1

    def add_to_both(self) -> None:
        """Add one to a pair of counters, in a transaction, so that they are equal at any time."""
        updates = [
            {
                "Update": {
                    "TableName": "names",
                    "Key": {"name": {"S": f"{self.name}-{side}"}},
                    "UpdateExpression": "ADD amount :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            }
            for side in ("left", "right")
        ]
        self.call("TransactWriteItems", {"TransactItems": updates})
        self.pairs += 1

    def write(self, rounds: int | None = None) -> None:
        """Write that many rounds, or until the server is gone."""
        try:
            for _ in count() if rounds is None else range(rounds):
                self.put()
                self.add_to_both()
        except (OSError, HTTPException):
            if rounds is not None:
                raise
        finally:
            self.connection.close()


def stored_amounts(path: Path) -> dict[str, int]:
    """Every name in the file with its amount, 0 where it has none."""
    amounts: dict[str, int] = {}
    with Engine.open(str(path)) as engine:
        start: dict[str, Any] = {}
        while True:
            page = engine.answer("Scan", {"TableName": "names", **start})
            for item in page["Items"]:
                amounts[item["name"]["S"]] = int(item.get("amount", {"N": "0"})["N"])
            if "LastEvaluatedKey" not in page:
                return amounts
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_server_has_kept_every_acknowledged_write_and_no_half_transaction(
    serve: Serve, tmp_path: Path, workers: int
) -> None:
    path = tmp_path / "killed.db"
    with Engine.open(str(path)) as engine:
        engine.answer("CreateTable", TABLE)

    writers: list[Writer] = []
    for kill in range(KILLS):
        process, port = serve("--db", str(path), "--workers", str(workers))
        started = [Writer(port, f"{kill}-{number}") for number in range(WRITERS)]
        with ThreadPoolExecutor(WRITERS) as pool:
            futures = [pool.submit(writer.write) for writer in started]
            time.sleep(random.uniform(0.05, 0.4))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for future in futures:
            future.result()
        writers += started

        amounts = stored_amounts(path)
        for writer in writers:
            puts = {f"{writer.name}-{number}" for number in range(writer.puts)}
            assert puts <= amounts.keys()
            left, right = (amounts.get(f"{writer.name}-{side}", 0) for side in ("left", "right"))
            assert left == right
            # The one on its way when the server died may have been kept or not.
            assert left - writer.pairs in (0, 1)

    assert sum(writer.puts for writer in writers) > KILLS * WRITERS
    assert sum(writer.pairs for writer in writers) > KILLS * WRITERS


STOCK = 20_000


def stocked(path: Path, since: int = 120) -> None:
    """Make a file with a table with recovery, of which all items were changed a minute ago."""
    now = time.time()
    for ago, colour in ((since, "red"), (60, "blue")):
        with Engine.open(str(path), grouped=True, clock=lambda ago=ago: now - ago) as engine:
            if colour == "red":
                engine.answer("CreateTable", INDEXED)
                enabled = {"PointInTimeRecoveryEnabled": True}
                engine.answer(
                    "UpdateContinuousBackups",
                    {"TableName": "names", "PointInTimeRecoverySpecification": enabled},
                )
            for number in range(STOCK):
                item = {"name": {"S": str(number)}, "colour": {"S": colour}}
                engine.reply("PutItem", {"TableName": "names", "Item": item})


INDEXED: dict[str, Any] = TABLE | {
    "AttributeDefinitions": [
        *TABLE["AttributeDefinitions"],
        {"AttributeName": "colour", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_colour",
            "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


def colours(engine: Engine, table: str, **index: str) -> Counter[str]:
    """Return how many items of a table or an index have each colour."""
    found: Counter[str] = Counter()
    start: dict[str, Any] = {}
    while True:
        page = engine.answer("Scan", {"TableName": table, **index, **start})
        found.update(item["colour"]["S"] for item in page["Items"] if "colour" in item)
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def test_a_restore_and_a_backup_go_on_after_a_kill(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    stocked(path)
    process, port = serve("--db", str(path))
    first = Writer(port, "first")
    first.call(
        "RestoreTableToPointInTime",
        {
            "SourceTableName": "names",
            "TargetTableName": "past",
            "RestoreDateTime": time.time() - 90,
        },
    )
    first.call("CreateBackup", {"TableName": "names", "BackupName": "first"})
    first.connection.close()

    kills = 0
    while True:
        writer = Writer(port, f"writer-{kills}")
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(writer.write)
            # The upkeep begins half a second after the start.
            time.sleep(random.uniform(0.5, 0.9))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        writing.result()
        with SourceFile(path) as source:
            is_complete = not list(source.pasts())
        if is_complete or kills == KILLS:
            break
        kills += 1
        process, port = serve("--db", str(path))
    assert kills > 1

    with Engine.open(str(path)) as engine:
        [backup] = engine.answer("ListBackups", {})["BackupSummaries"]
        copy = {"BackupArn": backup["BackupArn"], "TargetTableName": "copy"}
        engine.answer("RestoreTableFromBackup", copy)
        for table, colour in (("past", "red"), ("copy", "blue")):
            assert colours(engine, table) == {colour: STOCK}
            assert colours(engine, table, IndexName="by_colour") == {colour: STOCK}
    with SourceFile(path) as source:
        assert verify(source).damage == []


class Painter(Writer):
    """Paints the even ones of the stocked items and deletes the odd ones, from one on."""

    def __init__(self, port: int, first: int) -> None:
        super().__init__(port, f"painter-{first}")
        self.first = first

    @property
    def painted(self) -> set[str]:
        """The items whose paint was acknowledged."""
        return {str(2 * (self.first + number) % STOCK) for number in range(self.puts)}

    @property
    def deleted(self) -> set[str]:
        """The items whose deletion was acknowledged."""
        return {str((2 * (self.first + number) + 1) % STOCK) for number in range(self.pairs)}

    def put(self) -> None:
        name = str(2 * (self.first + self.puts) % STOCK)
        item = {"name": {"S": name}, "colour": {"S": "green"}}
        self.call("PutItem", {"TableName": "names", "Item": item})
        self.puts += 1

    def add_to_both(self) -> None:
        name = str((2 * (self.first + self.pairs) + 1) % STOCK)
        self.call("DeleteItem", {"TableName": "names", "Key": {"name": {"S": name}}})
        self.pairs += 1


def the_index(engine: Engine) -> dict[str, Any]:
    table = engine.answer("DescribeTable", {"TableName": "names"})["Table"]
    [index] = table["GlobalSecondaryIndexes"]
    return index


def painting(engine: Engine, **index: str) -> dict[str, str]:
    """Return the colour of each item of the table or of its index."""
    found: dict[str, str] = {}
    start: dict[str, Any] = {}
    while True:
        page = engine.answer("Scan", {"TableName": "names", **index, **start})
        found |= {item["name"]["S"]: item["colour"]["S"] for item in page["Items"]}
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def test_a_backfill_goes_on_after_a_kill_and_keeps_every_write(
    serve: Serve, tmp_path: Path
) -> None:
    path = tmp_path / "killed.db"
    with Engine.open(str(path), grouped=True) as engine:
        engine.answer("CreateTable", TABLE)
        for number in range(STOCK):
            item = {"name": {"S": str(number)}, "colour": {"S": "red"}}
            engine.reply("PutItem", {"TableName": "names", "Item": item})
    process, port = serve("--db", str(path))
    first = Writer(port, "first")
    [index] = INDEXED["GlobalSecondaryIndexes"]
    first.call(
        "UpdateTable",
        {
            "TableName": "names",
            "AttributeDefinitions": INDEXED["AttributeDefinitions"],
            "GlobalSecondaryIndexUpdates": [{"Create": index}],
        },
    )
    first.connection.close()

    painters: list[Painter] = []
    while True:
        painters.append(Painter(port, len(painters) * STOCK // 2 // KILLS))
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(painters[-1].write)
            # The upkeep begins half a second after the start.
            time.sleep(random.uniform(0.5, 0.6))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        writing.result()
        # Grouped, an engine does not fill the index by itself.
        with Engine.open(str(path), grouped=True) as engine:
            is_complete = the_index(engine)["IndexStatus"] == "ACTIVE"
        if is_complete or len(painters) == KILLS:
            break
        process, port = serve("--db", str(path))
    assert len(painters) > 1

    with Engine.open(str(path)) as engine:
        found = painting(engine, IndexName="by_colour")
        assert found == painting(engine)
        for painter in painters:
            assert {found[name] for name in painter.painted} <= {"green"}
            assert painter.deleted.isdisjoint(found)
        assert the_index(engine)["ItemCount"] == len(found)


def test_exports_go_on_after_a_kill(serve: Serve, tmp_path: Path) -> None:
    path, bucket = tmp_path / "killed.db", tmp_path / "buckets" / "exports"
    bucket.mkdir(parents=True)
    options = ("--db", str(path), "--buckets", str(bucket.parent))
    stocked(path, 2000)
    process, port = serve(*options)
    first = Writer(port, "first")
    now = int(time.time())
    export = {
        "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/names",
        "S3Bucket": "exports",
    }
    first.call("ExportTableToPointInTime", export | {"ExportTime": now - 90, "S3Prefix": "full"})
    window = {"ExportFromTime": now - 1000, "ExportToTime": now - 10}
    kind = {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": window}
    first.call("ExportTableToPointInTime", export | kind | {"S3Prefix": "window"})
    first.connection.close()

    kills = 0
    while True:
        writer = Writer(port, f"writer-{kills}")
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(writer.write)
            time.sleep(random.uniform(0.5, 0.9))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        writing.result()
        with SourceFile(path) as source:
            is_complete = not list(source.pasts())
        if is_complete or kills == KILLS:
            break
        kills += 1
        process, port = serve(*options)
    assert kills > 1

    with Engine.open(str(path), buckets=bucket.parent) as engine:
        for listed in engine.answer("ListExports", {})["ExportSummaries"]:
            assert listed["ExportStatus"] == "COMPLETED"
    full = [colour_in(line["Item"]) for line in exported(bucket, "full")]
    assert Counter(full) == {"red": STOCK}
    window = [
        (colour_in(line["OldImage"]), colour_in(line["NewImage"]))
        for line in exported(bucket, "window")
    ]
    assert Counter(window) == {("red", "blue"): STOCK}
    assert not list(bucket.rglob(".sortkey-*"))
    with SourceFile(path) as source:
        assert verify(source).damage == []


def colour_in(item: dict[str, Any]) -> str:
    return item["colour"]["S"]


def exported(bucket: Path, prefix: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of the objects that the manifest of the only export with a prefix names."""
    [manifest] = (bucket / prefix).rglob("manifest-files.json")
    files = [json.loads(line) for line in manifest.read_text().splitlines()]
    assert {bucket / file["dataFileS3Key"] for file in files} == {*(bucket / prefix).rglob("*.gz")}
    for file in files:
        content = gzip.decompress((bucket / file["dataFileS3Key"]).read_bytes())
        yield from map(json.loads, content.splitlines())


def events(trace: str) -> Iterator[str]:
    """Return the server's actions in order: ``log`` (a write), ``sync`` (of the log), ``reply``."""
    unfinished: dict[str, str] = {}
    for line in trace.splitlines():
        thread, _, call = line.partition(" ")
        call = call.strip()
        resumed = re.match(r"<\.\.\. (\w+) resumed>", call)
        started = unfinished.pop(thread) if resumed else call
        if call.endswith("<unfinished ...>"):
            unfinished[thread] = call
        if re.match(r"(fsync|fdatasync)\(\d+<[^>]*-wal>", started):
            # A sync counts from its end, everything else from its beginning.
            if call.endswith("= 0"):
                yield "sync"
        elif resumed:
            continue
        elif re.match(r"(pwrite64|write|writev)\(\d+<[^>]*-wal>", started):
            yield "log"
        elif re.match(r"(sendto|sendmsg|write|writev)\(\d+<TCP", started):
            yield "reply"


@pytest.fixture
def traced(serve: Serve, tmp_path: Path) -> Callable[[int], tuple[int, list[str]]]:
    """Let so many writers write at once; gives what was acknowledged, and what the server did."""

    def run(writing: int) -> tuple[int, list[str]]:
        if not shutil.which("strace"):
            pytest.skip("strace is not installed: it is a package of most Linux distributions")
        path, trace = tmp_path / "synced.db", tmp_path / "trace"
        with Engine.open(str(path)) as engine:
            engine.answer("CreateTable", TABLE)

        calls = "fsync,fdatasync,pwrite64,sendto,write,writev,sendmsg"
        strace = ("strace", "-f", "-yy", "-s", "0", "-e", f"trace={calls}", "-o", str(trace))
        process, port = serve("--db", str(path), "--durability", "full", under=strace)
        writers = [Writer(port, str(number)) for number in range(writing)]
        with ThreadPoolExecutor(writing) as pool:
            for future in [pool.submit(writer.write, 20) for writer in writers]:
                future.result()
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=10)
        acknowledged = sum(writer.puts + writer.pairs for writer in writers)
        assert acknowledged == writing * 20 * 2
        return acknowledged, list(events(trace.read_text()))

    return run


def test_full_durability_syncs_each_lonely_write_before_its_reply(
    traced: Callable[[int], tuple[int, list[str]]],
) -> None:
    acknowledged, done = traced(1)

    # Between two replies the log is written, then synced, and not written again.
    turns = "".join({"log": "l", "sync": "s", "reply": "r"}[event] for event in done)
    assert len(re.findall(r"l+sr", turns)) == acknowledged == turns.count("r")


def test_full_durability_shares_syncs_among_concurrent_writes(
    traced: Callable[[int], tuple[int, list[str]]],
) -> None:
    acknowledged, done = traced(WRITERS)

    unsynced = False
    for event in done:
        assert not (unsynced and event == "reply"), "a reply before the log is synced"
        unsynced = event == "log" or (unsynced and event != "sync")
    assert done.count("reply") >= acknowledged
    assert 0 < done.count("sync") < acknowledged
