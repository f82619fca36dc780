"""Define the custom fields of a shop, in versions."""

from sortkey import DB, RecordError, TransactionFailed, utc_now
from sortkey_systems.shuttle.design.schemas import (
    CurrentSchema,
    MetafieldDefinition,
    MetaobjectDefinition,
    SchemaVersion,
    add_schema,
    replace_schema,
    set_validated,
)
from sortkey_systems.shuttle.errors import BadInput, SchemaChanged, raising_bad_input
from sortkey_systems.shuttle.finding import write_for_shop

# Of the JSON, which is longer than the stored item; DynamoDB allows 409,600 for an item.
MAX_BYTES = 400_000


def define(
    db: DB,
    domain: str,
    *,
    after: int,
    metafields: list[MetafieldDefinition],
    metaobjects: list[MetaobjectDefinition],
) -> CurrentSchema:
    """Store and return the next version of the schema, and make it the current one.

    ``after`` is the version that the caller has read, or 0. If two callers have read the same
    version, one stores the next, and the other gets `SchemaChanged`.
    """
    with raising_bad_input():
        current = CurrentSchema(
            domain=domain,
            version=after + 1,
            metafield_definitions=metafields,
            metaobject_definitions=metaobjects,
            last_validated_at=utc_now(),
        )
        kept = SchemaVersion.model_validate(current.model_dump())
    if len(current.model_dump_json().encode()) > MAX_BYTES:
        raise BadInput("definitions", f"must have at most {MAX_BYTES:,} bytes")
    stored = add_schema(current, kept) if after == 0 else replace_schema(current, kept, after)
    try:
        write_for_shop(db, domain, stored)
    except TransactionFailed as failed:
        if not isinstance(failed.failures[1], RecordError):
            raise
        raise SchemaChanged(f"the schema of {domain} is not at version {after}") from None
    return current


def mark_validated(db: DB, domain: str, version: int) -> CurrentSchema:
    """Mark the schema as valid, if this version is still current, and return it."""
    with raising_bad_input():
        found = set_validated(domain, version, utc_now())
    try:
        write_for_shop(db, domain, found)
    except TransactionFailed:
        raise SchemaChanged(f"the schema of {domain} is not at version {version}") from None
    return db(CurrentSchema.get(domain=domain).consistently().required())
