"""Files of earlier formats."""

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from sortkey.engine import Engine, StorageError
from sortkey.engine.storage import Storage, sql
from sortkey.engine.verify import SourceFile, verify
from sortkey.wire.errors import IdempotentParameterMismatchException

TABLE = {
    "TableName": "items",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "colour", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_colour",
            "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
ITEMS = [{"id": {"S": f"i{n}"}, "colour": {"S": "red"}, "at": {"N": "99"}} for n in range(30)]
WRITE = {
    "TransactItems": [{"Put": {"TableName": "items", "Item": ITEMS[0]}}],
    "ClientRequestToken": "once",
}
RED = {
    "TableName": "items",
    "IndexName": "by_colour",
    "KeyConditionExpression": "colour = :c",
    "ExpressionAttributeValues": {":c": {"S": "red"}},
}

# What turns a file into one of the first format.
DOWNGRADE = """
CREATE TABLE old_tables (name TEXT PRIMARY KEY, id INTEGER NOT NULL, definition TEXT NOT NULL);
INSERT INTO old_tables SELECT name, id, definition FROM tables;
DROP TABLE tables;
ALTER TABLE old_tables RENAME TO tables;
CREATE TABLE old_tokens (token TEXT PRIMARY KEY, expires REAL NOT NULL, digest BLOB NOT NULL);
INSERT INTO old_tokens SELECT token, expires, digest FROM tokens;
DROP TABLE tokens;
ALTER TABLE old_tokens RENAME TO tokens;
CREATE INDEX tokens_by_expiry ON tokens (expires);
DROP TABLE streams;
DROP TABLE shards;
DROP TABLE journal;
DROP TABLE journal_time;
DROP TABLE pasts;
DROP TABLE backups;
DROP TABLE jobs;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
"""
DOWNGRADE_ROWS = """
CREATE TABLE old (partition BLOB NOT NULL, position BLOB NOT NULL,
    item BLOB NOT NULL, size INTEGER NOT NULL, expires INTEGER,
    PRIMARY KEY (partition, position)) WITHOUT ROWID;
INSERT INTO old SELECT partition, position, item, size, expires FROM {rows};
DROP TABLE {rows};
ALTER TABLE old RENAME TO {rows};
"""


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    """A file of the first format, with the log mode that it leaves behind."""
    path = tmp_path / "app.db"
    with Engine.open(path) as engine:
        engine.answer("CreateTable", TABLE)
        for item in ITEMS:
            engine.answer("PutItem", {"TableName": "items", "Item": item})
        engine.answer("TransactWriteItems", WRITE)
        spec = {"Enabled": True, "AttributeName": "at"}
        engine.answer("UpdateTimeToLive", {"TableName": "items", "TimeToLiveSpecification": spec})
    with closing(sqlite3.connect(path)) as raw:
        names = raw.execute("SELECT name FROM sqlite_master WHERE name GLOB 'rows_[0-9]'")
        for [rows] in names.fetchall():
            raw.executescript(DOWNGRADE_ROWS.format(rows=rows))
        raw.execute("CREATE INDEX rows_1_expiry ON rows_1 (expires) WHERE expires IS NOT NULL")
        raw.executescript(DOWNGRADE)
    return path


def test_everything_in_a_file_of_the_first_format_is_there_after_its_upgrade(
    old_file: Path,
) -> None:
    with Engine.open(old_file) as engine:
        for item in ITEMS:
            key = {"id": item["id"]}
            assert engine.answer("GetItem", {"TableName": "items", "Key": key}) == {"Item": item}
        assert engine.answer("Query", RED)["Count"] == len(ITEMS)
        assert engine.answer("TransactWriteItems", WRITE) == {}
        other = WRITE | {"TransactItems": [{"Put": {"TableName": "items", "Item": ITEMS[1]}}]}
        with pytest.raises(IdempotentParameterMismatchException):
            engine.answer("TransactWriteItems", other)


def test_an_upgraded_file_has_the_schema_of_a_new_one(old_file: Path, tmp_path: Path) -> None:
    Engine.open(old_file).close()
    with Engine.open(tmp_path / "new.db") as engine:
        engine.answer("CreateTable", TABLE)

    def schema(path: Path) -> set[tuple[str, str | None]]:
        with closing(sqlite3.connect(path)) as raw:
            return set(raw.execute("SELECT name, sql FROM sqlite_master").fetchall())

    assert schema(old_file) == schema(tmp_path / "new.db")


def test_every_row_of_an_upgraded_file_is_checked(old_file: Path) -> None:
    Engine.open(old_file).close()
    with closing(sqlite3.connect(old_file)) as raw:
        damaged = orjson.dumps(ITEMS[3] | {"colour": {"S": "rad"}})
        raw.execute("UPDATE rows_1 SET item = ? WHERE item = ?", (damaged, orjson.dumps(ITEMS[3])))
        raw.commit()

    with Engine.open(old_file) as engine, pytest.raises(StorageError, match="checksum"):
        engine.answer("GetItem", {"TableName": "items", "Key": {"id": ITEMS[3]["id"]}})


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(
    old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "INDEX_TOKENS", "CREATE INDEX no such")

    with pytest.raises(StorageError, match="cannot be opened"):
        Storage(str(old_file))

    monkeypatch.undo()
    with Engine.open(old_file) as engine:
        assert engine.answer("Scan", {"TableName": "items"})["Count"] == len(ITEMS)


@pytest.mark.parametrize("commit", ["86097e6", "b2c40478", "7d3ede1"])
class TestAFileThatAnEarlierVersionMade:
    """Made at the commit that its name has; see what it holds in the first test."""

    @pytest.fixture
    def engine(self, commit: str, tmp_path: Path) -> Iterator[Engine]:
        path = tmp_path / "app.db"
        packed = Path(__file__).parent / "earlier" / f"{commit}.db.gz"
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        with Engine.open(path) as opened:
            yield opened

    def test_has_everything_it_had(self, engine: Engine) -> None:
        expires = {"N": "99999999999"}
        for n in range(30):
            key = {"id": {"S": f"i{n % 3}"}, "at": {"N": str(n)}}
            found = engine.answer("GetItem", {"TableName": "items", "Key": key})
            assert found == {"Item": key | {"colour": {"S": "red"}, "expires": expires}}
        assert engine.answer("Query", RED)["Count"] == 30
        ttl = engine.answer("DescribeTimeToLive", {"TableName": "items"})
        assert ttl["TimeToLiveDescription"]["AttributeName"] == "expires"

    def test_goes_on_with_the_stream_that_it_described(self, engine: Engine) -> None:
        described = engine.answer("DescribeTable", {"TableName": "items"})["Table"]
        engine.answer("PutItem", {"TableName": "items", "Item": ITEMS[0] | {"at": {"N": "7"}}})

        [stream] = engine.answer("ListStreams", {})["Streams"]
        shards = engine.answer("DescribeStream", {"StreamArn": stream["StreamArn"]})
        [shard] = shards["StreamDescription"]["Shards"]
        iterator = engine.answer(
            "GetShardIterator",
            {
                "StreamArn": stream["StreamArn"],
                "ShardId": shard["ShardId"],
                "ShardIteratorType": "TRIM_HORIZON",
            },
        )
        [record] = engine.answer("GetRecords", iterator)["Records"]

        assert stream["StreamArn"] == described["LatestStreamArn"]
        assert record["eventName"] == "INSERT"

    def test_can_be_verified(self, engine: Engine, tmp_path: Path) -> None:
        with SourceFile(tmp_path / "app.db") as source:
            assert verify(source).damage == []
