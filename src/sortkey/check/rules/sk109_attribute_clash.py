"""SK109 attribute-clash: a field is stored in an attribute that a key template writes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK109", "attribute-clash", ERROR)
def attribute_clash(model: Model) -> Iterator[Finding]:
    """A field is stored in an attribute that a key template writes.

    Both would write the same attribute, and one of the values would be lost.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            kind: Annotated[str, Stored("SK")] = "note"
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            kind: str = "note"
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK109")
