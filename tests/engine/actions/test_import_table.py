"""ImportTable; what an import does is tested in test_imports."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.engine.bucketed import TABLE, Bucketed, items

from sortkey.engine import Engine
from sortkey.wire.errors import (
    ImportConflictException,
    LimitExceededException,
    ResourceInUseException,
    ValidationException,
)

EIGHT_HOURS = 8 * 3600


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    return Bucketed(tmp_path)


@pytest.fixture
def served(tmp_path: Path) -> Bucketed:
    """An engine that is tended by hand, as a server tends it."""
    return Bucketed(tmp_path, grouped=True)


class TestShape:
    def test_required_members_are_reported(self, shop: Bucketed) -> None:
        with pytest.raises(ValidationException) as error:
            shop.ask("ImportTable")
        for member in ("s3BucketSource", "inputFormat", "tableCreationParameters"):
            assert f"Value null at '{member}'" in error.value.message

    @pytest.mark.parametrize(
        ("more", "path"),
        [
            ({"ClientToken": "a$b"}, "clientToken"),
            ({"InputFormat": "XML"}, "inputFormat"),
            ({"InputCompressionType": "LZ4"}, "inputCompressionType"),
            ({"S3BucketSource": {"S3Bucket": "a/b"}}, "s3BucketSource.s3Bucket"),
            ({"S3BucketSource": {"S3Bucket": "b", "S3BucketOwner": "1"}}, "s3BucketOwner"),
            ({"InputFormatOptions": {"Csv": {"Delimiter": "#"}}}, "inputFormatOptions.csv.delim"),
            ({"InputFormatOptions": {"Csv": {"HeaderList": []}}}, "csv.headerList"),
            ({"InputFormatOptions": {"Csv": {"HeaderList": ["a,b"]}}}, "csv.headerList.1.member"),
            ({"TableCreationParameters": TABLE | {"TableName": "a"}}, "tableCreationParameters.t"),
        ],
    )
    def test_a_constraint_names_its_member(
        self, shop: Bucketed, more: dict[str, Any], path: str
    ) -> None:
        with pytest.raises(ValidationException, match=path):
            shop.begin_import(**more)


class TestValidation:
    def test_a_header_list_needs_distinct_names(self, shop: Bucketed) -> None:
        csv = {"Csv": {"HeaderList": ["id", "line", "id"]}}
        with pytest.raises(ValidationException, match="a name twice"):
            shop.begin_import(InputFormatOptions=csv)

    def test_without_buckets_the_option_is_named(self) -> None:
        with Engine.memory() as engine, pytest.raises(ValidationException, match="--buckets DIR"):
            engine.answer(
                "ImportTable",
                {
                    "S3BucketSource": {"S3Bucket": "source"},
                    "InputFormat": "CSV",
                    "TableCreationParameters": TABLE,
                },
            )

    def test_the_table_must_be_valid(self, shop: Bucketed) -> None:
        wrong = TABLE | {"AttributeDefinitions": TABLE["AttributeDefinitions"][:1]}
        with pytest.raises(ValidationException):
            shop.begin_import(TableCreationParameters=wrong)

    def test_the_table_must_be_new(self, shop: Bucketed) -> None:
        shop.ask("CreateTable", **TABLE)
        with pytest.raises(ResourceInUseException, match="Table already exists: target"):
            shop.begin_import()

    def test_fifty_run_at_once(self, served: Bucketed) -> None:
        for number in range(50):
            served.begin_import(TableCreationParameters=TABLE | {"TableName": f"table{number}"})
        with pytest.raises(LimitExceededException, match="50 import operations"):
            served.begin_import()

    def test_a_missing_package_is_named(
        self, shop: Bucketed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(ValidationException, match=r"sortkey\[zstd\]"):
            shop.begin_import(InputCompressionType="ZSTD")


class TestBehaviour:
    def test_the_description_has_the_request(self, shop: Bucketed) -> None:
        shop.place(items("a"))
        csv = {"Csv": {"Delimiter": ";", "HeaderList": ["id", "line"]}}
        begun = shop.begin_import("CSV", InputFormatOptions=csv, ClientToken="mine")
        assert begun["ImportStatus"] == "IN_PROGRESS"
        assert begun["ImportArn"].startswith(f"{begun['TableArn']}/import/01800000000000-")
        assert begun["TableCreationParameters"] == TABLE
        assert begun["S3BucketSource"] == {"S3Bucket": "source", "S3KeyPrefix": "data/"}
        assert (begun["InputFormat"], begun["InputCompressionType"]) == ("CSV", "NONE")
        assert (begun["InputFormatOptions"], begun["ClientToken"]) == (csv, "mine")
        assert begun["StartTime"] == 1_800_000_000
        assert begun["CloudWatchLogGroupArn"].endswith(":log-group:/aws-dynamodb/imports:*")

    def test_a_token_makes_a_repeated_request_the_same_import(self, shop: Bucketed) -> None:
        shop.place(items("a"))
        first = shop.begin_import(ClientToken="mine")
        again = shop.begin_import(ClientToken="mine")
        assert again["ImportArn"] == first["ImportArn"]
        assert again["ImportStatus"] == "COMPLETED"

    def test_another_request_with_the_token_is_a_conflict(self, shop: Bucketed) -> None:
        shop.place(items("a"))
        shop.begin_import(ClientToken="mine")
        with pytest.raises(ImportConflictException, match="mine"):
            shop.begin_import(ClientToken="mine", InputCompressionType="GZIP")

    def test_a_token_is_valid_until_eight_hours_after_the_end(self, shop: Bucketed) -> None:
        shop.place(items("a"))
        shop.begin_import(ClientToken="mine")
        shop.clock.move(EIGHT_HOURS + 1)
        with pytest.raises(ResourceInUseException):
            shop.begin_import(ClientToken="mine")
