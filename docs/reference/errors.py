"""The page of the errors, from their classes; what to do is said here."""

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from inspect import cleandoc

import sortkey
from sortkey.errors import SortkeyError
from sortkey.wire.errors import ServiceError

# By the name of the class; one without an entry is answered as the class that it is a kind of.
WHAT_TO_DO: Mapping[str, str] = {
    "Refused": "The message says what the operation would break. Change the call; nothing was "
    "sent.",
    "KeyChanged": "Delete the old record and create the new one, in a transaction.",
    "ValueRefused": "Give the field, which `field` names, a value that can be stored.",
    "KeyValueError": "Give the field a value that its place in the key can hold: without the "
    "delimiter, within its width, not negative.",
    "KeyBindingError": "Give the fields that the message names: a key is bound from the left.",
    "Unsupported": "Leave out what this target lacks, or use another target.",
    "Unreadable": "Look at `faults`: write the record again as the entity declares it, or give the "
    "entity an upcast from its earlier shape.",
    "SecretUnreadable": "Open the database with the key that sealed the field; if none does, the "
    "item was changed or moved by somebody else.",
    "KeyUnavailable": "See that the key service can be reached, and that its policy allows the "
    "key.",
    "BadCursor": "Ask for the first page again; cursors belong to one query with one set of "
    "arguments.",
    "WriteFailed": "Nothing was changed. Catch the kinds below one by one; `found(Entity)` is what "
    "was there instead.",
    "NotFound": "Create the record, or tell the caller that it is gone.",
    "AlreadyExists": "Take the record that is there (`found(Entity)`), or choose another id.",
    "VersionConflict": "Load the record again, decide again, and write again.",
    "Outdated": "Load the record and `replace()` it, or run `sortkey backfill`.",
    "ConditionFailed": "`found(Entity)` tells why. Decide again, or tell the caller.",
    "NotUnique": "Ask for another value of `field`.",
    "InProgress": "Ask again after `until`, or answer that the work is under way.",
    "ClaimLost": "Do nothing: whoever took the claim over does the work.",
    "TooMany": "Use a query for all of them, or give more of the key.",
    "TransactionFailed": "Nothing was changed. Look at `failures`, or ask `of(operation)`.",
    "TokenReused": "Use a new token for a request that is not the same.",
    "SettingsError": "Set what the message names: a region, credentials, the target.",
    "TransportError": "See whether the endpoint can be reached.",
    "NotSent": "Try again, unless `lasting` is set; the request was not carried out.",
    "OutcomeUnknown": "Read before you write again, or repeat a write that is safe to repeat.",
    "OverBudget": "Find the reads that were not meant, or raise the budget.",
    "TemplateError": "Write the template as the message says.",
    "DesignError": "Each finding names its place and its remedy; `sortkey explain CODE` has "
    "an example.",
    "TableMismatch": "Change the table as the message says, or open the one that is meant.",
    "Unstorable": "Use a type that the message names.",
    "OtherState": "Name another file with `--state`, or remove this one.",
    "NotAStream": "Connect the function to the stream of this table.",
    "MissingImage": "Turn on `NEW_AND_OLD_IMAGES` for the stream of the table.",
    "StorageError": "The message says what is wrong with the file, and what to do.",
    "NotADesignError": "Name a design, or what `sortkey show --format json` printed.",
    "NotSamplesError": "Write the items in a shape of [sample items](../guides/samples.md).",
    "LoadError": "Correct the file at the line that the message names.",
    "ReportError": "Make the report again: `sortkey prove DESIGN --format json`.",
    "BadStrategies": "Write them in the form that the message names.",
    "CannotServe": "Choose another port or file, as the message says.",
    "BadSchedule": "Copy the schedule from the failure that printed it.",
    "ExplorationFailed": "Run `schedule` again to see the order that breaks the promise, and put "
    "the promise into a condition.",
    "ServiceError": "The message is DynamoDB's own.",
    "ValidationException": "Correct the request. From an operation of sortkey it is a fault of "
    "ours.",
    "AccessDeniedException": "Allow the action in the role's policy.",
    "ExpiredTokenException": "Get new credentials.",
    "InvalidSignatureException": "See that the clock is right, and that the secret is that of the "
    "key.",
    "ResourceNotFoundException": "Create the table, or see which region, account and environment "
    "are asked.",
    "ResourceInUseException": "Wait until the table is ACTIVE.",
    "ProvisionedThroughputExceededException": "It was tried again before it reached you: spread "
    "the load, or give the table more.",
    "ThrottlingException": "It was tried again before it reached you: ask less often.",
    "RequestLimitExceeded": "It was tried again before it reached you: ask AWS for a higher limit.",
    "TransactionConflictException": "It was tried again before it reached you: fewer writers on "
    "one item.",
    "ConditionalCheckFailedException": "Operations of sortkey raise a kind of `WriteFailed` "
    "instead.",
    "TransactionCanceledException": "Operations of sortkey raise `TransactionFailed` instead.",
    "InternalServerError": "It was tried again, unless you switched that off: see AWS's status.",
}


def errors_page() -> str:
    """Every error, what it means and what to do."""
    return "\n".join(_lines()) + "\n"


def error_classes() -> list[type[SortkeyError]]:
    """Every class of error that sortkey has, the kinds of each after it."""
    for module in pkgutil.walk_packages(sortkey.__path__, "sortkey."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return list(_with_kinds(SortkeyError))[1:]


def _with_kinds(error: type[SortkeyError]) -> Iterator[type[SortkeyError]]:
    yield error
    for kind in sorted(error.__subclasses__(), key=lambda kind: kind.__name__):
        if kind.__module__.startswith("sortkey."):
            yield from _with_kinds(kind)


def what_to_do(error: type[SortkeyError]) -> str:
    """What is said of the error, or of what it is a kind of."""
    return next((WHAT_TO_DO[c.__name__] for c in error.__mro__ if c.__name__ in WHAT_TO_DO), "")


def _lines() -> Iterator[str]:
    classes = error_classes()
    public = [c for c in classes if c.__name__ in sortkey.__all__]
    service = [c for c in classes if issubclass(c, ServiceError)]
    others = [c for c in classes if c not in public and c not in service]
    yield "# Errors"
    yield ""
    yield "Everything that sortkey raises on purpose is a `SortkeyError`. Made from the code."
    yield from ("", "## By name", "", "`from sortkey import` any of these.", "")
    yield from _table(public)
    yield from ("", "## DynamoDB's own", "")
    yield "From `sortkey.wire.errors`: the engine raises them, and so does a client that gets them."
    yield from ("", *_table(service))
    yield from ("", "## Elsewhere", "", "Met in one place each.", "")
    yield from _table(others)


def _table(classes: Sequence[type[SortkeyError]]) -> Iterator[str]:
    yield from ("| error | means | what to do |", "|---|---|---|")
    for each in classes:
        yield f"| {_name(each)} | {_meaning(each)} | {what_to_do(each)} |"


def _name(error: type[SortkeyError]) -> str:
    [parent, *_] = error.__bases__
    kind = "" if parent in {SortkeyError, ServiceError} else f", a kind of `{parent.__name__}`"
    home = "" if error.__name__ in sortkey.__all__ else f" of `{error.__module__}`"
    return f"`{error.__name__}`{kind}{'' if issubclass(error, ServiceError) else home}"


def _meaning(error: type[SortkeyError]) -> str:
    return " ".join(cleandoc(error.__doc__ or "").split()).replace("``", "`").replace("|", "\\|")
