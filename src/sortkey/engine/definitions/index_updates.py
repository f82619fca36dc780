"""GlobalSecondaryIndexUpdates: add, remove or change an index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from sortkey.engine.definitions.new import new_global_index, set_limits
from sortkey.engine.definitions.schemas import (
    INVALID,
    names_in,
    refuse_global_index,
    refuse_indexes,
)
from sortkey.engine.definitions.shapes import (
    GlobalSecondaryIndex,
    IndexName,
    OnDemandThroughput,
    ProvisionedThroughput,
    WarmThroughput,
)
from sortkey.engine.definitions.throughput import (
    billing_mode,
    change_units,
    refuse_index_throughput,
    refuse_units,
)
from sortkey.engine.table import Definition
from sortkey.wire.errors import (
    LimitExceededException,
    ResourceNotFoundException,
    ValidationException,
)

_ONE_AT_A_TIME = (
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per "
    "table"
)


class UpdateGlobalSecondaryIndexAction(TypedDict):
    """An index that gets another throughput."""

    IndexName: IndexName
    ProvisionedThroughput: NotRequired[ProvisionedThroughput]
    OnDemandThroughput: NotRequired[OnDemandThroughput]
    WarmThroughput: NotRequired[WarmThroughput]


class DeleteGlobalSecondaryIndexAction(TypedDict):
    """An index that is removed."""

    IndexName: IndexName


class GlobalSecondaryIndexUpdate(TypedDict):
    """One of three changes to a global index."""

    Update: NotRequired[UpdateGlobalSecondaryIndexAction]
    Create: NotRequired[GlobalSecondaryIndex]
    Delete: NotRequired[DeleteGlobalSecondaryIndexAction]


_ACTIONS = ("Update", "Create", "Delete")


def refuse_index_updates(updates: Iterable[Mapping[str, Any]]) -> None:
    """Reject empty updates, and two updates of one index."""
    seen: set[str] = set()
    members = [f"GlobalSecondaryIndexUpdate.{action}" for action in _ACTIONS]
    for update in updates:
        actions = [action for action in _ACTIONS if action in update]
        if not actions:
            raise ValidationException(f"{INVALID}One of {', '.join(members)} must not be null")
        if len(actions) > 1:
            raise ValidationException(f"{INVALID}Only one of {', '.join(members)} may be set")
        name = update[actions[0]]["IndexName"]
        if name in seen:
            raise ValidationException(
                f"{INVALID}Only one global secondary index update per index is allowed "
                f"simultaneously. Index: {name}"
            )
        seen.add(name)


def change_indexes(definition: Definition, request: Mapping[str, Any], now: float) -> None:
    """Change the indexes in a table's definition as an UpdateTable request specifies.

    A new one is CREATING and not yet numbered; the others keep their numbers.
    """
    updates: Sequence[Mapping[str, Any]] = request.get("GlobalSecondaryIndexUpdates", ())
    if sum("Create" in update or "Delete" in update for update in updates) > 1:
        raise LimitExceededException(_ONE_AT_A_TIME)
    for update in updates:
        if "Update" in update:
            _change(definition, update["Update"], now)
        elif "Delete" in update:
            _remove(definition, update["Delete"]["IndexName"])
        else:
            _add(definition, update["Create"], request.get("AttributeDefinitions", ()))


def _change(definition: Definition, wanted: Mapping[str, Any], now: float) -> None:
    throughput: ProvisionedThroughput | None = wanted.get("ProvisionedThroughput")
    if throughput is not None:
        _refuse_blocked(throughput)
    index = _index(definition, wanted["IndexName"])
    if throughput is not None:
        refuse_index_throughput(wanted, billing_mode(definition))
        change_units(
            index["ProvisionedThroughput"], throughput, now, f"the index {wanted['IndexName']}"
        )
    set_limits(index, wanted)


def _refuse_blocked(throughput: ProvisionedThroughput) -> None:
    try:
        refuse_units(throughput)
    except ValidationException:
        raise ValidationException(
            "This operation cannot be performed with given input values. Please contact DynamoDB "
            "service team for more info: Action Blocked: IndexUpdate"
        ) from None


def _index(definition: Definition, name: str) -> Definition:
    for index in definition.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] == name:
            return index
    raise ResourceNotFoundException("Requested resource not found")


def _remove(definition: Definition, name: str) -> None:
    if any(each["IndexName"] == name for each in definition.get("LocalSecondaryIndexes", ())):
        raise ValidationException(f"{INVALID}Index is not a global secondary index: {name}")
    index = _index(definition, name)
    if any(each is not index for each in _being_made(definition)):
        raise LimitExceededException(_ONE_AT_A_TIME)
    definition["GlobalSecondaryIndexes"].remove(index)
    if not definition["GlobalSecondaryIndexes"]:
        del definition["GlobalSecondaryIndexes"]
    used = {name for schema in _schemas(definition) for name in names_in(schema)}
    definition["AttributeDefinitions"] = [
        each for each in definition["AttributeDefinitions"] if each["AttributeName"] in used
    ]


def _being_made(definition: Definition) -> Iterator[Definition]:
    return (
        each
        for each in definition.get("GlobalSecondaryIndexes", ())
        if each["IndexStatus"] == "CREATING"
    )


def _schemas(definition: Definition) -> list[Any]:
    indexes = (
        *definition.get("LocalSecondaryIndexes", ()),
        *definition.get("GlobalSecondaryIndexes", ()),
    )
    return [definition["KeySchema"], *(index["KeySchema"] for index in indexes)]


def _add(
    definition: Definition, index: Mapping[str, Any], attributes: Sequence[Mapping[str, str]]
) -> None:
    refuse_global_index(index, attributes)
    refuse_index_throughput(index, billing_mode(definition))
    others: list[Definition] = definition.get("GlobalSecondaryIndexes", [])
    local: list[Definition] = definition.get("LocalSecondaryIndexes", [])
    if any(each["IndexName"] == index["IndexName"] for each in (*others, *local)):
        raise ValidationException("Attempting to create an index which already exists")
    if any(_being_made(definition)):
        raise LimitExceededException(_ONE_AT_A_TIME)
    _refuse_redefined(definition, index, attributes)
    added = new_global_index(index, definition["TableName"], "CREATING")
    added["Backfilling"] = False
    definition["GlobalSecondaryIndexes"] = [*others, added]
    refuse_indexes(local, definition["GlobalSecondaryIndexes"])
    known = names_in(definition["AttributeDefinitions"])
    # DynamoDB ignores definitions that the new index does not use.
    definition["AttributeDefinitions"] += [
        each
        for each in attributes
        if each["AttributeName"] in names_in(index["KeySchema"])
        and each["AttributeName"] not in known
    ]


def _refuse_redefined(
    definition: Definition, index: Mapping[str, Any], attributes: Sequence[Mapping[str, str]]
) -> None:
    """Reject a key attribute that has another type in the table."""
    types = {each["AttributeName"]: each["AttributeType"] for each in attributes}
    known = {
        each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]
    }
    for name in names_in(index["KeySchema"]):
        if known.get(name, types[name]) != types[name]:
            existing = next(schema for schema in _schemas(definition) if name in names_in(schema))
            raise ValidationException(
                f"{INVALID}Attributes cannot be redefined. Please check that your attribute has "
                "the same type as previously defined. "
                f"Existing schema: {_shown(existing, known)} "
                f"New schema: {_shown(index['KeySchema'], types)}"
            )


def _shown(schema: Iterable[Mapping[str, str]], types: Mapping[str, str]) -> str:
    elements = ", ".join(
        "SchemaElement: key{"
        f"{each['AttributeName']}:{types[each['AttributeName']]}:{each['KeyType']}}}"
        for each in schema
    )
    return f"Schema:[{elements}]"
