"""SK709 stale-copy: a record repeats another's values, and nothing refreshes them."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK709", "stale-copy", WARNING)
def stale_copy(model: Model) -> Iterator[Fault]:
    """A record repeats another's values, and nothing refreshes them.

    When the original changes, the copies keep what was. `refreshed_by` names what brings them up to
    date, such as a function on the stream; a copy that is meant to stay as it was needs no mention
    in `copies`.

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
