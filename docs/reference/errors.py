"""The page of the errors, generated from their classes, with advice for each."""

import pkgutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from inspect import cleandoc

import sortkey
import sortkey.testing
from sortkey.errors import SortkeyError
from sortkey.wire.errors import ServiceError

# By the name of the class; a class without an entry has the advice of its base class.
WHAT_TO_DO: Mapping[str, str] = {
    "Refused": "Change the call as the message says. Nothing was sent.",
    "KeyChanged": "Delete the old record and create the new one, in a transaction.",
    "ValueRefused": "Use a value that can be stored for the field that `field` names.",
    "KeyValueError": "Use a value that fits its place in the key: without the delimiter, within "
    "its width, not negative.",
    "KeyBindingError": "Pass the fields that the message names: a key is filled from the left.",
    "Unsupported": "Avoid the feature that this target does not have, or use another target.",
    "Unreadable": "See `faults`: write the record again as the entity declares it, or add an "
    "upcast from its earlier shape to the entity.",
    "SecretUnreadable": "Open the database with the key that encrypted the field. If no key works, "
    "the item was changed, or copied from another place.",
    "KeyUnavailable": "Check that the key service can be reached, and that its policy allows the "
    "key.",
    "BadCursor": "Request the first page again: a cursor belongs to one query and its arguments.",
    "RecordError": "Catch the subclasses below; `found(Entity)` returns the stored record.",
    "WriteFailed": "Nothing was changed. Catch the subclasses below, or use `db.decide`.",
    "NotFound": "Create the record, or report that it does not exist.",
    "AlreadyExists": "Use the existing record (`found(Entity)`), or choose another id.",
    "VersionConflict": "Load the record again, decide again, and write again.",
    "Outdated": "Load the record and `replace()` it, or run `sortkey backfill`.",
    "ConditionFailed": "`found(Entity)` shows why. Decide again, or report it.",
    "NotUnique": "Choose another value for `field`.",
    "InProgress": "Try again after `until`, or report that the work is in progress.",
    "ClaimLost": "Do nothing: the caller that took over the claim does the work.",
    "Contended": "Try again later, or raise `attempts`. Nothing was written.",
    "TooMany": "Use a query for all of them, or pass more fields of the key.",
    "TransactionFailed": "Nothing was changed. See `failures` or `of(operation)`.",
    "TokenReused": "Use a new token for a different request.",
    "SettingsError": "Set what the message names: a region, credentials, the target.",
    "TransportError": "Check whether the endpoint can be reached.",
    "NotSent": "Try again, unless `lasting` is set. The request was not carried out.",
    "OutcomeUnknown": "Read before you write again, or repeat a write that is safe to repeat.",
    "OverBudget": "Find the requests that were not intended, or raise the budget.",
    "TemplateError": "Write the template as the message says.",
    "DesignError": "Each finding says where it is and what to write instead; `sortkey explain "
    "CODE` has an example.",
    "TableMismatch": "Do what the message says: add an index, give it another name, or open "
    "another table.",
    "IndexNotAdded": "Correct or delete the records that the message names, and add the index "
    "again. It does not exist until it is complete.",
    "Unstorable": "Use a type that the message names.",
    "OtherState": "Use another file for `--state`, or delete this one.",
    "ChangesLost": "Rebuild what depends on the changes, then follow again with skip_lost=True.",
    "NotAStream": "Connect the function to the stream of this table.",
    "MissingImage": "Turn on `NEW_AND_OLD_IMAGES` for the stream of the table.",
    "ScenarioError": "Use one of the scenarios that the message names, or correct the setting.",
    "ConnectionReset": "Read before you write again, or repeat a write that is safe to repeat.",
    "BucketError": "The message says which bucket or object, and why it cannot be used.",
    "ItemFormatError": "Correct the part of the file that the message names.",
    "UnreadableObjectError": "Write the object again; what was read before stays.",
    "MissingExtraError": "Install the extra that the message names.",
    "StorageError": "The message says what is wrong with the file, and what to do.",
    "NotForgotten": "Do what the message says: delete the items first, or correct the key.",
    "NotADesignError": "Pass a design, or the output of `sortkey show --format json`.",
    "NotSamplesError": "Write the items in a format of [sample items](../guides/samples.md).",
    "AssetError": "Do what the message says: correct the import, include what is missing, or leave "
    "out what is too large.",
    "LoadError": "Correct the file at the line that the message names.",
    "ReportError": "Generate the report again: `sortkey prove DESIGN --format json`.",
    "BadStrategies": "Write them in the format that the message shows.",
    "CannotServe": "Choose another port or file, as the message says.",
    "CannotRun": "Do what the message says: set what is missing, or correct the declaration.",
    "NotQueued": "Send `messages` again; the others are in the queue.",
    "BadSchedule": "Copy the schedule from the failure that printed it.",
    "ExplorationFailed": "Run `schedule` again to see the order that breaks the invariant, and "
    "protect it with a condition.",
    "Raced": "Nothing was changed. Read the record again, and run the rewrite again.",
    "ServiceError": "Catch the subclasses below; the message is DynamoDB's own.",
    "DuplicateItemException": "Use another key, or an `UPDATE` for the item that exists.",
    "IdempotentParameterMismatchException": "Use a new token for a different request.",
    "IncompleteSignatureException": "Sign the request with all parts that SigV4 requires.",
    "ItemCollectionSizeLimitExceededException": "Store fewer or smaller items under one partition "
    "key, or use a global index.",
    "LimitExceededException": "Wait until the other changes are finished, then try again.",
    "MissingAuthenticationTokenException": "Sign the request: check the client's credentials.",
    "ReplicatedWriteConflictException": "All retries failed: write an item in one region only.",
    "SerializationException": "Correct the types in the request.",
    "TransactionInProgressException": "All retries failed: try again later, with the same token.",
    "UnknownOperationException": "Use an operation that the target supports.",
    "UnknownServiceError": "See `code` and the message, which are DynamoDB's own.",
    "UnrecognizedClientException": "Check the access key, and that it belongs to this endpoint.",
    "ValidationException": "Correct the request. If an operation of sortkey raised it, please "
    "report a bug.",
    "AccessDeniedException": "Allow the action in the role's policy.",
    "ExpiredTokenException": "Get new credentials.",
    "ExpiredIteratorException": "Get a new iterator, after the last record that was read.",
    "TrimmedDataAccessException": "Get an iterator with TRIM_HORIZON; what was trimmed is lost.",
    "TableNotFoundException": "Check the name of the table, its region and its account.",
    "TableAlreadyExistsException": "Choose another name: a restore always makes a new table.",
    "TableInUseException": "Wait until the table is ACTIVE, or choose another name.",
    "BackupNotFoundException": "List the backups to find the ARN; a deleted backup is lost.",
    "BackupInUseException": "Wait until the backup is AVAILABLE and the restored table ACTIVE.",
    "ContinuousBackupsUnavailableException": "Try again in a few seconds.",
    "PointInTimeRecoveryUnavailableException": "Enable recovery; a restore reaches back to then.",
    "ExportNotFoundException": "List the exports to find the ARN; they are listed for 90 days.",
    "ExportConflictException": "Use a new client token for a different export.",
    "InvalidExportTimeException": "Choose a time since recovery was enabled, and not later than "
    "now.",
    "ImportConflictException": "Use another client token, or the same request.",
    "ImportNotFoundException": "List the imports to find the ARN; they are kept for 90 days.",
    "InvalidRestoreTimeException": "Choose a time between the two in the message.",
    "InvalidSignatureException": "Check the clock, and that the secret belongs to the access key.",
    "ResourceNotFoundException": "Create the table, or check the region, account and environment.",
    "NoSuchTable": "Open the database with the table that the message names, or deploy it.",
    "ResourceInUseException": "Wait until the table is ACTIVE.",
    "ProvisionedThroughputExceededException": "All retries failed: spread the load, or raise the "
    "capacity of the table.",
    "RequestThrottled": "The base of the three errors about throughput; `reasons` names the limit.",
    "ThrottlingException": "All retries failed: send fewer requests.",
    "RequestLimitExceeded": "All retries failed: request a higher limit from AWS.",
    "TransactionConflictException": "All retries failed: reduce concurrent writes to one item.",
    "ConditionalCheckFailedException": "Operations of sortkey raise a subclass of `WriteFailed` "
    "instead.",
    "TransactionCanceledException": "Operations of sortkey raise `TransactionFailed` instead.",
    "InternalServerError": "All retries failed, unless you disabled them: check AWS's status page.",
}


