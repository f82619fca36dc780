"""Add indexes to a table that has records: first the keys in every record, then the index.

Every program that opens the database assumes that an existing index is complete. So the index is
created last: until then a query of it fails, instead of missing the records that do not have its
keys yet. The records themselves are the progress: after a run that was interrupted, some records
have keys that nothing reads yet, and the next run finds them up to date. Concurrent runs repeat
each other's work, with a condition on each record, and the first to finish creates the index.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.access.create_request import create_body
from sortkey.access.mismatch import MissingIndexes, missing_indexes
from sortkey.access.rewriting import PAGE, Failure, Progress, rewrites_of
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import TableDefinition
from sortkey.errors import SortkeyError
from sortkey.operations.encryption import expect_keys
from sortkey.operations.lock import LOCK
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation, Pause
from sortkey.operations.plan import Plan
from sortkey.operations.rewrite import ScanPage
from sortkey.wire.errors import (
    LimitExceededException,
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)
from sortkey.wire.messages import Request
from sortkey.wire.values import Item
from sortkey.wording.prose import FEW, counted, listed, noun

log = logging.getLogger("sortkey")
POLL_SECONDS = 0.2
_LOGGED_EACH = 10_000
_PERHAPS_LATER = (LimitExceededException, ResourceInUseException, ValidationException)


class IndexNotAdded(SortkeyError):  # noqa: N818 - reads as what happened
    """An index was not added, because records would be missing; ``failures`` has the first."""

    def __init__(self, message: str, failures: Sequence[Failure] = ()) -> None:
        super().__init__(message)
        self.failures = tuple(failures)


def add_missing_indexes(missing: MissingIndexes, context: Context) -> Conversation[None]:
    """Add the keys of the missing indexes to the table's records, then create the indexes.

    Raises:
        IndexNotAdded: A record cannot be rewritten, or its entity is not known here.
    """
    kinds = [k for k in missing.table.entities if any(map(k.key_in, missing.names))]
    for kind in kinds:
        expect_keys(kind.secrets, context)
    of = listed([kind.name for kind in kinds]) or "no entity"
    log.info("adding %s to %s: rewriting the records of %s", missing, missing.name, of)
    progress = yield from _rewritten(missing, kinds, context)
    if progress.failed:
        raise _failed(missing, progress)
    yield from _created(missing)
    log.info("%s has %s: %d records rewritten", missing.name, missing, progress.rewritten)


def _rewritten(
    missing: MissingIndexes, kinds: Sequence[EntityKind[Any]], context: Context
) -> Conversation[Progress]:
    """Rewrite the whole table, a page at a time."""
    progress = Progress()
    position: Item | None = None
    while True:
        page = ScanPage(missing.table, 0, 1, PAGE, position)
        items, position = yield from page._steps(context)
        _refuse_unknown(missing, items)
        results = yield from rewrites_of(kinds, items, context.now())._steps(context)
        before = progress.read // _LOGGED_EACH
        progress = progress.after(results, read=len(items), locks=0)
        if progress.read // _LOGGED_EACH > before:
            counts = (progress.read, progress.rewritten)
            log.info("%s: %d items read, %d rewritten", missing.name, *counts)
        if position is None:
            return progress
        # Let an event loop run its other tasks between two pages.
        yield Pause(0)


def _refuse_unknown(missing: MissingIndexes, items: Sequence[Item]) -> None:
    """Refuse items of an entity that this program has not imported.

    Their keys for the index are not known here. Items without a type were written by another
    program, and are left unchanged.
    """
    table = missing.table
    if table.type_attribute is None:
        return
    known = {LOCK, *(kind.name for kind in table.entities)}
    for item in items:
        kind = item.get(table.type_attribute, {}).get("S")
        if kind is not None and kind not in known:
            raise IndexNotAdded(
                f"{missing.name} has items of the type {kind}, and this program has no entity of "
                f"{table} with that name, so they would be missing from {missing}: import its "
                "module before the database is opened. If the entity no longer exists, run "
                "`sortkey backfill DESIGN --add-indexes`, which knows the whole design"
            )


def _failed(missing: MissingIndexes, progress: Progress) -> IndexNotAdded:

    first = "; ".join(f"{f.entity} {f.key}: {f.reason}" for f in progress.failures[:FEW])
    more = f"; and {progress.failed - FEW} more" if progress.failed > FEW else ""
    return IndexNotAdded(
        f"{missing} {noun(len(missing.names), 'was', 'were')} not added to {missing.name}, because "
        f"{counted(progress.failed, 'record')} would be missing: {first}{more}. Correct or delete "
        "the records that cannot be rewritten, and try again",
        progress.failures,
    )


def _created(missing: MissingIndexes) -> Conversation[None]:
    """Create the indexes one after the other, as DynamoDB requires, and wait for each."""
    for index in missing.indexes:
        refused: tuple[dict[str, str], Exception] | None = None
        while True:
            answer = yield Request("DescribeTable", {"TableName": missing.name})
            found = answer["Table"]
            indexes = found.get("GlobalSecondaryIndexes", ())
            status = {each["IndexName"]: each["IndexStatus"] for each in indexes}
            if status.get(index["IndexName"]) == "ACTIVE":
                break
            if {found["TableStatus"], *status.values()} != {"ACTIVE"}:
                yield Pause(POLL_SECONDS)
                continue
            if refused is not None and refused[0] == status:
                raise refused[1]
            log.info("%s: creating the index %s", missing.name, index["IndexName"])
            try:
                yield Request("UpdateTable", _addition(missing, index, found))
            except _PERHAPS_LATER as error:
                # If the table's status changed, another process was adding an index.
                refused = status, error


def _addition(
    missing: MissingIndexes, index: Mapping[str, Any], found: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the UpdateTable request; the index has the billing mode of the table."""
    keys = {key["AttributeName"] for key in index["KeySchema"]}
    create = {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
    if found.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
        units = ("ReadCapacityUnits", "WriteCapacityUnits")
        own = {unit: found["ProvisionedThroughput"][unit] for unit in units}
        create["ProvisionedThroughput"] = index.get("ProvisionedThroughput", own)
    return {
        "TableName": missing.name,
        "AttributeDefinitions": [a for a in missing.attributes if a["AttributeName"] in keys],
        "GlobalSecondaryIndexUpdates": [{"Create": create}],
    }


@dataclass(frozen=True, slots=True)
class FindMissingIndexes(Operation[list[MissingIndexes]]):
    """The missing indexes of each table that exists."""

    tables: tuple[TableDefinition, ...]

    def _plan(self) -> Plan:
        """Return no steps: no items are read."""
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[list[MissingIndexes]]:
        """Describe each table."""
        missing: list[MissingIndexes] = []
        for table in self.tables:
            wanted = create_body(table, context.environment)
            try:
                answer = yield Request("DescribeTable", {"TableName": wanted["TableName"]})
            except ResourceNotFoundException:
                continue
            missing.append(missing_indexes(table, wanted, answer["Table"]))
        return missing


@dataclass(frozen=True, slots=True)
class CreateIndexes(Operation[None]):
    """Creates a table's missing indexes, after its records have been given their keys."""

    missing: MissingIndexes

    def _plan(self) -> Plan:
        """Return no steps: no items are written."""
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """Create each index and wait until it is active."""
        del context  # `missing` already has the table's name
        yield from _created(self.missing)
