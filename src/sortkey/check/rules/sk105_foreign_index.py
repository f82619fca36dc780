"""SK105 foreign-index: a key is declared in an index of another table."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK105", "foreign-index", ERROR)
def foreign_index(model: Model) -> Iterator[Finding]:
    """A key is declared in an index of another table.

    An index contains only the records of its own table, so the key would never be written.

    Flagged:
        class Other(Table):
            gsi1 = gsi("GSI1PK", "GSI1SK")

        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            listed = Other.gsi1.key("NOTES#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            listed = App.gsi1.key("NOTES#{note_id}", "NOTE")
    """
    return model.collected("SK105")
