"""TagResource: add tags to a table, or change their values."""

import copy
from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.shapes import Tag
from sortkey.engine.definitions.tags import (
    ResourceArn,
    refuse_tag_count,
    refuse_tags,
    tagged,
    tagged_table,
)
from sortkey.wire.errors import ValidationException


class TagResource(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    ResourceArn: ResourceArn
    Tags: list[Tag]


def tag_resource(db: Database, request: TagResource) -> dict[str, Any]:
    """Set the tags, and return an empty response."""
    if not request["Tags"]:
        raise ValidationException("Atleast one Tag needs to be provided as Input.")
    refuse_tags(request["Tags"])
    with db.transaction():
        table = tagged_table(db, request["ResourceArn"])
        definition = copy.deepcopy(table.definition)
        definition["Tags"] = definition.get("Tags", {}) | tagged(request["Tags"])
        refuse_tag_count(definition["Tags"])
        db.save(table.rows.number, definition)
    return {}
