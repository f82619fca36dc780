"""SK401 bad-rate: a rate cannot be read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK401", "bad-rate", ERROR)
def bad_rate(model: Model) -> Iterator[Finding]:
    """A rate cannot be read.

    A rate says how many in which time; what it costs and whether a key gets too hot is reckoned
    from it.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="often")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="50/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)
    """
    return model.collected("SK401")
