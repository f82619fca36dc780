"""`python -m benchmarks.attack.damaged FILE ...`: read damaged databases, and print the outcomes.

A process of its own, since nobody knows what damage does to a process.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sortkey.engine import Engine
from sortkey.errors import SortkeyError

FINE = "fine"
INCOMPLETE = "items are missing, no read has failed, and `sortkey verify` finds nothing"
_TABLE = "Damaged"
_INDEX = "by-group"
_ITEMS = 600
_STEP = 7
_CREATE: dict[str, Any] = {
    "TableName": _TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "group")
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": _INDEX,
            "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


def fill(file: Path) -> None:
    """Create a good database."""
    with Engine.open(file) as engine:
        engine.answer("CreateTable", _CREATE)
        for number in range(_ITEMS):
            engine.answer("PutItem", {"TableName": _TABLE, "Item": _item(number)})


def main(files: Sequence[str]) -> None:
    """Read each file, and print what came of it."""
    for file in files:
        print(f"{file}\t{outcome(file)}", flush=True)


def outcome(file: str) -> str:
    """Return `FINE` if all reads are right or report the damage, and else what is wrong."""
    try:
        with Engine.open(file) as engine:
            return _read(engine)
    except SortkeyError:
        return FINE  # it says so
    except Exception as error:  # noqa: BLE001 - any other error is a finding
        return f"not an error of sortkey's own: {error!r}"


def _read(engine: Engine) -> str:
    reads: list[tuple[str, dict[str, Any], int]] = [
        ("Scan", {"TableName": _TABLE}, _ITEMS),
        ("Scan", {"TableName": _TABLE, "IndexName": _INDEX}, _ITEMS),
        *(
            ("GetItem", {"TableName": _TABLE, "Key": {"pk": _item(number)["pk"]}}, 1)
            for number in range(0, _ITEMS, _STEP)
        ),
    ]
    has_failed, is_missing = False, False
    for operation, body, expected in reads:
        try:
            answer = engine.answer(operation, body)
        except SortkeyError:
            has_failed = True
            continue
        items: list[dict[str, Any]] = answer.get("Items") or [answer.get("Item", {})]
        is_missing = is_missing or len(list(filter(None, items))) != expected
        for item in filter(None, items):
            number = item.get("number", {}).get("N", "")
            if not number.isdigit() or item != _item(int(number)):
                return f"a read was wrong in silence: {item}"
    return INCOMPLETE if is_missing and not has_failed else FINE


def _item(number: int) -> dict[str, Any]:
    return {
        "pk": {"S": f"key-{number}"},
        "group": {"S": f"group-{number % 5}"},
        "text": {"S": f"value {number} " * 20},
        "number": {"N": str(number)},
    }


if __name__ == "__main__":
    main(sys.argv[1:])
