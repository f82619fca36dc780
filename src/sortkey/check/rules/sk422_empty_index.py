"""SK422 empty-index: a pattern reads an index in which no entity has a key."""

from collections.abc import Iterable, Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.tables.table import Index


@rule("SK422", "empty-index", ERROR)
def empty_index(model: Model) -> Iterator[Finding]:
    """A pattern reads an index in which no entity has a key.

    An index contains only items that have all of its key attributes. If no entity writes them, the
    result is always empty.

    Flagged:
        class Notes(Table, raw=True):
            by_author = gsi("GSI1PK", "GSI1SK", name="by_author")

        class Note(Entity, table=Notes):
            note_id: str
            author: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")

        notes_of = raw_pattern(
            "Notes of an author",
            table=Notes,
            operation="Query",
            index="by_author",
            key_condition="GSI1PK = :pk",
            values={":pk": "AUTHOR#{author}"},
            arguments={"author": str},
            rate="5/s",
        )

    Instead:
        class Notes(Table, raw=True):
            by_author = gsi("GSI1PK", "GSI1SK", name="by_author")

        class Note(Entity, table=Notes):
            note_id: str
            author: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
            of_author = Notes.by_author.key("AUTHOR#{author}", "NOTE#{note_id}")

        notes_of = raw_pattern(
            "Notes of an author",
            table=Notes,
            operation="Query",
            index="by_author",
            key_condition="GSI1PK = :pk",
            values={":pk": "AUTHOR#{author}"},
            arguments={"author": str},
            rate="5/s",
        )
    """
    for request in model.requests:
        index = request.index
        kinds = list(model.kinds_of(request.table))
        if request.reads and index is not None and kinds and not any(_is_in(index, kinds)):
            yield Finding(
                request.pattern,
                f"it reads {index}, in which no entity has a key: it finds nothing",
                f"Declare a key for the entity in that index, `{index}.key(...)`",
            )


def _is_in(index: Index, kinds: Iterable[AnyKind]) -> Iterator[bool]:
    """Whether each entity writes every key attribute of an index, as a key or as a field."""
    for kind in kinds:
        parts = {part.attribute.name for key in kind.keys.values() for part in key.parts}
        written = parts | set(kind.stored_names.values())
        yield all(attribute.name in written for attribute in index.attributes)
