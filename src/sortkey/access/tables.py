"""Creating missing tables as a design declares them, and deleting tables."""

from collections.abc import Sequence
from contextlib import suppress

from sortkey.access.create_request import create_body
from sortkey.access.indexes import POLL_SECONDS, add_missing_indexes
from sortkey.access.mismatch import MissingIndexes, lacking, missing_indexes
from sortkey.access.targets import Target
from sortkey.design.tables.table import TableDefinition
from sortkey.operations.operation import Context, Conversation, Pause
from sortkey.wire.errors import (
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)
from sortkey.wire.messages import Request

# A minute of waiting for another change of a table.
_MOST_POLLS = 300


def create_missing(
    tables: Sequence[TableDefinition],
    context: Context,
    target: Target,
    *,
    add_indexes: bool = False,
) -> Conversation[None]:
    """Create the tables that do not exist, and with ``add_indexes`` the missing indexes.

    Raises:
        TableMismatch: A table has another difference; no existing table was changed.
    """
    found: list[MissingIndexes] = []
    for table in tables:
        compared = yield from _found_or_created(table, context)
        found.append(compared)
    incomplete = [one for one in found if one.indexes]
    if incomplete and not add_indexes:
        raise lacking(incomplete, target, context.environment)
    for missing in incomplete:
        yield from add_missing_indexes(missing, context)
    for table in tables:
        yield from _set_expiry(table, {"TableName": table.name_in(context.environment)})


def _found_or_created(table: TableDefinition, context: Context) -> Conversation[MissingIndexes]:
    wanted = create_body(table, context.environment)
    name = {"TableName": wanted["TableName"]}
    try:
        found = (yield Request("DescribeTable", name))["Table"]
    except ResourceNotFoundException:
        with suppress(ResourceInUseException):  # another process was faster
            yield Request("CreateTable", wanted)
        found = (yield Request("DescribeTable", name))["Table"]
    while found["TableStatus"] != "ACTIVE":
        yield Pause(POLL_SECONDS)
        found = (yield Request("DescribeTable", name))["Table"]
    return missing_indexes(table, wanted, found)


def delete_existing(tables: Sequence[TableDefinition], context: Context) -> Conversation[None]:
    """Delete the tables that exist, and all their records."""
    for table in tables:
        name = {"TableName": table.name_in(context.environment)}
        with suppress(ResourceNotFoundException):
            yield from _delete(name)
            while True:
                yield Request("DescribeTable", name)
                yield Pause(POLL_SECONDS)


def _delete(name: dict[str, str]) -> Conversation[None]:
    """Delete a table, once it is no longer being changed or deleted."""
    for _ in range(_MOST_POLLS):
        with suppress(ResourceInUseException):
            yield Request("DeleteTable", name)
            return
        yield Pause(POLL_SECONDS)
    yield Request("DeleteTable", name)


def _set_expiry(table: TableDefinition, name: dict[str, str]) -> Conversation[None]:
    ttl = table.settings.ttl
    if ttl is None or (yield from _expires_by(ttl, name)):
        return
    specification = {"Enabled": True, "AttributeName": ttl}
    try:
        yield Request("UpdateTimeToLive", name | {"TimeToLiveSpecification": specification})
    except ValidationException:
        # Perhaps another process was faster.
        if not (yield from _expires_by(ttl, name)):
            raise


def _expires_by(attribute: str, name: dict[str, str]) -> Conversation[bool]:
    answer = yield Request("DescribeTimeToLive", name)
    found = answer["TimeToLiveDescription"]
    is_set = found["TimeToLiveStatus"].startswith("ENABL")
    return is_set and found.get("AttributeName") == attribute
