"""SK402 not-a-pattern: a function that is declared as a pattern cannot be one."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK402", "not-a-pattern", ERROR)
def not_a_pattern(model: Model) -> Iterator[Finding]:
    """A function that is declared as a pattern cannot be one.

    A pattern is a plain function with a title that returns an operation and does not run it. A
    coroutine or a generator cannot be planned.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note")
        async def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)
    """
    return model.collected("SK402")
