"""UntagResource: remove tags from a table."""

import copy
from typing import Annotated, Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.tags import ResourceArn, tagged_table
from sortkey.engine.shapes import Length
from sortkey.wire.errors import ValidationException


class UntagResource(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    ResourceArn: ResourceArn
    TagKeys: list[Annotated[str, Length(1, 128)]]


def untag_resource(db: Database, request: UntagResource) -> dict[str, Any]:
    """Remove the tags, ignoring unknown keys, and return an empty response."""
    if not request["TagKeys"]:
        raise ValidationException("Atleast one Tag Key needs to be provided as Input.")
    with db.transaction():
        table = tagged_table(db, request["ResourceArn"])
        definition = copy.deepcopy(table.definition)
        for key in request["TagKeys"]:
            definition.get("Tags", {}).pop(key, None)
        db.save(table.rows.number, definition)
    return {}
