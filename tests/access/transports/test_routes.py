import pickle
import socket
import ssl

import pytest

from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.proxies import Proxy, proxy_for
from sortkey.access.transports.routes import EndpointRoute, Tunnel, not_forwarded
from sortkey.access.transports.transport import NotSent, OutcomeUnknown, Timeouts, TransportError

AWS = Endpoint.parse("https://dynamodb.eu-west-1.amazonaws.com")
PLAIN = Endpoint.parse("http://dynamodb.example.org:8000")
TIMEOUTS = Timeouts(connect=3, read=30)


def found(url: str) -> Proxy:
    proxy = proxy_for(AWS, {"HTTPS_PROXY": url})
    assert proxy
    return proxy


PROXY = found("http://ada:hush@proxy.example.org:3128")
OPEN = found("http://proxy.example.org:3128")
TUNNEL = Tunnel(AWS, PROXY)
CONNECTED = b"HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n"


# -- where to connect -----------------------------------------------------------------------------


def test_without_a_proxy_the_endpoint_itself_is_connected_to() -> None:
    route = EndpointRoute(AWS)

    assert route.address == ("dynamodb.eu-west-1.amazonaws.com", 443)
    assert route.tunnel is None
    assert route.forwarding is None


def test_an_https_endpoint_is_reached_through_a_tunnel() -> None:
    route = EndpointRoute(AWS, PROXY)

    assert route.address == ("proxy.example.org", 3128)
    assert route.tunnel == TUNNEL
    assert route.forwarding is None


def test_requests_to_an_http_endpoint_are_forwarded() -> None:
    route = EndpointRoute(PLAIN, PROXY)

    assert route.address == ("proxy.example.org", 3128)
    assert route.tunnel is None
    assert route.forwarding is PROXY


# -- opening a tunnel -----------------------------------------------------------------------------


def test_a_tunnel_is_requested_by_host_and_port() -> None:
    request = Tunnel(AWS, OPEN).request()

    assert request == (
        b"CONNECT dynamodb.eu-west-1.amazonaws.com:443 HTTP/1.1\r\n"
        b"Host: dynamodb.eu-west-1.amazonaws.com:443\r\n"
        b"User-Agent: sortkey\r\n\r\n"
    )


def test_an_ipv6_address_is_requested_in_brackets() -> None:
    request = Tunnel(Endpoint.parse("https://[::1]:8443"), OPEN).request()

    assert request.startswith(b"CONNECT [::1]:8443 HTTP/1.1\r\nHost: [::1]:8443\r\n")


def test_credentials_are_sent_to_the_proxy_alone() -> None:
    assert b"\r\nProxy-Authorization: Basic YWRhOmh1c2g=\r\n\r\n" in TUNNEL.request()


@pytest.mark.parametrize(
    "reply",
    [CONNECTED, b"HTTP/1.0 200\r\n\r\n", b"HTTP/1.1 204 x\r\n\r\n", b"HTTP/1.1 200 OK\nVia: x\n\n"],
)
def test_the_reply_may_come_byte_by_byte(reply: bytes) -> None:
    opened = [TUNNEL.is_open(reply[:length]) for length in range(len(reply) + 1)]

    assert opened == [False] * len(reply) + [True]


@pytest.mark.parametrize(
    ("status", "proxy", "remedy", "lasting"),
    [
        (b"407 Proxy Auth", PROXY, "correct the user and the password in HTTPS_PROXY", True),
        (b"407", OPEN, "write a user and a password into HTTPS_PROXY", True),
        (b"403 Forbidden", PROXY, "allow this host, or add the host to NO_PROXY", True),
        (b"302 Found", PROXY, "allow this host, or add the host to NO_PROXY", True),
        (b"502 Bad Gateway", PROXY, "check the region or the endpoint", False),
        (b"503 Service Unavailable", PROXY, "check the region or the endpoint", False),
    ],
)
def test_a_refusal_says_what_to_do(status: bytes, proxy: Proxy, remedy: str, lasting: bool) -> None:
    with pytest.raises(NotSent) as refused:
        Tunnel(AWS, proxy).is_open(b"HTTP/1.1 %b\r\nContent-Length: 9\r\n\r\n" % status)

    message = str(refused.value)
    assert message.startswith(
        f"the proxy http://proxy.example.org:3128 refused a tunnel to {AWS} ({status.decode()}): "
    )
    assert remedy in message
    assert refused.value.lasting is lasting


@pytest.mark.parametrize(
    "rest",
    [
        b"",
        b"Proxy-Authenticate: Basic",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n<h1>",
        b"\r\n" + b"x" * 70_000,
    ],
    ids=["status line", "half a header", "half a chunk", "long page"],
)
def test_the_status_line_of_a_refusal_is_enough(rest: bytes) -> None:
    with pytest.raises(NotSent, match=r"refused a tunnel to .* \(407 Who\?\): correct the user"):
        TUNNEL.is_open(b"HTTP/1.1 407 Who?\r\n" + rest)


