"""Validation of a table's key, indexes and attribute definitions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import (
    GLOBAL_INDEXES,
    INDEX_KEY_ATTRIBUTES,
    LOCAL_INDEXES,
    PROJECTED_ATTRIBUTES,
)

KeySchema = Sequence[Mapping[str, str]]
Attributes = Sequence[Mapping[str, str]]
IndexDefinition = Mapping[str, Any]

INVALID = "One or more parameter values were invalid: "
_NOT_HASH = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
_NOT_RANGE = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
_SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"


def refuse_table(request: Mapping[str, Any]) -> None:
    """Reject a new table whose key, attributes or indexes do not fit together."""
    attributes: Attributes = request["AttributeDefinitions"]
    schema: KeySchema = request["KeySchema"]
    _refuse_duplicates(attributes)
    if len(schema) > len(attributes):
        raise ValidationException("Invalid KeySchema: Some index key attribute have no definition")
    _refuse_undefined(schema, attributes)
    _refuse_simple_schema(schema)
    local: list[IndexDefinition] | None = request.get("LocalSecondaryIndexes")
    others: list[IndexDefinition] | None = request.get("GlobalSecondaryIndexes")
    if local is None and others is None and len(schema) != len(attributes):
        raise ValidationException(
            f"{INVALID}Number of attributes in KeySchema does not exactly match number of "
            "attributes defined in AttributeDefinitions"
        )
    if local is not None:
        _refuse_local_indexes(local, schema, attributes)
    if others is not None:
        _refuse_global_indexes(others, attributes)
    refuse_indexes(local or (), others or ())
    indexes = [*(local or ()), *(others or ())]
    _refuse_unused(attributes, [schema, *(index["KeySchema"] for index in indexes)])


def refuse_indexes(local: Sequence[IndexDefinition], others: Sequence[IndexDefinition]) -> None:
    """Reject indexes that are valid each by itself but not together."""
    if len(local) > LOCAL_INDEXES:
        raise ValidationException(
            f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES}"
        )
    if len(others) > GLOBAL_INDEXES:
        raise ValidationException(
            f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES}"
        )
    _refuse_same_names([*local, *others])
    _refuse_projections([*local, *others])


def _refuse_duplicates(attributes: Attributes) -> None:
    seen: set[str] = set()
    for attribute in attributes:
        name = attribute["AttributeName"]
        if name in seen:
            raise ValidationException(f"Attribute Name is duplicated: {name}")
        seen.add(name)


def names_in(elements: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the attribute names of a key schema or of attribute definitions, in order."""
    return [element["AttributeName"] for element in elements]


def _refuse_undefined(schema: KeySchema, attributes: Attributes) -> None:
    keys, defined = names_in(schema), names_in(attributes)
    if not set(keys) <= set(defined):
        raise ValidationException(
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(keys)}], AttributeDefinitions: [{', '.join(defined)}]"
        )


def _refuse_simple_schema(schema: KeySchema) -> None:
    """Reject a key that is not one HASH attribute and perhaps one RANGE attribute."""
    if len(set(names_in(schema))) < len(schema):
        raise ValidationException(_SAME_NAME)
    if schema[0]["KeyType"] != "HASH":
        raise ValidationException(_NOT_HASH)
    if len(schema) > 1 and schema[1]["KeyType"] != "RANGE":
        raise ValidationException(_NOT_RANGE)


def _refuse_global_schema(schema: KeySchema) -> None:
    """Reject a key that is not up to four HASH attributes and then up to four RANGE ones."""
    if len(set(names_in(schema))) < len(schema):
        raise ValidationException(_SAME_NAME)
    kinds = [element["KeyType"] for element in schema]
    if kinds[0] != "HASH":
        raise ValidationException(_NOT_HASH)
    if kinds != sorted(kinds):
        raise ValidationException(
            "Invalid KeySchema: All HASH key type elements must precede all RANGE key type elements"
        )
    for kind in ("HASH", "RANGE"):
        if kinds.count(kind) > INDEX_KEY_ATTRIBUTES:
            raise ValidationException(
                f"Invalid KeySchema: The number of {kind} key type elements exceeds the limit of "
                f"{INDEX_KEY_ATTRIBUTES}"
            )


def _refuse_local_indexes(
    indexes: Sequence[IndexDefinition], table: KeySchema, attributes: Attributes
) -> None:
    if not indexes:
        raise ValidationException(f"{INVALID}List of LocalSecondaryIndexes is empty")
    if len(table) == 1:
        raise ValidationException(
            f"{INVALID}Table KeySchema does not have a range key, which is required when "
            "specifying a LocalSecondaryIndex"
        )
    for index in indexes:
        schema: KeySchema = index["KeySchema"]
        _refuse_undefined(schema, attributes)
        _refuse_simple_schema(schema)
        if len(schema) == 1:
            raise ValidationException(
                f"{INVALID}Index KeySchema does not have a range key for index: "
                f"{index['IndexName']}"
            )
        if names_in(schema)[0] != names_in(table)[0]:
            raise ValidationException(
                f"{INVALID}Index KeySchema does not have the same leading hash key as table "
                f"KeySchema for index: {index['IndexName']}. index hash key: "
                f"{names_in(schema)[0]}, table hash key: {names_in(table)[0]}"
            )
        _refuse_projection(index["Projection"])


def _refuse_global_indexes(indexes: Sequence[IndexDefinition], attributes: Attributes) -> None:
    if not indexes:
        raise ValidationException(f"{INVALID}List of GlobalSecondaryIndexes is empty")
    for index in indexes:
        refuse_global_index(index, attributes)


def refuse_global_index(index: IndexDefinition, attributes: Attributes) -> None:
    """Reject a global index whose key or projection is invalid."""
    _refuse_undefined(index["KeySchema"], attributes)
    _refuse_global_schema(index["KeySchema"])
    _refuse_projection(index["Projection"])


def _refuse_projection(projection: Mapping[str, Any]) -> None:
    kind = projection.get("ProjectionType")
    if kind is None:
        raise ValidationException(f"{INVALID}Unknown ProjectionType: null")
    if "NonKeyAttributes" in projection and kind != "INCLUDE":
        raise ValidationException(
            f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified"
        )
    if "NonKeyAttributes" not in projection and kind == "INCLUDE":
        raise ValidationException(
            f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is not specified"
        )
    names: list[str] = projection.get("NonKeyAttributes", [])
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ValidationException(f"{INVALID}Duplicate name in NonKeyAttributes: {name}")


def _refuse_same_names(indexes: Sequence[IndexDefinition]) -> None:
    seen: set[str] = set()
    for index in indexes:
        name = index["IndexName"]
        if name in seen:
            raise ValidationException(f"{INVALID}Duplicate index name: {name}")
        seen.add(name)


def _refuse_projections(indexes: Sequence[IndexDefinition]) -> None:
    """Reject indexes that together name more attributes to project than a table may."""
    named = sum(len(index["Projection"].get("NonKeyAttributes", ())) for index in indexes)
    if named > PROJECTED_ATTRIBUTES:
        raise ValidationException(
            f"{INVALID}The total number of NonKeyAttributes exceeds the per-table limit of "
            f"{PROJECTED_ATTRIBUTES}"
        )


def _refuse_unused(attributes: Attributes, schemas: Iterable[KeySchema]) -> None:
    """Reject attribute definitions that no key uses."""
    used = list(dict.fromkeys(name for schema in schemas for name in names_in(schema)))
    defined = names_in(attributes)
    if not set(defined) <= set(used):
        raise ValidationException(
            f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
            f"[{', '.join(defined)}], keys used: [{', '.join(used)}]"
        )
