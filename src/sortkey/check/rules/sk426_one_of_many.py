"""SK426 one-of-many: a pattern promises one record, but there may be several."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from sortkey.check.conditions import demands_absence
from sortkey.check.fields import (
    is_label_name,
    is_natural_name,
    looks_like_time,
    own_ids,
    type_of,
    words,
)
from sortkey.check.model import AnyKind, Model, PlannedRequest, RequestPath
from sortkey.check.rule import INFORMATION, WARNING, Finding, Severity, rule
from sortkey.design.plans.plan import Compared
from sortkey.design.plans.sources import Constant, Text, arguments_in
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.marks import plain_type
from sortkey.expressions.conjuncts import equalities

# Words for values that identify something wherever they come from.
_IDENTIFIERS = frozenset({"arn", "digest", "fingerprint", "hash", "id", "token", "ulid", "uuid"})
_ALL = frozenset({"all", "every", "list", "search"})
_OPEN = Compared("", Constant(None))
_PROMISES = {"one": "promises", "first": "promises", "meant": "looks for"}
_OUTCOMES = {
    "one": "one() then raises TooMany",
    "first": "it then returns one of them",
    "meant": "it then returns them all",
}


@rule("SK426", "one-of-many", WARNING)
def one_of_many(model: Model) -> Iterator[Finding]:
    """A pattern promises one record, but its key does not guarantee that there is only one.

    An index can contain any number of records with the same key, so two users can have the same
    e-mail address. Then `one()` raises `TooMany`, and `first()` or a limit of 1 returns one of
    them. `Annotated[str, unique]` restricts a value to one record, and so does a lock record in the
    same transaction. The entity's own id is unique without it; for another id, such as that of an
    owner, it is information. The first record in a meaningful order, such as the latest, is not
    reported.

    A raw query does not declare its result type. If it reads an index only by an e-mail address, a
    user name or a similar value, and its title does not mention several records, it is taken to
    mean one. That is information if no pattern stores such records, or if the value is a label such
    as a number plate or a serial number and the sort key is a constant.

    Flagged:
        class User(Entity, table=App):
            user_id: str
            email: str
            primary = App.primary.key("USER#{user_id}", "USER")
            by_email = App.gsi1.key("EMAIL#{email}", "USER")

        @pattern("The user with an e-mail", rate="5/s")
        def user(email: str) -> Op[User | None]:
            return User.query(User.by_email, email=email).one()

    Instead:
        class User(Entity, table=App):
            user_id: str
            email: Annotated[str, unique]
            primary = App.primary.key("USER#{user_id}", "USER")
            by_email = App.gsi1.key("EMAIL#{email}", "USER")

        @pattern("The user with an e-mail", rate="5/s")
        def user(email: str) -> Op[User | None]:
            return User.query(User.by_email, email=email).one()
    """
    for request in model.queries:
        promised = _promised(request)
        bound = {kind: _bound(request, kind) for kind in request.kinds}
        # If one of the entities has no key there, another rule reports it.
        open_to = {kind: names for kind, names in bound.items() if names is not None}
        if promised is None or not bound or len(open_to) < len(bound):
            continue
        several = {
            kind: names
            for kind, names in open_to.items()
            if not _is_unique(kind, names) and not _is_locked(model, kind, names)
        }
        if promised == "first" and all(_is_ordered(request, kind) for kind in several):
            continue
        names = sorted(set[str]().union(*several.values()))
        named = [name for name in names if not _identifies(name)] or names
        natural = [name for name in named if is_natural_name(name)]
        if not several or (promised == "first" and not natural):
            continue
        said = ", ".join(natural or named) or "a record"
        yield Finding(
            request.pattern,
            f"it {_PROMISES[promised]} one {' or '.join(kind.name for kind in open_to)}, but a "
            f"second one can have the same {said}: {_OUTCOMES[promised]}",
            f"Mark {said} unique, or return all of them",
            severity=_severity(model, several, promised, is_natural=bool(natural)),
        )


def _severity(
    model: Model, kinds: Iterable[AnyKind], promised: str, *, is_natural: bool
) -> Severity:
    """Return information if only the title implies one record and no pattern creates it."""
    is_seen = promised != "meant" or any(
        request.verb == "PutItem" for kind in kinds for request in model.requests_of(kind)
    )
    return WARNING if is_natural and is_seen else INFORMATION


def _promised(request: PlannedRequest) -> str | None:
    """Return how a pattern promises one record: the only "one" or the "first"; else None.

    It is "meant" if a raw query specifies the whole key of an index and its title names one record.
    """
    is_page = request.pattern.page is not None
    match request.step.limit:
        case Constant(1) if request.is_raw and not is_page:
            return "first"
        case Constant(1) if _is_single(request.pattern.returns):
            return "first"
        case Constant(2) if _is_single(request.pattern.returns):
            return "one"
        case None if request.is_raw and not is_page and _is_lookup(request):
            return "meant"
        case _:
            return None


def _is_lookup(request: PlannedRequest) -> bool:
    """Whether a query of an index uses only values that one record has, and its title names one."""
    said = words(request.pattern.title)
    is_whole = request.index is not None and all(
        request.step.key.get(a.name, _OPEN).op == "=" for a in request.index.partition
    )
    return (
        request.index is not request.table.primary
        and is_whole
        and request.step.select != "COUNT"
        and _ALL.isdisjoint(said)
        and not any(_plurals(kind) & {*said} for kind in request.kinds)
        and all(_is_by_name(request, kind) for kind in request.kinds)
    )


def _is_by_name(request: PlannedRequest, kind: AnyKind) -> bool:
    """Whether a query specifies an e-mail address or a similar value; at most the id is open."""
    bound, key = _bound(request, kind), request.key_of(kind)
    if not bound or key is None:
        return False
    has_constant = bool(key.sort) and not any(part.fields for part in key.sort)
    if not all(_is_own_name(n) or (has_constant and is_label_name(n)) for n in bound):
        return False
    return {*key.all_fields} - bound <= (set(kind.identity) or kind.key_fields)


def _is_own_name(name: str) -> bool:
    """Whether a field's name is one for a value that two people do not share."""
    return is_natural_name(name) and words(name)[-1:] not in (["name"], ["nickname"])


