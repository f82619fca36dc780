from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.access.retries import Retries
from sortkey.access.transports.transport import NotSent, OutcomeUnknown, TransportError
from sortkey.wire.errors import (
    AccessDeniedException,
    ConditionalCheckFailedException,
    ExpiredTokenException,
    IdempotentParameterMismatchException,
    InternalServerError,
    ProvisionedThroughputExceededException,
    ReplicatedWriteConflictException,
    RequestLimitExceeded,
    ResourceNotFoundException,
    ThrottlingException,
    TransactionCanceledException,
    TransactionConflictException,
    TransactionInProgressException,
    ValidationException,
    read_error,
)
from sortkey.wire.messages import Request

PUT = Request("PutItem", {"TableName": "app"})
READS = [
    Request(operation, {})
    for operation in ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems")
] + [Request("DescribeTable", {}), Request("ListTables", {})]
WRITES = [
    Request(operation, {})
    for operation in ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "CreateTable")
] + [Request("TransactWriteItems", {})]
WITH_TOKEN = Request("TransactWriteItems", {"ClientRequestToken": "order-17"})
UNKNOWN = [OutcomeUnknown("silence"), InternalServerError("oh"), read_error(503, b"busy")]


def is_repeated(error: Exception, request: Request = PUT, retries: Retries | None = None) -> bool:
    return (retries or Retries())._pause(error, request, 0) is not None


def cancelled(*codes: str) -> TransactionCanceledException:
    return TransactionCanceledException([{"Code": code} for code in codes])


# -- how long -----------------------------------------------------------------------------------


@given(
    attempt=st.integers(0, 8),
    base=st.floats(0.001, 1),
    cap=st.floats(0.001, 30),
    chance=st.floats(0, 1, exclude_max=True),
)
def test_a_pause_is_between_nothing_and_a_limit_that_doubles(
    attempt: int, base: float, cap: float, chance: float
) -> None:
    retries = Retries(base=base, cap=cap, random=lambda: chance)

    pause = retries._pause(NotSent("refused"), PUT, attempt)

    assert pause == chance * min(cap, base * 2**attempt)


def test_after_the_last_attempt_the_error_is_let_through() -> None:
    retries = Retries(attempts=3)

    pauses = [retries._pause(NotSent("refused"), PUT, attempt) is None for attempt in range(4)]

    assert pauses == [False, False, True, True]


def test_one_attempt_means_no_retry() -> None:
    assert not is_repeated(NotSent("refused"), retries=Retries(attempts=1))


def test_a_server_that_is_not_running_is_not_waited_for_long() -> None:
    down = NotSent("nothing answers", lasting=True)

    pauses = [Retries()._pause(down, PUT, attempt) is None for attempt in range(3)]

    assert pauses == [False, False, True]


# -- what ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        ProvisionedThroughputExceededException("slow down"),
        RequestLimitExceeded("slow down"),
        ThrottlingException("slow down"),
        ReplicatedWriteConflictException("elsewhere"),
        TransactionConflictException("busy"),
        TransactionInProgressException("busy"),
        read_error(429, b"too many"),
        cancelled("None", "TransactionConflict"),
        cancelled("ThrottlingError", "ProvisionedThroughputExceeded"),
        NotSent("refused"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("unknown_outcomes", [True, False])
def test_what_was_refused_for_now_is_always_repeated(
    error: Exception, *, unknown_outcomes: bool
) -> None:
    assert is_repeated(error, retries=Retries(unknown_outcomes=unknown_outcomes))


@pytest.mark.parametrize(
    "error",
    [
        ValidationException("no"),
        ConditionalCheckFailedException(),
        ResourceNotFoundException("no table"),
        AccessDeniedException("no"),
        ExpiredTokenException("the transport has tried new ones"),
        IdempotentParameterMismatchException("no"),
        cancelled("None", "ConditionalCheckFailed"),
        cancelled("TransactionConflict", "ConditionalCheckFailed"),
        cancelled("None"),
        cancelled(),
        TransportError("closed"),
        KeyError("a bug"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_would_fail_again_is_not_repeated(error: Exception) -> None:
    assert not is_repeated(error, READS[0])


@pytest.mark.parametrize("error", UNKNOWN, ids=str)
@pytest.mark.parametrize("request_", [*READS, *WRITES, WITH_TOKEN], ids=lambda r: r.operation)
def test_an_unknown_outcome_is_repeated(error: Exception, request_: Request) -> None:
    assert is_repeated(error, request_)


@pytest.mark.parametrize("error", UNKNOWN, ids=str)
def test_without_unknown_outcomes_only_what_is_safe_twice_is_repeated(error: Exception) -> None:
    retries = Retries(unknown_outcomes=False)

    def repeated(*requests: Request) -> set[bool]:
        return {is_repeated(error, request, retries) for request in requests}

    assert repeated(*READS, WITH_TOKEN) == {True}
    assert repeated(*WRITES) == {False}


def test_settings_do_not_change() -> None:
    retries: Any = Retries()

    with pytest.raises(AttributeError):
        retries.attempts = 1
