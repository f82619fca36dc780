"""SK426 one-of-many: a pattern promises one record, and its key does not make it the only one."""

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
from sortkey.check.model import AnyKind, Model, Request, RequestPath
from sortkey.check.rule import INFORMATION, WARNING, Fault, Severity, rule
from sortkey.design.keys import KeyPart
from sortkey.design.marks import plain_type
from sortkey.design.plan import Compared
from sortkey.design.sources import Constant, Text, arguments_in
from sortkey.expressions.conjuncts import equalities

# What identifies something by its nature, wherever it was made.
_IDENTIFIERS = frozenset({"arn", "digest", "fingerprint", "hash", "id", "token", "ulid", "uuid"})
_ALL = frozenset({"all", "every", "list", "search"})
_OPEN = Compared("", Constant(None))
_PROMISES = {"one": "promises", "first": "promises", "meant": "looks for"}
_COMES = {
    "one": "one() then raises TooMany",
    "first": "it then returns one of them",
    "meant": "it then returns them all",
}


@rule("SK426", "one-of-many", WARNING)
def one_of_many(model: Model) -> Iterator[Fault]:
    """A pattern promises one record, and its key does not make it the only one.

    An index takes any number of records with the same key, so nothing keeps a second user from the
    same e-mail. Then `one()` raises `TooMany`, and `first()` or a limit of 1 returns one of them.
    `Annotated[str, unique]` keeps a value to one record, and so does a lock record in the same
    transaction. An id of the entity's own is unique without it; of another id, such as that of an
    owner, it is for information. The first record in an order that means something, such as the
    latest, is not reported.

    A raw query has no type that it returns. If it reads an index by an e-mail, a user name or the
    like alone, and its title does not speak of several records, one record is meant. That is for
    information where no pattern stores such records, and where it is a mark such as a number plate
    or a serial number beside a constant sort key.

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
        # Where one of the entities has no key there, another rule says so.
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
        yield Fault(
            request.pattern,
            f"it {_PROMISES[promised]} one {' or '.join(kind.name for kind in open_to)}, and "
            f"nothing keeps a second one from the same {said}: {_COMES[promised]}",
            f"Mark {said} unique, or return all that there are",
            severity=_severity(model, several, promised, is_natural=bool(natural)),
        )


def _severity(
    model: Model, kinds: Iterable[AnyKind], promised: str, *, is_natural: bool
) -> Severity:
    """Where only the title says that one is meant, what creates it may lie outside the design."""
    is_seen = promised != "meant" or any(
        request.verb == "PutItem" for kind in kinds for request in model.requests_of(kind)
    )
    return WARNING if is_natural and is_seen else INFORMATION


def _promised(request: Request) -> str | None:
    """How a pattern promises one record: "one" of one, the "first", or None where it does not.

    One is "meant" where a raw query gives the whole key of an index and says so in its title.
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


def _is_lookup(request: Request) -> bool:
    """Whether a query of an index is by nothing but what one has, and its title names one."""
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


def _is_by_name(request: Request, kind: AnyKind) -> bool:
    """Whether a query gives an e-mail or the like, and leaves open at most which record it is."""
    bound, key = _bound(request, kind), request.key_of(kind)
    if not bound or key is None:
        return False
    has_constant = bool(key.sort) and not any(part.fields for part in key.sort)
    if not all(_is_own_name(n) or (has_constant and is_label_name(n)) for n in bound):
        return False
    return {*key.all_fields} - bound <= (set(kind.identity) or kind.key_fields)


def _is_own_name(name: str) -> bool:
    """Whether a field's name is that of something that two people do not share."""
    return is_natural_name(name) and words(name)[-1:] not in (["name"], ["nickname"])


def _plurals(kind: AnyKind) -> set[str]:
    noun = words(kind.model.__name__)[-1]
    return {f"{noun}s", f"{noun}es", f"{noun[:-1]}ies", "people", "users"}


def _is_single(returned: Any) -> bool:
    held = plain_type(returned)[0]
    return isinstance(held, type) and issubclass(held, BaseModel)


def _bound(request: Request, kind: AnyKind) -> set[str] | None:
    """The fields whose values a query gives; None where the entity has no key there."""
    key = request.key_of(kind)
    if key is None:
        return None
    by_stored = {stored: name for name, stored in kind.stored_names.items()}
    found = {by_stored[n] for n, _ in equalities(request.step.filter) if n in by_stored}
    for part in key.parts:
        compared = request.step.key.get(part.attribute.name)
        if compared is not None:
            found.update(_given(part, compared))
    return found


def _given(part: KeyPart, compared: Compared) -> tuple[str, ...]:
    """The fields of a key attribute that a comparison gives, from the left."""
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
    """Whether each put of a record also puts one whose key is a value, only if that is absent."""
    paths = [path for asked in model.asked for path in asked.paths]
    puts = [
        (request, path)
        for path in paths
        for request in path.requests
        if request.verb == "PutItem" and kind in request.kinds
    ]
    return bool(puts) and all(_has_lock(request, path, kind, bound) for request, path in puts)


def _has_lock(request: Request, path: RequestPath, kind: AnyKind, bound: set[str]) -> bool:
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


def _is_ordered(request: Request, kind: AnyKind) -> bool:
    """Whether the first of several is one that is meant: the latest, the smallest."""
    key = request.key_of(kind)
    slots = [] if key is None else [slot for part in key.sort for slot in part.template.slots]
    free = [slot for slot in slots if slot.field not in (_bound(request, kind) or ())]
    return (
        request.pattern.order is not None
        or not request.step.forward
        or any(slot.is_time or slot.is_number or looks_like_time(slot.field) for slot in free[:1])
    )
