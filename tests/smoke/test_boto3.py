import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError
from mypy_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource
from mypy_boto3_dynamodb.service_resource import Table
from mypy_boto3_dynamodb.type_defs import (
    ParameterizedStatementTypeDef,
    TransactWriteItemTypeDef,
)

ORDER = {"customer": {"S": "ada"}, "order": {"S": "o-00"}}


@pytest.fixture
def session() -> boto3.Session:
    return boto3.Session("smoke", "smoke", region_name="us-east-1")


# The stubs' overloads name every AWS service, and only DynamoDB's is installed: hence the ignores.
@pytest.fixture
def client(session: boto3.Session, endpoint: str) -> Iterator[DynamoDBClient]:
    dynamodb = session.client("dynamodb", endpoint_url=endpoint)  # pyright: ignore[reportUnknownMemberType]
    yield dynamodb
    dynamodb.close()


@pytest.fixture
def resource(session: boto3.Session, endpoint: str) -> Iterator[DynamoDBServiceResource]:
    dynamodb = session.resource("dynamodb", endpoint_url=endpoint)  # pyright: ignore[reportUnknownMemberType]
    yield dynamodb
    dynamodb.meta.client.close()


@pytest.fixture
def streams(session: boto3.Session, endpoint: str) -> Iterator[Any]:
    create: Any = session.client  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    dynamodbstreams = create("dynamodbstreams", endpoint_url=endpoint)
    yield dynamodbstreams
    dynamodbstreams.close()


@pytest.fixture
def table(client: DynamoDBClient, request: pytest.FixtureRequest) -> Iterator[str]:
    """A table of orders, made and removed through the waiters, and named after its test."""
    name = request.node.name
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "customer", "AttributeType": "S"},
            {"AttributeName": "order", "AttributeType": "S"},
            {"AttributeName": "status", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "customer", "KeyType": "HASH"},
            {"AttributeName": "order", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_status",
                "KeySchema": [
                    {"AttributeName": "status", "KeyType": "HASH"},
                    {"AttributeName": "order", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    client.get_waiter("table_exists").wait(TableName=name)
    yield name
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name)
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=name)


def fill(table: Table) -> None:
    with table.batch_writer() as batch:
        for number in range(12):
            batch.put_item(
                Item={
                    "customer": "ada",
                    "order": f"o-{number:02}",
                    "status": "paid" if number == 0 else "new",
                    "amount": number,
                }
            )


def test_the_client_puts_gets_and_updates_on_a_condition(
    client: DynamoDBClient, table: str
) -> None:
    client.put_item(
        TableName=table, Item={**ORDER, "status": {"S": "new"}, "amount": {"N": "10.50"}}
    )
    got = client.get_item(TableName=table, Key=ORDER, ReturnConsumedCapacity="TOTAL")
    assert got.get("Item") == {**ORDER, "status": {"S": "new"}, "amount": {"N": "10.5"}}
    assert got.get("ConsumedCapacity") == {"TableName": table, "CapacityUnits": 0.5}

    def pay() -> dict[str, Any]:
        updated = client.update_item(
            TableName=table,
            Key=ORDER,
            UpdateExpression="SET #s = :paid, amount = amount + :more",
            ConditionExpression="#s = :new",
            ExpressionAttributeNames={"#s": "status"},
            ExpressionAttributeValues={
                ":paid": {"S": "paid"},
                ":new": {"S": "new"},
                ":more": {"N": "5"},
            },
            ReturnValues="UPDATED_NEW",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
        return dict(updated["Attributes"])

    assert pay() == {"status": {"S": "paid"}, "amount": {"N": "15.5"}}
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as refusal:
        pay()
    assert refusal.value.response.get("Error") == {
        "Code": "ConditionalCheckFailedException",
        "Message": "The conditional request failed",
    }
    response: dict[str, Any] = dict(refusal.value.response)
    assert response["Item"] == {**ORDER, "status": {"S": "paid"}, "amount": {"N": "15.5"}}


def test_the_paginators_walk_through_every_page(
    client: DynamoDBClient, resource: DynamoDBServiceResource, table: str
) -> None:
    fill(resource.Table(table))
    queried = client.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="customer = :customer",
        ExpressionAttributeValues={":customer": {"S": "ada"}},
        PaginationConfig={"PageSize": 5},
    )
    pages = [[item["order"].get("S") for item in page["Items"]] for page in queried]
    assert [len(page) for page in pages] == [5, 5, 2]
    assert [order for page in pages for order in page] == [f"o-{number:02}" for number in range(12)]

    scanned = client.get_paginator("scan").paginate(
        TableName=table, PaginationConfig={"PageSize": 5}
    )
    assert sum(page["Count"] for page in scanned) == 12
    listed = client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1})
    assert table in [name for page in listed for name in page["TableNames"]]


