"""A request to DynamoDB: an operation's name and its JSON body."""

from typing import Any, NamedTuple


class Request(NamedTuple):
    """One request; its response is a JSON object, or an error."""

    operation: str
    body: dict[str, Any]


# The requests that read items, and those that write them.
READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})
WRITES = frozenset({"BatchWriteItem", "DeleteItem", "PutItem", "TransactWriteItems", "UpdateItem"})
