import pickle
import socket
import ssl

import pytest

from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.transport import (
    NotSent,
    OutcomeUnknown,
    Timeouts,
    TransportError,
    closed,
    cut_off,
    garbled,
    not_accepted,
    silent,
    unreachable,
)
from sortkey.errors import SortkeyError

HERE = Endpoint.parse("http://127.0.0.1:8000")
THERE = Endpoint.parse("https://dynamodb.eu-west-1.amazonaws.com")
TIMEOUTS = Timeouts(connect=3, read=30)


def test_nothing_on_this_machine_asks_whether_the_server_is_running() -> None:
    error = unreachable(HERE, ConnectionRefusedError(111, "Connection refused"), TIMEOUTS)

    assert str(error) == "cannot connect to http://127.0.0.1:8000: is `sortkey serve` running?"
    assert error.lasting


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (
            ConnectionRefusedError(111, "Connection refused"),
            r"cannot connect .* \(Connection refused\)",
        ),
        (OSError("Multiple exceptions"), r"cannot connect .* \(Multiple exceptions\)"),
        (socket.gaierror(-2, "Name not known"), "the host of .* is not known .* check the region"),
        (TimeoutError("timed out"), "accepted no connection within 3 s"),
        (ssl.SSLError(1, "WRONG_VERSION_NUMBER"), "is it http instead of https"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_failure_elsewhere_may_pass(cause: OSError, message: str) -> None:
    error = unreachable(THERE, cause, TIMEOUTS)

    assert not error.lasting
    with pytest.raises(NotSent, match=message):
        raise error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (unreachable(THERE, ConnectionRefusedError(), TIMEOUTS), NotSent),
        (not_accepted(THERE, BrokenPipeError(32, "Broken pipe")), NotSent),
        (silent(THERE, TIMEOUTS), OutcomeUnknown),
        (cut_off(THERE), OutcomeUnknown),
        (cut_off(THERE, ConnectionResetError(104, "reset by peer")), OutcomeUnknown),
        (garbled(THERE, "noise"), OutcomeUnknown),
        (closed(THERE), TransportError),
    ],
    ids=lambda value: str(value)[:30],
)
def test_every_failure_names_the_endpoint_and_travels_between_processes(
    error: TransportError, kind: type[TransportError]
) -> None:
    copy = pickle.loads(pickle.dumps(error))

    assert type(error) is type(copy) is kind
    assert isinstance(error, SortkeyError)
    assert error.endpoint == copy.endpoint == str(THERE)
    assert str(THERE) in str(error) == str(copy)


def test_an_unknown_outcome_says_so() -> None:
    for error in (silent(THERE, TIMEOUTS), cut_off(THERE), garbled(THERE, "noise")):
        assert "may have been carried out" in str(error)
