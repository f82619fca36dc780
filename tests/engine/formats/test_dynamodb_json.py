"""Items in DynamoDB JSON."""

import orjson
import pytest

from sortkey.engine.formats import dynamodb_json
from sortkey.engine.formats.fault import ItemFormatError

ITEM = {"id": {"S": "a\nb"}, "n": {"N": "1"}}


def test_an_item_is_one_line() -> None:
    assert dynamodb_json.item_line(orjson.dumps(ITEM)) == dynamodb_json.line({"Item": ITEM})
    assert dynamodb_json.line({"Item": ITEM}).count(b"\n") == 1


def test_a_line_is_read() -> None:
    assert dynamodb_json.record_in(dynamodb_json.line({"Item": ITEM})) == {"Item": ITEM}


@pytest.mark.parametrize("text", [b"{", b"[]", b"\xff", b"3", b'"\\ud800"', b"[" * 5000])
def test_a_line_that_is_no_object_is_a_fault(text: bytes) -> None:
    with pytest.raises(ItemFormatError):
        dynamodb_json.record_in(text)
