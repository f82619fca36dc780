"""CSV as RFC 4180 defines it: quotes are doubled, and a quoted field may contain line ends.

Python's own reader accepts a stray quote in a field, which DynamoDB rejects.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from sortkey.engine.formats.fault import ItemFormatError, UnreadableObjectError
from sortkey.engine.formats.lines import Readable, lines, refuse_long_record
from sortkey.wire.values import AttributeValue

_QUOTE = b'"'
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def delimited_records(stream: Readable) -> Iterator[bytes]:
    """Yield each record with its line end, which is the first one outside of quotes.

    Raises:
        UnreadableObjectError: A quote is not closed, or a record is too long.
    """
    record: list[bytes] = []
    size = quotes = 0
    for line in lines(stream):
        record.append(line)
        size += len(line)
        quotes += line.count(_QUOTE)
        refuse_long_record(size)
        if quotes % 2 == 0:
            yield b"".join(record)
            record = []
            size = quotes = 0
    if record:
        raise UnreadableObjectError("A double quote at the end of the object is not closed")


def read_header(record: bytes, delimiter: str) -> list[str]:
    """Return the names in the first record of an object."""
    try:
        names = fields_of(record.removeprefix(_BYTE_ORDER_MARK), delimiter)
    except ItemFormatError as error:
        raise UnreadableObjectError(f"The header cannot be read: {error}") from error
    if not all(names) or len(set(names)) < len(names):
        raise UnreadableObjectError("The header has an empty name, or a name twice")
    if any("\r" in name for name in names):
        # Otherwise all of the object would be its header.
        raise UnreadableObjectError("The header has a carriage return without a line feed")
    return names


def fields_of(record: bytes, delimiter: str) -> list[str]:
    """Return the fields of a record."""
    try:
        text = record.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise ItemFormatError("The record is not valid UTF-8") from error
    fields: list[str] = []
    pattern, position = _field_pattern(delimiter), 0
    while True:
        found = pattern.match(text, position)
        if found is None:
            raise ItemFormatError(
                "A double quote stands inside a field that is not quoted, or is not doubled"
            )
        quoted, plain = found.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        position = found.end()
        if position == len(text):
            return fields
        position += len(delimiter)


@cache
def _field_pattern(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a field that ends before a delimiter or at the end of the record."""
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"((?:[^"]|"")*+)"|([^"{mark}]*+))(?={mark}|\Z)')


def item_of(
    fields: Sequence[str], header: Sequence[str], kinds: Mapping[str, str]
) -> dict[str, AttributeValue]:
    """Return the fields as an item: keys have their declared types, all others are strings.

    An empty field is no attribute.
    """
    if len(fields) != len(header):
        raise ItemFormatError(
            f"The record has {len(fields)} columns, and the header has {len(header)}"
        )
    return {
        name: {kinds.get(name, "S"): field}
        for name, field in zip(header, fields, strict=True)
        if field
    }
