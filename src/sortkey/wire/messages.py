"""What goes to DynamoDB: an operation's name and its JSON body."""

from typing import Any, NamedTuple


class Request(NamedTuple):
    """One request; its answer is a JSON object, or an error."""

    operation: str
    body: dict[str, Any]
