"""Defining: the fields that a shop has of its own, version by version."""

from sortkey import DB, ConditionFailed, NotFound, TransactionFailed, WriteFailed, utc_now
from sortkey_systems.shuttle.design import (
    CurrentSchema,
    MetafieldDefinition,
    MetaobjectDefinition,
    SchemaVersion,
)
from sortkey_systems.shuttle.design.writes import add_schema, replace_schema, set_validated
from sortkey_systems.shuttle.errors import BadInput, SchemaChanged, checked
from sortkey_systems.shuttle.metering import write_for_shop

# As JSON, which is longer than what is stored: a record of DynamoDB has 409,600.
LARGEST_BYTES = 400_000


def define(
    db: DB,
    domain: str,
    *,
    after: int,
    metafields: list[MetafieldDefinition],
    metaobjects: list[MetaobjectDefinition],
) -> CurrentSchema:
    """The next version of the schema, which becomes the current one and is kept for ever.

    ``after`` is the version that the caller has seen, or 0: of two who have seen the same, one
    stores the next, and the other learns that it changed.
    """
    with checked():
        current = CurrentSchema(
            domain=domain,
            version=after + 1,
            metafield_definitions=metafields,
            metaobject_definitions=metaobjects,
            last_validated_at=utc_now(),
        )
        kept = SchemaVersion.model_validate(current.model_dump())
    if len(current.model_dump_json().encode()) > LARGEST_BYTES:
        raise BadInput("definitions", f"they have more than {LARGEST_BYTES:,} bytes")
    stored = add_schema(current, kept) if after == 0 else replace_schema(current, kept, after)
    try:
        write_for_shop(db, domain, stored)
    except TransactionFailed as failed:
        if not isinstance(failed.failures[1], WriteFailed):
            raise
        raise SchemaChanged(f"the schema of {domain} is not at version {after}") from None
    return current


def mark_validated(db: DB, domain: str, version: int) -> CurrentSchema:
    """The current schema, found valid now; only if it is still the version that was looked at."""
    with checked():
        found = set_validated(domain, version, utc_now())
    try:
        return db(found)
    except (ConditionFailed, NotFound):
        raise SchemaChanged(f"the schema of {domain} is not at version {version}") from None
