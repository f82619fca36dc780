"""Bulk puts: items from the objects of a bucket are written to an existing table."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.bucketed import TABLE, Bucketed, item, items, lines

from sortkey.engine import sources
from sortkey.engine.database import Database
from sortkey.engine.formats import ion
from sortkey.engine.jobs import Job
from sortkey.wire.errors import InternalServerError

NEW = {"ConditionExpression": "attribute_not_exists(id)"}
NEWER = {
    "ConditionExpression": "attribute_not_exists(#v) OR #v < :v",
    "ExpressionAttributeNames": {"#v": "version"},
    "ExpressionAttributeValues": {":v": {"N": "2"}},
}
RED: dict[str, Any] = {"colour": {"S": "red"}}
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def prepared(shop: Bucketed, **more: Any) -> Bucketed:
    shop.ask("CreateTable", **TABLE, **more)
    return shop


def fail(_: Database, __: Job) -> Job:
    raise ZeroDivisionError


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    return prepared(Bucketed(tmp_path))


@pytest.fixture
def served(tmp_path: Path) -> Bucketed:
    """An engine that is tended by hand, as a server tends it."""
    return prepared(Bucketed(tmp_path, grouped=True))


def test_items_are_put_into_a_table_that_has_items(shop: Bucketed) -> None:
    shop.ask("PutItem", TableName="target", Item=item("a", n={"N": "1"}))
    shop.ask("PutItem", TableName="target", Item=item("z"))
    shop.place(items("a", "b") + lines({"Item": item("c", **RED)}))
    done = shop.bulk_put()

    assert done["BulkOperationStatus"] == "COMPLETED"
    assert shop.items() == [item("a"), item("b"), item("c", **RED), item("z")]
    assert shop.items(IndexName="by_colour") == [item("c", **RED)]
    assert (done["ProcessedItemCount"], done["FailedItemCount"]) == (3, 0)
    size = (shop.folder / "source" / "data" / "a").stat().st_size
    assert done["ProcessedInputBytes"] == done["TotalInputBytes"] == size
    assert done["BulkOperationUsage"] == [
        {
            "TableName": "target",
            "BulkPutBytes": 27 + 9 + 18,
            "Table": {"BulkPutBytes": 9 + 9 + 18},
            "GlobalSecondaryIndexes": {"by_colour": {"BulkPutBytes": 18}},
        }
    ]


def test_compressed_input_is_measured_as_it_is_stored(shop: Bucketed) -> None:
    shop.place(items("a") * 1000, packed=True)
    source = {"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON", "InputCompressionType": "GZIP"}
    done = shop.bulk_put(InputS3Configuration=source)
    size = (shop.folder / "source" / "data" / "a").stat().st_size
    assert done["ProcessedInputBytes"] == done["TotalInputBytes"] == size


class TestConditions:
    def test_an_item_whose_condition_fails_is_reported_and_not_an_error(
        self, shop: Bucketed
    ) -> None:
        shop.ask("PutItem", TableName="target", Item=item("a", version={"N": "3"}))
        shop.ask("PutItem", TableName="target", Item=item("b", version={"N": "1"}))
        shop.place(
            lines(
                {"Item": item("a", version={"N": "2"}), **NEWER},
                {"Item": item("b", version={"N": "2"}), **NEWER},
                {"Item": item("c"), **NEW},
                {"Item": item("d"), "ConditionExpression": "attribute_exists(id)"},
            )
        )
        done = shop.bulk_put()

        assert (done["BulkOperationStatus"], done["FailedItemCount"]) == ("COMPLETED", 0)
        assert done["ProcessedItemCount"] == 4
        assert shop.items() == [
            item("a", version={"N": "3"}),
            item("b", version={"N": "2"}),
            item("c"),
        ]
        place = {"bucket": "source", "key": "data/a"}
        arn = done["BulkOperationArn"]
        assert shop.report(arn, "condition-check-failures.json") == [
            {
                "itemS3Pointer": {**place, "itemIndex": 0},
                "Item": item("a", version={"N": "2"}),
                "ExistingItem": item("a", version={"N": "3"}),
            },
            {"itemS3Pointer": {**place, "itemIndex": 3}, "Item": item("d")},
        ]

    def test_a_condition_sees_the_items_before_it(self, shop: Bucketed) -> None:
        shop.place(lines({"Item": item("a", **RED), **NEW}, {"Item": item("a"), **NEW}))
        shop.bulk_put()
        assert shop.items() == [item("a", **RED)]

    @pytest.mark.ion
    def test_conditions_may_be_in_ion(self, shop: Bucketed) -> None:
        shop.ask("PutItem", TableName="target", Item=item("a", version={"N": "3"}))
        shop.place(
            b'{Item:{id:"a",line:1.},ConditionExpression:"#v < :v",'
            b"ExpressionAttributeNames:{'#v':\"version\"},ExpressionAttributeValues:{':v':4.}}"
            + ion.line({"Item": item("b")})
        )
        assert shop.bulk_put("ION")["BulkOperationStatus"] == "COMPLETED"
        assert shop.items() == [item("a"), item("b")]

    @pytest.mark.parametrize(
        "more",
        [
            {"ConditionExpression": "a ="},
            {"ConditionExpression": "a = :v"},
            {"ConditionExpression": ""},
            {"ConditionExpression": 5},
            {**NEW, "ExpressionAttributeNames": {"#a": "a"}},
            {"ExpressionAttributeValues": {":v": {"N": "2"}}},
            {**NEWER, "ExpressionAttributeValues": {":v": {"N": "x"}}},
        ],
    )
    def test_a_condition_that_is_not_valid_is_an_error(
        self, shop: Bucketed, more: dict[str, Any]
    ) -> None:
        shop.place(lines({"Item": item("a"), **more}) + items("b"))
        done = shop.bulk_put()
        assert (done["BulkOperationStatus"], done["FailedItemCount"]) == (
            "COMPLETED_WITH_ERRORS",
            1,
        )
        assert shop.names() == ["b"]


class TestReports:
    CONTENT = lines({"Item": item("a"), "ConditionExpression": "attribute_exists(id)"}, {"Item": 1})

    def test_errors_are_reported_with_their_places_and_the_manifest_counts(
        self, shop: Bucketed
    ) -> None:
        shop.place(self.CONTENT)
        arn = shop.bulk_put()["BulkOperationArn"]
        [error] = shop.report(arn, "errors.json")
        assert error["itemS3Pointer"] == {"bucket": "source", "key": "data/a", "itemIndex": 1}
        assert error["errorMessages"]
        [manifest] = shop.report(arn, "manifest.json")
        assert manifest["bulkOperationArn"] == arn
        assert manifest["bulkOperationStatus"] == "COMPLETED_WITH_ERRORS"
        assert [(each["outputType"], each["itemCount"]) for each in manifest["outputFiles"]] == [
            ("ERROR", 1),
            ("CONDITION_CHECK_FAILURE", 1),
        ]

    @pytest.mark.parametrize("kind", ["ERROR", "CONDITION_CHECK_FAILURE"])
    def test_only_wanted_reports_are_written(self, shop: Bucketed, kind: str) -> None:
        shop.place(self.CONTENT)
        done = shop.bulk_put(OutputS3Configuration={"S3Bucket": "reports", "OutputType": [kind]})
        found = {path.name for path in (shop.folder / "reports").rglob("*.json")}
        names = {"ERROR": "errors.json", "CONDITION_CHECK_FAILURE": "condition-check-failures.json"}
        assert found == {"manifest.json", names[kind]}
        assert done["FailedItemCount"] == 1

    def test_a_missing_bucket_fails_it_before_anything_is_written(self, shop: Bucketed) -> None:
        shop.place(items("a"))
        done = shop.bulk_put(OutputS3Configuration={"S3Bucket": "missing", "OutputType": ["ERROR"]})
        assert (done["BulkOperationStatus"], done["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
        assert shop.items() == []

    def test_a_report_that_cannot_be_written_fails_it_and_what_was_written_counts(
        self, shop: Bucketed
    ) -> None:
        (shop.folder / "reports" / "out").write_bytes(b"")
        shop.place(items("a") + b"no\n")
        done = shop.bulk_put()
        assert (done["BulkOperationStatus"], done["FailureCode"]) == ("FAILED", "S3AccessDenied")
        assert done["ProcessedItemCount"] == 2
        assert shop.names() == ["a"]


class TestOtherParts:
    def test_writes_are_in_the_stream(self, tmp_path: Path) -> None:
        shop = prepared(Bucketed(tmp_path), StreamSpecification=STREAM)
        shop.place(items("a", "b"))
        shop.bulk_put()
        arn = shop.ask("DescribeTable", TableName="target")["Table"]["LatestStreamArn"]
        [shard] = shop.ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
        iterator = shop.ask(
            "GetShardIterator",
            StreamArn=arn,
            ShardId=shard["ShardId"],
            ShardIteratorType="TRIM_HORIZON",
        )
        records = shop.ask("GetRecords", ShardIterator=iterator["ShardIterator"])["Records"]
        assert [each["dynamodb"]["NewImage"] for each in records] == [item("a"), item("b")]

    def test_writes_can_be_recovered_from(self, shop: Bucketed) -> None:
        recovery = {"PointInTimeRecoveryEnabled": True}
        shop.ask(
            "UpdateContinuousBackups",
            TableName="target",
            PointInTimeRecoverySpecification=recovery,
        )
        shop.clock.move(10)
        shop.place(items("a"))
        shop.bulk_put()
        shop.clock.move(10)
        for second, names in ((5, []), (10, ["a"])):
            shop.ask(
                "RestoreTableToPointInTime",
                SourceTableName="target",
                TargetTableName=f"copy{second}",
                RestoreDateTime=1_800_000_000 + second,
            )
            assert shop.names(f"copy{second}") == names

    def test_expiry_times_are_known(self, shop: Bucketed) -> None:
        shop.ask(
            "UpdateTimeToLive",
            TableName="target",
            TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True},
        )
        shop.place(lines({"Item": item("a", ttl={"N": "1799999999"})}) + items("b"))
        shop.bulk_put()
        shop.tend()
        assert shop.names() == ["b"]


class TestWhileItRuns:
    @pytest.fixture(autouse=True)
    def small_pages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources, "BATCH", 2)

    def test_the_table_serves_and_the_counts_grow(self, served: Bucketed) -> None:
        served.place(items(*"abcde"))
        begun = served.begin_bulk()
        assert begun["BulkOperationStatus"] == "IN_PROGRESS"
        assert "TotalInputBytes" not in begun
        assert "EndTime" not in begun
        served.engine.tend()

        assert served.names() == ["a", "b"]
        running = served.described_bulk(begun["BulkOperationArn"])
        assert running["ProcessedItemCount"] == 2
        assert running["TotalInputBytes"] == len(items(*"abcde"))

    def test_it_can_be_cancelled_and_what_is_written_stays(self, served: Bucketed) -> None:
        served.place(b"no\n" + items(*"abcde"))
        arn = served.begin_bulk()["BulkOperationArn"]
        served.engine.tend()
        answer = served.ask("CancelBulkOperation", BulkOperationArn=arn)
        assert answer == {"BulkOperationArn": arn, "BulkOperationStatus": "CANCELLING"}
        assert served.described_bulk(arn)["BulkOperationStatus"] == "CANCELLING"

        served.tend()
        done = served.described_bulk(arn)
        assert done["BulkOperationStatus"] == "CANCELLED"
        assert (done["ProcessedItemCount"], done["FailedItemCount"]) == (2, 1)
        assert "EndTime" in done
        assert served.names() == ["a"]
        assert len(served.report(arn, "errors.json")) == 1

    def test_a_table_that_is_deleted_fails_it(self, served: Bucketed) -> None:
        served.place(items(*"abcde"))
        arn = served.begin_bulk()["BulkOperationArn"]
        served.engine.tend()
        served.ask("DeleteTable", TableName="target")
        served.ask("CreateTable", **TABLE)
        served.tend()
        done = served.described_bulk(arn)
        assert (done["BulkOperationStatus"], done["FailureCode"]) == ("FAILED", "TableNotFound")
        assert served.items() == []

    def test_it_goes_on_in_another_process_and_reports_once(self, tmp_path: Path) -> None:
        shop = Bucketed(tmp_path / "buckets", grouped=True, path=tmp_path / "app.db")
        prepared(shop).place(items("a") + b"no\n" + items("b", "c") + b"no\n" + items("d"))
        shop.place(items("e") + b"no\n", "data/b")
        arn = shop.begin_bulk()["BulkOperationArn"]
        for _ in range(8):
            shop.engine.tend()
            shop.reopen()
        done = shop.described_bulk(arn)
        assert done["BulkOperationStatus"] == "COMPLETED_WITH_ERRORS"
        assert (done["ProcessedItemCount"], done["FailedItemCount"]) == (8, 3)
        assert shop.names() == [*"abcde"]
        assert len(shop.report(arn, "errors.json")) == 3

    def test_the_reports_of_one_that_fails_appear_as_far_as_they_are_written(
        self, served: Bucketed
    ) -> None:
        served.place(b"no\n")
        served.place(items("a"), key="data/b")
        arn = served.begin_bulk()["BulkOperationArn"]
        served.engine.tend()
        served.ask("DeleteTable", TableName="target")
        served.tend()
        assert served.described_bulk(arn)["BulkOperationStatus"] == "FAILED"
        assert len(served.report(arn, "errors.json")) == 1
        [manifest] = served.report(arn, "manifest.json")
        assert manifest["bulkOperationStatus"] == "FAILED"

    @pytest.mark.parametrize("broken", ["save_job", "end_job"])
    def test_a_page_that_is_rolled_back_is_put_and_reported_again(
        self, served: Bucketed, monkeypatch: pytest.MonkeyPatch, broken: str
    ) -> None:
        served.place(b"no\n" + items("a") + b"no\n")
        arn = served.begin_bulk()["BulkOperationArn"]
        with monkeypatch.context() as broken_engine:
            broken_engine.setattr(f"sortkey.engine.bulk_puts.{broken}", fail)
            with pytest.raises(ZeroDivisionError):
                served.tend()
        with pytest.raises(InternalServerError):
            served.engine.flush()
        served.tend()
        done = served.described_bulk(arn)
        assert (done["ProcessedItemCount"], done["FailedItemCount"]) == (3, 2)
        assert len(served.report(arn, "errors.json")) == 2


@settings(deadline=None)
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.lists(
            st.sampled_from(
                [
                    *items("a", "b").splitlines(keepends=True),
                    lines({"Item": item("a"), **NEW}),
                    lines({"Item": item("a"), **NEWER}),
                    ion.line({"Item": item("c")}),
                    b'{Item:{id:"a",line:1.},ConditionExpression:5}\n',
                    b'{"Item":{"id":{"S":"\\ud800"},"line":{"N":"1"}}}\n',
                    b"\xff\n",
                ]
            )
        ).map(b"".join),
    ),
    form=st.sampled_from(["DYNAMODB_JSON", "ION"]),
    compression=st.sampled_from(["NONE", "GZIP", "ZSTD"]),
    is_packed=st.booleans(),
)
@pytest.mark.ion
def test_any_bytes_are_put_or_counted(
    tmp_path_factory: pytest.TempPathFactory,
    content: bytes,
    form: str,
    compression: str,
    is_packed: bool,
) -> None:
    shop = prepared(Bucketed(tmp_path_factory.mktemp("any")))
    shop.place(gzip.compress(content) if is_packed else content)
    source = {"S3Bucket": "source", "InputFormat": form, "InputCompressionType": compression}
    done = shop.bulk_put(InputS3Configuration=source)
    has_errors = done["FailedItemCount"] > 0
    assert done["BulkOperationStatus"] == "COMPLETED" + "_WITH_ERRORS" * has_errors
    errors = shop.report(done["BulkOperationArn"], "errors.json") if has_errors else []
    assert len(errors) == done["FailedItemCount"]
    shop.engine.close()
