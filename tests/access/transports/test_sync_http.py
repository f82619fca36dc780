import os
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from sortkey.access.credentials import LOCAL, Credentials, CredentialSource, StaticCredentials
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.sync_http import HttpTransport
from sortkey.access.transports.transport import (
    NotSent,
    OutcomeUnknown,
    Timeouts,
    Transport,
    TransportError,
)
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    ExpiredTokenException,
    InternalServerError,
    InvalidSignatureException,
    ValidationException,
)
from sortkey.wire.messages import Request

Serve = Callable[..., tuple[subprocess.Popen[str], int]]
GET = Request("GetItem", {"TableName": "app", "Key": {"pk": {"S": "a"}}})
LIST = Request("ListTables", {})


def http(body: bytes, status: bytes = b"200 OK", headers: bytes = b"") -> bytes:
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n%b\r\n%b" % (status, len(body), headers, body)


OK = http(b'{"ok":true}')
EXPIRED = http(b'{"__type":"x#ExpiredTokenException","message":"old"}', b"400 Bad Request")
FAILED = http(b'{"__type":"x#InternalServerError","message":"oh"}', b"500 Error")


def put(name: str, number: int) -> Request:
    return Request(
        "PutItem", {"TableName": "app", "Item": {"pk": {"S": name}, "n": {"N": str(number)}}}
    )


def get(name: str) -> Request:
    return Request("GetItem", {"TableName": "app", "Key": {"pk": {"S": name}}})


@pytest.fixture
def to() -> Iterator[Callable[..., HttpTransport]]:
    """Open a transport to an endpoint, and close it at the end."""
    opened: list[HttpTransport] = []

    def open_to(
        endpoint: Endpoint, *, credentials: CredentialSource = LOCAL, **settings: Any
    ) -> HttpTransport:
        opened.append(
            HttpTransport(endpoint, region="us-east-1", credentials=credentials, **settings)
        )
        return opened[-1]

    yield open_to
    for transport in opened:
        transport.close()


To = Callable[..., HttpTransport]


# -- a server that works ----------------------------------------------------------------------


def test_it_is_a_transport(served: Endpoint, to: To) -> None:
    transport: Transport = to(served)

    assert "app" in transport.send(LIST)["TableNames"]


def test_what_was_written_is_read(served: Endpoint, to: To) -> None:
    transport = to(served)
    item = {"pk": {"S": "ünïcödé 🗝"}, "big": {"S": "x" * 300_000}, "none": {"NULL": True}}

    assert transport.send(Request("PutItem", {"TableName": "app", "Item": item})) == {}
    assert transport.send(get("ünïcödé 🗝")) == {"Item": item}


def test_an_answer_without_a_body_is_empty(served: Endpoint, to: To) -> None:
    transport = to(served)
    described = transport.send(Request("DescribeTable", {"TableName": "app"}))
    arn = described["Table"]["TableArn"]
    tags = [{"Key": "team", "Value": "blue"}]

    assert transport.send(Request("TagResource", {"ResourceArn": arn, "Tags": tags})) == {}


def test_dynamodbs_errors_are_raised(served: Endpoint, to: To) -> None:
    transport = to(served)
    transport.send(put("taken", 1))

    with pytest.raises(ValidationException):
        transport.send(Request("GetItem", {"TableName": "app", "Key": {"no": {"S": "a"}}}))
    with pytest.raises(ConditionalCheckFailedException) as caught:
        transport.send(
            Request(
                "PutItem",
                put("taken", 2).body
                | {
                    "ConditionExpression": "attribute_not_exists(pk)",
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                },
            )
        )

    assert caught.value.item == {"pk": {"S": "taken"}, "n": {"N": "1"}}
    assert caught.value.request_id


