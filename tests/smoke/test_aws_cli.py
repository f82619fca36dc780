import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.acceptance

TABLE = ("--table-name", "aws_cli_orders")
PAY = (
    *("update-item", *TABLE, "--return-values", "ALL_NEW"),
    *("--key", json.dumps({"customer": {"S": "ada"}, "order": {"S": "o-00"}})),
    *("--update-expression", "SET #s = :paid, amount = amount + :more"),
    *("--condition-expression", "#s = :new"),
    *("--expression-attribute-names", json.dumps({"#s": "status"})),
    "--expression-attribute-values",
    json.dumps({":paid": {"S": "paid"}, ":new": {"S": "new"}, ":more": {"N": "5"}}),
)


def order(customer: str, number: int, amount: int) -> dict[str, dict[str, str]]:
    return {
        "customer": {"S": customer},
        "order": {"S": f"o-{number:02}"},
        "status": {"S": "new"},
        "amount": {"N": str(amount)},
    }


@pytest.fixture
def aws(
    endpoint: str, settings: dict[str, str], environment: Callable[[str], Path]
) -> Callable[..., Any]:
    """Run `aws dynamodb ...` against the engine; gives its decoded output, or the error's text."""
    program = environment("aws-cli") / "bin/aws"

    def run(*arguments: str, service: str = "dynamodb") -> Any:
        done = subprocess.run(
            [program, "--endpoint-url", endpoint, "--output", "json", service, *arguments],
            env=settings,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            return done.stderr.strip()
        return json.loads(done.stdout) if done.stdout else None

    return run


def test_the_aws_cli_runs_unchanged(aws: Callable[..., Any], story: dict[str, Any]) -> None:
    created = aws(
        *("create-table", *TABLE, "--billing-mode", "PAY_PER_REQUEST", "--attribute-definitions"),
        *(f"AttributeName={name},AttributeType=S" for name in ("customer", "order", "status")),
        "--key-schema",
        *("AttributeName=customer,KeyType=HASH", "AttributeName=order,KeyType=RANGE"),
        "--global-secondary-indexes",
        "IndexName=by_status,Projection={ProjectionType=ALL},"
        "KeySchema=[{AttributeName=status,KeyType=HASH},{AttributeName=order,KeyType=RANGE}]",
    )
    arn = created["TableDescription"]["TableArn"]
    assert aws("wait", "table-exists", *TABLE) is None
    description = aws("describe-table", *TABLE)["Table"]
    assert [index["IndexName"] for index in description["GlobalSecondaryIndexes"]] == (
        story["indexes"]
    )

    assert aws("put-item", *TABLE, "--item", json.dumps(order("ada", 0, 10))) is None
    key = json.dumps({"customer": {"S": "ada"}, "order": {"S": "o-00"}})
    assert aws("get-item", *TABLE, "--key", key) == {"Item": order("ada", 0, 10)}
    paid = order("ada", 0, 15) | {"status": {"S": "paid"}}
    assert aws(*PAY)["Attributes"] == paid
    assert aws(*PAY).endswith(
        "An error occurred (ConditionalCheckFailedException) when calling the UpdateItem "
        "operation: The conditional request failed"
    )

    puts = [{"PutRequest": {"Item": order("ada", number, number)}} for number in range(1, 12)]
    batch = json.dumps({"aws_cli_orders": puts})
    assert aws("batch-write-item", "--request-items", batch)["UnprocessedItems"] == {}
    keys = [{"customer": {"S": "ada"}, "order": {"S": name}} for name in ("o-01", "o-02", "o-77")]
    wanted = json.dumps({"aws_cli_orders": {"Keys": keys}})
    found = aws("batch-get-item", "--request-items", wanted)["Responses"]["aws_cli_orders"]
    assert sorted(item["order"]["S"] for item in found) == story["fetched"]

    by_customer = (
        *("query", *TABLE, "--key-condition-expression", "customer = :customer"),
        *("--expression-attribute-values", json.dumps({":customer": {"S": "ada"}})),
    )
    queried = aws(*by_customer, "--page-size", "5")
    assert [item["order"]["S"] for item in queried["Items"]] == story["queried"]
    first = aws(*by_customer, "--max-items", "5")
    rest = aws(*by_customer, "--starting-token", first["NextToken"])
    assert (len(first["Items"]), len(rest["Items"])) == (5, 7)
    by_status = aws(
        *("query", *TABLE, "--index-name", "by_status", "--key-condition-expression", "#s = :paid"),
        *("--expression-attribute-names", json.dumps({"#s": "status"})),
        *("--expression-attribute-values", json.dumps({":paid": {"S": "paid"}})),
    )
    assert by_status["Items"] == [paid]
    assert aws("scan", *TABLE, "--page-size", "5")["Count"] == story["scanned"]

    put = {"TableName": "aws_cli_orders", "Item": order("bob", 0, 1)}
    check = {
        "TableName": "aws_cli_orders",
        "Key": {"customer": {"S": "ada"}, "order": {"S": "o-00"}},
        "ConditionExpression": "attribute_not_exists(customer)",
    }
    transaction = json.dumps([{"Put": put}, {"ConditionCheck": check}])
    # Version 1 of the CLI prints the message only, which names the reasons in their order.
    assert aws("transact-write-items", "--transact-items", transaction).endswith(
        "An error occurred (TransactionCanceledException) when calling the TransactWriteItems "
        "operation: Transaction cancelled, please refer cancellation reasons for specific reasons "
        f"[{', '.join(story['reasons'])}]"
    )
    bobs = json.dumps({"customer": {"S": "bob"}, "order": {"S": "o-00"}})
    assert aws("get-item", *TABLE, "--key", bobs) is None

    specification = "Enabled=true,AttributeName=expires"
    aws("update-time-to-live", *TABLE, "--time-to-live-specification", specification)
    expiry = aws("describe-time-to-live", *TABLE)["TimeToLiveDescription"]
    assert expiry["AttributeName"] == story["expiry"]
    assert aws("tag-resource", "--resource-arn", arn, "--tags", "Key=team,Value=shop") is None
    tags = aws("list-tags-of-resource", "--resource-arn", arn)["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in tags} == story["tags"]

    assert aws("delete-table", *TABLE)["TableDescription"]["TableName"] == "aws_cli_orders"
    assert aws("wait", "table-not-exists", *TABLE) is None
    assert story["after_deletion"] in aws("describe-table", *TABLE)


def changed_status(record: dict[str, Any]) -> list[str | None]:
    images = (record["dynamodb"].get(name) for name in ("OldImage", "NewImage"))
    return [record["eventName"], *(image and image["status"]["S"] for image in images)]


def test_the_aws_cli_reads_a_stream_and_restores_a_backup(
    aws: Callable[..., Any], changes_story: dict[str, Any]
) -> None:
    table = ("--table-name", "aws_cli_changes")
    key = {"order": {"S": "o-00"}}

    def put(status: str) -> None:
        aws("put-item", *table, "--item", json.dumps(key | {"status": {"S": status}}))

    def delete() -> None:
        aws("delete-item", *table, "--key", json.dumps(key))

    aws(
        *("create-table", *table, "--billing-mode", "PAY_PER_REQUEST"),
        *("--attribute-definitions", "AttributeName=order,AttributeType=S"),
        *("--key-schema", "AttributeName=order,KeyType=HASH"),
        "--stream-specification",
        "StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES",
    )
    put("new")
    put("paid")
    delete()
    put("again")

    streams = partial(aws, service="dynamodbstreams")
    [stream] = streams("list-streams", *table)["Streams"]
    arn = ("--stream-arn", stream["StreamArn"])
    [shard] = streams("describe-stream", *arn)["StreamDescription"]["Shards"]
    start = ("--shard-id", shard["ShardId"], "--shard-iterator-type", "TRIM_HORIZON")
    iterator = streams("get-shard-iterator", *arn, *start)["ShardIterator"]
    read = streams("get-records", "--shard-iterator", iterator)["Records"]
    assert [changed_status(record) for record in read] == changes_story["changes"]

    made = aws("create-backup", *table, "--backup-name", "first")["BackupDetails"]
    backup = ("--backup-arn", made["BackupArn"])

    def status() -> str:
        description = aws("describe-backup", *backup)["BackupDescription"]
        return description["BackupDetails"]["BackupStatus"]

    while status() == "CREATING":
        pass
    assert status() == changes_story["backup"]
    listed = aws("list-backups", *table)["BackupSummaries"]
    assert [each["BackupName"] for each in listed] == changes_story["backups"]
    delete()
    target = "aws_cli_restored"
    aws("restore-table-from-backup", *backup, "--target-table-name", target)
    assert aws("wait", "table-exists", "--table-name", target) is None
    restored = aws("scan", "--table-name", target)["Items"]
    assert [item["status"]["S"] for item in restored] == changes_story["restored"]
    deleted = aws("delete-backup", *backup)["BackupDescription"]["BackupDetails"]
    assert deleted["BackupStatus"] == changes_story["deleted"]
    for name in ("aws_cli_changes", target):
        aws("delete-table", "--table-name", name)
