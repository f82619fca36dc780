from typing import Any
from zlib import crc32

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.access.credentials import Credentials
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.http import AnswerReader, RequestWriter
from sortkey.access.transports.transport import OutcomeUnknown
from sortkey.wire.errors import ServiceError, UnknownServiceError, ValidationException
from sortkey.wire.messages import Request

ENDPOINT = Endpoint.parse("http://127.0.0.1:8000")
ITEM = b'{"Item":{"pk":{"S":"a"}}}'


def answer(body: bytes = ITEM, status: bytes = b"200 OK", *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def chunked(body: bytes, size: int) -> bytes:
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    encoded = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in [*chunks, b""])
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + encoded


def read(data: bytes) -> dict[str, Any]:
    reader = AnswerReader(ENDPOINT)
    assert reader.feed(data)
    return reader.take()


# -- requests -----------------------------------------------------------------------------------


def test_a_request_is_a_signed_post_of_json() -> None:
    request = Request("GetItem", {"TableName": "app", "Key": {"pk": {"S": "ä"}}})

    written = RequestWriter(ENDPOINT, "eu-west-1").write(request, Credentials("AK", "secret"), 0)

    head, _, body = written.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    headers = dict(line.split(b": ", 1) for line in lines)
    assert first == b"POST / HTTP/1.1"
    assert orjson.loads(body) == request.body
    authorization = headers.pop(b"Authorization")
    assert authorization.startswith(
        b"AWS4-HMAC-SHA256 Credential=AK/19700101/eu-west-1/dynamodb/aws4_request, SignedHeaders="
    )
    assert headers == {
        b"Host": b"127.0.0.1:8000",
        b"User-Agent": b"sortkey",
        b"Content-Type": b"application/x-amz-json-1.0",
        b"X-Amz-Target": b"DynamoDB_20120810.GetItem",
        b"X-Amz-Date": b"19700101T000000Z",
        b"Content-Length": b"%d" % len(body),
    }


def test_each_operation_has_its_own_target() -> None:
    writer = RequestWriter(ENDPOINT, "eu-west-1")
    operations = ["GetItem", "PutItem", "GetItem"]

    written = [writer.write(Request(name, {}), Credentials("AK", "s"), 0) for name in operations]

    assert [
        b"DynamoDB_20120810." + name.encode() in text
        for name, text in zip(operations, written, strict=True)
    ] == [True, True, True]
    assert written[0] == written[2]


# -- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [answer(), chunked(ITEM, 7)], ids=["length", "chunked"])
def test_an_answer_may_be_split_anywhere(whole: bytes) -> None:
    for first in range(1, len(whole)):
        for second in range(first, len(whole)):
            reader = AnswerReader(ENDPOINT)
            pieces = [whole[:first], whole[first:second], whole[second:]]

            complete = [reader.feed(piece) for piece in pieces if piece]

            assert complete == [*([False] * (len(complete) - 1)), True]
            assert reader.is_reusable
            assert reader.take() == orjson.loads(ITEM)


def test_an_answer_may_come_byte_by_byte() -> None:
    reader = AnswerReader(ENDPOINT)

    complete = [reader.feed(bytes([byte])) for byte in answer()]

    assert complete.index(True) == len(complete) - 1
    assert reader.take() == orjson.loads(ITEM)


@given(
    st.lists(
        st.tuples(st.dictionaries(st.text(), st.text()), st.integers(1, 40), st.booleans()),
        max_size=4,
    )
)
def test_answers_follow_each_other_on_one_connection(
    answers: list[tuple[dict[str, str], int, bool]],
) -> None:
    reader = AnswerReader(ENDPOINT)

    for content, size, in_chunks in answers:
        body = orjson.dumps(content)
        whole = chunked(body, size) if in_chunks else answer(body)
        pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
        assert [reader.feed(piece) for piece in pieces][-1]
        assert reader.is_reusable
        assert reader.take() == content


def test_an_answer_without_body_is_an_empty_object() -> None:
    assert read(answer(b"")) == {}


