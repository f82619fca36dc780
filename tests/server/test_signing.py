from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from sortkey.server.signing import KeyPair, verify
from sortkey.wire.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    ServiceError,
    UnrecognizedClientException,
)

KEYS = KeyPair("AKID", "secret")
NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)
BODY = b'{"TableName":"app"}'

Header = tuple[bytes, bytes]


def signed(
    body: bytes = BODY,
    keys: KeyPair = KEYS,
    *,
    at: datetime = NOW,
    region: str = "us-east-1",
    service: str = "dynamodb",
    extra: dict[str, str] | None = None,
    query: str = "",
    token: str | None = None,
) -> list[Header]:
    """The headers that botocore's own signer sends, as the server sees them."""
    request = AWSRequest(
        method="POST",
        url=f"http://127.0.0.1:8000/{query}",
        data=body,
        headers={
            "X-Amz-Target": "DynamoDB_20120810.GetItem",
            "Content-Type": "application/x-amz-json-1.0",
        }
        | (extra or {}),
    )
    with patch("botocore.auth.get_current_datetime", return_value=at.replace(tzinfo=None)):
        signer = SigV4Auth(Credentials(keys.access_key, keys.secret_key, token), service, region)
        signer.add_auth(request)
    headers = [
        (name.lower().encode(), str(value).encode()) for name, value in request.headers.items()
    ]
    return [(b"host", b"127.0.0.1:8000"), *headers]


def replaced(headers: list[Header], name: bytes, value: bytes) -> list[Header]:
    return [(found, value if found == name else old) for found, old in headers]


def without(headers: list[Header], name: bytes) -> list[Header]:
    return [header for header in headers if header[0] != name]


def authorization(headers: list[Header]) -> bytes:
    return dict(headers)[b"authorization"]


def refusal(
    headers: list[Header], body: bytes = BODY, *, now: datetime = NOW, query: bytes = b""
) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        verify(headers, body, KEYS, now, query=query)
    return caught.value


visible = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)


# -- what is accepted ---------------------------------------------------------------------------


@given(
    body=st.binary(max_size=200),
    access=st.text("ABC/123", min_size=1).filter(lambda key: key == key.strip("/")),
    secret=visible.filter(bool),
    region=st.sampled_from(["us-east-1", "eu-west-3", "local"]),
    noise=visible,
    query=st.lists(st.sampled_from(["a=1", "b=2", "a=", "c"]), max_size=3),
)
def test_what_botocore_signs_is_accepted(
    *, body: bytes, access: str, secret: str, region: str, noise: str, query: list[str]
) -> None:
    keys = KeyPair(access, secret)
    text = "&".join(query)
    headers = signed(body, keys, region=region, extra={"Noise": noise}, query=f"?{text}")

    verify(headers, body, keys, NOW, query=text.encode())


def test_spaces_in_a_value_do_not_matter() -> None:
    headers = signed(extra={"Meerkat": "Hello world"})

    verify(replaced(headers, b"meerkat", b"  Hello    world "), BODY, KEYS, NOW)


def test_the_order_of_headers_does_not_matter() -> None:
    verify(signed()[::-1], BODY, KEYS, NOW)


def test_a_header_split_in_two_is_joined_again() -> None:
    headers = without(signed(extra={"Accept-Encoding": "gzip,identity"}), b"accept-encoding")

    verify(
        [*headers, (b"accept-encoding", b"gzip"), (b"accept-encoding", b"identity")],
        BODY,
        KEYS,
        NOW,
    )


def test_the_parts_may_be_separated_by_commas_alone() -> None:
    headers = signed()
    algorithm, rest = authorization(headers).split(b" ", 1)
    squeezed = algorithm + b" " + rest.replace(b" ", b"")

    verify(replaced(headers, b"authorization", squeezed), BODY, KEYS, NOW)


def test_a_date_header_will_do() -> None:
    headers = signed(extra={"Date": "whatever botocore replaces"})

    assert b"x-amz-date" not in dict(headers)
    verify(headers, BODY, KEYS, NOW)


