"""The requests that every engine gets, made in advance so that making them is not measured.

The table has 10,000 items in 200 partitions of 50, and keeps this size: each write replaces or
changes an existing item, so that a Query always returns 50 items. Consecutive requests concern
different partitions, as those of independent clients would.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PARTITIONS = 200
PARTITION_ITEMS = 50
BATCH_ITEMS = 25
TABLE = "Orders"

# An odd constant that scatters consecutive numbers: faster than a generator for each item.
_MIXER = 0x9E3779B97F4A7C15

Body = dict[str, Any]
Item = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Workload:
    """One operation with many different requests."""

    name: str
    action: str
    bodies: list[Body]

    def raw_requests(self) -> list[bytes]:
        """Return the requests in their form on the wire."""
        return [raw_request(self.action, body) for body in self.bodies]


def create_table() -> Body:
    """Return the request that creates the table."""
    return {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    }


def key(partition: int, position: int) -> Item:
    """Return the key of one order of one customer."""
    return {
        "pk": {"S": f"CUSTOMER#{partition:08d}"},
        "sk": {"S": f"ORDER#2026-{1 + position % 12:02d}-17#{position:06d}"},
    }


def item(partition: int, position: int, edition: int = 0) -> Item:
    """Return an order of about 240 bytes; another edition has other values of the same size."""
    chance = (((partition * 1_000_003 + position) * 31 + edition) * _MIXER) % (1 << 61)
    return key(partition, position) | {
        "status": {"S": "PAID"},
        "email": {"S": f"customer-{partition:08d}@example.com"},
        "cents": {"N": str(10_000 + chance % 89_999)},
        "views": {"N": str(100 + chance % 899)},
        "gift": {"BOOL": chance % 2 == 0},
        "tags": {"L": [{"S": "spring"}, {"S": "returning"}]},
        "address": {
            "M": {
                "street": {"S": f"{100 + chance % 899} Harbour Street"},
                "city": {"S": "Rotterdam"},
                "postcode": {"S": f"{1000 + chance % 8999} AB"},
            }
        },
        "note": {"S": f"{chance * _MIXER:040x}"},
    }


def places() -> list[tuple[int, int]]:
    """Return every item's partition and position, always shuffled in the same way."""
    every = [(part, place) for part in range(PARTITIONS) for place in range(PARTITION_ITEMS)]
    random.Random(20260117).shuffle(every)  # noqa: S311
    return every


def get_item(partition: int, position: int) -> Body:
    """Return a read of one item."""
    return {"TableName": TABLE, "Key": key(partition, position)}


def put_item(partition: int, position: int) -> Body:
    """Return a write that replaces one item with its next edition."""
    return {"TableName": TABLE, "Item": item(partition, position, edition=1)}


def update_item(partition: int, position: int) -> Body:
    """Return a change of two attributes under a condition that holds."""
    return {
        "TableName": TABLE,
        "Key": key(partition, position),
        "UpdateExpression": "SET #views = #views + :one, note = :note",
        "ConditionExpression": "attribute_exists(pk) AND #status = :paid",
        "ExpressionAttributeNames": {"#views": "views", "#status": "status"},
        "ExpressionAttributeValues": {
            ":one": {"N": "1"},
            ":note": {"S": f"seen by {partition:08d} at {position:06d} in passing"},
            ":paid": {"S": "PAID"},
        },
    }


def query(partition: int) -> Body:
    """Return a read of one whole partition."""
    return {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": key(partition, 0)["pk"]},
    }


def batch_write(targets: list[tuple[int, int]], edition: int = 1) -> Body:
    """Return a batch that replaces these items."""
    puts = [{"PutRequest": {"Item": item(*place, edition=edition)}} for place in targets]
    return {"RequestItems": {TABLE: puts}}


def transact_write(targets: list[tuple[int, int]]) -> Body:
    """Return a transaction of two puts, a conditional update and a condition check."""
    first, second, third, fourth = targets
    return {
        "TransactItems": [
            {"Put": put_item(*first)},
            {"Put": put_item(*second)},
            {"Update": update_item(*third)},
            {
                "ConditionCheck": {
                    "TableName": TABLE,
                    "Key": key(*fourth),
                    "ConditionExpression": "attribute_exists(pk)",
                }
            },
        ]
    }


def load_table() -> list[Body]:
    """Return the batches that fill the table."""
    return [batch_write(group, edition=0) for group in _groups(places(), BATCH_ITEMS)]


def workloads() -> list[Workload]:
    """Return the six measured operations, each with requests that spread over the table."""
    every = places()
    return [
        Workload("GetItem", "GetItem", [get_item(*place) for place in every]),
        Workload("PutItem", "PutItem", [put_item(*place) for place in every]),
        Workload("UpdateItem, if", "UpdateItem", [update_item(*place) for place in every]),
        Workload("Query of 50", "Query", [query(part) for part in _shuffled_partitions()]),
        Workload("BatchWrite of 25", "BatchWriteItem", _grouped(batch_write, BATCH_ITEMS)),
        Workload("TransactWrite of 4", "TransactWriteItems", _grouped(transact_write, 4)),
    ]


def raw_request(action: str, body: Body) -> bytes:
    """Return one HTTP request with the headers of an SDK; the signature only looks valid."""
    payload = json.dumps(body, separators=(",", ":")).encode()
    head = "\r\n".join(["POST / HTTP/1.1", *(f"{k}: {v}" for k, v in headers(action).items())])
    return f"{head}\r\nContent-Length: {len(payload)}\r\n\r\n".encode() + payload


def headers(action: str) -> dict[str, str]:
    """Return a request's headers, except its length."""
    return {
        "Host": "127.0.0.1",
        "X-Amz-Target": f"DynamoDB_20120810.{action}",
        "Content-Type": "application/x-amz-json-1.0",
        "User-Agent": "wrk",
        "X-Amz-Date": "20260117T120000Z",
        "Authorization": (
            "AWS4-HMAC-SHA256 Credential=benchmark/20260117/us-east-1/dynamodb/aws4_request, "
            f"SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={'5f' * 32}"
        ),
    }


def _shuffled_partitions() -> list[int]:
    partitions = list(range(PARTITIONS))
    random.Random(17).shuffle(partitions)  # noqa: S311
    return partitions


def _groups(every: list[tuple[int, int]], size: int) -> list[list[tuple[int, int]]]:
    return [every[start : start + size] for start in range(0, len(every), size)]


def _grouped(make: Callable[[list[tuple[int, int]]], Body], size: int) -> list[Body]:
    return [make(group) for group in _groups(places(), size)]
