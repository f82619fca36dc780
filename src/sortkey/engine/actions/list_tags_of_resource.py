"""ListTagsOfResource: the tags of a table."""

from typing import Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.tags import ResourceArn, tagged_table


class ListTagsOfResource(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    ResourceArn: ResourceArn
    NextToken: NotRequired[str]


def list_tags_of_resource(db: Database, request: ListTagsOfResource) -> dict[str, Any]:
    """Return all tags of the table, which fit into one page."""
    db.refresh()
    table = tagged_table(db, request["ResourceArn"])
    tags: dict[str, str] = table.definition.get("Tags", {})
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
