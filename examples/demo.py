"""A shop on the embedded engine, through boto3, from an empty table to a cancelled sale."""

import re
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
from boto3.dynamodb.conditions import Attr, Key
from mypy_boto3_dynamodb import DynamoDBServiceResource
from mypy_boto3_dynamodb.service_resource import Table

CUSTOMERS = {"ada": 3, "bob": 4, "eve": 5}


def say(verb: str, text: str = "", units: float | Decimal | None = None) -> None:
    """Print a line: what was done, what came of it, and the capacity units it consumed."""
    cost = "" if units is None else f"{units:g} units"
    print(f"{verb:<10}{text:<58}{cost:>11}".rstrip())


@contextmanager
def served_engine() -> Generator[str]:
    """The address of an engine that holds its data in memory and ends with the block."""
    began = time.perf_counter()
    command = [str(Path(sys.executable).with_name("sortkey")), "serve", "--port", "0"]
    # S603: the command is our own.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            line = server.stdout.readline() if server.stdout else ""
            address = re.search(r"http://[\d.]+:\d+", line)
            if address is None:
                raise SystemExit(f"the engine did not start: {line}")
            waited = time.perf_counter() - began
            print(f"DynamoDB answers at {address[0]}, {waited:.1f} s after its start\n")
            yield address[0]
        finally:
            server.terminate()


def create(dynamodb: DynamoDBServiceResource) -> Table:
    """Make the table and its index, and wait until both can be used."""
    table = dynamodb.create_table(
        TableName="shop",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("customer", "order", "state")
        ],
        KeySchema=[
            {"AttributeName": "customer", "KeyType": "HASH"},
            {"AttributeName": "order", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_state",
                "KeySchema": [
                    {"AttributeName": "state", "KeyType": "HASH"},
                    {"AttributeName": "order", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    table.wait_until_exists()
    say("create", "a table by customer and order, with an index by state")
    return table


def write(table: Table) -> None:
    """Put a few orders of each customer."""
    units = 0.0
    orders = 0
    for customer, count in CUSTOMERS.items():
        for number in range(count):
            put = table.put_item(
                Item={
                    "customer": customer,
                    "order": f"2025-0{number + 1}-17",
                    "state": "open" if number == count - 1 else "paid",
                    "amount": Decimal(10 * (number + 1)),
                },
                ReturnConsumedCapacity="TOTAL",
            )
            units += put["ConsumedCapacity"].get("CapacityUnits", 0)
            orders += 1
    say(
        "put",
        f"{orders} orders of {len(CUSTOMERS)} customers, each in the table and the index",
        units,
    )


def query(table: Table) -> None:
    """Read the newest orders of one customer, then the open orders of all."""
    newest = table.query(
        KeyConditionExpression=Key("customer").eq("eve"),
        ScanIndexForward=False,
        Limit=3,
        ReturnConsumedCapacity="TOTAL",
    )
    say("query", "eve's newest three orders:", newest["ConsumedCapacity"].get("CapacityUnits"))
    for item in newest["Items"]:
        say("", f"  {item['order']}  {item['state']}  {item['amount']:>3}")
    unpaid = table.query(
        IndexName="by_state",
        KeyConditionExpression=Key("state").eq("open"),
        ReturnConsumedCapacity="TOTAL",
    )
    say("query", "open orders, oldest first:", unpaid["ConsumedCapacity"].get("CapacityUnits"))
    for item in unpaid["Items"]:
        say("", f"  {item['order']}  {item['customer']:<4}  {item['amount']:>3}")


def pay(table: Table) -> None:
    """Pay an order once; the second time, the condition refuses it."""
    key = {"customer": "ada", "order": "2025-03-17"}
    for _ in range(2):
        try:
            paid = table.update_item(
                Key=key,
                UpdateExpression="SET #state = :paid",
                ConditionExpression=Attr("state").eq("open"),
                ExpressionAttributeNames={"#state": "state"},
                ExpressionAttributeValues={":paid": "paid"},
                ReturnConsumedCapacity="INDEXES",
            )
        except table.meta.client.exceptions.ConditionalCheckFailedException as refusal:
            say("update", "pay it again, on the same condition")
            error = refusal.response.get("Error", {})
            say("", f"  {error.get('Code')}: {error.get('Message')}")
        else:
            used = paid["ConsumedCapacity"]
            say("update", "pay ada's order if it is open", used.get("CapacityUnits"))
            moved = used.get("GlobalSecondaryIndexes", {})["by_state"].get("CapacityUnits")
            say("", f"  {moved:g} of these move it in the index: one removal, one insertion")


def sell_in_vain(table: Table) -> None:
    """Try a transaction that must not happen, and show that none of it did."""
    sale: dict[str, Any] = {"customer": "ada", "order": "2025-09-17", "state": "open"}
    client = table.meta.client
    try:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": table.name, "Item": sale}},
                {
                    "Delete": {
                        "TableName": table.name,
                        "Key": {"customer": "bob", "order": "2025-01-17"},
                        "ConditionExpression": "amount > :limit",
                        "ExpressionAttributeValues": {":limit": 500},
                    }
                },
            ]
        )
    except client.exceptions.TransactionCanceledException as cancelled:
        say("transact", "put an order, and delete bob's if it is above 500")
        response: dict[str, Any] = dict(cancelled.response)
        say("", f"  {response['Error']['Code']}, with a reason for each action:")
        for reason in response["CancellationReasons"]:
            say("", f"    {reason['Code']}")
    kept = table.query(KeyConditionExpression=Key("customer").eq("ada"), Select="COUNT")
    say("query", f"ada still has {kept['Count']} orders: all of a transaction, or nothing")


def main() -> None:
    """Run the demonstration from start to end."""
    with served_engine() as address:
        session = boto3.Session("any", "any", region_name="us-east-1")
        # The stubs' overloads name every AWS service, and only DynamoDB's is installed.
        dynamodb = session.resource("dynamodb", endpoint_url=address)  # pyright: ignore[reportUnknownMemberType]
        table = create(dynamodb)
        write(table)
        query(table)
        pay(table)
        sell_in_vain(table)
        table.delete()
        table.wait_until_not_exists()
        say("delete", "the table")


try:
    main()
except BrokenPipeError:
    sys.stderr.close()  # whoever was reading, like head, has seen enough
