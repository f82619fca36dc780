"""Exports: a table at any second, or its changes in any window, as objects in a bucket."""

import copy
import gzip
import hashlib
import io
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.exported import BUCKET, Exportable, colour_of, exportable
from tests.engine.histories import STEPS, History
from tests.engine.recoverable import START

from sortkey.clock import MovableClock
from sortkey.engine import Engine, exports, past, windows
from sortkey.folders.buckets import Buckets

WINDOW = 900
LONG_STEPS = st.one_of(STEPS, STEPS, st.tuples(st.just("move"), st.sampled_from([300, 450, 1000])))


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Exportable]:
    opened = exportable(tmp_path)
    with opened.engine:
        yield opened


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "BATCH", 2)
    monkeypatch.setattr(past, "_COLLECTED", 3)
    monkeypatch.setattr(windows, "COLLECTED", 3)
    monkeypatch.setattr(exports, "FILE_BYTES", 150)


@pytest.mark.usefixtures("small_pages")
@settings(max_examples=100)
@given(
    steps=st.lists(STEPS, min_size=10, max_size=40),
    meanwhile=st.lists(st.lists(STEPS, min_size=1, max_size=4), max_size=12),
    data=st.data(),
)
def test_an_export_of_any_second_equals_the_state_at_that_second(
    steps: list[tuple[Any, ...]], meanwhile: list[list[tuple[Any, ...]]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        shop = exportable(Path(folder))
        with shop.engine:
            history = History(shop)
            for step in steps:
                history.make(step)
            second = data.draw(st.sampled_from(history.seconds))
            expected = dict(history.at(second))
            export = shop.export(ExportTime=START + second)
            for writes in meanwhile:
                shop.engine.tend()
                for step in writes:
                    history.make(step)

            assert shop.exported(export) == expected
            assert shop.count("pasts") == 0


@pytest.mark.usefixtures("small_pages")
@settings(max_examples=100)
@given(
    steps=st.lists(LONG_STEPS, min_size=10, max_size=40),
    meanwhile=st.lists(st.lists(STEPS, min_size=1, max_size=4), max_size=12),
    data=st.data(),
)
def test_an_incremental_export_equals_the_changes_within_its_window(
    steps: list[tuple[Any, ...]], meanwhile: list[list[tuple[Any, ...]]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        shop = exportable(Path(folder))
        with shop.engine:
            history = History(shop)
            for step in [*steps, ("move", WINDOW)]:
                history.make(step)
            now = int(shop.clock() - START)
            start = data.draw(st.sampled_from([each for each in history.seconds if each <= now]))
            start = min(start, now - WINDOW)
            ends = [each for each in history.seconds if WINDOW <= each - start <= 24 * 3600]
            end = data.draw(
                st.sampled_from([start + WINDOW, *(each for each in ends if each < now)])
            )
            old, new = dict(history.before(start)), dict(history.before(end))
            written = history.written(start, end)
            expected = {
                key: (old.get(key), new.get(key), round(time * 1_000_000))
                for key, time in written.items()
                if key in old or key in new
            }

            export = shop.export_window(start, end)
            for writes in meanwhile:
                shop.engine.tend()
                for step in writes:
                    history.make(step)

            lines = shop.lines(export)
            found = dict(map(change_of, lines))
            assert len(found) == len(lines)
            assert found == expected
            assert shop.count("pasts") == 0


def change_of(
    line: dict[str, Any],
) -> tuple[tuple[str, int], tuple[str | None, str | None, int]]:
    colours = [
        colour_of(line[image])[1] if image in line else None for image in ("OldImage", "NewImage")
    ]
    key = line["Keys"]["id"]["S"], int(line["Keys"]["line"]["N"])
    return key, (colours[0], colours[1], int(line["Metadata"]["WriteTimestampMicros"]))


class TestTheObjects:
    def test_of_a_full_export_are_in_its_own_folder(self, shop: Exportable) -> None:
        shop.put("a")
        export = shop.export(S3Prefix="2027-Jan/daily")
        described = shop.described(export)

        name = export["ExportArn"].rpartition("/")[2]
        folder = f"2027-Jan/daily/AWSDynamoDB/{name}/"
        assert re.fullmatch(r"\d{14}-[0-9a-f]{8}", name)
        [data] = [each["dataFileS3Key"] for each in shop.files(export)]
        assert re.fullmatch(re.escape(folder) + r"data/[a-z2-7]{26}\.json\.gz", data)
        assert described["ExportManifest"] == f"{folder}manifest-summary.json"
        assert shop.objects() == sorted(
            [
                data,
                f"{folder}_started",
                *(
                    f"{folder}manifest-{kind}.{ending}"
                    for kind in ("files", "summary")
                    for ending in ("json", "checksum", "md5")
                ),
            ]
        )
        assert shop.read(f"{folder}_started") == b""

    def test_of_incremental_exports_share_a_folder_of_data(self, shop: Exportable) -> None:
        shop.put("a")
        shop.clock.move(1000)
        found = [shop.files(shop.export_window(0, WINDOW, S3Prefix="x"))[0] for _ in range(2)]
        keys = {each["dataFileS3Key"] for each in found}
        assert len(keys) == 2
        assert all(key.startswith("x/AWSDynamoDB/data/") for key in keys)

    @pytest.mark.parametrize("prefix", ["", "/"])
    def test_without_a_prefix_begin_with_its_own_folder(
        self, shop: Exportable, prefix: str
    ) -> None:
        shop.described(shop.export(S3Prefix=prefix))
        assert all(key.startswith("AWSDynamoDB/") for key in shop.objects())

    def test_are_one_for_each_partition_also_for_an_empty_one(self, shop: Exportable) -> None:
        shop.ask("SplitPartition", TableName="orders")
        shop.ask("SplitPartition", TableName="orders")
        shop.put("a")
        files = shop.files(shop.export())
        assert sorted(each["itemCount"] for each in files) == [0, 0, 1]
        contents = [shop.read(each["dataFileS3Key"]) for each in files]
        assert sorted(map(gzip.decompress, contents))[:2] == [b"", b""]
        assert all(content.startswith(b"\x1f\x8b") for content in contents)

    def test_of_a_large_partition_are_several(
        self, shop: Exportable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(past, "BATCH", 10)
        monkeypatch.setattr(exports, "FILE_BYTES", 300)
        for number in range(100):
            shop.put(str(number))
        export = shop.export()
        assert len(shop.files(export)) > 2
        assert shop.exported(export) == shop.items()

    def test_have_checksums_that_match(self, shop: Exportable) -> None:
        shop.put("a")
        export = shop.export()
        for file in shop.files(export):
            digest = hashlib.md5(shop.read(file["dataFileS3Key"]))
            assert file["md5Checksum"] == b64encode(digest.digest()).decode()
            assert file["etag"] == digest.hexdigest()
        summary = shop.described(export)["ExportManifest"]
        for manifest in (summary, summary.replace("summary", "files")):
            digest = b64encode(hashlib.md5(shop.read(manifest)).digest())
            for ending in ("checksum", "md5"):
                assert shop.read(manifest.replace("json", ending)) == digest

    def test_are_summed_up_in_a_manifest(self, shop: Exportable) -> None:
        shop.put("a")
        shop.clock.move(10.5)
        export = shop.export(S3Prefix="x", S3SseAlgorithm="KMS", S3SseKmsKeyId="key")
        described = shop.described(export)
        name = export["ExportArn"].rpartition("/")[2]
        assert json.loads(shop.read(described["ExportManifest"])) == {
            "version": "2020-06-30",
            "exportArn": export["ExportArn"],
            "startTime": "2027-01-15T08:00:10.500Z",
            "endTime": "2027-01-15T08:00:10.500Z",
            "tableArn": shop.arn,
            "tableId": export["TableId"],
            "exportTime": "2027-01-15T08:00:10.500Z",
            "s3Bucket": BUCKET,
            "s3Prefix": "x",
            "s3SseAlgorithm": "KMS",
            "s3SseKmsKeyId": "key",
            "manifestFilesS3Key": f"x/AWSDynamoDB/{name}/manifest-files.json",
            "billedSizeBytes": described["BilledSizeBytes"],
            "itemCount": 1,
            "outputFormat": "DYNAMODB_JSON",
        }

    def test_of_an_incremental_export_are_summed_up_with_its_window(self, shop: Exportable) -> None:
        shop.clock.move(1000)
        export = shop.export_window(10, 910, window={"ExportViewType": "NEW_IMAGE"})
        summary = json.loads(shop.read(shop.described(export)["ExportManifest"]))
        assert "exportTime" not in summary
        assert (
            summary
            | {
                "version": "2023-08-01",
                "exportFromTime": "2027-01-15T08:00:10.000Z",
                "exportToTime": "2027-01-15T08:15:10.000Z",
                "s3Prefix": None,
                "outputView": "NEW_IMAGE",
                "exportType": "INCREMENTAL_EXPORT",
            }
            == summary
        )


class TestTheLines:
    def test_of_a_full_export_have_items(self, shop: Exportable) -> None:
        item = {
            "id": {"S": "é\n"},
            "line": {"N": "1"},
            "some": {"M": {"of": {"L": [{"BOOL": True}, {"NULL": True}, {"SS": ["a"]}]}}},
            "more": {"B": "AAE="},
        }
        shop.ask("PutItem", TableName="orders", Item=item)
        assert shop.lines(shop.export()) == [{"Item": item}]

    @pytest.mark.ion
    def test_of_ion_can_be_read_by_the_library_of_amazon(self, shop: Exportable) -> None:
        item = {
            "id": {"S": "a"},
            "line": {"N": "12"},
            "price": {"N": "-1.50"},
            "tags": {"SS": ["x"]},
            "raw": {"B": "AAE="},
        }
        shop.ask("PutItem", TableName="orders", Item=item)
        shop.put("b")
        shop.clock.move(1000)
        full = shop.export(ExportFormat="ION")
        window = shop.export_window(0, WINDOW, ExportFormat="ION")

        [file] = shop.files(full)
        assert file["dataFileS3Key"].endswith(".ion.gz")
        found = self.ion(shop, file)
        [first] = [each["Item"] for each in found if each["Item"]["id"] == "a"]
        assert len(found) == 2
        assert first["price"] == Decimal("-1.5")
        assert [each.text for each in first["tags"].ion_annotations] == ["$dynamodb_SS"]
        assert bytes(first["raw"]) == b"\0\1"
        records = [each["Record"] for each in self.ion(shop, shop.files(window)[0])]
        assert {each["Keys"]["id"] for each in records} == {"a", "b"}
        assert records[0]["Metadata"]["WriteTimestampMicros"] == START * 1_000_000

    def ion(self, shop: Exportable, file: dict[str, Any]) -> list[Any]:
        content = gzip.decompress(shop.read(file["dataFileS3Key"]))
        load: Any = import_module("amazon.ion.simpleion").load  # it has no types
        return load(io.BytesIO(content), single_value=False)

    @pytest.mark.usefixtures("small_pages")
    def test_can_be_read_by_duckdb(self, shop: Exportable) -> None:
        shop.put("a", 7)
        shop.put("b", colour="blue")
        for number in range(20):
            shop.put(str(number))
        shop.files(shop.export())
        # All objects, with their members of gzip, by a pattern as an analyst would write it.
        query = (
            "SELECT Item.id.S, Item.line.N::INT, Item.colour.S "
            f"FROM read_json('{shop.folder}/AWSDynamoDB/*/data/*.json.gz')"
        )
        with duckdb.connect() as connection:
            found = connection.execute(query).fetchall()
        assert {(name, line): colour for name, line, colour in found} == shop.items()

    def test_of_an_incremental_export_have_what_became_of_each_key(self, shop: Exportable) -> None:
        for name in ("updated", "deleted"):
            shop.put(name)
        shop.clock.move(100)
        shop.put("updated", colour="green")
        shop.put("updated", colour="blue")
        shop.delete("deleted")
        shop.put("inserted")
        shop.put("both")
        shop.delete("both")
        shop.clock.move(1000)

        members = {
            view: {
                line["Keys"]["id"]["S"]: [*line]
                for line in shop.lines(
                    shop.export_window(50, 1000, window={"ExportViewType": view})
                )
            }
            for view in ("NEW_AND_OLD_IMAGES", "NEW_IMAGE")
        }

        assert members == {
            "NEW_AND_OLD_IMAGES": {
                "inserted": ["Metadata", "Keys", "NewImage"],
                "updated": ["Metadata", "Keys", "OldImage", "NewImage"],
                "deleted": ["Metadata", "Keys", "OldImage"],
            },
            "NEW_IMAGE": {
                "inserted": ["Metadata", "Keys", "NewImage"],
                "updated": ["Metadata", "Keys", "NewImage"],
                "deleted": ["Metadata", "Keys"],
            },
        }

    def test_have_the_time_of_the_latest_change_within_the_window(self, shop: Exportable) -> None:
        for seconds in (100, 100, 1000):
            shop.put("a", colour=str(seconds))
            shop.clock.move(seconds)
        shop.put("a", colour="later")
        [line] = shop.lines(shop.export_window(0, 1000))
        assert line["NewImage"]["colour"] == {"S": "1000"}
        time = (START + 200) * 1_000_000
        assert line["Metadata"] == {"WriteTimestampMicros": str(time)}

    def test_include_the_start_of_the_window_and_not_its_end(self, shop: Exportable) -> None:
        shop.put("start")
        shop.clock.move(WINDOW)
        shop.put("end")
        shop.clock.move(10)
        lines = shop.lines(shop.export_window(0, WINDOW))
        assert [line["Keys"]["id"]["S"] for line in lines] == ["start"]
        lines = shop.lines(shop.export_window(1, WINDOW + 1))
        assert [line["Keys"]["id"]["S"] for line in lines] == ["end"]

    def test_of_incremental_exports_continue_a_full_one(self, shop: Exportable) -> None:
        shop.put("a")
        shop.put("b")
        full = shop.exported(shop.export(ExportTime=START))
        shop.clock.move(2)
        shop.put("c")
        shop.clock.move(100)
        shop.delete("c")
        shop.delete("a")
        shop.put("b", colour="blue")
        shop.clock.move(1000)

        for line in shop.lines(shop.export_window(1, 1001)):
            key, (_, new, _) = change_of(line)
            full.pop(key, None)
            full |= {} if new is None else {key: new}
        assert full == shop.items()

    @pytest.mark.parametrize("time", [{}, {"ExportTime": START}])
    def test_continue_a_full_one_of_a_second_that_was_not_over(
        self, shop: Exportable, time: dict[str, int]
    ) -> None:
        shop.clock.move(0.25)
        shop.put("a")
        shop.put("b")
        export = shop.export(**time)
        shop.clock.move(0.25)
        shop.put("late")
        shop.clock.move(100)
        shop.delete("a")
        shop.put("c")
        shop.delete("c")
        shop.clock.move(1000)
        full = shop.exported(export)

        lines = shop.lines(shop.export_window(0, 1000))
        assert {line["Keys"]["id"]["S"] for line in lines} == {"a", "b", "late"}
        for line in lines:
            key, (_, new, _) = change_of(line)
            full.pop(key, None)
            full |= {} if new is None else {key: new}
        assert full == shop.items()

    def test_have_no_line_for_what_was_inserted_and_deleted_if_no_full_one_can_have_it(
        self, shop: Exportable
    ) -> None:
        shop.clock.move(0.25)
        shop.export()
        shop.clock.move(0.25)
        shop.put("a")
        shop.delete("a")
        shop.clock.move(1000)
        assert shop.lines(shop.export_window(0, 1000)) == []


class TestTheCounts:
    def test_of_a_full_export_bill_the_table_and_its_local_indexes(self, shop: Exportable) -> None:
        for name in ("a", "b"):
            shop.put(name)
        table = shop.ask("DescribeTable", TableName="orders")["Table"]
        [local] = table["LocalSecondaryIndexes"]
        described = shop.described(shop.export())
        assert described["ItemCount"] == 2
        assert described["BilledSizeBytes"] == table["TableSizeBytes"] + local["IndexSizeBytes"]

    def test_of_an_incremental_export_bill_ten_megabytes_at_least(self, shop: Exportable) -> None:
        shop.put("a")
        shop.clock.move(WINDOW)
        assert shop.described(shop.export_window(0, WINDOW))["BilledSizeBytes"] == 10 * 1024**2


class TestAfterACrash:
    """What was not committed when a process ended is done again."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "app.db"

    def begun(self, path: Path, **request: Any) -> tuple[Exportable, dict[str, Any]]:
        (path.parent / BUCKET).mkdir()
        clock = MovableClock(lambda: START)
        engine = Engine.open(path, grouped=True, clock=clock, buckets=path.parent)
        shop = Exportable(engine, clock, path.parent)
        for number in range(20):
            shop.put(str(number))
        shop.clock.move(1000)
        return shop, (shop.export_window(0, WINDOW) if request else shop.export())

    @pytest.mark.usefixtures("small_pages")
    @pytest.mark.parametrize("kind", [{}, {"window": True}])
    def test_an_export_goes_on_from_any_of_its_pieces(
        self, path: Path, kind: dict[str, Any]
    ) -> None:
        shop, export = self.begun(path, **kind)
        with shop.engine as engine:
            engine.flush()
            pieces = 0
            while True:
                # The objects are written, and the transaction is not committed.
                engine.tend()
                engine._storage._roll_back()  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
                engine._db._reload()  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
                more = engine.tend()
                engine.flush()
                if not more:
                    break
                pieces += 1
            assert pieces > 10
            self.refuse_difference(shop, export)

    @pytest.mark.usefixtures("small_pages")
    def test_an_export_whose_objects_have_lost_content_is_written_again(self, path: Path) -> None:
        shop, export = self.begun(path)
        losses = 0
        with shop.engine as engine:
            while engine.tend():
                unfinished = [key for key in shop.objects() if ".sortkey-" in key]
                if unfinished and losses < 3:
                    # As after a power cut; the database had been synced.
                    (shop.folder / unfinished[-1]).write_bytes(b"")
                    losses += 1
                for _ in range(losses * 2):
                    engine.tend()
            assert losses == 3
            self.refuse_difference(shop, export)

    @pytest.mark.usefixtures("small_pages")
    @pytest.mark.parametrize("name", [".gz", "manifest-files.json"])
    def test_no_object_is_published_that_has_lost_content(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        shop, export = self.begun(path)
        publish, lost = Buckets.publish, list[str]()

        def publish_after_a_loss(self: Buckets, bucket: str, key: str, size: int) -> bool:
            if key.endswith(name) and len(lost) < 2:
                lost.append(key)
                if len(lost) == 2:
                    [unfinished] = shop.folder.rglob(f".sortkey-{key.rpartition('/')[2]}")
                    unfinished.write_bytes(unfinished.read_bytes()[:-90])
            return publish(self, bucket, key, size)

        monkeypatch.setattr(Buckets, "publish", publish_after_a_loss)
        if name == "manifest-files.json":
            lost.append(name)
        with shop.engine:
            self.refuse_difference(shop, export)
        assert len(lost) == 2

    def refuse_difference(self, shop: Exportable, export: dict[str, Any]) -> None:
        lines = shop.lines(export)
        keys = [line["Item" if "Item" in line else "Keys"]["id"]["S"] for line in lines]
        assert sorted(keys) == sorted(map(str, range(20)))
        assert not [key for key in shop.objects() if ".sortkey-" in key]
        data = {file["dataFileS3Key"] for file in shop.files(export)}
        assert data == {key for key in shop.objects() if key.endswith(".gz")}


class TestAnExportThatFails:
    def test_names_a_bucket_that_does_not_exist(self, shop: Exportable) -> None:
        described = shop.described(shop.export(S3Bucket="missing"))
        assert described["ExportStatus"] == "FAILED"
        # Seen on AWS: the request is accepted, and the export fails with this code.
        assert described["FailureCode"] == "S3NoSuchBucket"
        assert "bucket does not exist" in described["FailureMessage"]
        assert "ExportManifest" not in described
        assert shop.count("pasts") == 0
        assert not (shop.folder.parent / "missing").exists()

    def test_names_a_bucket_that_is_removed_meanwhile(self, shop: Exportable) -> None:
        export = shop.export()
        shop.engine.tend()
        shop.folder.rename(shop.folder.with_name("gone"))
        assert shop.described(export)["FailureCode"] == "S3NoSuchBucket"
        assert shop.count("pasts") == 0

    def test_keeps_no_keys_of_items(
        self, shop: Exportable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(past, "BATCH", 2)
        for number in range(9):
            shop.put(f"person-{number}")
        export = shop.export()
        for _ in range(3):
            shop.engine.tend()
        shop.folder.rename(shop.folder.with_name("gone"))
        assert shop.described(export)["ExportStatus"] == "FAILED"
        database = shop.engine._db  # pyright: ignore[reportPrivateUsage]
        [content] = database.storage.execute("SELECT content FROM jobs").fetchone()
        assert b"person-".hex() not in content

    def test_removes_what_it_has_written(
        self, shop: Exportable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(past, "BATCH", 2)
        monkeypatch.setattr(exports, "FILE_BYTES", 1)
        for number in range(9):
            shop.put(str(number))
        export = shop.export()
        for _ in range(6):
            shop.engine.tend()
        # A folder has the name that the files manifest should get.
        folder = shop.folder / "AWSDynamoDB" / export["ExportArn"].rpartition("/")[2]
        (folder / "manifest-files.json").mkdir()

        assert shop.described(export)["FailureCode"] == "S3AccessDenied"
        assert [key for key in shop.objects() if not key.endswith("_started")] == []

    def test_meets_a_link_and_does_not_follow_it(self, shop: Exportable, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (shop.folder / "AWSDynamoDB").symlink_to(outside)
        assert shop.described(shop.export())["FailureCode"] == "S3AccessDenied"
        assert list(outside.iterdir()) == []


def test_a_table_that_is_deleted_meanwhile_is_exported_to_its_end(
    shop: Exportable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "BATCH", 2)
    for number in range(9):
        shop.put(str(number))
    expected = copy.copy(shop.items())
    export = shop.export()
    shop.engine.tend()
    shop.put("0", colour="blue")
    shop.ask("DeleteTable", TableName="orders")
    assert shop.exported(export) == expected


def test_the_request_itself_exports_if_no_server_does(tmp_path: Path) -> None:
    shop = exportable(tmp_path, grouped=False)
    with shop.engine:
        shop.put("a")
        export = shop.export()
        assert export["ExportStatus"] == "IN_PROGRESS"
        answer = shop.ask("DescribeExport", ExportArn=export["ExportArn"])
        assert answer["ExportDescription"]["ExportStatus"] == "COMPLETED"
