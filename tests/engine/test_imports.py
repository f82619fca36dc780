"""Imports: a new table is filled from the objects of a bucket."""

import gzip
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.bucketed import TABLE, Bucketed, item, items, lines

from sortkey.engine import sources
from sortkey.engine.database import Database
from sortkey.engine.formats import ion
from sortkey.engine.jobs import Job
from sortkey.wire.errors import (
    InternalServerError,
    ResourceInUseException,
    ResourceNotFoundException,
)

RED: dict[str, Any] = {"colour": {"S": "red"}}
ITEMS = [item("a", **RED), item("b", 2), item("c", 3, **RED)]
CSV = b"id,line,colour\na,1,red\nb,2,\nc,3,red\n"
FORMATS = {
    "CSV": CSV,
    "DYNAMODB_JSON": lines(*({"Item": each} for each in ITEMS)),
    "ION": b"".join(ion.line({"Item": each}) for each in ITEMS),
}
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "NONE": bytes,
    "GZIP": gzip.compress,
    "ZSTD": zstandard.compress,
}


def fail(_: Database, __: Job) -> Job:
    raise ZeroDivisionError


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    return Bucketed(tmp_path)


@pytest.fixture
def served(tmp_path: Path) -> Bucketed:
    """An engine that is tended by hand, as a server tends it."""
    return Bucketed(tmp_path, grouped=True)


@pytest.mark.parametrize("compression", PACKED)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.ion
def test_each_format_is_imported(shop: Bucketed, form: str, compression: str) -> None:
    shop.place(PACKED[compression](FORMATS[form]))
    done = shop.imported(form, InputCompressionType=compression)

    assert done["ImportStatus"] == "COMPLETED"
    assert shop.items() == ITEMS
    assert [each["id"]["S"] for each in shop.items(IndexName="by_colour")] == ["a", "c"]
    counts = ("ProcessedItemCount", "ImportedItemCount", "ErrorCount")
    assert [done[name] for name in counts] == [3, 3, 0]
    assert done["ProcessedSizeBytes"] == len(FORMATS[form])


def test_keys_of_csv_have_their_types_and_all_else_is_text(shop: Bucketed) -> None:
    shop.place(b"line;id;n\n007;x;1.0\n")
    shop.imported("CSV", InputFormatOptions={"Csv": {"Delimiter": ";"}})
    assert shop.items() == [{"line": {"N": "7"}, "id": {"S": "x"}, "n": {"S": "1.0"}}]


def test_a_header_list_names_the_columns_of_every_object(shop: Bucketed) -> None:
    shop.place(b"a,1\n")
    shop.place(b"b,2\n", "data/b")
    shop.imported("CSV", InputFormatOptions={"Csv": {"HeaderList": ["id", "line"]}})
    assert shop.names() == ["a", "b"]


def test_duplicates_overwrite_and_are_no_errors(shop: Bucketed) -> None:
    shop.place(items("a", "a") + lines({"Item": item("a", **RED)}))
    done = shop.imported()
    assert shop.items() == [item("a", **RED)]
    assert done["ImportedItemCount"] == 3
    assert shop.ask("DescribeTable", TableName="target")["Table"]["ItemCount"] == 1