def test_a_signature_may_stand_in_the_query() -> None:
    request = AWSRequest(method="POST", url="http://127.0.0.1:8000/")
    with patch("botocore.auth.get_current_datetime", return_value=NOW.replace(tzinfo=None)):
        SigV4QueryAuth(
            Credentials(KEYS.access_key, KEYS.secret_key), "dynamodb", "us-east-1", expires=60
        ).add_auth(request)
    query = str(request.url).partition("?")[2].encode()
    headers = [(b"host", b"127.0.0.1:8000")]

    verify(headers, b"", KEYS, NOW + timedelta(seconds=59), query=query)
    assert "expired" in refusal(headers, b"", now=NOW + timedelta(minutes=2), query=query).message
    assert "does not match" in refusal(headers, BODY, query=query).message


def presigned(expires: int, **extra: str) -> bytes:
    """Return a query that is signed at `NOW` for this number of seconds."""
    request = AWSRequest(method="POST", url="http://127.0.0.1:8000/")
    request.params = extra
    credentials = Credentials(KEYS.access_key, KEYS.secret_key)
    with patch("botocore.auth.get_current_datetime", return_value=NOW.replace(tzinfo=None)):
        SigV4QueryAuth(credentials, "dynamodb", "us-east-1", expires=expires).add_auth(request)
    return str(request.url).partition("?")[2].encode()


def test_a_signature_in_the_query_is_valid_for_at_most_a_week() -> None:
    headers, week = [(b"host", b"127.0.0.1:8000")], 604_800
    later = NOW + timedelta(seconds=week)

    verify(headers, b"", KEYS, later, query=presigned(week))
    assert "expired" in refusal(headers, b"", now=later, query=presigned(week + 1)).message
    assert "expired" in refusal(headers, b"", now=later, query=presigned(999_999)).message


def test_a_session_token_in_the_query_belongs_to_no_fixed_key() -> None:
    query = presigned(60, **{"X-Amz-Security-Token": "session"})

    error = refusal([(b"host", b"127.0.0.1:8000")], b"", query=query)

    assert isinstance(error, UnrecognizedClientException)


def test_the_operation_must_be_signed() -> None:
    target = (b"x-amz-target", b"DynamoDB_20120810.DeleteTable")

    error = refusal([(b"host", b"127.0.0.1:8000"), target], b"", query=presigned(60))

    assert isinstance(error, InvalidSignatureException)
    assert "'X-Amz-Target' must be a 'SignedHeader'" in error.message


@pytest.mark.parametrize("minutes", [-15, 0, 15])
def test_a_clock_may_be_a_quarter_of_an_hour_off(minutes: int) -> None:
    verify(signed(at=NOW + timedelta(minutes=minutes)), BODY, KEYS, NOW)


# -- what is refused ----------------------------------------------------------------------------


@given(st.binary(max_size=100).filter(lambda body: body != BODY))
def test_a_tampered_body_is_refused(body: bytes) -> None:
    error = refusal(signed(), body)

    assert isinstance(error, InvalidSignatureException)
    assert error.message == (
        "The request signature we calculated does not match the signature you provided. Check "
        "your AWS Secret Access Key and signing method. Consult the service documentation for "
        "details."
    )


@pytest.mark.parametrize("name", [b"host", b"content-type", b"x-amz-target"])
def test_a_tampered_header_is_refused(name: bytes) -> None:
    error = refusal(replaced(signed(), name, b"other"))

    assert isinstance(error, InvalidSignatureException)


def test_another_secret_is_refused() -> None:
    error = refusal(signed(keys=KeyPair("AKID", "guess")))

    assert isinstance(error, InvalidSignatureException)


def test_an_unknown_access_key_is_refused() -> None:
    error = refusal(signed(keys=KeyPair("other", "secret")))

    assert isinstance(error, UnrecognizedClientException)
    assert error.message == "The security token included in the request is invalid."


def test_a_session_token_belongs_to_no_fixed_key() -> None:
    error = refusal(signed(token="session"))

    assert isinstance(error, UnrecognizedClientException)


def test_an_old_signature_is_refused_with_both_times() -> None:
    error = refusal(signed(at=NOW - timedelta(minutes=15, seconds=1)))

    assert isinstance(error, InvalidSignatureException)
    assert error.message == (
        "Signature expired: 20260314T145425Z is now earlier than 20260314T145426Z "
        "(20260314T150926Z - 15 min.)"
    )


