"""SK112 unstorable-field: a field's type has no form in DynamoDB."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK112", "unstorable-field", ERROR)
def unstorable_field(model: Model) -> Iterator[Finding]:
    """A field's type has no form in DynamoDB.

    What cannot be stored and read back the same is refused when the class is made, not when the
    first record is written.

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
