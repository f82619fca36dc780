"""Items in DynamoDB JSON."""

import io

import orjson
import pytest

from sortkey.engine.formats import dynamodb_json
from sortkey.engine.formats.fault import ItemFormatError

ITEM = {"id": {"S": "a\nb"}, "n": {"N": "1"}}


def test_an_item_is_one_line() -> None:
    assert dynamodb_json.item_line(orjson.dumps(ITEM)) == dynamodb_json.line({"Item": ITEM})
    assert dynamodb_json.line({"Item": ITEM}).count(b"\n") == 1


def test_each_line_is_read() -> None:
    content = dynamodb_json.line({"Item": ITEM}) * 2 + b"\n" + b'{"Item":{}}'
    assert list(dynamodb_json.read(io.BytesIO(content))) == [ITEM, ITEM, {}]


@pytest.mark.parametrize("text", [b"{", b"[]", b"{}", b'{"Item":[]}', b"\xff", b"3"])
def test_a_line_that_is_no_item_is_a_fault_and_the_next_is_read(text: bytes) -> None:
    content = text + b"\n" + dynamodb_json.line({"Item": ITEM})
    fault, item = dynamodb_json.read(io.BytesIO(content))
    assert isinstance(fault, ItemFormatError)
    assert item == ITEM


def test_a_line_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamodb_json, "_MOST_LINE_BYTES", 100)
    content = b"[" * 1000 + b"\n" + dynamodb_json.line({"Item": {}})
    fault, item = dynamodb_json.read(io.BytesIO(content))
    assert isinstance(fault, ItemFormatError)
    assert item == {}
