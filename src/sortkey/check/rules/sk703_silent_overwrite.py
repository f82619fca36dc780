"""SK703 silent-overwrite: a put overwrites the record that exists."""

from collections.abc import Iterator

from sortkey.check.changes import changes
from sortkey.check.fields import words
from sortkey.check.lost_updates import last_writer_wins, lost_updates
from sortkey.check.model import Model, Request
from sortkey.check.overwriting import overwriting
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.sources import Argument
from sortkey.expressions.reserved import is_reserved

_BEST = frozenset({"best", "best score", "high score", "highest score", "highscore", "score"})
# Records by which something is done only once, by their names.
_ONCE = frozenset({"dedup", "deduplication", "idempotency", "idempotent", "processed"})


@rule("SK703", "silent-overwrite", WARNING)
def silent_overwrite(model: Model) -> Iterator[Fault]:
    """A put overwrites the record that exists.

    A PutItem without a condition creates a record, or replaces another and all that was in it, and
    the response does not say which. `create()` fails where there is one, `replace()` where there is
    none. Where the last writer is meant to win, `put()` says so, and it is for information; a raw
    request says so with `ignore=`. It is for information too where only the newest state of a
    record matters by its name, as of a cache or of settings. In a transaction that creates a marker
    with an id, a put whose key contains that id needs no condition of its own. A record that is
    nothing but its key, such as that someone follows someone, loses nothing. A put of a record that
    was read before has a rule of its own, SK720.

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
        yield Fault(
            request.pattern,
            f"its put replaces an existing {what}, and all that was in it, without notice",
            _fix(request),
            severity=INFORMATION if is_meant else WARNING,
        )


def _fix(request: Request) -> str:
    if not request.is_raw:
        return (
            "Use create() to add one, or replace() to change one; put() is right where the last "
            "writer wins"
        )
    key = request.table.key_names[0]
    absent = f"attribute_not_exists({key})"
    if request.shape == "batch":
        return f'Use TransactWriteItems, with `condition="{absent}"`: a batch takes no condition'
    if not _ONCE.isdisjoint(word for kind in request.kinds for word in words(kind.model.__name__)):
        return (
            f'Put it before the work, with `condition="{absent}"`, and stop where that fails: two '
            "deliveries at the same time both find nothing"
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


def _scores(request: Request) -> Iterator[tuple[str, str]]:
    """Yield the numbers of an item of which the best is kept, by their names."""
    for name, source in (request.step.item or {}).items():
        is_best = " ".join(words(name)) in _BEST and changes(request)
        if isinstance(source, Argument) and is_best:
            yield name, source.name
