"""CSV: what RFC 4180 allows is read back, and what DynamoDB rejects is rejected."""

import csv
from io import BytesIO, StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine.formats.delimited import (
    delimited_records,
    fields_of,
    item_of,
    read_header,
)
from sortkey.engine.formats.fault import ItemFormatError, UnreadableObjectError
from sortkey.engine.formats.lines import MOST_RECORD_BYTES

DELIMITERS = ",;:|\t "
FIELDS = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=8)


@given(
    rows=st.lists(st.lists(FIELDS, min_size=2, max_size=4), max_size=5),
    delimiter=st.sampled_from(DELIMITERS),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_another_writer_writes_is_read_back(
    rows: list[list[str]], delimiter: str, end: str
) -> None:
    text = StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    found = delimited_records(BytesIO(text.getvalue().encode()))
    assert [fields_of(record, delimiter) for record in found] == rows


@pytest.mark.parametrize(
    "record", ['"123",Full "Length" Dress', r'a,"Full \"Length\" Dress"', 'a,b"', '"a"b,c']
)
def test_a_quote_that_is_not_doubled_is_rejected(record: str) -> None:
    with pytest.raises(ItemFormatError):
        fields_of(record.encode(), ",")


def test_the_documented_quotes_are_read() -> None:
    record = b'"""123""","Women\'s Full ""Length"" Dress"\n'
    assert fields_of(record, ",") == ['"123"', 'Women\'s Full "Length" Dress']


def test_a_quote_that_is_never_closed_ends_the_object() -> None:
    found = delimited_records(BytesIO(b'a,b\n"c,d\ne,f\n'))
    assert next(found) == b"a,b\n"
    with pytest.raises(UnreadableObjectError):
        next(found)


def test_a_record_of_many_lines_is_too_long() -> None:
    line = b"x" * 1_000_000 + b"\n"
    with pytest.raises(UnreadableObjectError, match=str(MOST_RECORD_BYTES)):
        list(delimited_records(BytesIO(b'"' + line * 5)))


def test_invalid_text_is_rejected() -> None:
    with pytest.raises(ItemFormatError, match="UTF-8"):
        fields_of(b"a,\xff", ",")


def test_a_header_may_begin_with_a_byte_order_mark() -> None:
    assert read_header(b"\xef\xbb\xbfpk,sk\r\n", ",") == ["pk", "sk"]


@pytest.mark.parametrize("header", [b"pk,,x\n", b"pk,pk\n", b'pk,"x\n', b"pk,sk\ra,1\r"])
def test_a_header_needs_distinct_names(header: bytes) -> None:
    with pytest.raises(UnreadableObjectError):
        read_header(header, ",")


def test_only_keys_have_types_and_empty_fields_are_left_out() -> None:
    item = item_of(["1", "", "2"], ["id", "none", "count"], {"id": "N"})
    assert item == {"id": {"N": "1"}, "count": {"S": "2"}}


def test_a_record_has_as_many_columns_as_the_header() -> None:
    with pytest.raises(ItemFormatError, match="3 columns"):
        item_of(["1", "2", "3"], ["id", "count"], {})
