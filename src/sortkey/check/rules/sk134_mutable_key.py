"""SK134 mutable-key: a primary key contains a value that changes during the life of a record."""

from collections.abc import Iterator
from itertools import pairwise

from sortkey.check.fields import is_natural_name, is_text, type_of
from sortkey.check.growth import names_an_event
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, Severity, rule
from sortkey.design.plans.demand import choices_of
from sortkey.design.plans.sources import arguments_in, source_of
from sortkey.expressions.tree import Set, Value
from sortkey.wording.names import words

_RANKS = frozenset({"order", "position", "rank", "ranking", "score"})
_CHANGING = frozenset({"status", "state", "stage", "phase"})


@rule("SK134", "mutable-key", WARNING)
def mutable_key(model: Model) -> Iterator[Finding]:
    """A primary key contains a value that changes during the life of a record.

    A key cannot change: the record would have to be written under its new key and the old one
    deleted, in one transaction, and a caller with the old key finds nothing. A status, a version or
    the time of the last write belongs in an index, whose entry moves with an update. So does a
    value that a person may change, such as an e-mail address or a user name; if only the field's
    name suggests this, the severity is information. A record that only maps such a value to an id
    is not reported, nor is a record of an event, such as a message: it keeps the number that it was
    sent to. A rank before an id is reported as information if no pattern deletes the record with
    the old rank.

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
            yield Finding(
                kind.primary,
                f'"{name}" {why}, but a primary key cannot change',
                f"Remove `{{{name}}}` from the primary key, and use it in the key of an index",
                severity=severity,
            )
        known = {name for name, _, _ in changing}
        for name in _ranks(model, kind):
            yield Finding(
                kind.primary,
                f'"{name}" looks like a rank: a put with a new rank leaves the old record behind',
                f"Remove `{{{name}}}` from the primary key and use it in the key of an index, or "
                "delete the old record in the same transaction",
                severity=INFORMATION,
            )
        for name in (name for name in _may_change(kind) if name not in known):
            yield Finding(
                kind.primary,
                f'"{name}" may change during the life of a record, but a primary key cannot',
                f"Use an id in the key and `{name}` in an index, or mark it immutable",
                severity=INFORMATION,
            )


def _changing(model: Model, kind: AnyKind) -> Iterator[tuple[str, str, Severity]]:
    kept = {
        kind.version_field: "is incremented by each write",
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
            yield name, "is the state of a record", INFORMATION


def _is_key(request: PlannedRequest, kind: AnyKind, target: str) -> bool:
    """Return whether an update sets a field to the value that the key of its request has."""
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
    written = [arguments_in(value) for value in values]
    return bool(written) and all(any(one and one <= key for key in in_key) for one in written)


def _is_state(kind: AnyKind, name: str) -> bool:
    if kind.immutable or name in kind.frozen_fields or choices_of(type_of(kind, name)) is None:
        return False
    return words(name)[-1] in _CHANGING


def _may_change(kind: AnyKind) -> Iterator[str]:
    """Yield the text fields of a primary key that may change, judging by their names."""
    if kind.immutable or kind.identity or _is_lookup(kind):
        return
    is_event = names_an_event(kind)
    for name in kind.primary.all_fields:
        # A state that alone distinguishes records, such as that of a sign-in, is an id.
        is_state = words(name)[-1] in _CHANGING and len(kind.key_fields) > 1
        is_named = (is_natural_name(name) and not is_event) or is_state
        if is_named and is_text(kind, name) and name not in kind.frozen_fields:
            yield name


def _ranks(model: Model, kind: AnyKind) -> Iterator[str]:
    """Yield the ranks before an id in a sort key, if no pattern deletes records."""
    requests = list(model.requests_of(kind))
    is_put = any(request.verb == "PutItem" for request in requests)
    is_deleted = kind in model.obscure or any(r.deletes_a_record for r in requests)
    if kind.immutable or not is_put or is_deleted:
        return
    for part in kind.primary.sort:
        for name, after in pairwise(part.fields):
            is_rank = type_of(kind, name) is int and not _RANKS.isdisjoint(words(name)[-1:])
            if is_rank and words(after)[-1:] == ["id"] and name not in kind.frozen_fields:
                yield name


def _is_lookup(kind: AnyKind) -> bool:
    """Return whether a record has only its key, ids of other records and automatic fields."""
    marks = {kind.version_field, kind.updated_field, kind.created_field, kind.expires_field}
    others = kind.stored_names.keys() - kind.key_fields - marks
    return all(words(name)[-1:] == ["id"] for name in others)
