"""SK709 stale-copy: a record repeats another's values, and nothing refreshes them."""

import re
from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.check.sensitive import names_a_person

_COPIED = re.compile(
    r"(.+?) (?:(?:display |first |full |last |user )?name|avatar(?: url)?|email|photo(?: url)?|"
    r"picture(?: url)?|username)"
)
# What was sold, to whom, stays as it was.
_KEPT = frozenset(
    {
        *("bill", "booking", "contract", "delivery", "event", "history", "invoice", "log", "order"),
        *("payment", "purchase", "receipt", "reservation", "sale", "shipment", "transaction"),
    }
)


@rule("SK709", "stale-copy", WARNING)
def stale_copy(model: Model) -> Iterator[Fault]:
    """A record repeats another's values, and nothing refreshes them.

    When the original changes, the copies keep what was. `refreshed_by` names what brings them up to
    date, such as a function on the stream; a copy that is meant to stay as it was is marked
    immutable. Where no relation declares what is copied, a name such as `author_name` beside
    `author_id` is for information, if it is that of a person or of another entity. It is not
    reported where an update writes it, or of a sale, which keeps what was true then.

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
            if relation.copies and not relation.refreshed_by:
                yield Fault(
                    kind,
                    f"it copies {', '.join(relation.copies)} of {relation.to.__name__}, and "
                    "nothing refreshes the copy",
                    'Declare what does: `refers(..., refreshed_by="...")`',
                    at=relation.field,
                )
        named = list(_named_copies(model, kind))
        if named:
            yield Fault(
                kind,
                f"{', '.join(named)} {'repeats' if len(named) == 1 else 'repeat'} by the name what "
                "another record holds, and no pattern refreshes it",
                'Declare what does: `refers(..., refreshed_by="...")`, or mark it immutable',
                at=named[0],
                severity=INFORMATION,
            )


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
        found = _COPIED.fullmatch(" ".join(words(name)))
        if found is None or found[1] in own or name in kind.frozen_fields | kind.key_fields:
            continue
        if not names_a_person(found[1]) and found[1] not in entities:
            continue
        # A player's name beside the id of a user is that of the same person.
        id_ = referring.get(found[1]) or (names_a_person(found[1]) and next(iter(people), None))
        if id_ and id_ not in related and not _is_updated(model, kind, name):
            yield name


def _is_updated(model: Model, kind: AnyKind, name: str) -> bool:
    updates = (r.step.update for r in model.requests_of(kind) if r.step.update is not None)
    return any(kind.stored_names[name] in update.targets for update in updates)
