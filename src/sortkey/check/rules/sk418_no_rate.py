"""SK418 no-rate: a pattern has no rate."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, Missing, rule


@rule("SK418", "no-rate", INFORMATION)
def no_rate(model: Model) -> Iterator[Finding]:
    """A pattern has no rate.

    `rate=` determines whether a key becomes too hot and the cost per month. A guess within a factor
    of ten is enough. A missing rate is not a fault: one line at the end of the report names the
    patterns whose load is not judged.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note")
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
    for pattern in model.design.patterns:
        if pattern.rate is None:
            yield Finding(
                pattern,
                "its load is not judged, because it has no rate",
                'Add `rate="50/s"`, or what you expect',
                missing=Missing("the load", "pattern", "a rate"),
            )
