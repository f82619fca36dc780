"""SK115 version-default: a version does not start at 0."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK115", "version-default", ERROR)
def version_default(model: Model) -> Iterator[Finding]:
    """A version does not start at 0.

    The version 0 means that the record has never been stored. With any other default, the first
    write would look like a change to an existing record.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            rev: Version = 1
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            rev: Version = 0
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK115")