def test_the_resource_speaks_python_values(resource: DynamoDBServiceResource, table: str) -> None:
    orders = resource.Table(table)
    fill(orders)
    assert orders.table_status == "ACTIVE"

    nested = {"lines": [{"sku": "tea", "count": 2}], "note": None, "gift": True}
    rich = {
        "customer": "ada",
        "order": "rich",
        "kinds": {"a", "b"},
        "raw": b"\0\xff",
        **nested,
    }
    orders.put_item(Item=rich)
    got = orders.get_item(Key={"customer": "ada", "order": "rich"}).get("Item", {})
    assert got == rich

    newest = orders.query(
        KeyConditionExpression=Key("customer").eq("ada") & Key("order").begins_with("o-"),
        FilterExpression=Attr("amount").gte(Decimal(9)),
        ScanIndexForward=False,
    )
    assert [item["order"] for item in newest["Items"]] == ["o-11", "o-10", "o-09"]
    assert newest["ScannedCount"] == 12
    paid = orders.query(IndexName="by_status", KeyConditionExpression=Key("status").eq("paid"))
    assert [item["order"] for item in paid["Items"]] == ["o-00"]
    keys = [{"customer": "ada", "order": name} for name in ("o-01", "o-02", "o-77")]
    fetched = resource.batch_get_item(RequestItems={table: {"Keys": keys}})["Responses"][table]
    assert sorted(str(item["order"]) for item in fetched) == ["o-01", "o-02"]


def test_a_cancelled_transaction_names_its_reasons(client: DynamoDBClient, table: str) -> None:
    item = {**ORDER, "status": {"S": "paid"}}
    client.put_item(TableName=table, Item=item)
    bobs = {"customer": {"S": "bob"}, "order": {"S": "o-00"}}
    transaction: list[TransactWriteItemTypeDef] = [
        {"Put": {"TableName": table, "Item": bobs}},
        {
            "ConditionCheck": {
                "TableName": table,
                "Key": ORDER,
                "ConditionExpression": "attribute_not_exists(customer)",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        },
    ]
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=transaction)
    response: dict[str, Any] = dict(cancelled.value.response)
    assert response["CancellationReasons"] == [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": item,
        },
    ]
    assert "Item" not in client.get_item(TableName=table, Key=bobs)

    client.transact_write_items(TransactItems=transaction[:1])
    got = client.transact_get_items(TransactItems=[{"Get": {"TableName": table, "Key": bobs}}])
    assert got["Responses"] == [{"Item": bobs}]


def test_expiry_and_tags_are_kept(client: DynamoDBClient, table: str) -> None:
    client.update_time_to_live(
        TableName=table,
        TimeToLiveSpecification={"AttributeName": "expires", "Enabled": True},
    )
    expiry = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert expiry.get("AttributeName") == "expires"

    arn = client.describe_table(TableName=table)["Table"].get("TableArn", "")
    client.tag_resource(
        ResourceArn=arn,
        Tags=[{"Key": "team", "Value": "shop"}, {"Key": "stage", "Value": "test"}],
    )
    client.untag_resource(ResourceArn=arn, TagKeys=["stage"])
    assert client.list_tags_of_resource(ResourceArn=arn)["Tags"] == [
        {"Key": "team", "Value": "shop"}
    ]


def test_a_bad_request_is_a_client_error_with_dynamodb_s_message(
    client: DynamoDBClient, table: str
) -> None:
    with pytest.raises(ClientError) as refusal:
        client.get_item(TableName=table, Key={"customer": {"S": "ada"}})
    assert refusal.value.response.get("Error") == {
        "Code": "ValidationException",
        "Message": "The provided key element does not match the schema",
    }