def test_a_signature_from_the_future_is_refused_with_both_times() -> None:
    error = refusal(signed(at=NOW + timedelta(minutes=15, seconds=1)))

    assert isinstance(error, InvalidSignatureException)
    assert error.message == (
        "Signature not yet current: 20260314T152427Z is still later than 20260314T152426Z "
        "(20260314T150926Z + 15 min.)"
    )


@pytest.mark.parametrize("value", [None, b"", b"AWS4", b"Bearer x"])
def test_no_signature_is_missing(value: bytes | None) -> None:
    headers = without(signed(), b"authorization")
    if value is not None:
        headers.append((b"authorization", value))

    error = refusal(headers)

    assert isinstance(error, MissingAuthenticationTokenException)
    assert error.message == "Request is missing Authentication Token"


def test_a_signature_in_both_places_is_refused() -> None:
    error = refusal(signed(), query=b"X-Amz-Algorithm")

    assert isinstance(error, InvalidSignatureException)
    assert error.message.startswith("Found both 'X-Amz-Algorithm'")


def test_each_missing_part_is_named() -> None:
    error = refusal([(b"authorization", b"AWS4-")])

    assert isinstance(error, IncompleteSignatureException)
    assert error.message == (
        "Authorization header requires 'Credential' parameter. "
        "Authorization header requires 'Signature' parameter. "
        "Authorization header requires 'SignedHeaders' parameter. "
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        "Authorization=AWS4-"
    )


def test_each_missing_part_of_the_query_is_named() -> None:
    error = refusal(
        [], query=b"X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d"
    )

    assert isinstance(error, IncompleteSignatureException)
    assert error.message == (
        "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
        "Re-examine the query-string parameters."
    )


def test_a_malformed_date_is_refused() -> None:
    error = refusal(replaced(signed(), b"x-amz-date", b"201"))

    assert isinstance(error, IncompleteSignatureException)
    assert error.message.startswith("Date must be in ISO-8601 'basic format'. Got '201'.")


def test_the_host_must_be_signed() -> None:
    headers = signed()
    unsigned = authorization(headers).replace(b";host;", b";")

    assert "'Host'" in refusal(replaced(headers, b"authorization", unsigned)).message


def test_a_name_that_no_header_can_have_is_refused() -> None:
    error = refusal(
        [(b"host", b"127.0.0.1:8000")],
        query=b"X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0&X-Amz-Date=20260314T150926Z"
        b"&X-Amz-Credential=AKID/20260314/us-east-1/dynamodb/aws4_request"
        b"&X-Amz-SignedHeaders=host;%E2%82%AC",
    )

    assert isinstance(error, InvalidSignatureException)
    assert "does not match" in error.message


def test_another_algorithm_is_refused() -> None:
    headers = signed()
    other = authorization(headers).replace(b"SHA256", b"SHA25")

    error = refusal(replaced(headers, b"authorization", other))

    assert isinstance(error, IncompleteSignatureException)
    assert "'AWS4-HMAC-SHA25'" in error.message


def test_a_credential_has_five_parts() -> None:
    headers = signed()
    short = authorization(headers).replace(b"/dynamodb/aws4_request", b"")

    error = refusal(replaced(headers, b"authorization", short))

    assert isinstance(error, IncompleteSignatureException)
    assert error.message.endswith("got 'AKID/20260314/us-east-1'")


def test_every_fault_of_the_scope_is_named() -> None:
    headers = signed()
    wrong = authorization(headers).replace(
        b"20260314/us-east-1/dynamodb/aws4_request", b"20260313//s3/aws5_request"
    )

    error = refusal(replaced(headers, b"authorization", wrong))

    assert isinstance(error, InvalidSignatureException)
    assert error.message == (
        "Credential should be scoped to a valid region, not ''. "
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', "
        "not 'aws5_request'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
        "HTTP: '20260313' != '20260314', from '20260314T150926Z'. "
    )


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_no_header_makes_it_fail_in_another_way(value: bytes, query: bytes) -> None:
    headers = [(b"authorization", b"AWS4-" + value), (b"x-amz-date", b"20260314T150926Z")]

    refusal(headers, query=query)


def test_the_secret_is_not_shown() -> None:
    assert repr(KEYS) == f"KeyPair(access_key={KEYS.access_key!r})"
