"""SK709 stale-copy: a record copies values of another record, but nothing refreshes them."""

import re
from collections.abc import Iterable, Iterator

from sortkey.check.fields import own_ids, type_of
from sortkey.check.lifetimes import is_time_to_live
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.check.sensitive import names_a_person
from sortkey.design.tables.expectations import Relation
from sortkey.wording.names import words

_COPIED = re.compile(
    r"(.+?) (?:(?:display |first |full |last |user )?name|avatar(?: url)?|email|photo(?: url)?|"
    r"picture(?: url)?|username)"
)
# Fields of a person that other records show next to the id.
_SHOWN = re.compile(
    r"(?:display|full|screen|user) ?name|username|nickname|handle|avatar(?: url)?|"
    r"(?:photo|picture)(?: url)?"
)
# With this many equal fields, a record is a copy of another with the same id.
_SEVERAL = 3
_OWN_TIMES = frozenset({"changed", "created", "deleted", "modified", "updated"})
# Records of a sale keep the values of their time.
_KEPT = frozenset(
    {
        *("bill", "booking", "contract", "delivery", "event", "history", "invoice", "log", "order"),
        *("payment", "purchase", "receipt", "reservation", "sale", "shipment", "transaction"),
    }
)


@rule("SK709", "stale-copy", WARNING)
def stale_copy(model: Model) -> Iterator[Finding]:
    """A record copies values of another record, but nothing refreshes them.

    When the original changes, the copies keep the old values. `refreshed_by` names the code that
    updates them, such as a function on the stream. A copy that should keep its value is marked
    immutable, or its whole entity is. It is not reported if the original cannot change: if it is
    immutable too, or part of its record's primary key.

    If no relation declares the copy, a name such as `author_name` next to `author_id` is
    information, if it refers to a person or another entity, and so is `username` next to the id of
    an entity that has one. It is not reported if an update writes the field, nor for a sale, which
    keeps the values of its time. An entity that repeats several fields of another one with the same
    id is information if no transaction writes both.

    Flagged:
        class Author(Entity, table=App):
            author_id: str
            name: str
            primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

        class Book(
            Entity,
            table=App,
            relations=(refers("author_id", Author, copies=("author_name",)),),
        ):
            isbn: str
            author_id: str
            author_name: str
            primary = App.primary.key("BOOK#{isbn}", "BOOK")

    Instead:
        class Author(Entity, table=App):
            author_id: str
            name: str
            primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

        renamed = "the stream's function rename_books"

        class Book(
            Entity,
            table=App,
            relations=(
                refers("author_id", Author, copies=("author_name",), refreshed_by=renamed),
            ),
        ):
            isbn: str
            author_id: str
            author_name: str
            primary = App.primary.key("BOOK#{isbn}", "BOOK")
    """
    for kind in model.kinds:
        for relation in kind.relations:
            stale = _declared_copies(model, kind, relation)
            if stale:
                yield Finding(
                    kind,
                    f"it copies {', '.join(stale)} of {relation.to.__name__}, but nothing "
                    "refreshes the copy",
                    'Declare the code that does: `refers(..., refreshed_by="...")`, or mark a copy '
                    "that keeps its value immutable",
                    at=relation.field,
                )
        named = list(_named_copies(model, kind))
        if named:
            seem = "looks like a copy" if len(named) == 1 else "look like copies"
            yield Finding(
                kind,
                f"{', '.join(named)} {seem} from another record, but no pattern refreshes it "
                "when that record changes",
                'Declare the code that does: `refers(..., refreshed_by="...")`, or mark it '
                "immutable",
                at=named[0],
                severity=INFORMATION,
            )
        for other, repeated in _repeated(model, kind).items():
            verb = "repeats" if len(repeated) == 1 else "repeat"
            yield Finding(
                kind,
                f"{', '.join(repeated)} {verb} fields of the {other.name} with the same "
                f"{', '.join(sorted(other.key_fields))}, but no transaction writes both",
                "Write both in one transaction, keep the fields in one of them, or declare "
                '`refers(..., refreshed_by="...")`',
                severity=INFORMATION,
            )


def _declared_copies(model: Model, kind: AnyKind, relation: Relation) -> list[str]:
    """Return the copies of a relation that nothing refreshes and whose original can change."""
    if kind.immutable or relation.refreshed_by:
        return []
    originals = [other for other in model.kinds if other.model is relation.to]
    return [
        name
        for name in relation.copies
        if name not in kind.frozen_fields and not _never_changes(originals, name)
    ]


def _never_changes(originals: Iterable[AnyKind], copy: str) -> bool:
    """Whether a copied value is fixed in every record that it may come from; no if none is known.

    ``author_name`` is the copy of a field with the same name, or else of ``name``.
    """
    fixed: list[bool] = []
    for original in originals:
        named = {tuple(words(name)): name for name in original.stored_names}
        endings = (tuple(words(copy)[start:]) for start in range(len(words(copy))))
        name = next((named[ending] for ending in endings if ending in named), None)
        fixed.append(original.immutable or name in original.frozen_fields | original.key_fields)
    return bool(fixed) and all(fixed)


