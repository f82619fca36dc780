"""SK200 bad-template: a key template cannot be understood."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK200", "bad-template", ERROR)
def bad_template(model: Model) -> Iterator[Finding]:
    """A key template cannot be understood.

    It names a field that does not exist, or one whose type cannot be written as text, or its braces
    do not match. Nothing could be stored under such a key.

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
