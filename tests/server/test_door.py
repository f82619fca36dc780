import gzip
import logging
import zlib
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.server.callers import Callers
from sortkey.server.compression import compress
from sortkey.server.door import Door, Header
from sortkey.server.signing import KeyPair
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
    ResourceNotFoundException,
    UnknownOperationException,
)

JSON = (b"content-type", b"application/x-amz-json-1.0")
HOST = (b"host", b"127.0.0.1:8000")
GET_ITEM = (b"x-amz-target", b"DynamoDB_20120810.GetItem")
HEADERS: list[Header] = [HOST, JSON, GET_ITEM]


class FakeEngine:
    """Returns or raises `answer`, and records the requests."""

    writing = False

    def __init__(self, answer: bytes | Exception = b"{}") -> None:
        self.answer = answer
        self.asked: list[tuple[str, Any]] = []

    def reply(self, operation: str, body: Any) -> bytes:
        self.asked.append((operation, body))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def flush(self) -> None: ...

    def can_write(self) -> bool:
        raise NotImplementedError

    def beside(self) -> "FakeEngine":
        return self

    def tend(self) -> bool:
        return False

    def close(self) -> None: ...


class Response:
    """A response taken apart, with its lengths and checksum checked."""

    def __init__(self, raw: bytes) -> None:
        head, _, self.body = raw.partition(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        self.status = int(status.split(" ")[1])
        self.headers = dict(line.split(": ", 1) for line in lines)
        assert len(self.headers) == len(lines)

    def json(self) -> Any:
        return orjson.loads(self.body)


def ask(
    engine: FakeEngine,
    body: bytes = b"{}",
    headers: list[Header] | None = None,
    *,
    method: bytes = b"POST",
    url: bytes = b"/",
    keys: KeyPair | None = None,
    callers: Callers = Callers(),  # noqa: B008 - it cannot change
    keep_alive: bool = True,
) -> Response:
    door = Door(engine, clock=lambda: 1_700_000_000.0, keys=keys, callers=callers)
    given_headers = HEADERS if headers is None else headers
    return Response(door.respond(method, url, given_headers, body, keep_alive=keep_alive))


def callers(origin: str = "http://y", host: str = "db") -> Callers:
    return Callers.named([origin], [host])


# -- answers ------------------------------------------------------------------------------------


def test_the_response_of_the_engine_is_sent() -> None:
    engine = FakeEngine(b'{"Item":{"pk":{"S":"a"}}}')

    response = ask(engine, b'{"TableName":"app"}')

    assert engine.asked == [("GetItem", {"TableName": "app"})]
    assert response.status == 200
    assert response.body == b'{"Item":{"pk":{"S":"a"}}}'


def test_a_response_has_amazons_headers() -> None:
    response = ask(FakeEngine(b'{"Count":1}'))

    assert response.headers["Content-Type"] == "application/x-amz-json-1.0"
    assert response.headers["Content-Length"] == "11"
    assert response.headers["x-amz-crc32"] == str(zlib.crc32(b'{"Count":1}'))
    assert response.headers["Server"] == "Server"
    assert response.headers["Date"] == "Tue, 14 Nov 2023 22:13:20 GMT"
    assert response.headers["Connection"] == "keep-alive"


def test_each_request_has_an_identity_of_its_own() -> None:
    door = Door(FakeEngine(), clock=lambda: 0.0)
    raw = [door.respond(b"POST", b"/", HEADERS, body) for body in (b"{}", b"{}", b"bad", b"bad")]

    identities = [Response(one).headers["x-amzn-RequestId"] for one in raw]

    assert len(set(identities)) == 4
    for identity in identities:
        assert len(identity) == 52
        assert identity.isalnum()
        assert identity == identity.upper()


@pytest.mark.parametrize("operation", [b"TagResource", b"UntagResource"])
def test_an_operation_without_a_result_has_no_body(operation: bytes) -> None:
    engine = FakeEngine(b"{}")

    response = ask(engine, headers=[JSON, (b"x-amz-target", b"DynamoDB_20120810." + operation)])

    assert response.status == 200
    assert engine.asked
    assert response.body == b""
    assert response.headers["Content-Length"] == "0"


def test_the_date_moves_when_it_is_refreshed() -> None:
    now = 0.0
    door = Door(FakeEngine(), clock=lambda: now)
    now = 1.0

    door.refresh_date()

    assert b"00:00:01 GMT" in door.respond(b"POST", b"/", HEADERS, b"{}")


def test_the_last_answer_says_so() -> None:
    assert ask(FakeEngine(), keep_alive=False).headers["Connection"] == "close"


def test_plain_json_is_answered_as_plain_json() -> None:
    response = ask(FakeEngine(), headers=[(b"content-type", b"application/json; x=y"), GET_ITEM])

    assert response.status == 200
    assert response.headers["Content-Type"] == "application/json"


def test_the_only_endpoint_is_the_server_itself() -> None:
    target = (b"x-amz-target", b"DynamoDB_20120810.DescribeEndpoints")

    engine = FakeEngine(b'{"Endpoints":[{"Address":"elsewhere","CachePeriodInMinutes":7}]}')

    response = ask(engine, b'{"Odd":1}', [HOST, JSON, target])

    assert engine.asked == [("DescribeEndpoints", {"Odd": 1})]
    [endpoint] = response.json()["Endpoints"]
    assert endpoint == {"Address": "127.0.0.1:8000", "CachePeriodInMinutes": 7}
    assert ask(engine, headers=[JSON, target]).body == engine.answer


# -- errors -------------------------------------------------------------------------------------


def test_a_refusal_is_sent_in_amazons_shape() -> None:
    engine = FakeEngine(ResourceNotFoundException("Requested resource not found"))

    response = ask(engine)

    assert response.status == 400
    assert response.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "message": "Requested resource not found",
    }
    assert response.headers["Content-Type"] == "application/x-amz-json-1.0"
    assert response.headers["x-amz-crc32"] == str(zlib.crc32(response.body))


