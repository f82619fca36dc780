"""SK604 unused-ignore: a rule is ignored where it finds nothing."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK604", "unused-ignore", WARNING)
def unused_ignore(model: Model) -> Iterator[Fault]:
    """A rule is ignored where it finds nothing.

    What it was there for has been mended, or its code is misspelt. Left in place, it would hide
    the next finding of that rule, which is then never seen.

    Flagged:
        class Note(Entity, table=App, ignore={"SK208": "one note a day"}):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    for said in model.unused:
        yield Fault(said.subject, f"{said.rule} is ignored, and nothing is found here", "Remove it")
