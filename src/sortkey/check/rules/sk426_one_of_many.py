"""SK426 one-of-many: a pattern promises one record, and its key does not make it the only one."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from sortkey.check.conditions import equalities
from sortkey.check.fields import is_natural_name, looks_like_time, own_ids, type_of, words
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.keys import KeyPart
from sortkey.design.marks import plain_type
from sortkey.design.plan import Compared
from sortkey.design.sources import Constant, Text

# What identifies something by its nature, wherever it was made.
_IDENTIFIERS = frozenset({"arn", "digest", "fingerprint", "hash", "id", "token", "ulid", "uuid"})


@rule("SK426", "one-of-many", WARNING)
def one_of_many(model: Model) -> Iterator[Fault]:
    """A pattern promises one record, and its key does not make it the only one.

    An index takes any number of records with the same key, so nothing keeps a second user from the
    same e-mail. Then `one()` raises `TooMany`, and `first()` or a limit of 1 returns one of them.
    `Annotated[str, unique]` keeps a value to one record. An id of the entity's own is unique
    without it; of another id, such as that of an owner, it is for information. The first record in
    an order that means something, such as the latest, is not reported.

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
        if promised is None or len(request.kinds) != 1:
            continue
        kind = request.kinds[0]
        bound = _bound(request, kind)
        if bound is None or _is_unique(kind, bound):
            continue
        if promised == "first" and _is_ordered(request, kind):
            continue
        named = [name for name in sorted(bound) if not _identifies(name)] or sorted(bound)
        natural = [name for name in named if is_natural_name(name)]
        if promised == "first" and not natural:
            continue
        comes = "one() then raises TooMany" if promised == "one" else "it then returns one of them"
        said = ", ".join(natural or named) or "a record"
        yield Fault(
            request.pattern,
            f"it promises one {kind.name}, and nothing keeps a second one from the same {said}: "
            f"{comes}",
            f"Mark {said} unique, or return all that there are",
            severity=WARNING if natural else INFORMATION,
        )


def _promised(request: Request) -> str | None:
    """How a pattern promises one record: "one" of one, the "first", or None where it does not."""
    is_page = request.pattern.page is not None
    match request.step.limit:
        case Constant(1) if request.is_raw and not is_page:
            return "first"
        case Constant(1) if _is_single(request.pattern.returns):
            return "first"
        case Constant(2) if _is_single(request.pattern.returns):
            return "one"
        case _:
            return None


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
