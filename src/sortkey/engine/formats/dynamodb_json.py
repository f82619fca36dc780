"""DynamoDB JSON: an object in each line, ``{"Item": {"id": {"S": "a"}}}``."""

from collections.abc import Mapping
from typing import Any

import orjson

from sortkey.engine.formats.fault import ItemFormatError


def line(members: Mapping[str, Any]) -> bytes:
    """Return an object as a line; an image may be an `orjson.Fragment` of its JSON."""
    return orjson.dumps(members, option=orjson.OPT_APPEND_NEWLINE)


def item_line(raw: bytes) -> bytes:
    """Return the line of an item that is stored as JSON."""
    return b'{"Item":' + raw + b"}\n"


def record_in(text: bytes) -> dict[str, Any]:
    """Return the members of the object in a line, not validated.

    Raises:
        ItemFormatError: The line is not an object.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ItemFormatError(f"The line is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ItemFormatError("The line is not an object")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON
