"""ListTagsOfResource: the tags of a table."""

from typing import Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.arns import USER_ARN
from sortkey.engine.definitions.tags import ResourceArn, find_tagged
from sortkey.wire.errors import AccessDeniedException


class ListTagsOfResource(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    ResourceArn: ResourceArn
    NextToken: NotRequired[str]


def list_tags_of_resource(db: Database, request: ListTagsOfResource) -> dict[str, Any]:
    """Return all tags of the table, which fit into one page."""
    db.refresh()
    arn = request["ResourceArn"]
    table = find_tagged(db, arn)
    if table is None:
        # TagResource and UntagResource report that the table does not exist; this one does not
        # reveal it.
        raise AccessDeniedException(
            f"User: {USER_ARN} is not authorized to perform: dynamodb:ListTagsOfResource "
            f"on resource: {arn}"
        )
    tags: dict[str, str] = table.definition.get("Tags", {})
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
