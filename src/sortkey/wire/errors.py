"""DynamoDB's errors under DynamoDB's names: the engine raises them, and so does the client."""

from collections.abc import Sequence
from typing import Any, ClassVar

from sortkey.errors import SortkeyError


class ServiceError(SortkeyError):
    """An error DynamoDB itself would answer with."""

    status: ClassVar[int] = 400
    namespace: ClassVar[str] = "com.amazonaws.dynamodb.v20120810"
    message_member: ClassVar[str] = "message"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def body(self) -> dict[str, Any]:
        """The answer's JSON body."""
        return {
            "__type": f"{self.namespace}#{type(self).__name__}",
            self.message_member: self.message,
        }


class ValidationException(ServiceError):
    """The request is malformed; the message says how, in DynamoDB's words."""

    namespace = "com.amazon.coral.validate"


class SerializationException(ServiceError):
    """The request's JSON does not have the types that the operation declares."""

    namespace = "com.amazon.coral.service"
    message_member = "Message"


class UnknownOperationException(ServiceError):
    """There is no such operation."""

    namespace = "com.amazon.coral.service"


class MissingAuthenticationTokenException(ServiceError):
    """The request carries no signature."""

    namespace = "com.amazon.coral.service"


class IncompleteSignatureException(ServiceError):
    """The signature lacks a part."""

    namespace = "com.amazon.coral.service"


class InvalidSignatureException(ServiceError):
    """The signature does not match the request, or its time is off."""

    namespace = "com.amazon.coral.service"


class UnrecognizedClientException(ServiceError):
    """The access key is unknown."""

    namespace = "com.amazon.coral.service"


class ResourceNotFoundException(ServiceError):
    """The table or index does not exist."""


class ResourceInUseException(ServiceError):
    """The table exists already, or is being changed."""


class LimitExceededException(ServiceError):
    """Too many changes at once."""


class IdempotentParameterMismatchException(ServiceError):
    """A token was reused with another request."""

    message_member = "Message"


class InternalServerError(ServiceError):
    """Something went wrong that the caller did not cause."""

    status = 500


class ConditionalCheckFailedException(ServiceError):
    """The write's condition was false; ``item`` is what was stored, if the request asked."""

    def __init__(
        self,
        message: str = "The conditional request failed",
        *,
        item: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.item = item

    def body(self) -> dict[str, Any]:
        """The answer's JSON body."""
        return super().body() | ({"Item": self.item} if self.item else {})


class TransactionCanceledException(ServiceError):
    """A transaction was refused; ``reasons`` has one entry for each of its actions, in order."""

    message_member = "Message"

    def __init__(self, reasons: Sequence[dict[str, Any]]) -> None:
        codes = ", ".join(reason["Code"] for reason in reasons)
        super().__init__(
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]"
        )
        self.reasons = list(reasons)

    def body(self) -> dict[str, Any]:
        """The answer's JSON body."""
        return super().body() | {"CancellationReasons": self.reasons}
