"""Plays the story of the smoke tests with aiodynamo, at an endpoint, and reports what it saw."""
# pyright: basic, reportMissingImports=false
# aiodynamo lives in an environment of its own, where the type checker does not look.

import asyncio
import json
import sys

import httpx
from aiodynamo.client import Client
from aiodynamo.credentials import Credentials
from aiodynamo.errors import ConditionalCheckFailed, TableNotFound, TransactionCanceled
from aiodynamo.expressions import F, HashKey, RangeKey
from aiodynamo.http.httpx import HTTPX
from aiodynamo.models import (
    BatchGetRequest,
    BatchWriteRequest,
    GlobalSecondaryIndex,
    KeySchema,
    KeySpec,
    KeyType,
    PayPerRequest,
    Projection,
    ProjectionType,
    ReturnValues,
)
from aiodynamo.operations import Put, Update
from yarl import URL

NAME = "aiodynamo_orders"
ORDER = {"customer": "ada", "order": "o-00"}
NEW = F("status").equals("new")


async def play(client: Client) -> dict[str, object]:
    report: dict[str, object] = {}
    table = client.table(NAME)

    by_status = GlobalSecondaryIndex(
        name="by_status",
        schema=KeySchema(KeySpec("status", KeyType.string), KeySpec("order", KeyType.string)),
        projection=Projection(ProjectionType.all),
        throughput=None,
    )
    await table.create(
        PayPerRequest(),
        KeySchema(KeySpec("customer", KeyType.string), KeySpec("order", KeyType.string)),
        gsis=[by_status],
        wait_for_active=True,
    )
    described = await client.send_request(action="DescribeTable", payload={"TableName": NAME})
    indexes = described["Table"]["GlobalSecondaryIndexes"]
    report["indexes"] = [index["IndexName"] for index in indexes]

    await table.put_item({**ORDER, "status": "new", "amount": 10})
    report["got"] = await table.get_item(ORDER, consistent_read=True)
    pay = F("status").set("paid") & F("amount").change(5)
    report["updated"] = await table.update_item(
        ORDER, pay, condition=NEW, return_values=ReturnValues.all_new
    )
    try:
        await table.update_item(ORDER, pay, condition=NEW)
    except ConditionalCheckFailed as error:
        report["refusal"] = type(error).__name__

    more = [
        {"customer": "ada", "order": f"o-{number:02}", "status": "new", "amount": number}
        for number in range(1, 12)
    ]
    await client.batch_write({NAME: BatchWriteRequest(items_to_put=more)})
    wanted = [{"customer": "ada", "order": order} for order in ("o-01", "o-02", "o-77")]
    fetched = await client.batch_get({NAME: BatchGetRequest(keys=wanted)})
    report["fetched"] = sorted(item["order"] for item in fetched.items[NAME])

    condition = HashKey("customer", "ada") & RangeKey("order").begins_with("o-")
    pages = [await table.query_single_page(condition, limit=5)]
    while not pages[-1].is_last_page:
        start = pages[-1].last_evaluated_key
        pages.append(await table.query_single_page(condition, limit=5, start_key=start))
    report["pages"] = [len(page.items) for page in pages]
    report["queried"] = [item["order"] async for item in table.query(condition)]
    paid = table.query(HashKey("status", "paid"), index="by_status")
    report["paid"] = [item["order"] async for item in paid]
    report["scanned"] = len([item async for item in table.scan()])

    try:
        await client.transact_write_items(
            [
                Put(NAME, {"customer": "bob", "order": "o-00", "status": "new", "amount": 1}),
                Update(NAME, ORDER, F("amount").set(0), NEW),
            ]
        )
    except TransactionCanceled as error:
        reasons = error.cancellation_reasons
        report["reasons"] = [reason.code if reason else "None" for reason in reasons]
    report["written_by_the_cancelled"] = await table.count(HashKey("customer", "bob"))

    await table.time_to_live.enable("expires", wait_for_enabled=True)
    report["expiry"] = (await table.time_to_live.describe()).attribute

    await table.delete(wait_for_disabled=True)
    try:
        await table.describe()
    except TableNotFound as error:
        report["after_deletion"] = type(error).__name__
    return report


async def main() -> None:
    async with httpx.AsyncClient() as session:
        client = Client(
            HTTPX(session),
            Credentials.auto(),
            region="us-east-1",
            endpoint=URL(sys.argv[1]),
            numeric_type=int,
        )
        json.dump(await play(client), sys.stdout)


asyncio.run(main())
