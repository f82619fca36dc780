"""SK604 unused-ignore: a rule is ignored where it finds nothing."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK604", "unused-ignore", WARNING)
def unused_ignore(model: Model) -> Iterator[Finding]:
    """A rule is ignored where it finds nothing.

    The cause has been fixed, or the code is misspelt. If it stays, it hides the next finding of
    that rule.

    Flagged:
        class Note(Entity, table=App, ignore={"SK208": "one note a day"}):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    for ignored in model.unused:
        yield Finding(
            ignored.subject, f"{ignored.rule} is ignored, but finds nothing here", "Remove it"
        )
