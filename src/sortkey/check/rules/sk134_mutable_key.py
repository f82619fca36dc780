"""SK134 mutable-key: a primary key contains something that changes."""

from collections.abc import Iterator
from itertools import pairwise

from sortkey.check.fields import is_natural_name, is_text, type_of, words
from sortkey.check.growth import names_an_event
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, WARNING, Fault, Severity, rule
from sortkey.design.demand import choices_of
from sortkey.design.sources import arguments_in, source_of
from sortkey.expressions.tree import Set, Value

_RANKS = frozenset({"order", "position", "rank", "ranking", "score"})
_CHANGING = frozenset({"status", "state", "stage", "phase"})


@rule("SK134", "mutable-key", WARNING)
def mutable_key(model: Model) -> Iterator[Fault]:
    """A primary key contains something that changes in the life of a record.

    A key cannot change: the record would have to be written again under its new key and the old one
    deleted, in one transaction, and a caller with the old key finds nothing. A status, a version or
    the time of the last write belongs into an index, whose entry moves with an update. So does what
    a person may change, such as an e-mail or a user name; where only a name says so, it is for
    information. A record that only leads from such a value to an id is not reported, and neither is
    one of something that happened, such as a message: it keeps the number that it was sent to. A
    rank before an id is for information, where nothing deletes the record of the old rank.

    Flagged:
        class Job(Entity, table=App):
            shop_id: str
            job_id: str
            status: Literal["queued", "done"]
            primary = App.primary.key("SHOP#{shop_id}", "JOB#{status}#{job_id}")

    Instead:
        class Job(Entity, table=App):
            shop_id: str
            job_id: str
            status: Literal["queued", "done"]
            primary = App.primary.key("SHOP#{shop_id}", "JOB#{job_id}")
            by_status = App.gsi1.key("SHOP#{shop_id}", "JOB#{status}#{job_id}")
    """
    for kind in model.kinds:
        changing = list(_changing(model, kind))
        for name, why, severity in changing:
            yield Fault(
                kind.primary,
                f'"{name}" {why}, and a primary key cannot change',
                f"Remove `{{{name}}}` from the primary key, and use it in the key of an index",
                severity=severity,
            )
        known = {name for name, _, _ in changing}
        for name in _ranks(model, kind):
            yield Fault(
                kind.primary,
                f'"{name}" is a rank by its name, and a put under a new one leaves the old record',
                f"Remove `{{{name}}}` from the primary key and use it in the key of an index, or "
                "delete the old record in the same transaction",
                severity=INFORMATION,
            )
        for name in (name for name in _may_change(kind) if name not in known):
            yield Fault(
                kind.primary,
                f'"{name}" may change in the life of a record, and a primary key cannot',
                f"Use an id in the key and `{name}` in an index, or mark it immutable",
                severity=INFORMATION,
            )


def _changing(model: Model, kind: AnyKind) -> Iterator[tuple[str, str, Severity]]:
    kept = {
        kind.version_field: "is raised by each write",
        kind.updated_field: "is set by each write",
    }
    updated = {
        target
        for request in model.raw_requests  # what sortkey itself writes keeps the key
        if kind in request.kinds and request.step.update is not None
        for target in request.step.update.targets
        if not _is_key(request, kind, target)
    }
    for name in kind.primary.all_fields:
        if name in kept:
            yield name, kept[name], WARNING
        elif kind.stored_names[name] in updated:
            yield name, "is changed by an update", WARNING
        elif _is_state(kind, name):
            yield name, "says in which state a record is", INFORMATION


def _is_key(request: Request, kind: AnyKind, target: str) -> bool:
    """Whether an update writes into a field what the key of its request has there already."""
    field = next((name for name, stored in kind.stored_names.items() if stored == target), None)
    values = [
        source_of(action.operation)
        for action in (request.step.update.actions if request.step.update else ())
        if action.path.name == target
        and isinstance(action, Set)
        and isinstance(action.operation, Value)
    ]
    in_key = [
        arguments_in(compared.source)
        for part in kind.primary.parts
        for compared in (request.step.key.get(part.attribute.name),)
        if compared is not None and field in part.fields
    ]
    given = [arguments_in(value) for value in values]
    return bool(given) and all(any(one and one <= key for key in in_key) for one in given)


def _is_state(kind: AnyKind, name: str) -> bool:
    if kind.immutable or name in kind.frozen_fields or choices_of(type_of(kind, name)) is None:
        return False
    return words(name)[-1] in _CHANGING


def _may_change(kind: AnyKind) -> Iterator[str]:
    """Yield the texts in a primary key that only their names make suspect."""
    if kind.immutable or kind.identity or _is_lookup(kind):
        return
    is_event = names_an_event(kind)
    for name in kind.primary.all_fields:
        # What alone tells records apart, as the state of a sign-in does, is an id.
        is_state = words(name)[-1] in _CHANGING and len(kind.key_fields) > 1
        is_named = (is_natural_name(name) and not is_event) or is_state
        if is_named and is_text(kind, name) and name not in kind.frozen_fields:
            yield name


def _ranks(model: Model, kind: AnyKind) -> Iterator[str]:
    """Yield the numbers in a sort key that rank what the next slot names, and nothing deletes."""
    requests = list(model.requests_of(kind))
    is_put = any(request.verb == "PutItem" for request in requests)
    if kind.immutable or not is_put or any(r.verb == "DeleteItem" for r in requests):
        return
    for part in kind.primary.sort:
        for name, after in pairwise(part.fields):
            is_rank = type_of(kind, name) is int and not _RANKS.isdisjoint(words(name)[-1:])
            if is_rank and words(after)[-1:] == ["id"] and name not in kind.frozen_fields:
                yield name


def _is_lookup(kind: AnyKind) -> bool:
    """Whether a record holds nothing but its key, ids of others, and what every write sets."""
    marks = {kind.version_field, kind.updated_field, kind.created_field, kind.expires_field}
    others = kind.stored_names.keys() - kind.key_fields - marks
    return all(words(name)[-1:] == ["id"] for name in others)