def test_threads_share_a_transport(served: Endpoint, to: To) -> None:
    transport = to(served)
    faults: list[str] = []

    def work(name: str) -> None:
        for number in range(50):
            transport.send(put(name, number))
            item = transport.send(get(name))["Item"]
            if item != {"pk": {"S": name}, "n": {"N": str(number)}}:
                faults.append(f"{name} got {item}")

    threads = [threading.Thread(target=work, args=(f"thread{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not faults


def test_a_signed_request_is_accepted_and_a_wrong_one_refused(serve: Serve, to: To) -> None:
    _, port = serve("--access-key", "AKID", "--secret-key", "secret")
    endpoint = Endpoint.parse(f"http://127.0.0.1:{port}")
    right = to(endpoint, credentials=StaticCredentials(Credentials("AKID", "secret")))
    wrong = to(endpoint, credentials=StaticCredentials(Credentials("AKID", "guess")))

    assert right.send(LIST) == {"TableNames": []}
    with pytest.raises(InvalidSignatureException):
        wrong.send(LIST)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_parent_and_child_go_on_after_a_fork(served: Endpoint, to: To) -> None:
    transport = to(served)
    transport.send(put("parent", -1))  # so that there is a connection to inherit

    def work(name: str) -> bool:
        for number in range(100):
            transport.send(put(name, number))
            if transport.send(get(name)) != {"Item": {"pk": {"S": name}, "n": {"N": str(number)}}}:
                return False
        return True

    child = os.fork()
    if child == 0:
        # The child must not return into pytest, whatever happens.
        good = False
        try:
            good = work("child")
        finally:
            os._exit(0 if good else 1)
    parent_is_good = work("parent")
    _, status = os.waitpid(child, 0)

    assert parent_is_good
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_restarted_server_is_found_again(serve: Serve, to: To) -> None:
    process, port = serve()
    transport = to(Endpoint.parse(f"http://127.0.0.1:{port}"))
    assert transport.send(LIST)

    os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=10)
    with pytest.raises(NotSent, match="is `sortkey serve` running"):
        transport.send(LIST)
    serve("--port", str(port))

    assert transport.send(LIST)


# -- connections --------------------------------------------------------------------------------


def test_a_connection_is_used_again(scripted: Callable[..., Any], to: To) -> None:
    server = scripted([OK] * 3)
    transport = to(server.endpoint)

    assert [transport.send(GET) for _ in range(3)] == [{"ok": True}] * 3
    assert server.connections == 1


def test_an_answer_that_says_close_is_the_last(scripted: Callable[..., Any], to: To) -> None:
    server = scripted([http(b"{}", headers=b"Connection: close\r\n"), OK])
    transport = to(server.endpoint)

    transport.send(GET)
    transport.send(GET)

    assert server.connections == 2


def test_a_connection_closed_while_idle_is_replaced_unnoticed(
    scripted: Callable[..., Any], to: To
) -> None:
    server = scripted([OK])  # one answer for each connection
    transport = to(server.endpoint)

    for _ in range(5):
        assert transport.send(GET) == {"ok": True}
        server.await_hang_up()

    assert server.connections == 5


def test_after_an_error_the_connection_is_kept(scripted: Callable[..., Any], to: To) -> None:
    server = scripted([FAILED, OK])
    transport = to(server.endpoint)

    with pytest.raises(InternalServerError):
        transport.send(GET)

    assert transport.send(GET) == {"ok": True}
    assert server.connections == 1


def test_noise_on_an_idle_connection_is_not_taken_for_an_answer(
    scripted: Callable[..., Any], to: To
) -> None:
    server = scripted([OK + http(b'{"not":"asked"}')], [OK])
    transport = to(server.endpoint)

    assert transport.send(GET) == {"ok": True}
    assert transport.send(GET) == {"ok": True}
    assert server.connections == 2


def test_a_closed_transport_refuses(scripted: Callable[..., Any], to: To) -> None:
    server = scripted([OK] * 9)
    transport = to(server.endpoint)
    transport.send(GET)

    transport.close()

    with pytest.raises(TransportError, match="has been closed: open a new one"):
        transport.send(GET)


# -- servers that fail -----------------------------------------------------------------


def test_nothing_listens(to: To) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as unused:
        port = unused.getsockname()[1]
    transport = to(Endpoint.parse(f"http://127.0.0.1:{port}"))

    with pytest.raises(NotSent, match=f"cannot connect to http://127.0.0.1:{port}: is `sortkey"):
        transport.send(GET)


def test_a_host_that_is_not_known(to: To) -> None:
    with pytest.raises(NotSent, match=r"nowhere\.invalid"):
        to(Endpoint.parse("http://nowhere.invalid")).send(GET)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"", "closed the connection before its response was complete"),
        (OK[:-4], "closed the connection before its response was complete"),
        (OK[:20], "closed the connection before its response was complete"),
        (b"SSH-2.0-OpenSSH\r\n", "is it DynamoDB"),
        (http(b"<html>"), "it is not JSON"),
        (http(b"{}", headers=b"x-amz-crc32: 1\r\n"), "its checksum does not match"),
    ],
    ids=["no answer", "half an answer", "half a header", "not http", "not json", "damaged"],
)
def test_without_a_whole_answer_the_outcome_is_unknown(
    scripted: Callable[..., Any], to: To, answer: bytes, message: str
) -> None:
    server = scripted([answer], [OK])
    transport = to(server.endpoint)

    with pytest.raises(OutcomeUnknown, match=message):
        transport.send(GET)
    server.await_hang_up()

    assert transport.send(GET) == {"ok": True}


