from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.access.absent_tables import AbsentTables
from sortkey.access.retries import Retries, with_retries
from sortkey.access.targets import memory_target
from sortkey.access.transports.transport import NotSent, OutcomeUnknown, TransportError
from sortkey.operations.operation import Conversation
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


# -- what is known at the end ---------------------------------------------------------------------


def outcome(
    *errors: Exception, request: Request = PUT, retries: Retries | None = None
) -> Exception:
    """Return the error that a conversation of one request ends with, after these in turn."""

    def conversation() -> Conversation[None]:
        yield request

    left = iter(errors)
    steps = with_retries(
        conversation(),
        retries or Retries(attempts=len(errors)),
        lambda _: None,
        AbsentTables(memory_target(), (), "dev"),
    )
    step = next(steps)
    try:
        while True:
            step = steps.throw(next(left)) if isinstance(step, Request) else steps.send({})
    except Exception as error:  # noqa: BLE001 - whatever a caller would get
        return error


@pytest.mark.parametrize("unknown", UNKNOWN, ids=str)
@pytest.mark.parametrize(
    "last",
    [
        NotSent("no"),
        ThrottlingException("no"),
        AccessDeniedException("no"),
        ExpiredTokenException("no"),
        cancelled("None", "TransactionConflict"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("request_", [*WRITES, WITH_TOKEN], ids=lambda r: r.operation)
def test_a_write_that_may_have_been_carried_out_is_not_reported_as_refused(
    unknown: Exception, last: Exception, request_: Request
) -> None:
    error = outcome(ThrottlingException("first"), unknown, last, last, request=request_)

    assert isinstance(error, OutcomeUnknown)
    assert error.__cause__ is last
    assert str(unknown) in str(error)


def test_an_unknown_outcome_has_a_message_of_whole_sentences() -> None:
    error = outcome(OutcomeUnknown("Nothing came"), ThrottlingException("Is it running?"))

    assert str(error) == (
        "Nothing came. A later attempt failed too: Is it running? Whether the first one was "
        "carried out is unknown"
    )


@pytest.mark.parametrize("request_", READS, ids=lambda r: r.operation)
def test_a_read_has_no_unknown_outcome(request_: Request) -> None:
    last = ThrottlingException("no")

    assert outcome(OutcomeUnknown("silence"), last, request=request_) is last


@pytest.mark.parametrize(
    "last",
    [ConditionalCheckFailedException(), ValidationException("no"), OutcomeUnknown("again")],
    ids=lambda error: type(error).__name__,
)
def test_an_answer_about_the_record_is_passed_on(last: Exception) -> None:
    assert outcome(OutcomeUnknown("silence"), last) is last


def test_what_was_only_refused_is_reported_as_refused() -> None:
    last = NotSent("no")

    assert outcome(ThrottlingException("no"), ThrottlingException("no"), last) is last


def test_settings_do_not_change() -> None:
    retries: Any = Retries()

    with pytest.raises(AttributeError):
        retries.attempts = 1
