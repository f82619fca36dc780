"""Compare an existing table with the one that the design declares.

DynamoDB cannot change the keys of a table or an index, and creates local indexes only together
with their table. The only difference that can be resolved is a missing global index.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.access.targets import Target
from sortkey.design.tables.table import TableDefinition
from sortkey.errors import SortkeyError
from sortkey.wording.prose import listed

_GLOBAL, _LOCAL = "GlobalSecondaryIndexes", "LocalSecondaryIndexes"
_INSTEAD = (
    'declare it under another name, as in gsi(..., name="{0}_2"), and add that one; delete the '
    "existing index when nothing queries it"
)


class TableMismatch(SortkeyError):  # noqa: N818 - reads as what was found
    """An existing table differs from the one that the design declares."""


@dataclass(frozen=True, slots=True)
class MissingIndexes:
    """The global indexes that an existing table does not have, as CreateTable declares them."""

    table: TableDefinition
    name: str
    indexes: tuple[Mapping[str, Any], ...]
    attributes: tuple[Mapping[str, str], ...]

    @property
    def names(self) -> list[str]:
        """The names of the indexes."""
        return [index["IndexName"] for index in self.indexes]

    def __str__(self) -> str:
        return f"the {'index' if len(self.names) == 1 else 'indexes'} {listed(self.names)}"


def missing_indexes(
    table: TableDefinition, wanted: Mapping[str, Any], found: Mapping[str, Any]
) -> MissingIndexes:
    """Return the global indexes that the existing table does not have.

    Raises:
        TableMismatch: The table has a difference that cannot be resolved.
    """
    name = wanted["TableName"]
    if found["KeySchema"] != wanted["KeySchema"]:
        raise TableMismatch(
            f"the table {name} exists with other keys than {table} declares "
            f"({_keys(found)}, not {_keys(wanted)}): use another name, or delete the table"
        )
    _refuse_other_types(table, wanted, found)
    there = {
        index["IndexName"]: (member, index)
        for member in (_GLOBAL, _LOCAL)
        for index in found.get(member, ())
    }
    for member in (_GLOBAL, _LOCAL):
        for index in wanted.get(member, ()):
            if known := there.get(index["IndexName"]):
                _refuse_other_index(table, name, (member, index), known)
            elif member == _LOCAL:
                raise TableMismatch(
                    f"the table {name} exists without the local index {index['IndexName']} that "
                    f"{table} declares, and DynamoDB creates local indexes only together with "
                    "their table: declare a global index (gsi) instead, which can be added, or use "
                    "another name for the table and copy its records"
                )
    missing = [index for index in wanted.get(_GLOBAL, ()) if index["IndexName"] not in there]
    return MissingIndexes(table, name, tuple(missing), tuple(wanted["AttributeDefinitions"]))


def _refuse_other_types(
    table: TableDefinition, wanted: Mapping[str, Any], found: Mapping[str, Any]
) -> None:
    types = {a["AttributeName"]: a["AttributeType"] for a in found["AttributeDefinitions"]}
    for attribute in wanted["AttributeDefinitions"]:
        key, kind = attribute["AttributeName"], attribute["AttributeType"]
        if types.get(key, kind) == kind:
            continue
        fault = f"the key {key} of {wanted['TableName']} has type {types[key]}, and {table} "
        if key in table.key_names:
            raise TableMismatch(
                f"{fault}declares {kind}: use another name for the table, or delete it"
            )
        indexes = [
            index["IndexName"]
            for member in (_GLOBAL, _LOCAL)
            for index in found.get(member, ())
            if any(each["AttributeName"] == key for each in index["KeySchema"])
        ]
        raise TableMismatch(
            f"{fault}declares {kind}; the type of an attribute cannot change while it is a key of "
            f"{listed(indexes)}: store the new values in another attribute, such as {key}_2"
        )


def _refuse_other_index(
    table: TableDefinition,
    name: str,
    wanted: tuple[str, Mapping[str, Any]],
    found: tuple[str, Mapping[str, Any]],
) -> None:
    (member, index), (there, known) = wanted, found
    index_name = index["IndexName"]
    if there != member:
        kinds = {_GLOBAL: "global", _LOCAL: "local"}
        raise TableMismatch(
            f"{index_name} of {name} is a {kinds[there]} index, and {table} declares a "
            f"{kinds[member]} one: declare it under another name"
        )
    if known["KeySchema"] != index["KeySchema"]:
        raise TableMismatch(
            f"the index {index_name} of {name} has other keys than {table} declares "
            f"({_keys(known)}, not {_keys(index)}), and DynamoDB cannot change the keys of an "
            f"index: {_INSTEAD.format(index_name)}"
        )
    if not _covers(known["Projection"], index["Projection"]):
        raise TableMismatch(
            f"the index {index_name} of {name} has fewer attributes than {table} declares, so "
            "queries would return incomplete records, and DynamoDB cannot change the projection "
            f"of an index: {_INSTEAD.format(index_name)}"
        )


def _covers(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether an index has all the attributes of another projection."""
    if found["ProjectionType"] == "ALL" or wanted["ProjectionType"] == "KEYS_ONLY":
        return True
    if wanted["ProjectionType"] == "ALL":
        return False
    return {*wanted["NonKeyAttributes"]} <= {*found.get("NonKeyAttributes", ())}


def _keys(described: Mapping[str, Any]) -> str:
    return ", ".join(key["AttributeName"] for key in described["KeySchema"])


def lacking(missing: Sequence[MissingIndexes], target: Target, environment: str) -> TableMismatch:
    """Return the error that names the missing indexes, and how to add them to this target."""
    fault = "; ".join(
        f"the table {one.name} exists without {one} that {one.table} declares" for one in missing
    )
    env = "" if environment == "dev" else f" --env {environment}"
    command = f"sortkey backfill DESIGN --target {target.named}{env}"
    if target.abilities.creates_tables:
        return TableMismatch(
            f"{fault}: open the database with add_indexes=True, or run `{command} --add-indexes`. "
            "Both add the new keys to the stored records before they create the index, and "
            "continue a run that was interrupted"
        )
    return TableMismatch(
        f"{fault}: deploy one index after the other (`sortkey synth DESIGN --to cloudformation "
        f"--env {environment}` writes the template), then run `{command}`, and query the indexes "
        "only after it has finished"
    )
