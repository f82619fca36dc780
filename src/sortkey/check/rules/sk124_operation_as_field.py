"""SK124 operation-as-field: a field has the name of an operation."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK124", "operation-as-field", ERROR)
def operation_as_field(model: Model) -> Iterator[Finding]:
    """A field has the name of an operation.

    The field hides the operation: `Note.check(...)` would no longer check a note.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            check: bool = False
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            check_: Annotated[bool, Stored("check")] = False
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK124")
