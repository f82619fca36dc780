"""SK601 role-without-pattern: a role may do something that is no pattern."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK601", "role-without-pattern", ERROR)
def role_without_pattern(model: Model) -> Iterator[Finding]:
    """A role may do something that is no pattern.

    What a role is granted follows from the plans of its patterns. Of another function nobody knows
    what it asks.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        reader = Role("reader", [note])

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        reader = Role("reader", [note])
    """
    return model.collected("SK601")