def test_an_interim_answer_is_passed_over() -> None:
    assert read(b"HTTP/1.1 100 Continue\r\n\r\n" + answer()) == orjson.loads(ITEM)


def test_a_connection_that_will_be_closed_is_not_used_again() -> None:
    reader = AnswerReader(ENDPOINT)
    assert reader.feed(answer(ITEM, b"200 OK", b"Connection: close"))

    assert not reader.is_reusable
    assert reader.take() == orjson.loads(ITEM)


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    reader = AnswerReader(ENDPOINT)
    assert not reader.feed(b"HTTP/1.1 200 OK\r\n\r\n" + ITEM)

    assert reader.end()
    assert not reader.is_reusable
    assert reader.take() == orjson.loads(ITEM)


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"HTTP/1.1 400 Bad Request\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        answer()[:-1],
        chunked(ITEM, 7)[:-1],
        answer(b"{}", b"400 Bad Request")[:-1],
    ],
    ids=["nothing", "half a header", "no body", "half a body", "half a chunk", "half an error"],
)
def test_the_end_of_the_connection_does_not_complete_half_a_response(beginning: bytes) -> None:
    reader = AnswerReader(ENDPOINT)
    if beginning:
        reader.feed(beginning)

    assert not reader.end()


@pytest.mark.parametrize("surplus", [b"noise", answer(b'{"Item":{}}'), b"HTTP/1.1 2"])
@pytest.mark.parametrize("headers", [(), (b"Connection: close",)], ids=["kept", "closed"])
def test_bytes_after_a_response_spoil_only_the_connection(
    surplus: bytes, headers: tuple[bytes, ...]
) -> None:
    reader = AnswerReader(ENDPOINT)
    assert reader.feed(answer(ITEM, b"200 OK", *headers) + surplus)

    assert not reader.is_reusable
    assert reader.take() == orjson.loads(ITEM)


def test_the_checksum_is_compared_with_the_body() -> None:
    assert read(answer(ITEM, b"200 OK", b"x-amz-crc32: %d" % crc32(ITEM)))

    with pytest.raises(OutcomeUnknown, match="its checksum does not match"):
        read(answer(ITEM, b"200 OK", b"X-Amz-Crc32: 12345"))


@pytest.mark.parametrize(
    "body", [b"<html></html>", b'{"Item":', b"[]", b"7", b'"text"', b"null", b"\xff"]
)
def test_a_response_that_is_not_a_json_object_leaves_the_outcome_unknown(body: bytes) -> None:
    with pytest.raises(OutcomeUnknown, match=r"http://127\.0\.0\.1:8000 sent a response that"):
        read(answer(body))


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x15\x03\x01\x00\x02\x02",
        b"HTTP/1.1 banana\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nnoise",
    ],
)
def test_what_is_not_http_leaves_the_outcome_unknown(data: bytes) -> None:
    with pytest.raises(OutcomeUnknown, match="is it DynamoDB"):
        AnswerReader(ENDPOINT).feed(data)


def test_an_error_is_raised_with_its_request_id() -> None:
    body = b'{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}'

    with pytest.raises(ValidationException) as caught:
        read(answer(body, b"400 Bad Request", b"x-amzn-RequestId: ABC"))

    assert (caught.value.message, caught.value.request_id) == ("no", "ABC")


def test_an_error_of_something_in_between_is_raised_too() -> None:
    with pytest.raises(UnknownServiceError, match="HTTP 502: <h1>Bad gateway</h1>"):
        read(answer(b"<h1>Bad gateway</h1>", b"502 Bad Gateway"))


def test_after_an_error_the_connection_is_good() -> None:
    reader = AnswerReader(ENDPOINT)
    assert reader.feed(answer(b"", b"400 Bad Request"))
    assert reader.is_reusable
    with pytest.raises(ServiceError):
        reader.take()

    assert reader.feed(answer())
    assert reader.take() == orjson.loads(ITEM)