def test_silence_ends_in_an_unknown_outcome(scripted: Callable[..., Any], to: To) -> None:
    server = scripted([None], [OK])
    transport = to(server.endpoint, timeouts=Timeouts(read=0.05))

    with pytest.raises(OutcomeUnknown, match=r"did not respond for 0\.05 s"):
        transport.send(GET)

    assert server.connections == 1
    assert len(server.requests) == 1


def test_a_request_that_could_not_be_sent_whole_was_not_sent(to: To) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def hang_up() -> None:
            connection, _ = listening.accept()
            connection.recv(10)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        endpoint = Endpoint.parse(f"http://127.0.0.1:{listening.getsockname()[1]}")
        # More than the system's buffers hold.
        large = Request("PutItem", {"Item": {"pk": {"S": "x" * 50_000_000}}})

        with pytest.raises(
            NotSent, match="closed the connection before it received the whole request"
        ):
            to(endpoint).send(large)
        thread.join()


# -- credentials and encryption -----------------------------------------------------------------


class Renewable:
    def __init__(self, *keys: str) -> None:
        self._keys = list(keys)

    def is_ready(self) -> bool:
        return True

    def get(self) -> Credentials:
        return Credentials(self._keys[0], "secret")

    def renew(self) -> bool:
        del self._keys[0]
        return True


def test_expired_credentials_are_renewed_once(scripted: Callable[..., Any], to: To) -> None:
    server = scripted([EXPIRED, OK, EXPIRED, EXPIRED, OK])
    transport = to(server.endpoint, credentials=Renewable("OLD", "NEW", "NEWER"))

    assert transport.send(GET) == {"ok": True}
    with pytest.raises(ExpiredTokenException):
        transport.send(GET)

    used = [request.split(b"Credential=")[1].split(b"/")[0] for request in server.requests]
    assert used == [b"OLD", b"NEW", b"NEW", b"NEWER"]


def test_expired_credentials_that_cannot_be_renewed_are_an_error(
    scripted: Callable[..., Any], to: To
) -> None:
    server = scripted([EXPIRED, OK])

    with pytest.raises(ExpiredTokenException, match="old"):
        to(server.endpoint).send(GET)

    assert len(server.requests) == 1


def test_requests_travel_encrypted(
    scripted: Callable[..., Any], server_tls: ssl.SSLContext, client_tls: ssl.SSLContext, to: To
) -> None:
    large = http(b'{"long":"%b"}' % (b"x" * 100_000))
    server = scripted([large, OK], tls=server_tls)
    transport = to(server.endpoint, tls=client_tls)

    assert transport.send(GET) == {"long": "x" * 100_000}
    assert transport.send(GET) == {"ok": True}
    assert server.connections == 1


def test_a_certificate_that_is_not_trusted_is_refused(
    scripted: Callable[..., Any], server_tls: ssl.SSLContext, to: To
) -> None:
    server = scripted([OK], tls=server_tls)

    with pytest.raises(NotSent, match=r"the certificate of .* is not trusted") as caught:
        to(server.endpoint).send(GET)

    assert caught.value.lasting
    assert not server.requests


def test_https_to_a_plain_server_is_explained(scripted: Callable[..., Any], to: To) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(http(b"", b"400 Bad Request"))

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(NotSent, match="is it http instead of https"):
            to(Endpoint.parse(f"https://127.0.0.1:{listening.getsockname()[1]}")).send(GET)
        thread.join()


def test_a_server_that_was_reached_before_is_waited_for(
    scripted: Callable[..., Any], to: To
) -> None:
    server = scripted([OK])
    endpoint = server.endpoint
    transport = to(endpoint)
    transport.send(GET)
    server.stop()

    with pytest.raises(NotSent, match="cannot connect") as restarting:
        transport.send(GET)
    with pytest.raises(NotSent, match="cannot connect") as stopped:
        to(endpoint).send(GET)

    assert not restarting.value.lasting
    assert stopped.value.lasting
