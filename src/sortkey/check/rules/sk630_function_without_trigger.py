"""SK630 function-without-trigger: nothing calls a function."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK630", "function-without-trigger", INFORMATION)
def function_without_trigger(model: Model) -> Iterator[Finding]:
    """Nothing calls a function.

    It is deployed, but runs only if somebody calls it by its name. That may be intended, for work
    that an operator starts.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        read = Function("read", handler="notes.functions:read", role=Role("reader", [note]))

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        read = Function(
            "read",
            handler="notes.functions:read",
            role=Role("reader", [note]),
            triggers=[Schedule("rate(1 day)")],
        )
    """
    for function in model.design.functions:
        if not function.triggers:
            yield Finding(
                function,
                "it has no trigger, so nothing calls it",
                "Give it triggers: a Route, a Schedule, OnChange or OnMessage",
            )
