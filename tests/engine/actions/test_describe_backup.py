"""DescribeBackup."""

import pytest
from tests.engine.recoverable import START, TABLE, Recoverable, recoverable

from sortkey.wire.errors import BackupNotFoundException, ValidationException

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/orders"


@pytest.fixture
def shop() -> Recoverable:
    return recoverable()


@pytest.mark.parametrize(
    ("arn", "reason"),
    [("short", "length greater than or equal to 37"), (ARN, "Invalid Backup ARN")],
)
def test_a_text_that_is_no_backup_is_rejected(shop: Recoverable, arn: str, reason: str) -> None:
    with pytest.raises(ValidationException, match=reason):
        shop.ask("DescribeBackup", BackupArn=arn)


def test_an_unknown_backup_is_named(shop: Recoverable) -> None:
    arn = f"{ARN}/backup/01489173575360-b308cd7d"
    with pytest.raises(BackupNotFoundException, match=f"Backup not found: {arn}"):
        shop.ask("DescribeBackup", BackupArn=arn)


def test_the_table_is_described_as_it_was(shop: Recoverable) -> None:
    setting = {"Enabled": True, "AttributeName": "ends"}
    shop.ask("UpdateTimeToLive", TableName="orders", TimeToLiveSpecification=setting)
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    shop.ask(
        "UpdateTable",
        TableName="orders",
        StreamSpecification=stream,
        SSESpecification={"Enabled": True},
        OnDemandThroughput={"MaxReadRequestUnits": 7},
    )
    shop.put("a")
    arn = shop.back_up()
    table = shop.ask("DescribeTable", TableName="orders")["Table"]
    shop.clock.move(5)
    shop.put("b")

    described = shop.ask("DescribeBackup", BackupArn=arn)["BackupDescription"]

    assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
    assert "BackupExpiryDateTime" not in described["BackupDetails"]
    assert described["SourceTableDetails"] == {
        "TableName": "orders",
        "TableId": table["TableId"],
        "TableArn": ARN,
        "TableSizeBytes": 18,
        "KeySchema": TABLE["KeySchema"],
        "TableCreationDateTime": START,
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "OnDemandThroughput": {"MaxReadRequestUnits": 7},
        "ItemCount": 1,
        "BillingMode": "PAY_PER_REQUEST",
    }
    assert described["SourceTableFeatureDetails"] == {
        "LocalSecondaryIndexes": TABLE["LocalSecondaryIndexes"],
        "GlobalSecondaryIndexes": [
            TABLE["GlobalSecondaryIndexes"][0]
            | {"ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}}
        ],
        "StreamDescription": stream,
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"},
        "SSEDescription": table["SSEDescription"],
    }
