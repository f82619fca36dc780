"""SK703 silent-overwrite: a put overwrites the record that exists."""

from collections.abc import Iterator

from sortkey.check.changes import changes
from sortkey.check.conditions import accepts_absence
from sortkey.check.fields import words
from sortkey.check.model import Asked, Model, Request, RequestPath
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.sources import Argument
from sortkey.expressions.reserved import is_reserved

_BEST = frozenset({"best", "best score", "high score", "highest score", "highscore", "score"})


@rule("SK703", "silent-overwrite", WARNING)
def silent_overwrite(model: Model) -> Iterator[Fault]:
    """A put overwrites the record that exists.

    A PutItem without a condition creates a record, or replaces another and all that was in it, and
    the response does not say which. `create()` fails where there is one, `replace()` where there is
    none. Where the last writer is meant to win, `put()` says so, and it is for information; a raw
    request says so with `ignore=`. In a transaction that creates a marker with an id, a put whose
    key contains that id needs no condition of its own.

    Flagged:
        class Old(Table, raw=True):
            pass

        add = raw_pattern(
            "Add a profile",
            table=Old,
            operation="PutItem",
            item={"PK": "USER#{user_id}", "SK": "PROFILE"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        add = raw_pattern(
            "Add a profile",
            table=Old,
            operation="PutItem",
            item={"PK": "USER#{user_id}", "SK": "PROFILE"},
            condition="attribute_not_exists(PK)",
            arguments={"user_id": str},
        )
    """
    for asked in model.asked:
        for request in asked.requests:
            if request.verb != "PutItem" or _is_guarded(asked, request):
                continue
            what = " or ".join(kind.name for kind in request.kinds) or "record"
            yield Fault(
                request.pattern,
                f"its put replaces an existing {what}, and all that was in it, without notice",
                _fix(request),
                severity=WARNING if request.is_raw else INFORMATION,
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


def _is_guarded(asked: Asked, request: Request) -> bool:
    """Whether a put has a condition, or shares a transaction with one on part of its own key."""
    if request.step.condition is not None:
        return True
    if any(kind.immutable or kind.version for kind in request.kinds):
        return True
    paths = [path for path in asked.paths if request in path.requests]
    return bool(paths) and all(_has_marker(path, request) for path in paths)


def _has_marker(path: RequestPath, request: Request) -> bool:
    return path.shape == "transaction" and any(
        other.key_arguments
        and other.key_arguments <= request.key_arguments
        and accepts_absence(other.step.condition, other.table.key_names)
        for other in path.requests
    )