def _repeated(model: Model, kind: AnyKind) -> dict[AnyKind, list[str]]:
    """Return the entity whose fields this one repeats without anything keeping them equal."""
    if kind.immutable or not _KEPT.isdisjoint(words(kind.model.__name__)[-1:]):
        return {}
    for other in model.kinds:
        equal = _equal(kind, other) if _is_copy(model, kind, other) else []
        stale = [
            name
            for name in equal
            if name not in other.frozen_fields and not _is_updated(model, kind, name)
        ]
        if stale and len(equal) >= _SEVERAL:
            return {other: stale}
    return {}


def _is_copy(model: Model, kind: AnyKind, other: AnyKind) -> bool:
    """Whether an entity repeats another under a different key, and both are written."""
    named = {name for name in other.key_fields if len(words(name)) > 1}
    is_same = other.key_fields <= kind.key_fields <= other.stored_names.keys()
    if kind is other or not named or not is_same:
        return False
    related = {one.to for one in kind.relations if one.copies or one.refreshed_by}
    if other.model in related or other.immutable:
        return False
    if other.key_fields == kind.key_fields and _order(model, other) > _order(model, kind):
        return False
    written = [
        {k for request in path.requests if request.writes for k in request.kinds}
        for planned in model.patterns
        for path in planned.paths
    ]
    is_written = all(any(one in kinds for kinds in written) for one in (kind, other))
    return is_written and not any({kind, other} <= kinds for kinds in written)


def _order(model: Model, kind: AnyKind) -> tuple[int, int]:
    """Return the order in which the copy comes last: fewer fields, or declared later."""
    return -len(kind.stored_names), model.kinds.index(kind)


def _equal(kind: AnyKind, other: AnyKind) -> list[str]:
    """Return the fields that two entities share besides their keys."""
    return [
        name
        for name in kind.stored_names
        if name in other.stored_names
        and name not in kind.key_fields | other.key_fields | kind.frozen_fields
        and _OWN_TIMES.isdisjoint(words(name))
        and type_of(kind, name) == type_of(other, name)
        and not is_time_to_live(name)
    ]


def _named_copies(model: Model, kind: AnyKind) -> Iterator[str]:
    """Yield the fields that are named after another record, whose id is there too."""
    if kind.immutable or not _KEPT.isdisjoint(words(kind.model.__name__)[-1:]):
        return
    own = {*words(kind.model.__name__)}
    related = {one.field for one in kind.relations if one.copies or one.refreshed_by}
    ids = {name: words(name)[:-1] for name in kind.stored_names if words(name)[-1] == "id"}
    referring = {" ".join(noun): name for name, noun in ids.items() if noun and not own & {*noun}}
    people = [name for noun, name in referring.items() if names_a_person(noun)]
    entities = {" ".join(words(other.model.__name__)) for other in model.kinds}
    for name in kind.stored_names:
        if name in kind.frozen_fields | kind.key_fields:
            continue
        found = _COPIED.fullmatch(" ".join(words(name)))
        id_ = _shown_beside(model, kind, name)
        if found is not None and found[1] not in own:
            # `owner_username` may refer to `owner_user_id`.
            of = next((noun for noun in referring if f"{noun} ".startswith(f"{found[1]} ")), "")
            is_person = names_a_person(found[1]) or names_a_person(of)
            if is_person or found[1] in entities:
                # `player_name` next to `user_id` is the name of that user.
                person = next(iter(people), None) if names_a_person(found[1]) else None
                id_ = id_ or referring.get(of) or person
        if not id_ or id_ in related or _is_updated(model, kind, name):
            continue
        if not _never_changes(_identified(model, kind, id_), name):
            yield name


def _identified(model: Model, kind: AnyKind, id_: str) -> list[AnyKind]:
    """Return the entities whose records an id refers to: as declared, or else by its name."""
    declared = {relation.to for relation in kind.relations if relation.field == id_}
    names = {"_".join(words(id_)[start:]) for start in range(len(words(id_)) - 1)}
    return [
        other
        for other in model.kinds
        if other is not kind
        and (other.model in declared if declared else not own_ids(other).isdisjoint(names))
    ]


def _shown_beside(model: Model, kind: AnyKind, name: str) -> str | None:
    """Return the id of another record that has a field of this name, such as ``username``."""
    if _SHOWN.fullmatch(" ".join(words(name))) is None:
        return None
    for other in model.kinds:
        if other is not kind and name in other.stored_names and name not in other.key_fields:
            ids = own_ids(other) & other.key_fields & kind.stored_names.keys() - {"id", "uuid"}
            if ids and not own_ids(kind) & ids:
                return min(ids)
    return None


def _is_updated(model: Model, kind: AnyKind, name: str) -> bool:
    """Whether an update writes a field, or a pattern that is not planned may do so."""
    updates = (r.step.update for r in model.requests_of(kind) if r.step.update is not None)
    is_known = any(kind.stored_names[name] in update.targets for update in updates)
    return is_known or kind in model.obscure
