"""SK115 version-default: a version does not start at 0."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK115", "version-default", ERROR)
def version_default(model: Model) -> Iterator[Finding]:
    """A version does not start at 0.

    0 says that a record was never stored. Any other default would make the first write look like a
    change of something that exists.

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
