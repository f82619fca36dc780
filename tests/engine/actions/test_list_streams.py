"""ListStreams."""

import pytest
from tests.engine.streamed import TABLE, streamed

from sortkey.wire.errors import ValidationException


def test_streams_are_listed_in_pages() -> None:
    shop = streamed()
    for name in ("bikes", "cars"):
        shop.ask("CreateTable", **TABLE | {"TableName": name})

    first = shop.ask("ListStreams", Limit=2)
    rest = shop.ask("ListStreams", ExclusiveStartStreamArn=first["LastEvaluatedStreamArn"])

    names = [stream["TableName"] for stream in (*first["Streams"], *rest["Streams"])]
    assert names == ["bikes", "cars", "orders"]
    assert first["LastEvaluatedStreamArn"] == first["Streams"][-1]["StreamArn"]
    assert "LastEvaluatedStreamArn" not in rest


def test_only_those_of_a_table_are_listed() -> None:
    shop = streamed()
    shop.ask("CreateTable", **TABLE | {"TableName": "bikes"})

    [stream] = shop.ask("ListStreams", TableName="bikes")["Streams"]

    assert stream["StreamArn"].endswith(f"table/bikes/stream/{stream['StreamLabel']}")
    assert shop.ask("ListStreams", TableName="unknown") == {"Streams": []}


@pytest.mark.parametrize("wrong", [{"Limit": 0}, {"Limit": 101}, {"ExclusiveStartStreamArn": "x"}])
def test_a_request_that_does_not_fit_is_rejected(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationException):
        streamed().ask("ListStreams", **wrong)