def test_a_failed_condition_carries_the_item() -> None:
    engine = FakeEngine(ConditionalCheckFailedException(item={"pk": {"S": "é"}}))

    assert ask(engine).json()["Item"] == {"pk": {"S": "é"}}


def test_an_accident_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        response = ask(FakeEngine(KeyError("the secret of the house")))

    assert response.status == 500
    assert response.json()["__type"] == "com.amazonaws.dynamodb.v20120810#InternalServerError"
    assert b"secret" not in response.body
    assert "the secret of the house" in caplog.text


@pytest.mark.parametrize("error", [KeyError("x"), InternalServerError("disk full")])
def test_a_failure_asks_for_a_flush(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[None] = []
    door = Door(FakeEngine(error), clock=lambda: 0.0, unsettled=lambda: calls.append(None))

    door.respond(b"POST", b"/", HEADERS, b"{}")

    assert calls == [None]


def test_an_unknown_operation_has_no_message() -> None:
    response = ask(FakeEngine(UnknownOperationException("Unknown operation: Fly")))

    assert response.status == 400
    assert response.json() == {"__type": "com.amazon.coral.service#UnknownOperationException"}


@pytest.mark.parametrize("target", [b"", b"GetItem", b"DynamoDB_20111205.GetItem"])
def test_a_target_of_another_service_is_unknown(target: bytes) -> None:
    engine = FakeEngine()

    response = ask(engine, headers=[JSON, (b"x-amz-target", target)])

    assert response.json()["__type"].endswith("#UnknownOperationException")
    assert not engine.asked


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"7", b'""', b"{", b"}{", b"\xff", b"{'a':1}", b"{" * 100_000, b"NaN"],
)
def test_what_is_not_a_json_object_is_refused(body: bytes) -> None:
    engine = FakeEngine()

    response = ask(engine, body)

    assert response.status == 400
    assert response.json() == {"__type": "com.amazon.coral.service#SerializationException"}
    assert not engine.asked


def test_a_body_is_nested_up_to_a_limit() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    engine = FakeEngine()
    wide = b'{"a":[%b]}' % b",".join([b"{}"] * 1000)

    assert [ask(engine, nested(levels)).status for levels in (1, 128)] == [200, 200]
    assert ask(engine, wide).status == 200
    assert [ask(engine, nested(levels)).status for levels in (129, 254, 300)] == [400, 400, 400]
    assert len(engine.asked) == 3


@pytest.mark.parametrize(
    "content_type", [None, b"text/plain", b"application/x-amz-json-1.1", b"application/jsonx"]
)
def test_a_body_of_another_type_is_not_found(content_type: bytes | None) -> None:
    headers: list[Header] = [GET_ITEM]
    if content_type is not None:
        headers.append((b"content-type", content_type))

    response = ask(FakeEngine(), headers=headers)

    assert response.status == 404
    assert response.body == b"<UnknownOperationException/>\n"


names = st.binary().filter(lambda name: name != b"content-encoding")  # its faults are a 500


@given(st.binary(), st.lists(st.tuples(names, st.binary())))
def test_nothing_makes_the_door_raise(body: bytes, headers: list[Header]) -> None:
    response = ask(FakeEngine(), body, [JSON, GET_ITEM, *headers])

    assert response.status in {200, 400, 403}


# -- signatures ---------------------------------------------------------------------------------


def test_without_keys_nothing_needs_to_be_signed() -> None:
    assert ask(FakeEngine()).status == 200


def test_with_keys_everything_must_be_signed() -> None:
    engine = FakeEngine()

    response = ask(engine, keys=KeyPair("a", "b"))

    assert response.status == 400
    assert response.json()["__type"].endswith("#MissingAuthenticationTokenException")
    assert not engine.asked


