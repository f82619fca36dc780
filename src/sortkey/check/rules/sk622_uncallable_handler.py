"""SK622 uncallable-handler: Lambda cannot import or call the handler of a function."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK622", "uncallable-handler", ERROR)
def uncallable_handler(model: Model) -> Iterator[Finding]:
    """Lambda cannot import or call the handler of a function.

    Lambda imports the module and calls the handler with an event and a context. If that fails, so
    does every call of the function, and the first one only after the deployment.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        def read(event: dict) -> None:
            return None

        reader = Function("read", handler="notes:read", role=Role("reader", [note]))

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @lambda_handler(App, target="memory")
        def read(event: dict, context: object, db: DB) -> object:
            return db(note(event["note_id"]))

        reader = Function("read", handler="notes:read", role=Role("reader", [note]))
    """
    for program in model.programs or ():
        if program.fault is not None:
            yield Finding(
                program.function,
                f"its handler {program.function.handler} cannot be called: {program.fault}",
                "Name a function that takes an event and a context, in a module that can be "
                "imported beside the design",
            )
