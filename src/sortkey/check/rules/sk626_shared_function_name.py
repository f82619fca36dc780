"""SK626 shared-function-name: two functions of a design have the same name."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.declaring.functions import Function


@rule("SK626", "shared-function-name", ERROR)
def shared_function_name(model: Model) -> Iterator[Finding]:
    """Two functions of a design have the same name.

    A function is deployed under its name, and its logs, alarms and permissions are named after it.
    A deployment that creates two with the same name fails.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        reader = Role("reader", [note])
        one = Function("read", handler="notes.api:read", role=reader)
        other = Function("read", handler="notes.pages:read", role=reader)

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        reader = Role("reader", [note])
        one = Function("read", handler="notes.api:read", role=reader)
        other = Function("read-pages", handler="notes.pages:read", role=reader)
    """
    seen: dict[str, Function] = {}
    for function in model.design.functions:
        first = seen.setdefault(function.name, function)
        if first is not function:
            yield Finding(
                function,
                f"two functions have this name, with the handlers {first.handler} and "
                f"{function.handler}",
                "Rename one of them",
            )
