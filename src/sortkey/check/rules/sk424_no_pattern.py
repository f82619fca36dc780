"""SK424 no-pattern: a design has entities but no access pattern."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK424", "no-pattern", INFORMATION)
def no_pattern(model: Model) -> Iterator[Finding]:
    """A design has entities but no access pattern, so only its keys and fields are judged.

    Only patterns show what is read and written, how often, and by which role. Without them `check`
    cannot find a scan, a hot partition, an unused index or an unguarded write, and `prove` has
    nothing to prove. The report says so once.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="50/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)
    """
    if model.kinds and not model.design.patterns:
        yield Finding(
            model.design.about,
            "it has no access pattern, so only its keys and fields are judged",
            'Declare what the application reads and writes with @pattern("...") or raw_pattern',
        )