def test_a_signature_in_the_query_is_looked_at() -> None:
    response = ask(FakeEngine(), url=b"/?X-Amz-Algorithm", keys=KeyPair("a", "b"))

    assert response.json()["__type"].endswith("#IncompleteSignatureException")


# -- compression --------------------------------------------------------------------------------


def test_a_compressed_request_is_unpacked() -> None:
    engine = FakeEngine()

    response = ask(engine, gzip.compress(b'{"a":1}'), [*HEADERS, (b"content-encoding", b"gzip")])

    assert response.status == 200
    assert engine.asked == [("GetItem", {"a": 1})]


@pytest.mark.parametrize("coding", [b"gzip", b"deflate", b"garbage"])
def test_a_request_that_cannot_be_unpacked_is_amazons_own_failure(coding: bytes) -> None:
    engine = FakeEngine()

    for body in (b"{}", b""):
        assert ask(engine, body, [*HEADERS, (b"content-encoding", coding)]).status == 500
    assert not engine.asked


def test_a_bomb_is_too_large() -> None:
    body = compress(b" " * (17 << 20), "gzip")

    assert ask(FakeEngine(), body, [*HEADERS, (b"content-encoding", b"gzip")]).status == 413


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_long_answer_is_packed_if_the_client_likes(coding: str) -> None:
    answer = b'{"x":"' + b"x" * 5000 + b'"}'

    response = ask(FakeEngine(answer), headers=[*HEADERS, (b"accept-encoding", coding.encode())])

    assert response.headers["Content-Encoding"] == coding
    assert len(response.body) < 100
    assert zlib.decompress(response.body, 47) == answer
    assert response.headers["Content-Length"] == str(len(response.body))
    assert response.headers["x-amz-crc32"] == str(zlib.crc32(response.body))


def test_a_long_answer_is_plain_if_not() -> None:
    answer = b'{"x":"' + b"x" * 5000 + b'"}'

    response = ask(FakeEngine(answer), headers=[*HEADERS, (b"accept-encoding", b"identity")])

    assert "Content-Encoding" not in response.headers
    assert response.body == answer


def test_a_short_answer_is_plain() -> None:
    response = ask(FakeEngine(), headers=[*HEADERS, (b"accept-encoding", b"gzip")])

    assert "Content-Encoding" not in response.headers


@pytest.mark.parametrize("url", [b"/", b"/?", b"http://127.0.0.1:8000/"])
def test_only_the_first_of_several_targets_counts(url: bytes) -> None:
    engine = FakeEngine()

    ask(engine, headers=[*HEADERS, (b"x-amz-target", b"DynamoDB_20120810.PutItem")], url=url)

    assert engine.asked == [("GetItem", {})]


def test_only_the_first_of_several_accept_encodings_counts() -> None:
    answer = b'{"x":"' + b"x" * 5000 + b'"}'
    twice = [(b"accept-encoding", b"identity"), (b"accept-encoding", b"gzip")]

    response = ask(FakeEngine(answer), headers=[*HEADERS, *twice])

    assert "Content-Encoding" not in response.headers


# -- other methods, paths and origins -----------------------------------------------------------


def test_a_get_reports_that_the_server_is_healthy() -> None:
    response = ask(FakeEngine(), b"", [HOST], method=b"GET")

    assert response.status == 200
    assert response.body == b"healthy: 127.0.0.1:8000 "


def test_a_head_has_no_body() -> None:
    response = ask(FakeEngine(), b"", [HOST], method=b"HEAD")

    assert response.headers["Content-Length"] == "24"
    assert response.body == b""


METERS = (
    b'{"Metrics":[{"MetricName":"UserErrors","Dimensions":{},"Total":{"Sum":2,"SampleCount":2}}]}'
)


def test_metrics_are_shown_to_prometheus() -> None:
    response = ask(FakeEngine(METERS), b"", [HOST], method=b"GET", url=b"/metrics")

    assert response.status == 200
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert response.body == (
        b"# TYPE dynamodb_user_errors_total counter\ndynamodb_user_errors_total 2\n"
    )


def test_metrics_have_their_type_before_anything_is_counted() -> None:
    response = ask(FakeEngine(b'{"Metrics":[]}'), b"", [HOST], method=b"GET", url=b"/metrics")

    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert response.body == b""


def test_a_failure_to_read_the_meters_is_a_response() -> None:
    engine = FakeEngine(ValueError("no"))

    response = ask(engine, b"", [HOST], method=b"GET", url=b"/metrics")

    assert response.status == 500
    assert b"InternalServerError" in response.body


def test_without_meters_the_way_to_get_them_is_shown() -> None:
    response = ask(FakeEngine(b"{}"), b"", [HOST], method=b"GET", url=b"/metrics")

    assert response.status == 404
    assert b"--weather fair" in response.body


