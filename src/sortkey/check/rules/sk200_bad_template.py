"""SK200 bad-template: a key template is invalid."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK200", "bad-template", ERROR)
def bad_template(model: Model) -> Iterator[Finding]:
    """A key template is invalid.

    It names a field that does not exist or whose type cannot be written as text, or its braces do
    not match. No record could be stored under such a key.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{noteid}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK200")
