"""SK623 missing-permission: a function can use a pattern that its role lacks."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK623", "missing-permission", ERROR)
def missing_permission(model: Model) -> Iterator[Finding]:
    """A function can use a pattern that its role lacks.

    A role gets the permissions that its own patterns need. IAM denies the request of another
    pattern, unless one of its own happens to need the same permission: in production, and only
    where the request is sent. The code of the handler is walked, and the finding has the functions
    through which it reaches the pattern. The walk counts every pattern that the code can reach, so
    it may count one that is never used: acknowledge that with `ignore` of the function.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @pattern("Delete a note", rate="1/min")
        def drop(note_id: str) -> Op[Note | None]:
            return Note.delete(note_id=note_id)

        @lambda_handler(App, target="memory")
        def read(event: dict, context: object, db: DB) -> object:
            return db(drop(event["note_id"]) if event["once"] else note(event["note_id"]))

        reader = Function("read", handler="notes:read", role=Role("reader", [note]))

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @pattern("Delete a note", rate="1/min")
        def drop(note_id: str) -> Op[Note | None]:
            return Note.delete(note_id=note_id)

        @lambda_handler(App, target="memory")
        def read(event: dict, context: object, db: DB) -> object:
            return db(drop(event["note_id"]) if event["once"] else note(event["note_id"]))

        reader = Function("read", handler="notes:read", role=Role("reader", [note, drop]))
    """
    for program in model.programs or ():
        role = program.function.role
        allowed = {id(pattern) for pattern in role.patterns}
        for use in program.uses:
            if id(use.pattern) not in allowed:
                yield Finding(
                    program.function,
                    f'it can use {use.pattern.name}, which its role "{role.name}" lacks: '
                    f"{use.path}",
                    f"Give `{use.pattern.name}` to the role, or remove the call",
                )
