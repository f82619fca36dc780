"""DynamoDB's errors under DynamoDB's names: the engine raises them, and so does the client."""

import json
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from sortkey.errors import SortkeyError


class ServiceError(SortkeyError):
    """An error that DynamoDB returns; ``request_id`` is set if it came from DynamoDB itself."""

    status: int = 400
    request_id: str | None = None
    namespace: ClassVar[str] = "com.amazonaws.dynamodb.v20120810"
    message_member: ClassVar[str] = "message"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def code(self) -> str:
        """DynamoDB's name for the error."""
        return type(self).__name__

    def body(self) -> dict[str, Any]:
        """The answer's JSON body."""
        return {
            "__type": f"{self.namespace}#{self.code}",
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
    """The signature is incomplete."""

    namespace = "com.amazon.coral.service"


class InvalidSignatureException(ServiceError):
    """The signature does not match the request, or its time is too far from the server's."""

    namespace = "com.amazon.coral.service"


class UnrecognizedClientException(ServiceError):
    """The access key is unknown."""

    namespace = "com.amazon.coral.service"


class AccessDeniedException(ServiceError):
    """The credentials are valid, but do not allow this action."""

    namespace = "com.amazon.coral.service"
    message_member = "Message"


class ExpiredTokenException(ServiceError):
    """The temporary credentials have expired."""

    namespace = "com.amazon.coral.service"


class ResourceNotFoundException(ServiceError):
    """The table or index does not exist."""


class ResourceInUseException(ServiceError):
    """The table exists already, or is being changed."""


class ExpiredIteratorException(ServiceError):
    """The shard iterator is older than fifteen minutes."""


class TrimmedDataAccessException(ServiceError):
    """The record is older than the stream keeps records."""


class LimitExceededException(ServiceError):
    """Too many tables or indexes are being changed at once."""


class TableNotFoundException(ServiceError):
    """The table to be backed up or restored does not exist."""


class TableAlreadyExistsException(ServiceError):
    """Another table has the name that the restored table should get."""


class TableInUseException(ServiceError):
    """A table with this name is being restored."""


class BackupNotFoundException(ServiceError):
    """The backup does not exist."""


class BackupInUseException(ServiceError):
    """The backup is being created, or a table is being restored from it."""


class ContinuousBackupsUnavailableException(ServiceError):
    """Backups of the table are not enabled yet."""


class ExportNotFoundException(ServiceError):
    """There is no such export, or it began more than 90 days ago."""


class ExportConflictException(ServiceError):
    """Another export was requested with this client token."""


class InvalidExportTimeException(ServiceError):
    """The table cannot be exported as it was at that time."""


class PointInTimeRecoveryUnavailableException(ServiceError):
    """Point-in-time recovery is not enabled for the table."""


class InvalidRestoreTimeException(ServiceError):
    """The table cannot be restored to this time."""


class ImportNotFoundException(ServiceError):
    """The import does not exist."""


class ImportConflictException(ServiceError):
    """Another import has the client token."""


class ItemCollectionSizeLimitExceededException(ServiceError):
    """The items with one partition key exceed the size limit of a local index."""


class RequestThrottled(ServiceError):
    """A request that cannot be served now; ``reasons`` names each limit and its table or index."""

    reasons_member: ClassVar[str] = "ThrottlingReasons"

    def __init__(self, message: str, reasons: Sequence[dict[str, str]] = ()) -> None:
        super().__init__(message)
        self.reasons = list(reasons)

    def body(self) -> dict[str, Any]:
        """The answer's JSON body, with the reasons if they are known."""
        return super().body() | ({self.reasons_member: self.reasons} if self.reasons else {})


class ProvisionedThroughputExceededException(RequestThrottled):
    """The table, an index or one of their partitions gets more requests than it can serve."""


class RequestLimitExceeded(RequestThrottled):
    """The account gets more requests than its quota allows."""


class ThrottlingException(RequestThrottled):
    """The caller sends too many requests a second."""

    namespace = "com.amazon.coral.availability"
    reasons_member = "throttlingReasons"


class ReplicatedWriteConflictException(ServiceError):
    """Another region is writing one of these items."""


class DuplicateItemException(ServiceError):
    """An item with this primary key exists already."""


class TransactionConflictException(ServiceError):
    """A transaction is working on this item."""


class TransactionInProgressException(ServiceError):
    """The transaction with this token is still running."""

    message_member = "Message"


class IdempotentParameterMismatchException(ServiceError):
    """A token was reused with another request."""

    message_member = "Message"


class InternalServerError(ServiceError):
    """The server failed for a reason that the caller did not cause."""

    status = 500


class ConditionalCheckFailedException(ServiceError):
    """The write's condition was false; ``item`` is the stored item, if it was requested."""

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
    """A transaction was rejected; ``reasons`` has one entry for each of its actions, in order."""

    message_member = "Message"

    def __init__(self, reasons: Sequence[dict[str, Any]]) -> None:
        codes = ", ".join(reason.get("Code", "None") for reason in reasons)
        super().__init__(
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]"
        )
        self.reasons = list(reasons)

    def body(self) -> dict[str, Any]:
        """The answer's JSON body."""
        return super().body() | {"CancellationReasons": self.reasons}


