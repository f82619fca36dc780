"""SK703 silent-overwrite: a put overwrites an existing record."""

from collections.abc import Iterator

from sortkey.check.changes import changes
from sortkey.check.lost_updates import last_writer_wins, lost_updates
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.overwriting import overwriting
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.sources import Argument
from sortkey.expressions.reserved import is_reserved
from sortkey.wording.names import words

_BEST = frozenset({"best", "best score", "high score", "highest score", "highscore", "score"})
# Words in the names of records that make something happen only once.
_ONCE = frozenset({"dedup", "deduplication", "idempotency", "idempotent", "processed"})


@rule("SK703", "silent-overwrite", WARNING)
def silent_overwrite(model: Model) -> Iterator[Finding]:
    """A put overwrites an existing record.

    A PutItem without a condition creates a record or replaces an existing one with all its
    attributes, and the response does not say which. `create()` fails if the record exists,
    `replace()` if it does not. If the last writer should win, `put()` declares that, and it is
    information; a raw request declares it with `ignore=`. It is also information if, judging by its
    name, only the latest state of a record matters, as with a cache or settings. In a transaction
    that creates a marker with an id, a put whose key contains that id needs no condition. A record
    that consists only of its key, such as one user following another, loses nothing. SK720 covers a
    put of a record that was read before.

    Flagged:
        class Old(Table, raw=True):
            pass

        add = raw_pattern(
            "Add a profile",
            table=Old,
            operation="PutItem",
            item={"PK": "USER#{user_id}", "SK": "PROFILE", "title": "{title}"},
            arguments={"user_id": str, "title": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        add = raw_pattern(
            "Add a profile",
            table=Old,
            operation="PutItem",
            item={"PK": "USER#{user_id}", "SK": "PROFILE", "title": "{title}"},
            condition="attribute_not_exists(PK)",
            arguments={"user_id": str, "title": str},
        )
    """
    back = {found.request for found in model.once(lost_updates)}
    for request in model.once(overwriting):
        if request in back:
            continue
        what = " or ".join(kind.name for kind in request.kinds) or "record"
        is_meant = not request.is_raw or last_writer_wins(request)
        yield Finding(
            request.pattern,
            f"its put silently replaces an existing {what} with all its attributes",
            _fix(request),
            severity=INFORMATION if is_meant else WARNING,
        )


def _fix(request: PlannedRequest) -> str:
    if not request.is_raw:
        return (
            "Use create() to add one, or replace() to change one; put() is right if the last "
            "writer wins"
        )
    key = request.table.key_names[0]
    absent = f"attribute_not_exists({key})"
    if request.shape == "batch":
        return f'Use TransactWriteItems, with `condition="{absent}"`: a batch has no conditions'
    if not _ONCE.isdisjoint(word for kind in request.kinds for word in words(kind.model.__name__)):
        return (
            f'Put it before the work, with `condition="{absent}"`, and stop if that fails: two '
            "concurrent deliveries both find nothing"
        )
    for name, argument in _scores(request):
        alias = f"#{name}" if is_reserved(name) else name
        names = f', `names={{"{alias}": "{name}"}}`' if alias != name else ""
        return (
            f'Add `condition="{absent} OR {alias} < :{argument}"`{names} and '
            f'`values={{":{argument}": "{{{argument}}}"}}` to keep the better {name}; if the last '
            'one wins, acknowledge it with `ignore={"SK703": "..."}`'
        )
    return (
        f'Add `condition="{absent}"` if it creates, or `condition="attribute_exists({key})"` if it '
        'replaces; if the last writer wins, acknowledge it with `ignore={"SK703": "..."}`'
    )


def _scores(request: PlannedRequest) -> Iterator[tuple[str, str]]:
    """Yield the numbers of an item that look like a best score."""
    for name, source in (request.step.item or {}).items():
        is_best = " ".join(words(name)) in _BEST and changes(request)
        if isinstance(source, Argument) and is_best:
            yield name, source.name