def test_statements_are_read_in_pages_and_written_in_transactions(
    client: DynamoDBClient, table: str
) -> None:
    inserts: list[ParameterizedStatementTypeDef] = [
        {"Statement": f"INSERT INTO {table} VALUE {{'customer': 'ada', 'order': 'o-{number}'}}"}
        for number in range(3)
    ]
    client.execute_transaction(TransactStatements=inserts)
    text = f'SELECT "order" FROM {table} WHERE customer = ?'

    found: list[str] = []
    token: dict[str, Any] = {}
    while True:
        page = client.execute_statement(Statement=text, Parameters=[{"S": "ada"}], Limit=2, **token)
        found += [item["order"].get("S", "") for item in page.get("Items", [])]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}

    assert found == ["o-0", "o-1", "o-2"]
    with pytest.raises(client.exceptions.DuplicateItemException):
        client.execute_statement(Statement=inserts[0]["Statement"])
    with pytest.raises(client.exceptions.TransactionCanceledException) as raised:
        client.execute_transaction(TransactStatements=inserts[:1])
    reasons = raised.value.response.get("CancellationReasons", [])
    assert [reason.get("Code") for reason in reasons] == ["DuplicateItem"]
    batch = client.batch_execute_statement(Statements=[{"Statement": "nonsense"}])
    assert batch["Responses"][0].get("Error", {}).get("Code") == "ValidationError"


def changed_status(record: dict[str, Any]) -> list[str | None]:
    images = (record["dynamodb"].get(name) for name in ("OldImage", "NewImage"))
    return [record["eventName"], *(image and image["status"]["S"] for image in images)]


def test_a_stream_is_read_in_pages_from_its_oldest_change(
    client: DynamoDBClient, streams: Any, table: str, changes_story: dict[str, Any]
) -> None:
    client.update_table(
        TableName=table,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    for status in ("new", "paid"):
        client.put_item(TableName=table, Item={**ORDER, "status": {"S": status}})
    client.delete_item(TableName=table, Key=ORDER)
    client.put_item(TableName=table, Item={**ORDER, "status": {"S": "again"}})

    [stream] = streams.list_streams(TableName=table)["Streams"]
    arn = stream["StreamArn"]
    [shard] = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    read: list[dict[str, Any]] = []
    while page := streams.get_records(ShardIterator=iterator, Limit=3):
        read += page["Records"]
        if not page["Records"]:
            break
        iterator = page["NextShardIterator"]

    assert [changed_status(record) for record in read] == changes_story["changes"]
    with pytest.raises(streams.exceptions.ResourceNotFoundException):
        streams.describe_stream(StreamArn=arn.replace(table, "nowhere"))


def test_a_backup_is_made_and_restored(
    client: DynamoDBClient, table: str, changes_story: dict[str, Any]
) -> None:
    client.put_item(TableName=table, Item={**ORDER, "status": {"S": "again"}})
    made = client.create_backup(TableName=table, BackupName="first")["BackupDetails"]
    arn = made["BackupArn"]

    def status() -> str:
        description = client.describe_backup(BackupArn=arn)["BackupDescription"]
        return description.get("BackupDetails", made)["BackupStatus"]

    while status() == "CREATING":
        time.sleep(0.05)
    assert status() == changes_story["backup"]
    listed = client.list_backups(TableName=table)["BackupSummaries"]
    assert [each.get("BackupName") for each in listed] == changes_story["backups"]

    client.delete_item(TableName=table, Key=ORDER)
    target = f"{table}_restored"
    client.restore_table_from_backup(BackupArn=arn, TargetTableName=target)
    client.get_waiter("table_exists").wait(TableName=target, WaiterConfig={"Delay": 1})
    restored = client.scan(TableName=target, IndexName="by_status")["Items"]
    assert [item["status"].get("S") for item in restored] == changes_story["restored"]
    deleted = client.delete_backup(BackupArn=arn)["BackupDescription"]
    assert deleted.get("BackupDetails", made)["BackupStatus"] == changes_story["deleted"]
    client.delete_table(TableName=target)


def test_a_table_is_restored_to_the_latest_time(client: DynamoDBClient, table: str) -> None:
    client.put_item(TableName=table, Item={**ORDER, "status": {"S": "paid"}})
    client.update_continuous_backups(
        TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    described = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    recovery = described.get("PointInTimeRecoveryDescription", {})
    assert recovery.get("PointInTimeRecoveryStatus") == "ENABLED"

    target = f"{table}_restored"
    client.restore_table_to_point_in_time(
        SourceTableName=table, TargetTableName=target, UseLatestRestorableTime=True
    )
    client.get_waiter("table_exists").wait(TableName=target, WaiterConfig={"Delay": 1})
    restored = client.scan(TableName=target)["Items"]
    assert [item["status"].get("S") for item in restored] == ["paid"]
    client.delete_table(TableName=target)