def test_a_server_with_keys_shows_no_metrics_without_a_signature() -> None:
    engine = FakeEngine(METERS)

    response = ask(
        engine, b"", [HOST], method=b"GET", url=b"/metrics", keys=KeyPair("access", "secret")
    )

    assert response.status == 403
    assert engine.asked == []


@pytest.mark.parametrize("url", [b"http://127.0.0.1:8000/", b"http://127.0.0.1:8000", b"/?a=b"])
def test_a_target_may_be_spelt_in_full(url: bytes) -> None:
    assert ask(FakeEngine(), url=url).status == 200


@pytest.mark.parametrize(
    ("method", "url"),
    [(b"GET", b"/abc"), (b"POST", b"/abc"), (b"PUT", b"/"), (b"DELETE", b"/"), (b"OPTIONS", b"/")],
)
def test_other_methods_and_paths_are_not_found(method: bytes, url: bytes) -> None:
    engine = FakeEngine()

    response = ask(engine, method=method, url=url)

    assert response.status == 404
    assert not engine.asked


def test_without_an_origin_nothing_is_said_about_origins() -> None:
    for method in (b"GET", b"POST", b"OPTIONS"):
        assert not [name for name in ask(FakeEngine(), method=method).headers if "Access" in name]


@pytest.mark.parametrize("method", [b"GET", b"POST", b"OPTIONS"])
@pytest.mark.parametrize("allowed", ["http://x", "*"])
def test_an_allowed_origin_may_read_the_response(method: bytes, allowed: str) -> None:
    headers = [*HEADERS, (b"origin", b"http://x")]

    response = ask(FakeEngine(), headers=headers, method=method, callers=callers(allowed))

    assert response.headers["Access-Control-Allow-Origin"] == allowed
    assert response.headers.get("Vary") == (None if allowed == "*" else "Origin")
    assert "Access-Control-Expose-Headers" in response.headers
    assert ("Access-Control-Max-Age" in response.headers) == (method == b"OPTIONS")


@pytest.mark.parametrize("method", [b"GET", b"POST", b"OPTIONS"])
@pytest.mark.parametrize("origin", [b"http://evil", b"null", b"http://x.evil", b"", b"https://x"])
def test_any_other_origin_is_refused_before_the_engine(method: bytes, origin: bytes) -> None:
    engine, headers = FakeEngine(), [*HEADERS, (b"origin", origin)]

    response = ask(engine, headers=headers, method=method, callers=callers("http://x"))

    assert response.status == 403
    assert "--allow-origin" in response.json()["Message"]
    assert not [name for name in response.headers if "Access" in name]
    assert not engine.asked


def test_a_refusal_of_the_protocol_names_no_origin() -> None:
    door = Door(FakeEngine(), clock=lambda: 0.0)

    refused = Response(door.refuse(400, [(b"origin", b"http://evil")]))

    assert not [name for name in refused.headers if "Access" in name]


@pytest.mark.parametrize(
    "host",
    [
        *(b"127.0.0.1", b"127.0.0.1:8000", b"127.9.8.7", b"localhost:8000", b"LOCALHOST", b"[::1]"),
        *(b"[::1]:8000", b"db.localhost:8000", b"db.internal:8000", b"db.internal."),
    ],
)
def test_a_loopback_or_an_allowed_host_is_answered(host: bytes) -> None:
    headers: list[Header] = [(b"host", host), JSON, GET_ITEM]

    for _ in range(2):
        assert ask(FakeEngine(), headers=headers, callers=callers(host="db.internal")).status == 200


@pytest.mark.parametrize("method", [b"GET", b"POST", b"OPTIONS"])
@pytest.mark.parametrize(
    "host",
    [b"evil.com", b"evil.com:8000", b"127.0.0.1.evil.com", b"localhost.evil.com", b"10.0.0.1"],
)
def test_any_other_host_is_refused_before_the_engine(method: bytes, host: bytes) -> None:
    engine = FakeEngine()

    response = ask(engine, headers=[(b"host", host), JSON, GET_ITEM], method=method)

    assert response.status == 403
    assert "--allow-host" in response.json()["Message"]
    assert not engine.asked


def test_a_preflight_request_is_granted_what_it_asks() -> None:
    headers = [
        (b"origin", b"http://x"),
        (b"access-control-request-method", b"POST"),
        (b"access-control-request-headers", b"x-amz-target, x-amz-date"),
    ]

    response = ask(FakeEngine(), b"", headers, method=b"OPTIONS", callers=callers("*"))

    assert response.status == 200
    assert response.body == b""
    assert response.headers["Access-Control-Allow-Methods"] == "POST"
    assert response.headers["Access-Control-Allow-Headers"] == "x-amz-target, x-amz-date"
