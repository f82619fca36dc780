"""The records of an object of any format: read one after the other, parsed on demand."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias

from sortkey.engine.formats import delimited, dynamodb_json, ion
from sortkey.engine.formats.compression import DAMAGE, Compression, decompressed
from sortkey.engine.formats.compression import refuse_missing_extra as refuse_missing_compression
from sortkey.engine.formats.fault import UnreadableObjectError
from sortkey.engine.formats.lines import lines

InputFormat: TypeAlias = Literal["CSV", "DYNAMODB_JSON", "ION"]
Record: TypeAlias = Mapping[str, Any]


class InputForm(NamedTuple):
    """The form of the objects: their format, their compression, and how to read CSV."""

    format: InputFormat
    compression: Compression = "NONE"
    delimiter: str = ","
    header: Sequence[str] | None = None
    # The types of the attributes that are keys, for CSV.
    kinds: Mapping[str, str] = {}

    def refuse_missing_extra(self) -> None:
        """Raise an error if a package that the form needs is not installed."""
        refuse_missing_compression(self.compression)
        if self.format == "ION":
            ion.refuse_missing_extra()


class Content:
    """The content of an object, which counts its bytes; damage is an `UnreadableObjectError`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        """Return some bytes."""
        return self._counted(self._stream.read, size)

    def readline(self, size: int = -1) -> bytes:
        """Return a line, or a part of one that is longer."""
        return self._counted(self._stream.readline, size)

    def _counted(self, read: Callable[[int], bytes], size: int) -> bytes:
        try:
            found = read(size)
        except DAMAGE as error:
            raise UnreadableObjectError(f"The content is damaged: {error}") from error
        self.size += len(found)
        return found


class Records:
    """An iterator over the raw records of an object, which `parse` reads."""

    def __init__(self, stream: BinaryIO, form: InputForm) -> None:
        self.content = Content(stream)
        self._raw, self._parse = _reader(self.content, form)

    def __iter__(self) -> Iterator[Any]:
        return self._raw

    def parse(self, raw: Any) -> Record | None:
        """Return the members of a record, not validated, or None for an empty line.

        Raises:
            ItemFormatError: The record has not the format.
        """
        return None if isinstance(raw, bytes) and not raw.strip() else self._parse(raw)


@contextmanager
def opened_records(stream: BinaryIO, form: InputForm) -> Generator[Records]:
    """Give the records of an object.

    Reading them raises `UnreadableObjectError` if the rest of the object cannot be read.
    """
    with decompressed(stream, form.compression) as content:
        yield Records(content, form)


def _reader(content: Content, form: InputForm) -> tuple[Iterator[Any], Callable[[Any], Record]]:
    match form.format:
        case "DYNAMODB_JSON":
            return lines(content), dynamodb_json.record_in
        case "ION":
            return ion.values(content), ion.record_in
        case "CSV":
            records = delimited.delimited_records(content)
            header = form.header
            if header is None:
                first = next(records, None)
                header = [] if first is None else delimited.read_header(first, form.delimiter)
            return records, partial(_csv_record, header, form)


def _csv_record(header: Sequence[str], form: InputForm, raw: bytes) -> Record:
    fields = delimited.fields_of(raw, form.delimiter)
    return {"Item": delimited.item_of(fields, header, form.kinds)}
