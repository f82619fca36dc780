"""StartBulkPutItems; what an operation does is tested in test_bulk_puts."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.engine.bucketed import TABLE, Bucketed, items

from sortkey.engine import Engine
from sortkey.wire.errors import (
    IdempotentParameterMismatchException,
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)

INPUT = {"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON"}
OUTPUT = {"S3Bucket": "reports", "OutputType": ["ERROR"]}
EIGHT_HOURS = 8 * 3600


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    found = Bucketed(tmp_path)
    found.ask("CreateTable", **TABLE)
    found.place(items("a"))
    return found


class TestShape:
    def test_required_members_are_reported(self, shop: Bucketed) -> None:
        with pytest.raises(ValidationException) as error:
            shop.ask("StartBulkPutItems", OutputS3Configuration={"OutputType": ["ERROR"]})
        for member in ("inputS3Configuration", "outputS3Configuration.s3Bucket", "tableName"):
            assert f"Value null at '{member}'" in error.value.message

    @pytest.mark.parametrize(
        ("more", "path"),
        [
            ({"MaxWriteRequestUnits": 1023}, "maxWriteRequestUnits"),
            ({"PerformanceTier": "FAST"}, "performanceTier"),
            ({"ClientToken": ""}, "clientToken"),
            ({"InputS3Configuration": INPUT | {"InputFormat": "CSV"}}, "inputFormat"),
            ({"OutputS3Configuration": OUTPUT | {"OutputType": []}}, "outputType"),
            ({"OutputS3Configuration": OUTPUT | {"OutputType": ["ALL"]}}, "outputType.1.member"),
        ],
    )
    def test_a_constraint_names_its_member(
        self, shop: Bucketed, more: dict[str, Any], path: str
    ) -> None:
        with pytest.raises(ValidationException, match=path):
            shop.begin_bulk(**more)


class TestValidation:
    def test_without_buckets_the_option_is_named(self) -> None:
        body = {
            "TableName": "target",
            "InputS3Configuration": INPUT,
            "OutputS3Configuration": OUTPUT,
        }
        with Engine.memory() as engine, pytest.raises(ValidationException, match="--buckets DIR"):
            engine.answer("StartBulkPutItems", body)

    def test_the_table_must_exist(self, shop: Bucketed) -> None:
        with pytest.raises(ResourceNotFoundException):
            shop.begin_bulk(TableName="missing")

    @pytest.mark.parametrize("prefix", ["..", "a//b", "/a", "a/./b", "x" * 1020])
    def test_the_folder_of_the_reports_is_within_the_bucket(
        self, shop: Bucketed, prefix: str
    ) -> None:
        with pytest.raises(ValidationException, match="S3KeyPrefix"):
            shop.begin_bulk(OutputS3Configuration=OUTPUT | {"S3KeyPrefix": prefix})

    def test_a_key_of_encryption_goes_with_its_algorithm(self, shop: Bucketed) -> None:
        output = OUTPUT | {"S3SseAlgorithm": "AES256", "S3SseKmsKeyId": "k"}
        with pytest.raises(ValidationException, match="S3SseKmsKeyId"):
            shop.begin_bulk(OutputS3Configuration=output)

    def test_a_missing_package_is_named(
        self, shop: Bucketed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "amazon.ion.simpleion", None)
        with pytest.raises(ValidationException, match=r"sortkey\[ion\]"):
            shop.begin_bulk("ION")

    def test_no_index_may_be_in_creation(self, tmp_path: Path) -> None:
        served = Bucketed(tmp_path, grouped=True)
        served.ask("CreateTable", **TABLE)
        for number in range(9):
            served.ask(
                "PutItem", TableName="target", Item={"id": {"S": "a"}, "line": {"N": str(number)}}
            )
        create = {
            "IndexName": "by_line",
            "KeySchema": [{"AttributeName": "line", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
        served.ask(
            "UpdateTable",
            TableName="target",
            AttributeDefinitions=TABLE["AttributeDefinitions"],
            GlobalSecondaryIndexUpdates=[{"Create": create}],
        )
        with pytest.raises(ResourceInUseException, match="by_line"):
            served.begin_bulk()
        served.tend()
        served.begin_bulk()

    def test_the_table_may_not_be_in_restore(self, tmp_path: Path) -> None:
        served = Bucketed(tmp_path, grouped=True)
        served.ask("CreateTable", **TABLE)
        backup = served.ask("CreateBackup", TableName="target", BackupName="one")
        served.tend()
        arn = backup["BackupDetails"]["BackupArn"]
        served.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName="copy")
        with pytest.raises(ResourceInUseException, match="copy"):
            served.begin_bulk(TableName="copy")


class TestBehaviour:
    def test_the_description_has_the_request(self, shop: Bucketed) -> None:
        begun = shop.begin_bulk(
            MaxWriteRequestUnits=2000, PerformanceTier="ACCELERATED", ClientToken="mine"
        )
        table = shop.ask("DescribeTable", TableName="target")["Table"]
        assert begun["BulkOperationArn"].startswith(f"{table['TableArn']}/bulk-operation/")
        assert begun["TableDetails"] == [{"TableName": "target", "TableId": table["TableId"]}]
        assert (begun["MaxWriteRequestUnits"], begun["PerformanceTier"]) == (2000, "ACCELERATED")
        assert begun["InputS3Configuration"] == INPUT | {"S3KeyPrefix": "data/"}
        assert begun["ClientToken"] == "mine"

    def test_the_table_may_be_named_by_its_arn(self, shop: Bucketed) -> None:
        arn = shop.ask("DescribeTable", TableName="target")["Table"]["TableArn"]
        done = shop.bulk_put(TableName=arn)
        assert done["BulkOperationStatus"] == "COMPLETED"

    def test_a_token_makes_a_repeated_request_the_same_operation(self, shop: Bucketed) -> None:
        first = shop.begin_bulk(ClientToken="mine")
        again = shop.begin_bulk(ClientToken="mine")
        assert again["BulkOperationArn"] == first["BulkOperationArn"]
        assert again["BulkOperationStatus"] == "COMPLETED"
        with pytest.raises(IdempotentParameterMismatchException):
            shop.begin_bulk(ClientToken="mine", PerformanceTier="STANDARD")

        shop.clock.move(EIGHT_HOURS + 1)
        later = shop.begin_bulk(ClientToken="mine")
        assert later["BulkOperationArn"] != first["BulkOperationArn"]
