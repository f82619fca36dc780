"""BatchGetItem: up to a hundred items of any tables by their keys, or as many as fit in 16 MB."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NotRequired, TypedDict

import orjson

from sortkey.engine.capacity import read_units
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.named_tables import KeysAreTableNames
from sortkey.engine.parameters import AttributeNames, ConsumedCapacity, placeholders, projection_of
from sortkey.engine.promptness import refuse_long
from sortkey.engine.tally import Tally
from sortkey.engine.weather import Demand, Excess, throttled
from sortkey.expressions.projection import Projection
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import BATCH_BYTES, BATCH_GET_KEYS
from sortkey.wire.values import AttributeValue, read_item

# How much faster an item is returned whole than in parts, for which it is parsed.
_WHOLE_IS_FASTER = 10


class KeysAndAttributes(TypedDict):
    """The keys and attributes to read from one table."""

    Keys: list[dict[str, AttributeValue]]
    AttributesToGet: NotRequired[AttributeNames]
    ConsistentRead: NotRequired[bool]
    ProjectionExpression: NotRequired[str]
    ExpressionAttributeNames: NotRequired[dict[str, str]]


class BatchGetItem(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    RequestItems: Annotated[dict[str, KeysAndAttributes], KeysAreTableNames()]


def batch_get_item(db: Database, request: BatchGetItem) -> dict[str, Any]:
    """Return the existing items by table, and the keys that did not fit into the response."""
    batches = request["RequestItems"]
    _refuse_lengths(batches)
    _refuse_mixture(batches)
    projections = [_projection(batch) for batch in _checked(batches)]
    tables = [db.table(name) for name in batches]
    for table, projection in zip(tables, projections, strict=True):
        if projection is not None:
            table.refuse_nested_keys(projection.nested_names)
    # A number can be written in two ways; the item is returned once.
    rows = [
        {table.key_of(key): key for key in batch["Keys"]}
        for table, batch in zip(tables, batches.values(), strict=True)
    ]

    responses: dict[str, list[Any]] = {}
    unprocessed: dict[str, dict[str, Any]] = {}
    tally = Tally(request)
    room = BATCH_BYTES
    work = 0
    served = 0
    excesses: list[Excess] = []
    for (name, batch), table, projection, keys in zip(
        batches.items(), tables, projections, rows, strict=True
    ):
        found = responses[name] = []
        usage = tally.usage(table, name)
        consistent = batch.get("ConsistentRead", False)
        source = db.present if consistent else db
        for row, key in keys.items():
            stored = source.get(table, row) if room > 0 else None
            size = 0 if stored is None else stored.size
            if room <= 0 or size > room:
                room = 0
                unprocessed.setdefault(name, {**batch, "Keys": []})["Keys"].append(key)
                continue
            units = read_units(size, consistent=consistent)
            if db.weather is not None:
                is_late = served > 0 and db.weather.ends_early
                found_excesses = (
                    [] if is_late else db.weather.meet([Demand.read(table, None, row, units)])
                )
                if is_late or found_excesses:
                    excesses += found_excesses
                    unprocessed.setdefault(name, {**batch, "Keys": []})["Keys"].append(key)
                    continue
            room -= size
            served += 1
            usage.read(units)
            if stored is not None:
                work += stored.steps // (_WHOLE_IS_FASTER if projection is None else 1)
                refuse_long(work)
                found.append(_part(stored, projection))
    if excesses and not served:
        raise throttled(excesses)
    return {"Responses": responses, "UnprocessedKeys": unprocessed} | tally.report()


def _refuse_lengths(batches: Mapping[str, KeysAndAttributes]) -> None:
    if not batches:
        raise _too_short("RequestItems")
    for name, batch in batches.items():
        path = f"RequestItems.{name}.member.Keys"
        if not batch["Keys"]:
            raise _too_short(path)
        if len(batch["Keys"]) > BATCH_GET_KEYS:
            raise ValidationException(
                f"1 validation error detected: Value at '{path}' failed to satisfy constraint: "
                f"Member must have length less than or equal to {BATCH_GET_KEYS}"
            )


def _too_short(path: str) -> ValidationException:
    return ValidationException(
        f"1 validation error detected: Value at '{path}' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def _refuse_mixture(batches: Mapping[str, KeysAndAttributes]) -> None:
    """Reject expressions for one table and legacy parameters for another."""
    given = {member for batch in batches.values() for member in batch}
    if {"ProjectionExpression", "AttributesToGet"} <= given:
        raise ValidationException(
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} "
            "Expression parameters: {ProjectionExpression}"
        )


def _checked(batches: Mapping[str, KeysAndAttributes]) -> Iterator[KeysAndAttributes]:
    """Yield each table's batch after the batches before it were validated."""
    count = 0
    for batch in batches.values():
        yield batch
        seen: set[bytes] = set()
        for key in batch["Keys"]:
            read_item(key)
            seen.add(orjson.dumps(key, option=orjson.OPT_SORT_KEYS))
        count += len(batch["Keys"])
        if len(seen) < len(batch["Keys"]):
            raise ValidationException("Provided list of item keys contains duplicates")
        if count > BATCH_GET_KEYS:
            raise ValidationException("Too many items requested for the BatchGetItem call")


def _projection(batch: KeysAndAttributes) -> Projection | None:
    given = placeholders(batch, expressions=("ProjectionExpression",), old=("AttributesToGet",))
    projection = projection_of(batch, given)
    given.refuse_unused()
    return projection


def _part(stored: EngineItem, projection: Projection | None) -> Any:
    return orjson.Fragment(stored.raw) if projection is None else projection.apply(stored.item)
