"""A small database with everything that a file can have, and all that it answers."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sortkey.engine import Engine
from sortkey.errors import SortkeyError

NOW = 1_000_000.0
KEY = [
    {"AttributeName": "pk", "KeyType": "HASH"},
    {"AttributeName": "sk", "KeyType": "RANGE"},
]
SHOP: dict[str, Any] = {
    "TableName": "shop",
    "KeySchema": KEY,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "status", "AttributeType": "S"},
        {"AttributeName": "amount", "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_status",
            "KeySchema": [
                {"AttributeName": "status", "KeyType": "HASH"},
                {"AttributeName": "amount", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by_amount",
            "KeySchema": [KEY[0], {"AttributeName": "amount", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
PLAIN = {
    "TableName": "plain",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "B"}],
    "BillingMode": "PAY_PER_REQUEST",
}
ITEMS = [
    {
        "pk": {"S": f"p{n % 7}"},
        "sk": {"N": str(n)},
        **({"status": {"S": "open" if n % 3 else "paid"}} if n % 5 else {}),
        "amount": {"N": str(n * 10)},
        "text": {"S": f"text {n} " * 12},
        "tags": {"SS": ["a", f"b{n}"]},
        "expires": {"N": str(int(NOW) + 1000 + n)},
    }
    for n in range(60)
]
TOKEN = {
    "TransactItems": [{"Put": {"TableName": "shop", "Item": ITEMS[0]}}],
    "ClientRequestToken": "once",
}


def write_sample(path: Path) -> None:
    """Write the database."""
    with Engine.open(path, clock=lambda: NOW) as engine:
        engine.answer("CreateTable", SHOP)
        engine.answer("CreateTable", PLAIN)
        ttl = {"Enabled": True, "AttributeName": "expires"}
        engine.answer("UpdateTimeToLive", {"TableName": "shop", "TimeToLiveSpecification": ttl})
        for item in ITEMS:
            engine.answer("PutItem", {"TableName": "shop", "Item": item})
        large = {"id": {"B": "bGFyZ2U="}, "x": {"S": "large " * 4000}}
        engine.answer("PutItem", {"TableName": "plain", "Item": large})
        engine.answer("TransactWriteItems", TOKEN)


def answers(path: Path) -> list[Any]:
    """Return what the database answers; raise if it does not."""
    found: list[Any] = []
    with Engine.open(path, clock=lambda: NOW) as engine:
        found.append(engine.answer("ListTables", {}))
        for name in ("shop", "plain"):
            found += [
                engine.answer("DescribeTable", {"TableName": name}),
                engine.answer("DescribeTimeToLive", {"TableName": name}),
                engine.answer("Scan", {"TableName": name, "ReturnConsumedCapacity": "TOTAL"}),
            ]
        found += [
            engine.answer("Scan", {"TableName": "shop", "IndexName": index})
            for index in ("by_status", "by_amount")
        ]
        for item in ITEMS:
            key = {name: item[name] for name in ("pk", "sk")}
            found.append(engine.answer("GetItem", {"TableName": "shop", "Key": key}))
        for name, value, index in (
            *(("pk", f"p{n}", None) for n in range(7)),
            *(("pk", f"p{n}", "by_amount") for n in range(7)),
            ("status", "open", "by_status"),
            ("status", "paid", "by_status"),
        ):
            for forward in (True, False):
                body: dict[str, Any] = {
                    "TableName": "shop",
                    "KeyConditionExpression": "#k = :v",
                    "ExpressionAttributeNames": {"#k": name},
                    "ExpressionAttributeValues": {":v": {"S": value}},
                    "ScanIndexForward": forward,
                }
                found.append(engine.answer("Query", body | ({"IndexName": index} if index else {})))
        found.append(engine.answer("TransactWriteItems", TOKEN))
        while engine.tend():
            pass
        found.append(engine.answer("Scan", {"TableName": "shop"})["Count"])
    return found


def outcome(path: Path) -> list[Any] | SortkeyError:
    """Return what the database answers, or sortkey's error; any other error is raised."""
    try:
        return answers(path)
    except SortkeyError as error:
        return error


def change(path: Path, *statements: str) -> None:
    """Change the file as another program would."""
    with closing(sqlite3.connect(path)) as raw:
        for statement in statements:
            raw.execute(statement)
        raw.commit()
