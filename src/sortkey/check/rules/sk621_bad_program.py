"""SK621 bad-program: a function, or what it uses, is declared in a way that cannot be deployed."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK621", "bad-program", ERROR)
def bad_program(model: Model) -> Iterator[Finding]:
    """A function, or what it uses, is declared in a way that cannot be deployed.

    AWS has limits for timeouts, memory, names, schedules and queues, and API Gateway ends a request
    after 30 seconds. A message that becomes visible again while a slow call still works on it is
    handled twice.

    Flagged:
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
            triggers=[Route(HttpApi(), "GET /notes/{note_id}", open=True)],
            timeout=timedelta(minutes=1),
        )

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
            triggers=[Route(HttpApi(), "GET /notes/{note_id}", open=True)],
            timeout=timedelta(seconds=5),
        )
    """
    return model.collected("SK621")