def errors_page() -> str:
    """Return the page: every error, its meaning and what to do."""
    return "\n".join(_lines()) + "\n"


def error_classes() -> list[type[SortkeyError]]:
    """Return every error class of sortkey, each followed by its subclasses."""
    for module in pkgutil.walk_packages(sortkey.__path__, "sortkey."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return list(_with_kinds(SortkeyError))[1:]


def _with_kinds(error: type[SortkeyError]) -> Iterator[type[SortkeyError]]:
    yield error
    for kind in sorted(error.__subclasses__(), key=lambda kind: kind.__name__):
        # A test may have imported a module a second time.
        is_current = getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind
        if kind.__module__.startswith("sortkey.") and is_current:
            yield from _with_kinds(kind)


def what_to_do(error: type[SortkeyError]) -> str:
    """Return the advice for an error, or that for its base class."""
    return next((WHAT_TO_DO[c.__name__] for c in error.__mro__ if c.__name__ in WHAT_TO_DO), "")


def _lines() -> Iterator[str]:
    classes = error_classes()
    service = [c for c in classes if issubclass(c, ServiceError)]
    public = [c for c in classes if c.__name__ in sortkey.__all__ and c not in service]
    others = [c for c in classes if c not in public and c not in service]
    yield "# Errors"
    yield ""
    yield "Every error of sortkey is a `SortkeyError`. This page is generated from the code."
    yield from ("", "## Public errors", "", "Import these with `from sortkey import …`.", "")
    yield from _table(public)
    yield from ("", "## DynamoDB's own errors", "")
    yield "Import these with `from sortkey import …`. The engine and the client raise them."
    yield from ("", *_table(service))
    yield from ("", "## Other errors", "", "Each of these is raised by one feature only.", "")
    yield from _table(others)


def _table(classes: Sequence[type[SortkeyError]]) -> Iterator[str]:
    yield from ("| error | meaning | what to do |", "|---|---|---|")
    for each in classes:
        yield f"| {_name(each)} | {_meaning(each)} | {what_to_do(each)} |"


def _name(error: type[SortkeyError]) -> str:
    [parent, *_] = error.__bases__
    kind = "" if parent in {SortkeyError, ServiceError} else f", a subclass of `{parent.__name__}`"
    is_for_tests = error.__name__ in sortkey.testing.__all__
    module = "sortkey.testing" if is_for_tests else error.__module__
    home = "" if error.__name__ in sortkey.__all__ else f" in `{module}`"
    return f"`{error.__name__}`{kind}{'' if issubclass(error, ServiceError) else home}"


def _meaning(error: type[SortkeyError]) -> str:
    return " ".join(cleandoc(error.__doc__ or "").split()).replace("``", "`").replace("|", "\\|")
