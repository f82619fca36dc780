"""SK601 role-without-pattern: a role has a function that is not a pattern."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK601", "role-without-pattern", ERROR)
def role_without_pattern(model: Model) -> Iterator[Finding]:
    """A role has a function that is not a pattern.

    The grants of a role follow from the plans of its patterns. The requests of any other function
    are unknown.

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
