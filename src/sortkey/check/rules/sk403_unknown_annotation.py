"""SK403 unknown-annotation: a pattern's annotations use a name that does not exist."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK403", "unknown-annotation", ERROR)
def unknown_annotation(model: Model) -> Iterator[Finding]:
    """A pattern's annotations use a name that does not exist.

    The types determine the arguments with which the pattern is called to plan it, and its result.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note")
        def note(note_id: "NoteId") -> Op[Note | None]:
            return Note.get(note_id=note_id)

        arguments = note.parameters

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        arguments = note.parameters
    """
    return model.collected("SK403")
