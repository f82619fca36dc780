"""Records of objects of every format and compression."""

import gzip
import io
from contextlib import suppress
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine.formats.compression import Compression
from sortkey.engine.formats.fault import ItemFormatError, UnreadableObjectError
from sortkey.engine.formats.records import InputForm, InputFormat, opened_records

ITEM = {"id": {"S": "a"}, "n": {"N": "1"}}
CONTENT: dict[InputFormat, bytes] = {
    "DYNAMODB_JSON": b'{"Item":{"id":{"S":"a"},"n":{"N":"1"}}}\n\n',
    "ION": b'$ion_1_0 {Item:{id:"a",n:1.}}\n',
    "CSV": b"id,n\na,1\n\n",
}
FORMATS: list[InputFormat] = ["CSV", "DYNAMODB_JSON", "ION"]
COMPRESSIONS: list[Compression] = ["NONE", "GZIP", "ZSTD"]


def form(name: InputFormat, compression: Compression = "NONE") -> InputForm:
    return InputForm(name, compression, kinds={"id": "S", "n": "N"})


def read(content: bytes, wanted: InputForm) -> list[Any]:
    with opened_records(io.BytesIO(content), wanted) as records:
        parsed = [records.parse(raw) for raw in records]
    return [each for each in parsed if each is not None]


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.ion
def test_each_form_is_read(name: InputFormat, compression: Compression) -> None:
    pack = {"NONE": bytes, "GZIP": gzip.compress, "ZSTD": zstandard.compress}[compression]
    assert read(pack(CONTENT[name]), form(name, compression)) == [{"Item": ITEM}]


def test_a_header_that_is_given_is_not_read() -> None:
    wanted = InputForm("CSV", header=["n", "id"], kinds={"n": "N"}, delimiter=";")
    assert read(b"1;a", wanted) == [{"Item": ITEM}]


@pytest.mark.parametrize("compression", ["GZIP", "ZSTD"])
@pytest.mark.ion
def test_damage_ends_the_object(compression: Compression) -> None:
    checked = zstandard.ZstdCompressor(write_checksum=True).compress
    pack = {"GZIP": gzip.compress, "ZSTD": checked}[compression]
    whole = pack(CONTENT["DYNAMODB_JSON"] * 9)
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for content in (b"no compression", bytes(flipped), whole[:-1], whole * 2 + whole[:20]):
        for name in FORMATS:
            with (
                pytest.raises(UnreadableObjectError),
                opened_records(io.BytesIO(content), form(name, compression)) as records,
            ):
                list(records)


def test_the_bytes_of_the_content_are_counted() -> None:
    content = CONTENT["DYNAMODB_JSON"]
    packed = io.BytesIO(gzip.compress(content))
    with opened_records(packed, form("DYNAMODB_JSON", "GZIP")) as records:
        assert list(records)
        assert records.content.size == len(content)


@given(st.binary(max_size=300), st.sampled_from(FORMATS), st.sampled_from(COMPRESSIONS))
@pytest.mark.ion
def test_any_bytes_are_read_or_refused(
    content: bytes, name: InputFormat, compression: Compression
) -> None:
    with (
        suppress(UnreadableObjectError),
        opened_records(io.BytesIO(content), form(name, compression)) as records,
    ):
        for raw in records:
            with suppress(ItemFormatError):
                records.parse(raw)
