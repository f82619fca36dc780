"""boto3 imports a table and puts items in bulk, over HTTP."""

import gzip
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from tests.engine.bucketed import TABLE, item, items, lines

WAIT_SECONDS = 60.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for bucket in ("source", "reports"):
        (tmp_path / bucket).mkdir()
    return tmp_path


@pytest.fixture
def dynamodb(serve: Callable[..., tuple[Any, int]], folder: Path) -> Iterator[Any]:
    _, port = serve("--buckets", str(folder))
    session = boto3.Session("smoke", "smoke", region_name="us-east-1")
    client: Any = session.client("dynamodb", endpoint_url=f"http://127.0.0.1:{port}")  # pyright: ignore[reportUnknownMemberType] - its overloads name every service
    yield client
    client.close()


def ended(describe: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return a description that has an end."""
    give_up = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < give_up:
        found = describe()
        if "EndTime" in found:
            return found
        time.sleep(0.05)
    pytest.fail("it has not ended")


def test_a_table_is_imported_and_the_waiter_sees_it(dynamodb: Any, folder: Path) -> None:
    (folder / "source" / "a.csv.gz").write_bytes(gzip.compress(b"id;line;d\na;1;x\nb;2;\n"))
    begun = dynamodb.import_table(
        S3BucketSource={"S3Bucket": "source"},
        InputFormat="CSV",
        InputFormatOptions={"Csv": {"Delimiter": ";"}},
        InputCompressionType="GZIP",
        TableCreationParameters=TABLE,
    )["ImportTableDescription"]
    assert begun["ImportStatus"] == "IN_PROGRESS"
    dynamodb.get_waiter("table_exists").wait(TableName="target", WaiterConfig={"Delay": 1})

    arn = begun["ImportArn"]
    done = ended(lambda: dynamodb.describe_import(ImportArn=arn)["ImportTableDescription"])
    assert done["ImportStatus"] == "COMPLETED"
    assert done["EndTime"] >= begun["StartTime"]
    assert dynamodb.scan(TableName="target")["Count"] == 2
    [summary] = dynamodb.list_imports(PageSize=1)["ImportSummaryList"]
    assert summary["ImportArn"] == arn


def test_items_are_put_in_bulk_and_listed(dynamodb: Any, folder: Path) -> None:
    dynamodb.create_table(**TABLE)
    condition = {"ConditionExpression": "attribute_exists(id)"}
    (folder / "source" / "a").write_bytes(items("a") + lines({"Item": item("b"), **condition}))
    request = {
        "TableName": "target",
        "InputS3Configuration": {"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {
            "S3Bucket": "reports",
            "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"],
        },
    }
    begun = dynamodb.start_bulk_put_items(**request)["BulkOperationDescription"]
    arn = begun["BulkOperationArn"]
    done = ended(
        lambda: dynamodb.describe_bulk_operation(BulkOperationArn=arn)["BulkOperationDescription"]
    )
    assert (done["BulkOperationStatus"], done["ProcessedItemCount"]) == ("COMPLETED", 2)
    assert begun["ClientToken"]
    [summary] = dynamodb.list_bulk_operations()["BulkOperationsSummaryList"]
    assert summary["BulkOperationArn"] == arn
    with pytest.raises(dynamodb.exceptions.ClientError, match="not in progress"):
        dynamodb.cancel_bulk_operation(BulkOperationArn=arn)
