import json
from typing import Any

import pytest

from sortkey.wire import errors
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
    RequestThrottled,
    ServiceError,
    TransactionCanceledException,
    UnknownServiceError,
    read_error,
)


def named() -> list[type[ServiceError]]:
    return [
        found
        for found in vars(errors).values()
        if isinstance(found, type)
        and issubclass(found, ServiceError)
        and found
        not in {ServiceError, RequestThrottled, UnknownServiceError, TransactionCanceledException}
    ]


@pytest.mark.parametrize("kind", named())
def test_an_error_is_read_back_from_its_own_body(kind: type[ServiceError]) -> None:
    error = kind("what is wrong")

    read = read_error(error.status, json.dumps(error.body()).encode(), "ID1")

    assert type(read) is kind
    assert (read.code, read.message, read.status) == (kind.__name__, "what is wrong", error.status)
    assert read.request_id == "ID1"
    assert read.body() == error.body()


def test_the_name_may_stand_alone_or_be_followed_by_an_address() -> None:
    for name in ("InternalServerError", "x#InternalServerError", "InternalServerError:http://x/"):
        assert type(read_error(500, b'{"__type":"%b"}' % name.encode())) is InternalServerError


def test_a_failed_condition_carries_the_stored_item() -> None:
    sent = ConditionalCheckFailedException(item={"pk": {"S": "a"}})

    read = read_error(400, json.dumps(sent.body()).encode())

    assert isinstance(read, ConditionalCheckFailedException)
    assert read.item == {"pk": {"S": "a"}}


def test_a_cancelled_transaction_carries_its_reasons() -> None:
    reasons: list[dict[str, Any]] = [
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
    ]
    sent = TransactionCanceledException(reasons)

    read = read_error(400, json.dumps(sent.body()).encode())

    assert isinstance(read, TransactionCanceledException)
    assert read.reasons == reasons
    assert read.message.endswith("[None, ConditionalCheckFailed]")


def test_an_unknown_error_keeps_code_message_and_status() -> None:
    read = read_error(418, b'{"__type":"com.amazonaws#TeapotException","Message":"short"}')

    assert isinstance(read, UnknownServiceError)
    assert (read.code, read.message, read.status) == ("TeapotException", "short", 418)
    assert str(read) == "TeapotException: short"
    assert read.body()["__type"].endswith("#TeapotException")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>Bad gateway</html>", "<html>Bad gateway</html>"),
        (b"", "an empty answer"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"[1]", "[1]"),
        (b'{"message":"no type"}', '{"message":"no type"}'),
        (b'{"__type":7}', '{"__type":7}'),
        (b"x" * 1000, "x" * 200),
    ],
)
def test_an_answer_that_is_not_dynamodbs_is_shown_as_it_came(body: bytes, message: str) -> None:
    read = read_error(502, body)

    assert isinstance(read, UnknownServiceError)
    assert (read.code, read.message, read.status) == ("HTTP 502", message, 502)
    assert read.request_id is None
