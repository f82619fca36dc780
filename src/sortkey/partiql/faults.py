"""The faults of a statement, in DynamoDB's words."""

from typing import NamedTuple

from sortkey.wire.errors import ValidationException


class TokenPlace(NamedTuple):
    """Where a token is in the text: its line and column, both from 1, and its length."""

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        """The place as DynamoDB shows it."""
        return f"{self.line}:{self.column}:{self.length}"


def malformed(detail: str = "") -> ValidationException:
    """Return the error for text that is not a statement; unreadable characters have no detail."""
    return ValidationException(f"Statement wasn't well formed, can't be processed: {detail}")


def misplaced(message: str, place: TokenPlace) -> ValidationException:
    """Return an error that names its place in the statement."""
    return ValidationException(f"{message} at {place}")
