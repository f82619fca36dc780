"""SK401 bad-rate: a rate is invalid."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK401", "bad-rate", ERROR)
def bad_rate(model: Model) -> Iterator[Finding]:
    """A rate is invalid.

    A rate is a number of calls in a period, such as 50/s. Costs and hot keys are computed from it.

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
