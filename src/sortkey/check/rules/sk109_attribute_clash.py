"""SK109 attribute-clash: a field is stored under a name that a key template writes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK109", "attribute-clash", ERROR)
def attribute_clash(model: Model) -> Iterator[Finding]:
    """A field is stored under a name that a key template writes.

    Both would write the same attribute, and one would be lost.

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