def _plurals(kind: AnyKind) -> set[str]:
    noun = words(kind.model.__name__)[-1]
    return {f"{noun}s", f"{noun}es", f"{noun[:-1]}ies", "people", "users"}


def _is_single(returned: Any) -> bool:
    held = plain_type(returned)[0]
    return isinstance(held, type) and issubclass(held, BaseModel)


def _bound(request: PlannedRequest, kind: AnyKind) -> set[str] | None:
    """Return the fields that a query specifies; None if the entity has no key in the index."""
    key = request.key_of(kind)
    if key is None:
        return None
    by_stored = {stored: name for name, stored in kind.stored_names.items()}
    found = {by_stored[n] for n, _ in equalities(request.step.filter) if n in by_stored}
    for part in key.parts:
        compared = request.step.key.get(part.attribute.name)
        if compared is not None:
            found.update(_compared_fields(part, compared))
    return found


def _compared_fields(part: KeyPart, compared: Compared) -> tuple[str, ...]:
    """Return the fields of a key attribute that a comparison specifies, from the left."""
    source = compared.source
    if compared.op == "=":
        return part.fields
    if isinstance(source, Text) and compared.op == "begins_with":
        return part.fields[: len(source.slots)]
    return ()


def _is_unique(kind: AnyKind, bound: set[str]) -> bool:
    identity = set(kind.identity) or kind.key_fields
    if bound >= identity or bound & {unique.field for unique in kind.uniques}:
        return True
    own = own_ids(kind)
    return any("_".join(words(name)) in own or type_of(kind, name) is UUID for name in bound)


def _is_locked(model: Model, kind: AnyKind, bound: set[str]) -> bool:
    """Whether each put of a record also puts a lock record for a value, on condition of absence."""
    paths = [path for planned in model.patterns for path in planned.paths]
    puts = [
        (request, path)
        for path in paths
        for request in path.requests
        if request.verb == "PutItem" and kind in request.kinds
    ]
    return bool(puts) and all(_has_lock(request, path, kind, bound) for request, path in puts)


def _has_lock(request: PlannedRequest, path: RequestPath, kind: AnyKind, bound: set[str]) -> bool:
    item = request.step.item or {}
    stored = [item[kind.stored_names[name]] for name in bound if kind.stored_names[name] in item]
    values = frozenset[str]().union(*map(arguments_in, stored))
    return path.shape == "transaction" and any(
        other.verb == "PutItem"
        and demands_absence(other.step.condition, other.table.key_names, other.step.item)
        and other.step.key_arguments & values
        and kind not in other.kinds
        for other in path.requests
    )


def _identifies(name: str) -> bool:
    return not _IDENTIFIERS.isdisjoint(words(name)[-1:])


def _is_ordered(request: PlannedRequest, kind: AnyKind) -> bool:
    """Whether the first of several records is meaningful: the latest, the smallest."""
    key = request.key_of(kind)
    slots = [] if key is None else [slot for part in key.sort for slot in part.template.slots]
    free = [slot for slot in slots if slot.field not in (_bound(request, kind) or ())]
    return (
        request.pattern.order is not None
        or not request.step.forward
        or any(slot.is_time or slot.is_number or looks_like_time(slot.field) for slot in free[:1])
    )
