import hashlib
from datetime import UTC, datetime
from time import gmtime, strftime
from unittest.mock import patch

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotocoreCredentials
from hypothesis import given
from hypothesis import strategies as st

from sortkey.access.credentials import Credentials
from sortkey.access.transports.signing import CONTENT_TYPE, Signer
from sortkey.server.signing import KeyPair, verify
from sortkey.wire.signatures import STAMP, canonical_request, signature

NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)
HOST = "127.0.0.1:8000"
TARGET = b"DynamoDB_20120810.GetItem"
BODY = b'{"TableName":"app"}'


def signed(
    credentials: Credentials, body: bytes = BODY, region: str = "us-east-1", at: datetime = NOW
) -> dict[bytes, bytes]:
    lines = Signer(HOST, region).sign(TARGET, body, credentials, at.timestamp())
    assert lines.endswith(b"\r\n")
    pairs = (line.split(b": ", 1) for line in lines.splitlines())
    return {name.lower(): value for name, value in pairs}


@pytest.mark.parametrize("token", [None, "a/session+token=="])
@pytest.mark.parametrize("region", ["us-east-1", "cn-north-1"])
def test_the_signature_is_botocores(token: str | None, region: str) -> None:
    request = AWSRequest(
        method="POST",
        url=f"http://{HOST}/",
        data=BODY,
        headers={
            "X-Amz-Target": TARGET.decode(),
            "Content-Type": "application/x-amz-json-1.0",
        },
    )
    with patch("botocore.auth.get_current_datetime", return_value=NOW.replace(tzinfo=None)):
        found = BotocoreCredentials("AKID", "secret", token)
        SigV4Auth(found, "dynamodb", region).add_auth(request)

    headers = signed(Credentials("AKID", "secret", token), region=region)

    assert headers.pop(b"authorization").decode() == request.headers["Authorization"]
    assert headers.pop(b"x-amz-date").decode() == request.headers["X-Amz-Date"]
    assert headers == ({b"x-amz-security-token": token.encode()} if token else {})


@given(
    body=st.binary(max_size=200),
    access=st.text("ABC123", min_size=1),
    secret=st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1),
    at=st.datetimes(min_value=datetime(2000, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_the_server_accepts_what_the_client_signs(
    body: bytes, access: str, secret: str, at: datetime
) -> None:
    headers = signed(Credentials(access, secret), body, "eu-west-1", at)
    headers |= {
        b"host": HOST.encode(),
        b"x-amz-target": TARGET,
        b"content-type": b"application/x-amz-json-1.0",
    }

    verify(list(headers.items()), body, KeyPair(access, secret), at)


def test_the_time_moves_on() -> None:
    signer = Signer(HOST, "us-east-1")
    credentials = Credentials("AKID", "secret")
    times = [NOW.timestamp(), NOW.timestamp() + 0.5, NOW.timestamp() + 1.5]

    first, same, next_ = (signer.sign(TARGET, BODY, credentials, now) for now in times)

    assert first == same
    assert b"20260314T150926Z" in first
    assert b"20260314T150927Z" in next_


def test_other_credentials_give_another_signature() -> None:
    digests = {
        hashlib.sha256(signed(Credentials("AKID", secret))[b"authorization"]).digest()
        for secret in ("one", "two", "three")
    }

    assert len(digests) == 3


@given(
    st.lists(
        st.tuples(
            st.sampled_from([TARGET, b"DynamoDBStreams_20120810.GetRecords"]),
            st.binary(max_size=50),
            st.sampled_from(["AKID", "OTHER"]),
            st.sampled_from(["secret", "other"]),
            st.sampled_from([None, "a/session+token==", ":"]),
            st.sampled_from([NOW.timestamp(), NOW.timestamp() + 1]),
        )
    )
)
def test_earlier_requests_do_not_change_a_signature(
    requests: list[tuple[bytes, bytes, str, str, str | None, float]],
) -> None:
    signer = Signer(HOST, "us-east-1")
    for target, body, access, secret, token, now in requests:
        fields = [(b"content-type", CONTENT_TYPE), (b"host", HOST.encode())]
        stamp = strftime(STAMP, gmtime(now))
        fields.append((b"x-amz-date", stamp.encode()))
        if token is not None:
            fields.append((b"x-amz-security-token", token.encode()))
        fields.append((b"x-amz-target", target))

        lines = signer.sign(target, body, Credentials(access, secret, token), now)

        proof = signature(canonical_request(fields, body), secret, stamp, "us-east-1")
        assert lines.endswith(b"Signature=%b\r\n" % proof.encode())
        assert b"Credential=%b/" % access.encode() in lines
