"""DynamoDB JSON: an object in each line, ``{"Item": {"id": {"S": "a"}}}``."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import orjson

from sortkey.engine.formats.fault import ItemFormatError
from sortkey.wire.limits import MB
from sortkey.wire.values import Item

# An item's JSON has at most a few times its own size.
_MOST_LINE_BYTES = 16 * MB


def line(members: Mapping[str, Any]) -> bytes:
    """Return an object as a line; an image may be an `orjson.Fragment` of its JSON."""
    return orjson.dumps(members, option=orjson.OPT_APPEND_NEWLINE)


def item_line(raw: bytes) -> bytes:
    """Return the line of an item that is stored as JSON."""
    return b'{"Item":' + raw + b"}\n"


def read(stream: BinaryIO) -> Iterator[Item | ItemFormatError]:
    """Yield the item of each line, not validated, or what is wrong with the line."""
    while text := stream.readline(_MOST_LINE_BYTES):
        if not text.endswith(b"\n") and len(text) == _MOST_LINE_BYTES:
            _skip_line(stream)
            yield ItemFormatError("The line is too long")
        elif text.strip():
            yield _item_in(text)


def _skip_line(stream: BinaryIO) -> None:
    while text := stream.readline(_MOST_LINE_BYTES):
        if text.endswith(b"\n"):
            return


def _item_in(text: bytes) -> Item | ItemFormatError:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return ItemFormatError(f"The line is not JSON: {error}")
    item = value.get("Item") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - JSON
    if not isinstance(item, dict):
        return ItemFormatError('The line is not an object with the member "Item"')
    return item  # pyright: ignore[reportUnknownVariableType] - JSON