class UnknownServiceError(ServiceError):
    """An error that sortkey has no class for, with the code and message of the response."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self._code = code

    def __str__(self) -> str:
        return f"{self._code}: {self.message}"

    @property
    def code(self) -> str:
        """DynamoDB's name for the error, or the HTTP status where it has none."""
        return self._code


# -- reading an error from an answer ------------------------------------------------------------

_KNOWN: dict[str, type[ServiceError]] = {
    error.__name__: error
    for error in (
        AccessDeniedException,
        BackupInUseException,
        BackupNotFoundException,
        ContinuousBackupsUnavailableException,
        DuplicateItemException,
        ExpiredIteratorException,
        ExpiredTokenException,
        ExportConflictException,
        ExportNotFoundException,
        IdempotentParameterMismatchException,
        ImportConflictException,
        ImportNotFoundException,
        IncompleteSignatureException,
        InternalServerError,
        InvalidExportTimeException,
        InvalidRestoreTimeException,
        InvalidSignatureException,
        ItemCollectionSizeLimitExceededException,
        LimitExceededException,
        MissingAuthenticationTokenException,
        PointInTimeRecoveryUnavailableException,
        ProvisionedThroughputExceededException,
        ReplicatedWriteConflictException,
        RequestLimitExceeded,
        ResourceInUseException,
        ResourceNotFoundException,
        SerializationException,
        TableAlreadyExistsException,
        TableInUseException,
        TableNotFoundException,
        ThrottlingException,
        TransactionConflictException,
        TransactionInProgressException,
        TrimmedDataAccessException,
        UnknownOperationException,
        UnrecognizedClientException,
        ValidationException,
    )
}
_SHOWN = 200


def read_error(status: int, body: bytes, request_id: str | None = None) -> ServiceError:
    """Return the error of a response with this status and body."""
    error = _read(body) or UnknownServiceError(
        body[:_SHOWN].decode(errors="replace").strip() or "an empty answer", code=f"HTTP {status}"
    )
    error.status = status
    error.request_id = request_id
    return error


def _read(body: bytes) -> ServiceError | None:
    """Return the error in a body of DynamoDB's form; other bodies come from proxies."""
    try:
        answer: object = json.loads(body)
    except ValueError:  # not JSON, or not even text
        return None
    if not isinstance(answer, dict):
        return None
    members = cast("dict[str, Any]", answer)
    kind = members.get("__type")
    if not isinstance(kind, str):
        return None
    code = kind.rpartition("#")[2].partition(":")[0]
    message = str(members.get("message") or members.get("Message") or "")
    if code == "ConditionalCheckFailedException":
        return ConditionalCheckFailedException(message, item=members.get("Item"))
    if code == "TransactionCanceledException" and "CancellationReasons" in members:
        return TransactionCanceledException(members["CancellationReasons"])
    if known := _KNOWN.get(code):
        return known(message)
    return UnknownServiceError(message, code=code)