class TestErrors:
    def test_a_wrong_item_is_counted_and_logged_and_the_table_stays(
        self, shop: Bucketed, caplog: pytest.LogCaptureFixture
    ) -> None:
        shop.place(items("a") + lines({"Item": {"id": {"S": "x"}}}) + items("b"))
        with caplog.at_level(logging.WARNING, "sortkey.engine.imports"):
            done = shop.imported()

        assert (done["ImportStatus"], done["FailureCode"]) == ("FAILED", "ItemValidationError")
        assert done["FailureMessage"] == (
            "Some of the items failed validation checks and were not imported. "
            "Please check CloudWatch error logs for more details."
        )
        assert [done["ProcessedItemCount"], done["ImportedItemCount"], done["ErrorCount"]] == [
            3,
            2,
            1,
        ]
        assert shop.names() == ["a", "b"]
        assert [orjson.loads(record.getMessage()) for record in caplog.records] == [
            {
                "itemS3Pointer": {"bucket": "source", "key": "data/a", "itemIndex": 1},
                "importArn": done["ImportArn"],
                "errorMessages": [
                    "One or more parameter values were invalid: Missing the key line in the item"
                ],
            }
        ]

    @pytest.mark.parametrize(
        "record",
        [
            {"Item": item("a", n={"N": "one"})},
            {"Item": item("", 1)},
            {"Item": item("a", 1, colour={"N": "1"})},
            {"Item": item("a", long={"S": "x" * 410_000})},
            {"Item": item("a", n={"S": 1})},
            {"Item": item("a", n={"Q": 1})},
            {"Item": [1]},
            {"Keys": item("a")},
            {},
            [],
            None,
        ],
    )
    def test_what_is_no_item_of_the_table_is_an_error(self, shop: Bucketed, record: Any) -> None:
        shop.place(lines(record))
        assert shop.imported()["ErrorCount"] == 1
        assert shop.items() == []

    def test_a_quote_that_is_not_doubled_is_an_error_of_its_record(self, shop: Bucketed) -> None:
        shop.place(b'id,line,d\n"1",1,Women\'s Full "Length" Dress\n"""2""",1,"a ""b"""\n')
        assert shop.imported("CSV")["ErrorCount"] == 1
        assert shop.items() == [item('"2"', d={"S": 'a "b"'})]

    def test_the_rest_of_a_damaged_object_is_one_error_and_the_next_object_is_read(
        self, shop: Bucketed
    ) -> None:
        shop.place(gzip.compress(items("a", "b"))[:-9], "data/a")
        shop.place(gzip.compress(items("c")), "data/b")
        done = shop.imported(InputCompressionType="GZIP")
        assert done["ErrorCount"] == 1
        assert "c" in shop.names()

    def test_a_missing_bucket_fails_the_import_and_there_is_no_table(self, shop: Bucketed) -> None:
        done = shop.imported(S3BucketSource={"S3Bucket": "missing"})
        assert (done["ImportStatus"], done["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
        assert done["FailureMessage"].startswith("The specified bucket does not exist")
        with pytest.raises(ResourceNotFoundException):
            shop.ask("DescribeTable", TableName="target")
        shop.place(items("a"))
        assert shop.imported()["ImportStatus"] == "COMPLETED"

    def test_a_prefix_without_objects_fails_the_import(self, shop: Bucketed) -> None:
        assert shop.imported()["FailureCode"] == "S3NoSuchKey"

    @pytest.mark.parametrize("bucket", ["..", "a/../..", "source/../.."])
    def test_the_folder_of_buckets_is_never_left(self, shop: Bucketed, bucket: str) -> None:
        with pytest.raises(Exception, match="regular expression"):
            shop.begin_import(S3BucketSource={"S3Bucket": bucket})
        failed = shop.imported(S3BucketSource={"S3Bucket": "source", "S3KeyPrefix": "../../etc/"})
        assert failed["FailureCode"] == "S3InvalidKey"

    def test_a_link_fails_the_import_and_what_was_imported_stays(
        self, shop: Bucketed, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_bytes(items("secret"))
        shop.place(items("a"))
        (shop.folder / "source" / "data" / "b").symlink_to(tmp_path / "secret")
        done = shop.imported()
        assert done["FailureCode"] == "S3AccessDenied"


class TestWhileItRuns:
    @pytest.fixture(autouse=True)
    def small_pages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources, "BATCH", 2)

    def test_the_table_is_creating_and_not_found_until_the_end(self, served: Bucketed) -> None:
        served.place(items(*"abcde"))
        begun = served.begin_import()
        assert begun["ImportStatus"] == "IN_PROGRESS"
        assert "EndTime" not in begun
        served.engine.tend()

        arn = begun["ImportArn"]
        assert served.described_import(arn)["ImportedItemCount"] == 2
        assert served.ask("DescribeTable", TableName="target")["Table"]["TableStatus"] == "CREATING"
        assert served.ask("ListTables")["TableNames"] == ["target"]
        with pytest.raises(ResourceNotFoundException):
            served.items()
        with pytest.raises(ResourceInUseException):
            served.ask("DeleteTable", TableName="target")
        with pytest.raises(ResourceInUseException):
            served.ask("CreateTable", **TABLE)
        with pytest.raises(ResourceInUseException):
            served.begin_import()

        served.tend()
        assert served.described_import(arn)["ImportStatus"] == "COMPLETED"
        assert served.ask("DescribeTable", TableName="target")["Table"]["TableStatus"] == "ACTIVE"
        assert served.names() == [*"abcde"]

    def test_it_goes_on_in_another_process(self, tmp_path: Path) -> None:
        shop = Bucketed(tmp_path / "buckets", grouped=True, path=tmp_path / "app.db")
        shop.place(items(*"abcde"))
        shop.place(items(*"fgh"), "data/b")
        arn = shop.begin_import()["ImportArn"]
        for _ in range(8):
            shop.engine.tend()
            shop.reopen()
        done = shop.described_import(arn)
        assert (done["ImportStatus"], done["ImportedItemCount"]) == ("COMPLETED", 8)
        assert done["ProcessedSizeBytes"] == len(items(*"abcdefgh"))
        assert shop.names() == [*"abcdefgh"]

    def test_a_page_that_is_rolled_back_is_imported_again(
        self, served: Bucketed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        served.place(items(*"abcde"))
        arn = served.begin_import()["ImportArn"]
        served.engine.tend()
        served.engine.flush()
        with monkeypatch.context() as broken:
            broken.setattr("sortkey.engine.imports.save_job", fail)
            with pytest.raises(ZeroDivisionError):
                served.engine.tend()
        with pytest.raises(InternalServerError):
            served.engine.flush()
        served.tend()
        assert served.described_import(arn)["ImportedItemCount"] == 5
        assert served.names() == [*"abcde"]

    def test_an_object_that_disappears_fails_it_and_the_table_stays(self, served: Bucketed) -> None:
        served.place(items(*"abc"))
        served.place(items("d"), "data/b")
        arn = served.begin_import()["ImportArn"]
        served.engine.tend()
        (served.folder / "source" / "data" / "b").unlink()
        served.tend()
        assert served.described_import(arn)["FailureCode"] == "S3AccessDenied"
        assert served.names() == [*"abc"]


@settings(deadline=None)
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.lists(
            st.sampled_from(
                [*FORMATS["DYNAMODB_JSON"].splitlines(True), *FORMATS["ION"].splitlines(True), CSV]
            )
        ).map(b"".join),
    ),
    form=st.sampled_from([*FORMATS]),
    compression=st.sampled_from([*PACKED]),
    is_packed=st.booleans(),
)
@pytest.mark.ion
def test_any_bytes_are_imported_or_counted_as_errors(
    tmp_path_factory: pytest.TempPathFactory,
    content: bytes,
    form: str,
    compression: str,
    is_packed: bool,
) -> None:
    shop = Bucketed(tmp_path_factory.mktemp("any"))
    shop.place(PACKED[compression](content) if is_packed else content)
    done = shop.imported(form, InputCompressionType=compression)
    assert done["ImportedItemCount"] + done["ErrorCount"] == done["ProcessedItemCount"]
    assert (done["ImportStatus"] == "COMPLETED") == (done["ErrorCount"] == 0)
    assert shop.ask("DescribeTable", TableName="target")["Table"]["TableStatus"] == "ACTIVE"
    shop.engine.close()