@pytest.mark.parametrize(
    "reply",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"\x15\x03\x01",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 fine\r\n\r\n",
        b"HTTP/1.1 fine\r\n",
        b"HTTP/1.1 200 " + b"x" * 70_000,
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"<html>\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x" * 70_000,
        CONNECTED + b"noise",
    ],
)
def test_what_is_not_a_reply_is_seen_at_once(reply: bytes) -> None:
    with pytest.raises(NotSent, match=r"did not reply with HTTP .* is there an HTTP proxy at"):
        TUNNEL.is_open(reply)


# -- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (ConnectionRefusedError(111, "refused"), r"cannot connect to the proxy .* \(refused\)"),
        (socket.gaierror(-2, "not known"), r"the host of the proxy .* is not known \(not known\)"),
        (TimeoutError(), "the proxy .* accepted no connection within 3 s"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("endpoint", [AWS, PLAIN], ids=str)
def test_a_proxy_that_is_not_reached_is_named(
    endpoint: Endpoint, cause: OSError, message: str
) -> None:
    error = EndpointRoute(endpoint, PROXY).unreachable(cause, TIMEOUTS)

    with pytest.raises(NotSent, match=message):
        raise error
    assert f"correct HTTPS_PROXY, or add {endpoint.host} to NO_PROXY" in str(error)
    assert not error.lasting


def test_waiting_for_a_proxy_on_this_machine_is_unlikely_to_help() -> None:
    route = EndpointRoute(AWS, found("http://127.0.0.1:3128"))

    assert route.unreachable(ConnectionRefusedError(), TIMEOUTS).lasting


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (ssl.SSLCertVerificationError(1, "x"), r"certificate of .* AWS_CA_BUNDLE .* \(through"),
        (ssl.SSLError(1, "WRONG_VERSION"), r"instead of https\? \(through the proxy http://pro"),
        (TimeoutError(), r"accepted no connection within 3 s: .* \(through the proxy"),
        (ConnectionResetError(104, "reset"), "closed the tunnel to .* during the TLS handshake"),
        (ssl.SSLEOFError(8, "EOF"), "closed the tunnel to .* during the TLS handshake"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_failure_to_agree_on_tls_names_the_endpoint_and_the_proxy(
    cause: OSError, message: str
) -> None:
    if isinstance(cause, ssl.SSLCertVerificationError):
        cause.verify_message = "self-signed"
    error = EndpointRoute(AWS, PROXY).not_encrypted(cause, TIMEOUTS)

    with pytest.raises(NotSent, match=message):
        raise error
    assert error.lasting is isinstance(cause, ssl.SSLCertVerificationError)


def test_without_a_proxy_it_names_the_endpoint_alone() -> None:
    error = EndpointRoute(AWS).not_encrypted(TimeoutError(), TIMEOUTS)

    assert "proxy" not in str(error)


def test_a_request_that_was_to_be_forwarded_and_was_refused_is_not_sent() -> None:
    error = not_forwarded(PLAIN, PROXY, 407)

    assert isinstance(error, NotSent)
    assert error.lasting
    assert "with HTTP 407: correct the user and the password in HTTPS_PROXY" in str(error)


@pytest.mark.parametrize("status", [204, 502, 504])
def test_whether_a_proxy_that_failed_had_forwarded_it_is_not_known(status: int) -> None:
    error = not_forwarded(PLAIN, PROXY, status)

    assert isinstance(error, OutcomeUnknown)
    assert "may have been carried out" in str(error)


@pytest.mark.parametrize(
    "error",
    [
        EndpointRoute(AWS, PROXY).unreachable(ConnectionRefusedError(), TIMEOUTS),
        EndpointRoute(AWS, PROXY).not_encrypted(ssl.SSLError(1, "x"), TIMEOUTS),
        TUNNEL.silent(TIMEOUTS),
        TUNNEL.cut_off(),
        TUNNEL.cut_off(ConnectionResetError(104, "reset by peer")),
        not_forwarded(AWS, PROXY, 403),
        not_forwarded(AWS, PROXY, 504),
    ],
    ids=lambda value: str(value)[:30],
)
def test_every_failure_names_the_proxy_without_credentials_and_travels_between_processes(
    error: TransportError,
) -> None:
    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.endpoint == error.endpoint == str(AWS)
    assert "the proxy http://proxy.example.org:3128" in str(error)
    for hidden in ("ada", "hush", "YWRhOmh1c2g="):
        assert hidden not in repr(error)
    assert "hush" not in repr(TUNNEL)
    assert "YWRhOmh1c2g=" not in repr(TUNNEL)
