"""An import and a bulk put go on after the server is killed, and nothing is lost or done twice."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
from tests.engine.bucketed import TABLE, item, lines

pytestmark = pytest.mark.acceptance

Serve = Callable[..., tuple[subprocess.Popen[str], int]]

KILLS = 6
OBJECTS = 4
ITEMS = 6000
WAIT_SECONDS = 120.0
# Each line that is not JSON is an error, in the middle of a page too.
WRONG_EVERY = 1000


def client(port: int) -> Any:
    session = boto3.Session("any", "any", region_name="us-east-1")
    return session.client("dynamodb", endpoint_url=f"http://127.0.0.1:{port}")  # pyright: ignore[reportUnknownMemberType] - its overloads name every service


def fill(folder: Path) -> None:
    """Write the objects: items with distinct keys, and some errors."""
    for bucket in ("source", "reports"):
        (folder / bucket).mkdir(parents=True)
    for number in range(OBJECTS):
        content = [
            b"wrong\n"
            if place % WRONG_EVERY == WRONG_EVERY - 1
            else lines({"Item": item(f"{number}-{place}", colour={"S": "x" * 200})})
            for place in range(ITEMS)
        ]
        (folder / "source" / str(number)).write_bytes(b"".join(content))


def count(dynamodb: Any, **index: str) -> int:
    pages = dynamodb.get_paginator("scan").paginate(TableName="target", Select="COUNT", **index)
    return sum(page["Count"] for page in pages)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("kind", ["import", "bulk put"])
def test_it_goes_on_after_kills(serve: Serve, tmp_path: Path, kind: str, workers: str) -> None:
    chance = random.Random(kind + workers)
    fill(tmp_path / "buckets")
    options = ("--db", str(tmp_path / "app.db"), "--buckets", str(tmp_path / "buckets"))
    process, port = serve(*options, "--workers", workers)
    dynamodb = client(port)
    if kind == "import":
        started = dynamodb.import_table(
            S3BucketSource={"S3Bucket": "source"},
            InputFormat="DYNAMODB_JSON",
            TableCreationParameters=TABLE,
        )
        arn = started["ImportTableDescription"]["ImportArn"]
    else:
        dynamodb.create_table(**TABLE)
        started = dynamodb.start_bulk_put_items(
            TableName="target",
            InputS3Configuration={"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON"},
            OutputS3Configuration={"S3Bucket": "reports", "OutputType": ["ERROR"]},
        )
        arn = started["BulkOperationDescription"]["BulkOperationArn"]
    for _ in range(KILLS):
        time.sleep(chance.random())
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)
        process, port = serve(*options, "--workers", workers)

    dynamodb = client(port)
    done = described(dynamodb, kind, arn)
    total, errors = OBJECTS * ITEMS, OBJECTS * ITEMS // WRONG_EVERY
    assert done["ProcessedItemCount"] == total
    assert done["ErrorCount" if kind == "import" else "FailedItemCount"] == errors
    assert count(dynamodb) == count(dynamodb, IndexName="by_colour") == total - errors
    assert dynamodb.describe_table(TableName="target")["Table"]["ItemCount"] == total - errors
    if kind == "bulk put":
        number = arn.rpartition("/")[2]
        report = tmp_path / "buckets" / "reports" / "AWSDynamoDB" / number / "errors.json"
        assert len(report.read_bytes().splitlines()) == errors
    dynamodb.close()


def described(dynamodb: Any, kind: str, arn: str) -> dict[str, Any]:
    """Return the description of the import or bulk put when it has ended."""
    give_up = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < give_up:
        if kind == "import":
            found = dynamodb.describe_import(ImportArn=arn)["ImportTableDescription"]
        else:
            answer = dynamodb.describe_bulk_operation(BulkOperationArn=arn)
            found = answer["BulkOperationDescription"]
        if "EndTime" in found:
            return found
        time.sleep(0.1)
    pytest.fail("it has not ended")
