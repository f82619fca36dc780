"""ExportTableToPointInTime."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.exported import BUCKET, Exportable, exportable
from tests.engine.recoverable import START, recoverable

from sortkey.wire.errors import (
    ExportConflictException,
    InvalidExportTimeException,
    LimitExceededException,
    PointInTimeRecoveryUnavailableException,
    SerializationException,
    TableNotFoundException,
    ValidationException,
)

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"
INCREMENTAL: dict[str, Any] = {"ExportType": "INCREMENTAL_EXPORT"}
FROM: dict[str, Any] = {"IncrementalExportSpecification": {"ExportFromTime": START}}
NO_TIMES: dict[str, Any] = {"IncrementalExportSpecification": {}}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Exportable]:
    opened = exportable(tmp_path)
    with opened.engine:
        opened.put("a")
        opened.put("b", colour="blue")
        opened.clock.move(2000)
        yield opened


class TestShape:
    @pytest.mark.parametrize(
        ("member", "value", "reason"),
        [
            # Seen on AWS, with the values in this order.
            (
                "ExportFormat",
                "CSV",
                (
                    "1 validation error detected: Value 'CSV' at 'exportFormat' failed to satisfy "
                    "constraint: Member must satisfy enum value set: [ION, DYNAMODB_JSON]"
                ),
            ),
            ("ExportType", "", "'exportType' failed to satisfy constraint"),
            ("S3Bucket", "", "'s3Bucket' failed to satisfy constraint"),
            ("S3Bucket", "a/b", "'s3Bucket' failed to satisfy constraint"),
            ("S3Bucket", "..", "'s3Bucket' failed to satisfy constraint"),
            ("S3BucketOwner", "me", "'s3BucketOwner' failed to satisfy constraint"),
            ("S3SseAlgorithm", "aes", "'s3SseAlgorithm' failed to satisfy constraint"),
            ("ClientToken", "a$b", "'clientToken' failed to satisfy constraint"),
            ("TableArn", "", "'tableArn' failed to satisfy constraint"),
        ],
    )
    def test_members_are_validated(
        self, shop: Exportable, member: str, value: str, reason: str
    ) -> None:
        with pytest.raises(ValidationException) as refused:
            shop.export(**{member: value})
        assert reason in refused.value.message

    def test_a_bucket_is_given(self, shop: Exportable) -> None:
        with pytest.raises(ValidationException, match="'s3Bucket' failed"):
            shop.ask("ExportTableToPointInTime", TableArn=shop.arn)

    def test_a_time_is_a_number(self, shop: Exportable) -> None:
        with pytest.raises(SerializationException):
            shop.export(ExportTime="2027-01-15")


class TestValidation:
    def test_an_engine_without_buckets_names_the_option(self) -> None:
        shop = recoverable()
        with pytest.raises(ValidationException, match="--buckets DIR"):
            shop.ask("ExportTableToPointInTime", TableArn=f"{ARN}orders", S3Bucket="exports")

    def test_the_table_is_named_by_its_arn(self, shop: Exportable) -> None:
        with pytest.raises(ValidationException, match="TableArn is not a valid ARN"):
            shop.export(TableArn="orders")

    def test_the_table_belongs_to_the_account(self, shop: Exportable) -> None:
        # The message of the developer guide.
        with pytest.raises(ValidationException) as refused:
            shop.export(TableArn="arn:aws:dynamodb:us-east-1:111122223333:table/orders")
        assert refused.value.message == (
            "This action is only supported by accounts that match the resource owner's account."
        )

    def test_the_table_exists(self, shop: Exportable) -> None:
        with pytest.raises(TableNotFoundException, match="Table not found: nowhere"):
            shop.export(TableArn=f"{ARN}nowhere")

    def test_recovery_is_enabled(self, shop: Exportable) -> None:
        shop.recover(enabled=False)
        with pytest.raises(PointInTimeRecoveryUnavailableException) as refused:
            shop.export()
        assert refused.value.message == "Point in time recovery is not enabled for table 'orders'"

    @pytest.mark.parametrize("second", [-1, 2001, -START, 1e18])
    def test_the_time_is_within_the_window(self, shop: Exportable, second: float) -> None:
        # The message was seen on AWS.
        with pytest.raises(InvalidExportTimeException, match="Export Time is invalid"):
            shop.export(ExportTime=START + second)

    @pytest.mark.parametrize(("start", "end"), [(-1, 1000), (0, 2001)])
    def test_both_times_of_an_incremental_export_are_within_it(
        self, shop: Exportable, start: float, end: float
    ) -> None:
        with pytest.raises(InvalidExportTimeException, match="Export Time is invalid"):
            shop.export_window(start, end)

    @pytest.mark.parametrize(("start", "end"), [(100, 999), (0, 0), (1000, 0), (0, 24 * 3600 + 1)])
    def test_its_window_is_from_fifteen_minutes_to_a_day_long(
        self, shop: Exportable, start: float, end: float
    ) -> None:
        shop.clock.move(2 * 24 * 3600)
        with pytest.raises(ValidationException, match="at least 15 minutes and at most 24 hours"):
            shop.export_window(start, end)
        shop.export_window(0, 15 * 60)
        shop.export_window(0, 24 * 3600)

    @pytest.mark.parametrize(
        "request_",
        [
            INCREMENTAL,
            FROM,
            INCREMENTAL | NO_TIMES,
            INCREMENTAL | FROM | {"ExportTime": START},
        ],
    )
    def test_a_type_has_the_members_that_belong_to_it(
        self, shop: Exportable, request_: dict[str, Any]
    ) -> None:
        with pytest.raises(ValidationException, match="Invalid Request"):
            shop.export(**request_)

    @pytest.mark.parametrize("prefix", ["..", "a/../b", "/a", "a//b", "a\0", "x" * 1000])
    def test_a_prefix_does_not_lead_out_of_the_bucket(self, shop: Exportable, prefix: str) -> None:
        with pytest.raises(ValidationException, match="S3Prefix cannot be used"):
            shop.export(S3Prefix=prefix)
        assert shop.objects() == []

    @pytest.mark.parametrize(
        ("specification", "reason"),
        [
            ({}, "must have a KeyConditionExpression, a FilterExpression"),
            ({"ExpressionAttributeNames": {"#a": "a"}}, "must have a KeyConditionExpression"),
            ({"FilterExpression": "a ="}, "Invalid FilterExpression: Syntax error"),
            ({"FilterExpression": "a = :a"}, "attribute value used in expression is not defined"),
            ({"ProjectionExpression": "id.a"}, "Key attributes must be scalars"),
            ({"FilterExpression": "a" * 4097}, "Expression size has exceeded"),
            (
                {
                    "FilterExpression": "attribute_exists(#n)",
                    "ExpressionAttributeNames": {"#n": "é" * 126},
                },
                "less than 251 bytes for key #n",
            ),
            (
                {
                    "FilterExpression": "a = :v",
                    "ExpressionAttributeValues": {":v": {"S": "x" * (2 * 1024**2 + 1)}},
                },
                "Attribute value is too large",
            ),
            (
                {
                    "FilterExpression": "a = :v",
                    "ExpressionAttributeValues": {":v": {"S": "a"}, ":w": {"S": "b"}},
                },
                "unused in expressions: keys: {:w}",
            ),
            (
                {
                    "KeyConditionExpression": "id = :v",
                    "ExpressionAttributeValues": {":v": {"N": "1"}},
                },
                "Condition parameter type does not match schema type",
            ),
            (
                {
                    "KeyConditionExpression": "line = :v",
                    "ExpressionAttributeValues": {":v": {"N": "1"}},
                },
                "Query condition missed key schema element: id",
            ),
            (
                {
                    "KeyConditionExpression": "id = :v",
                    "FilterExpression": "line = :n",
                    "ExpressionAttributeValues": {":v": {"S": "a"}, ":n": {"N": "1"}},
                },
                "can only contain non-primary key attributes: Primary key attribute: line",
            ),
        ],
    )
    def test_a_filter_is_valid(
        self, shop: Exportable, specification: dict[str, Any], reason: str
    ) -> None:
        with pytest.raises(ValidationException) as refused:
            shop.export(FilterSpecification=specification)
        assert reason in refused.value.message
        assert shop.count("jobs") == shop.count("pasts") == 0

    def test_there_are_so_many_exports_at_once(
        self, shop: Exportable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        name = "sortkey.engine.actions.export_table_to_point_in_time"
        monkeypatch.setattr(sys.modules[name], "_AT_ONCE", 2)
        shop.export()
        shop.export()
        with pytest.raises(LimitExceededException):
            shop.export()
        shop.tend()
        shop.export()


class TestBehaviour:
    def test_the_response_has_what_was_requested(self, shop: Exportable) -> None:
        export = shop.export(
            ExportTime=START + 7.5,
            ClientToken="mine",
            S3BucketOwner="123456789012",
            S3Prefix="x",
            S3SseAlgorithm="KMS",
            S3SseKmsKeyId="key",
        )
        table = shop.ask("DescribeTable", TableName="orders")["Table"]
        assert export == {
            "ExportArn": export["ExportArn"],
            "ExportStatus": "IN_PROGRESS",
            "StartTime": START + 2000,
            "TableArn": shop.arn,
            "TableId": table["TableId"],
            "ExportTime": START + 7,
            "ClientToken": "mine",
            "S3Bucket": BUCKET,
            "S3BucketOwner": "123456789012",
            "S3Prefix": "x",
            "S3SseAlgorithm": "KMS",
            "S3SseKmsKeyId": "key",
            "ExportFormat": "DYNAMODB_JSON",
            "ExportType": "FULL_EXPORT",
        }

    def test_without_a_time_the_table_is_exported_as_it_is(self, shop: Exportable) -> None:
        shop.clock.move(0.25)
        shop.put("late")
        export = shop.export()
        shop.put("later")
        assert export["ExportTime"] == START + 2000.25
        assert {name for name, _ in shop.exported(export)} == {"a", "b", "late"}

    def test_an_incremental_export_ends_now_by_default(self, shop: Exportable) -> None:
        export = shop.export(**INCREMENTAL, **FROM)
        assert export["IncrementalExportSpecification"] == {
            "ExportFromTime": START,
            "ExportToTime": START + 2000,
            "ExportViewType": "NEW_AND_OLD_IMAGES",
        }
        assert "ExportTime" not in export

    def test_a_client_token_makes_one_export_of_the_same_requests(self, shop: Exportable) -> None:
        first = shop.export(ClientToken="mine")
        assert shop.export(ClientToken="mine") == first
        done = shop.described(first)
        assert shop.export(ClientToken="mine") == done
        with pytest.raises(ExportConflictException):
            shop.export(ClientToken="mine", S3Prefix="other")
        assert shop.export(ClientToken="other")["ExportArn"] != first["ExportArn"]

        shop.clock.move(8 * 3600 + 1)
        assert shop.export(ClientToken="mine")["ExportArn"] != first["ExportArn"]

    def test_a_key_condition_exports_one_partition_key(self, shop: Exportable) -> None:
        shop.ask("SplitPartition", TableName="orders")
        for line in range(5):
            shop.put("c", line)
        specification = {
            "KeyConditionExpression": "id = :id AND line > :line",
            "ExpressionAttributeValues": {":id": {"S": "c"}, ":line": {"N": "2"}},
        }
        export = shop.export(FilterSpecification=specification)
        assert shop.exported(export) == {("c", 3): "red", ("c", 4): "red"}
        described = shop.described(export)
        assert described["FilterSpecification"] == specification
        assert described["BilledSizeBytes"] < shop.described(shop.export())["BilledSizeBytes"]

    def test_a_filter_and_a_projection_choose_items_and_attributes(self, shop: Exportable) -> None:
        specification = {
            "FilterExpression": "#c = :c AND begins_with(id, :i)",
            "ProjectionExpression": "#c",
            "ExpressionAttributeNames": {"#c": "colour"},
            "ExpressionAttributeValues": {":c": {"S": "blue"}, ":i": {"S": "b"}},
        }
        export = shop.export(FilterSpecification=specification)
        assert shop.lines(export) == [{"Item": {"colour": {"S": "blue"}}}]
        # What does not pass is read all the same.
        whole = shop.described(shop.export())["BilledSizeBytes"]
        assert shop.described(export)["BilledSizeBytes"] == whole

    def test_the_filter_of_an_incremental_export_sees_the_latest_image(
        self, shop: Exportable
    ) -> None:
        for name in ("becomes", "deleted", "was"):
            shop.put(name, colour="red" if name == "becomes" else "green")
        shop.clock.move(1000)
        shop.put("becomes", colour="green")
        shop.put("was", colour="red")
        shop.delete("deleted")
        shop.clock.move(1000)
        specification = {
            "FilterExpression": "colour = :c",
            "ProjectionExpression": "colour",
            "ExpressionAttributeValues": {":c": {"S": "green"}},
        }
        lines = shop.lines(shop.export_window(2500, 3500, FilterSpecification=specification))
        found = {line["Keys"]["id"]["S"]: line for line in lines}
        assert found.keys() == {"becomes", "deleted"}
        assert found["becomes"]["OldImage"] == {"colour": {"S": "red"}}
        assert found["becomes"]["NewImage"] == {"colour": {"S": "green"}}
        assert found["deleted"]["OldImage"] == {"colour": {"S": "green"}}

    def test_the_key_condition_of_an_incremental_export_selects_its_keys(
        self, shop: Exportable
    ) -> None:
        specification = {
            "KeyConditionExpression": "id = :id",
            "ExpressionAttributeValues": {":id": {"S": "b"}},
        }
        lines = shop.lines(shop.export_window(0, 1000, FilterSpecification=specification))
        assert [line["Keys"]["id"]["S"] for line in lines] == ["b"]
