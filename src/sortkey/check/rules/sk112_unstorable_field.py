"""SK112 unstorable-field: a field's type cannot be stored in DynamoDB."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK112", "unstorable-field", ERROR)
def unstorable_field(model: Model) -> Iterator[Finding]:
    """A field's type cannot be stored in DynamoDB.

    A type that cannot be stored and read back unchanged is rejected when the class is created, not
    when the first record is written.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            callback: complex
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            callback: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK112")
