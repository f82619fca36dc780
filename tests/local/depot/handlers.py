"""The functions of the depot."""

import json
import logging
import os
import time
from typing import Any

from depot.design import CARRIER_KEY, Count, Depot, Parcel, labels, sent
from sortkey import (
    DB,
    AsyncDB,
    lambda_handler,
    load_object,
    send,
    setting_value,
    store_object,
    utc_now,
)

_log = logging.getLogger("depot")
calls: list[str] = []


@lambda_handler(Depot)
def parcels(event: dict[str, Any], context: Any, db: DB) -> Any:
    calls.append(context.aws_request_id)
    match event["routeKey"]:
        case "GET /":
            return {
                "greeting": os.environ["GREETING"],
                "calls": len(calls),
                "now": utc_now().isoformat(),
            }
        case "POST /parcels":
            claims = event["requestContext"]["authorizer"]["jwt"]["claims"]
            sent_body = json.loads(event["body"])
            parcel_id = sent_body["parcel_id"]
            phone = sent_body.get("phone")
            db(Parcel(parcel_id=parcel_id, owner=claims["sub"], phone=phone).create())
            send(sent, {"parcel_id": parcel_id})
            _log.info("stored %s", parcel_id)
            return {"statusCode": 201, "body": json.dumps({"parcel_id": parcel_id})}
        case "GET /parcels/{parcel_id}":
            parcel_id = event["pathParameters"]["parcel_id"]
            found = db(Parcel.get(parcel_id=parcel_id))
            label = load_object(labels, f"{parcel_id}.txt")
            if found is None:
                return {"statusCode": 404, "body": "no such parcel"}
            text = None if label is None else label.decode()
            return {"owner": found.owner, "label": text, "phone": found.phone}
        case "POST /hooks/carrier":
            is_signed = event["headers"].get("x-key") == setting_value(CARRIER_KEY)
            return {"statusCode": 200 if is_signed else 403, "cookies": ["a=1", "b=2"]}
        case _:
            return trouble(event["pathParameters"]["kind"])


def trouble(kind: str) -> Any:
    if kind == "slow":
        time.sleep(30)
    if kind == "exit":
        os._exit(3)
    if kind == "answer":
        return {"statusCode": "many"}
    raise RuntimeError("trouble")


def print_labels(event: dict[str, Any], context: Any) -> dict[str, Any]:
    failed: list[dict[str, str]] = []
    for record in event["Records"]:
        parcel_id = json.loads(record["body"])["parcel_id"]
        if parcel_id == "broken":
            failed.append({"itemIdentifier": record["messageId"]})
        else:
            store_object(labels, f"{parcel_id}.txt", f"Parcel {parcel_id}")
    print(f"printed {len(event['Records']) - len(failed)} labels")  # noqa: T201 - into the log
    return {"batchItemFailures": failed}


@lambda_handler(Depot)
def count(event: dict[str, Any], context: Any, db: DB) -> dict[str, Any]:
    parcels = [record["dynamodb"]["NewImage"]["parcel_id"]["S"] for record in event["Records"]]
    if "poison" in parcels:
        raise ValueError("poison")
    db(Count.upsert(name="parcels").add(number=len(parcels)))
    return {"batchItemFailures": []}


@lambda_handler(Depot)
async def sweep(event: dict[str, Any], context: Any, db: AsyncDB) -> None:
    await db(Count.upsert(name="sweeps").add(number=1))
    await db(Count.upsert(name=f"sweep {event['time']}").add(number=1))
    _log.info("swept in %s", utc_now().strftime("%B %Y"))
