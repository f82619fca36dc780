"""Puts that replace a record without a condition, and whether anything is lost by that."""

from collections.abc import Iterator
from string import Formatter

from sortkey.check.conditions import accepts_absence
from sortkey.check.model import Model, PlannedPattern, PlannedRequest, RequestPath
from sortkey.design.plans.key_forms import meets, templates
from sortkey.design.plans.sources import Argument, Constant, Source, Text, leaves
from sortkey.expressions.evaluate import condition_names
from sortkey.wording.names import words


def overwriting(model: Model) -> Iterator[PlannedRequest]:
    """Yield the puts that replace a record, and something in it, without a condition."""
    for asked in model.patterns:
        for request in asked.requests:
            is_open = request.verb == "PutItem" and not _is_guarded(asked, request)
            if is_open and not _loses_nothing(model, request):
                yield request


def _is_guarded(asked: PlannedPattern, request: PlannedRequest) -> bool:
    """Whether a put has a condition, or shares a transaction with one that stops a repetition."""
    if request.step.condition is not None:
        return True
    if any(kind.immutable or kind.version for kind in request.kinds):
        return True
    paths = [path for path in asked.paths if request in path.requests]
    return bool(paths) and all(_has_marker(path, request) for path in paths)


def _loses_nothing(model: Model, request: PlannedRequest) -> bool:
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
        or other.deletes_a_record
        or (other.verb == "PutItem" and _is_only_key(other) and _names(other) == _names(request))
        for other in model.every_request
        if other.table is request.table and shares_key(request, other)
    )


def _is_only_key(request: PlannedRequest) -> bool:
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


def _names(request: PlannedRequest) -> frozenset[str]:
    return frozenset(request.step.item or ())


def shares_key(request: PlannedRequest, other: PlannedRequest) -> bool:
    """Whether two requests may be about the same item, by the forms of their keys."""
    mine, theirs = (templates(each.pattern, each.step) for each in (request, other))
    return all(
        name not in mine or meets(mine[name], theirs.get(name)) for name in request.table.key_names
    )


def _has_marker(path: RequestPath, request: PlannedRequest) -> bool:
    """Whether another write of a transaction fails the second time.

    It puts a record on part of the same key if it is absent, or changes what it compares.
    """
    return path.shape == "transaction" and any(
        _is_marked(other, request) or _is_passed_once(other) for other in path.requests
    )


def _is_marked(other: PlannedRequest, request: PlannedRequest) -> bool:
    return (
        bool(other.key_arguments)
        and other.key_arguments <= request.key_arguments
        and accepts_absence(other.step.condition, other.table.key_names)
    )


def _is_passed_once(request: PlannedRequest) -> bool:
    """Whether an update compares a version with what was read, and changes it."""
    update, condition = request.step.update, request.step.condition
    if update is None or condition is None:
        return False
    return any(
        words(name)[-1:] in (["version"], ["rev"], ["revision"])
        for name in condition_names(condition) & {*update.targets}
    )
