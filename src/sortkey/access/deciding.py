"""Deciding: load, decide, write, and decide again if another caller was faster. No I/O.

A decision is a function that reads what it needs and returns the operation to run. If the operation
fails because a record changed after the decision read it, nothing was written, and the decision is
called again. Writes have a token, so that DynamoDB recognises a write that is repeated because its
response was lost: it happens once, and counts as a success.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias

from sortkey.access.observing import attempt_number
from sortkey.access.retries import Retries
from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    Contended,
    NotFound,
    RecordError,
    Refused,
    TransactionFailed,
    VersionConflict,
)
from sortkey.operations.operation import Pause
from sortkey.wire.errors import TransactionConflictException
from sortkey.wording.prose import counted

Conflict: TypeAlias = RecordError | TransactionFailed
CONFLICTS = (RecordError, TransactionFailed)

# Exactly these: another decision may avoid them. A value that is not unique would fail again.
_AVOIDABLE = {AlreadyExists, ConditionFailed, NotFound, VersionConflict}


class Attempts:
    """The attempts of one decision: their maximum number, and the pause before the next."""

    def __init__(
        self, limit: int, retries: Retries, on_conflict: Callable[[Conflict], object] | None
    ) -> None:
        if limit < 1:
            raise Refused(f"decide() needs at least 1 attempt, not {limit}")
        self._limit = limit
        self._retries = retries
        self._on_conflict = on_conflict
        self._failed = 0

    @contextmanager
    def next(self) -> Generator[None]:
        """Report the calls in this block to observers under the number of the next attempt."""
        with attempt_number(self._failed + 1):
            yield

    def pause_after(self, conflict: Conflict) -> Pause:
        """Return the pause before another attempt; raise if another attempt cannot help."""
        failures = conflict.failures if isinstance(conflict, TransactionFailed) else (conflict,)
        # A transaction that failed only because of a concurrent one was retried before.
        kinds = {type(failure) for failure in failures} - {type(None), TransactionConflictException}
        if not kinds or not kinds <= _AVOIDABLE:
            raise conflict
        if self._on_conflict is not None:
            self._on_conflict(conflict)
        self._failed += 1
        if self._failed < self._limit:
            return Pause(self._retries._backoff(self._failed - 1))
        raise Contended(
            f"a record changed after the decision had read it, in {counted(self._limit, 'attempt')}"
            f"; the last one failed with: {conflict}",
            attempts=self._limit,
        ) from conflict
