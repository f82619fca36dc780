"""SK703 silent-overwrite: a put overwrites the record that exists."""

from collections.abc import Iterator
from string import Formatter

from sortkey.check.changes import changes
from sortkey.check.conditions import accepts_absence
from sortkey.check.fields import words
from sortkey.check.model import Asked, Model, Request, RequestPath
from sortkey.check.reach import meets, templates
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.sources import Argument, Constant, Source, Text, leaves
from sortkey.expressions.reserved import is_reserved

_BEST = frozenset({"best", "best score", "high score", "highest score", "highscore", "score"})


@rule("SK703", "silent-overwrite", WARNING)
def silent_overwrite(model: Model) -> Iterator[Fault]:
    """A put overwrites the record that exists.

    A PutItem without a condition creates a record, or replaces another and all that was in it, and
    the response does not say which. `create()` fails where there is one, `replace()` where there is
    none. Where the last writer is meant to win, `put()` says so, and it is for information; a raw
    request says so with `ignore=`. In a transaction that creates a marker with an id, a put whose
    key contains that id needs no condition of its own. A record that is nothing but its key, such
    as that someone follows someone, loses nothing.

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
    for asked in model.asked:
        for request in asked.requests:
            if request.verb != "PutItem" or _is_guarded(asked, request):
                continue
            if _loses_nothing(model, request):
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


def _loses_nothing(model: Model, request: Request) -> bool:
    """Whether what a put replaces is the same: a record that is nothing but its key."""
    if not request.is_raw:
        return bool(request.kinds) and all(
            kind.key_fields >= {*kind.stored_names} for kind in request.kinds
        )
    fields = {f for kind in request.kinds for f in {*kind.stored_names} - kind.key_fields}
    stored = {kind.stored_names.get(name) for kind in request.kinds for name in fields}
    if not _is_only_key(request) or not stored - {None} <= _names(request):
        return False
    return all(
        not other.writes
        or other.verb == "DeleteItem"
        or (other.verb == "PutItem" and _is_only_key(other) and _names(other) == _names(request))
        for other in model.every_request
        if other.table is request.table and _shares_key(request, other)
    )


def _is_only_key(request: Request) -> bool:
    """Whether an item has no value that its own key does not have whole."""
    item = request.step.item or {}
    key = [item[name] for name in request.table.key_names if name in item]
    held = {name for source in key for name in _whole_arguments(source)}
    return request.is_raw and all(
        isinstance(leaf, Constant) or (isinstance(leaf, Argument) and leaf.name in held)
        for source in item.values()
        for leaf in leaves(source)
    )


def _whole_arguments(source: Source) -> Iterator[str]:
    match source:
        case Argument(name):
            yield name
        case Text(template):
            yield from (n for _, n, spec, _ in Formatter().parse(template) if n and not spec)
        case _:
            pass


def _names(request: Request) -> frozenset[str]:
    return frozenset(request.step.item or ())


def _shares_key(request: Request, other: Request) -> bool:
    mine, theirs = (templates(each.pattern, each.step) for each in (request, other))
    return all(
        name not in mine or meets(mine[name], theirs.get(name)) for name in request.table.key_names
    )


def _has_marker(path: RequestPath, request: Request) -> bool:
    return path.shape == "transaction" and any(
        other.key_arguments
        and other.key_arguments <= request.key_arguments
        and accepts_absence(other.step.condition, other.table.key_names)
        for other in path.requests
    )
