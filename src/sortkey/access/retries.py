"""Retries: which failed requests are sent again, and after how long. No I/O."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sortkey.access.absent_tables import AbsentTables
from sortkey.access.transports.transport import NotSent, OutcomeUnknown
from sortkey.errors import SortkeyError
from sortkey.operations.operation import Conversation, Operation, Pause
from sortkey.wire.errors import (
    AccessDeniedException,
    ExpiredTokenException,
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    ProvisionedThroughputExceededException,
    ReplicatedWriteConflictException,
    RequestLimitExceeded,
    ResourceNotFoundException,
    ServiceError,
    ThrottlingException,
    TransactionCanceledException,
    TransactionConflictException,
    TransactionInProgressException,
    UnrecognizedClientException,
)
from sortkey.wire.messages import READS, Request
from sortkey.wire.services import STREAM_OPERATIONS
from sortkey.wording.prose import sentence

R = TypeVar("R")

_READING_VERBS = ("Describe", "List")
# Temporary errors: nothing was carried out, and the same request may succeed later.
_PASSING = (
    ProvisionedThroughputExceededException,
    ReplicatedWriteConflictException,
    RequestLimitExceeded,
    ThrottlingException,
    TransactionConflictException,
    TransactionInProgressException,
)
# Errors that come before the stored records are looked at, whatever an earlier attempt has done.
_WITHOUT_PERMISSION = (
    AccessDeniedException,
    ExpiredTokenException,
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)
_PASSING_REASONS = frozenset(
    {"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}
)
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
_ATTEMPTS_IF_LASTING = 3


@dataclass(frozen=True, slots=True)
class Retries:
    """The number of attempts for a request, and the pauses between them.

    The pause before a retry is a random time between 0 and a limit ("full jitter"), so that clients
    that failed together do not retry together. The limit starts at ``base`` seconds and doubles
    up to ``cap``. With ``unknown_outcomes=False``, a write that may have been carried out is not
    repeated, unless it is a transaction with a token.

    Except for the cap, the defaults are botocore's for DynamoDB: ten attempts, 50 ms doubling. All
    pauses together take eight seconds on average, and sixteen at most.
    """

    attempts: int = 10
    base: float = 0.05
    cap: float = 5.0
    unknown_outcomes: bool = True
    random: Callable[[], float] = random.random

    def _pause(self, error: Exception, request: Request, attempt: int) -> float | None:
        """Return the seconds to wait before a retry, or None to raise the error.

        The first attempt is number 0.
        """
        attempts = self.attempts
        if isinstance(error, NotSent) and error.lasting:
            attempts = min(attempts, _ATTEMPTS_IF_LASTING)
        if attempt + 1 >= attempts or not self._is_worth_it(error, request):
            return None
        return self._backoff(attempt)

    def _backoff(self, attempt: int) -> float:
        """Return a random number of seconds to wait after attempt number ``attempt`` failed."""
        return self.random() * min(self.cap, self.base * 2**attempt)

    def _is_worth_it(self, error: Exception, request: Request) -> bool:
        match error:
            case NotSent():
                return True
            case OutcomeUnknown():
                return self.unknown_outcomes or _is_safe_twice(request)
            case TransactionCanceledException():
                return _was_cancelled_for_now(error)
            case ServiceError() if error.status >= _SERVER_ERROR:
                # DynamoDB does not promise that such a write was not carried out.
                return self.unknown_outcomes or _is_safe_twice(request)
            case ServiceError():
                return isinstance(error, _PASSING) or error.status == _TOO_MANY_REQUESTS
            case _:
                return False


def with_retries(
    steps: Conversation[R],
    retries: Retries,
    refuse: Callable[[Request], None],
    absent: AbsentTables,
    operation: Operation[R] | None = None,
) -> Conversation[R]:
    """Run the steps, and send a failed request again if that may help.

    If the last attempt was refused, but an earlier one may have been carried out, the outcome is
    unknown.
    """
    attempt = 0
    doubt: SortkeyError | None = None
    try:
        step = next(steps)
        while True:
            try:
                if isinstance(step, Request):
                    refuse(step)
                answer = yield step
            except SortkeyError as error:
                pause = retries._pause(error, step, attempt) if isinstance(step, Request) else None
                if isinstance(step, Request) and _leaves_doubt(error, step):
                    doubt = error
                if pause is None:
                    attempt = 0
                    if doubt is not None and _says_nothing(error):
                        error = _in_doubt(doubt, error)
                    doubt = None
                    if isinstance(step, Request) and isinstance(error, ResourceNotFoundException):
                        error = absent.explained(error, step, operation)
                    step = steps.throw(error)
                else:
                    attempt += 1
                    yield Pause(pause)
            else:
                attempt = 0
                doubt = None
                step = steps.send(answer)
    except StopIteration as end:
        return end.value


def _leaves_doubt(error: SortkeyError, request: Request) -> bool:
    """Return whether a write may have been carried out although it failed."""
    if _is_read(request):
        return False
    is_failure = isinstance(error, ServiceError) and error.status >= _SERVER_ERROR
    return is_failure or isinstance(error, OutcomeUnknown)


def _says_nothing(error: SortkeyError) -> bool:
    """Return whether an attempt was refused whatever the stored records are."""
    match error:
        case TransactionCanceledException():
            return _was_cancelled_for_now(error)
        case ServiceError():
            is_refused = isinstance(error, (*_PASSING, *_WITHOUT_PERMISSION))
            return is_refused or error.status == _TOO_MANY_REQUESTS
        case _:
            return isinstance(error, NotSent)


def _in_doubt(doubt: SortkeyError, error: SortkeyError) -> OutcomeUnknown:
    """Return the error of a write of which one attempt may have been carried out."""
    first, last = (sentence(str(each)) for each in (doubt, error))
    unknown = OutcomeUnknown(
        f"{first} A later attempt failed too: {last} Whether the first one was carried out is "
        "unknown",
        endpoint=getattr(doubt, "endpoint", ""),
    )
    unknown.__cause__ = error
    return unknown


def _was_cancelled_for_now(error: TransactionCanceledException) -> bool:
    """Return whether a transaction was cancelled only for conflicts and throttling."""
    codes = {reason.get("Code", "None") for reason in error.reasons} - {"None"}
    return bool(codes) and codes <= _PASSING_REASONS


def _is_safe_twice(request: Request) -> bool:
    """Return whether sending a request a second time has no further effect."""
    if request.operation == "TransactWriteItems":
        return "ClientRequestToken" in request.body
    return _is_read(request)


def _is_read(request: Request) -> bool:
    operation = request.operation
    is_of_items = operation in READS or operation in STREAM_OPERATIONS
    return is_of_items or operation.startswith(_READING_VERBS)
