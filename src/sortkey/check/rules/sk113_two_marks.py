"""SK113 two-marks: two fields carry a mark that only one can have."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK113", "two-marks", ERROR)
def two_marks(model: Model) -> Iterator[Finding]:
    """Two fields carry a mark that only one can have.

    A record has one version, one expiry time, one creation time and one time of its last write.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            rev: Version = 0
            revision: Version = 0
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            rev: Version = 0
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK113")
