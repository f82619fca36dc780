"""Checks that an engine responds correctly: a benchmark of errors would flatter it."""

from collections.abc import Callable
from typing import Any

from benchmarks.peers import PeerError, Running
from benchmarks.workloads import (
    PARTITION_ITEMS,
    TABLE,
    Item,
    Workload,
    create_table,
    get_item,
    item,
    load_table,
    places,
)


def fill(engine: Running) -> None:
    """Create the benchmark's table in an engine and load its items."""
    engine.call("CreateTable", create_table())
    while engine.call("DescribeTable", {"TableName": TABLE})["Table"]["TableStatus"] != "ACTIVE":
        pass
    for batch in load_table():
        if engine.call("BatchWriteItem", batch).get("UnprocessedItems"):
            raise PeerError(f"{engine.peer.name} left items of a batch unprocessed")


def check_answers(engine: Running, workloads: list[Workload]) -> None:
    """Check the response or effect of the first request of each workload, or raise `PeerError`."""
    for workload in workloads:
        if workload.action not in engine.peer.lacks:
            answer = engine.call(workload.action, workload.bodies[0])
            _CHECKS[workload.action](engine, workload.bodies[0], answer)


def _expect(engine: Running, action: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise PeerError(
            f"{engine.peer.name} is wrong at {action}:\n  {found!r}\ninstead of\n  {wanted!r}"
        )


def _stored(engine: Running, place: tuple[int, int]) -> Item | None:
    return engine.call("GetItem", get_item(*place) | {"ConsistentRead": True}).get("Item")


def _updated(place: tuple[int, int], edition: int, body: dict[str, Any]) -> Item:
    before = item(*place, edition=edition)
    return before | {
        "views": {"N": str(int(before["views"]["N"]) + 1)},
        "note": body["ExpressionAttributeValues"][":note"],
    }


def _check_get(engine: Running, _: dict[str, Any], answer: dict[str, Any]) -> None:
    _expect(engine, "GetItem", answer.get("Item"), item(*places()[0]))


def _check_put(engine: Running, body: dict[str, Any], _: dict[str, Any]) -> None:
    _expect(engine, "PutItem", _stored(engine, places()[0]), body["Item"])


def _check_update(engine: Running, body: dict[str, Any], _: dict[str, Any]) -> None:
    # The put before left the next edition here.
    place = places()[0]
    _expect(engine, "UpdateItem", _stored(engine, place), _updated(place, 1, body))


def _check_query(engine: Running, body: dict[str, Any], answer: dict[str, Any]) -> None:
    wanted = body["ExpressionAttributeValues"][":pk"]
    found: list[Item] = answer["Items"]
    sort_keys = [each["sk"]["S"] for each in found]
    _expect(engine, "Query", len(found), PARTITION_ITEMS)
    _expect(engine, "Query", answer["Count"], PARTITION_ITEMS)
    _expect(engine, "Query", [each["pk"] for each in found], [wanted] * PARTITION_ITEMS)
    _expect(engine, "Query", sort_keys, sorted(sort_keys))


def _check_batch(engine: Running, body: dict[str, Any], answer: dict[str, Any]) -> None:
    _expect(engine, "BatchWriteItem", answer.get("UnprocessedItems"), {})
    puts = body["RequestItems"][TABLE]
    for place, put in zip(places(), puts, strict=False):
        _expect(engine, "BatchWriteItem", _stored(engine, place), put["PutRequest"]["Item"])


def _check_transaction(engine: Running, body: dict[str, Any], _: dict[str, Any]) -> None:
    first, second, third, *_rest = places()
    actions = body["TransactItems"]
    _expect(engine, "TransactWriteItems", _stored(engine, first), actions[0]["Put"]["Item"])
    _expect(engine, "TransactWriteItems", _stored(engine, second), actions[1]["Put"]["Item"])
    # The batch before left the next edition here.
    wanted = _updated(third, 1, actions[2]["Update"])
    _expect(engine, "TransactWriteItems", _stored(engine, third), wanted)


_CHECKS: dict[str, Callable[[Running, dict[str, Any], dict[str, Any]], None]] = {
    "GetItem": _check_get,
    "PutItem": _check_put,
    "UpdateItem": _check_update,
    "Query": _check_query,
    "BatchWriteItem": _check_batch,
    "TransactWriteItems": _check_transaction,
}
