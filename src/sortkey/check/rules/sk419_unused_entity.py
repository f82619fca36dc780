"""SK419 unused-entity: no pattern reads or writes an entity."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule


@rule("SK419", "unused-entity", WARNING)
def unused_entity(model: Model) -> Iterator[Finding]:
    """No pattern reads or writes an entity.

    Either it is not needed, or its requests are written elsewhere, where they are not judged,
    priced or covered by a policy. In a design without write patterns it is information.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        class Draft(Entity, table=App):
            draft_id: str
            primary = App.primary.key("DRAFT#{draft_id}", "DRAFT")

        @pattern("A note", rate="50/s")
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
    if not model.every_request:
        return
    severity = WARNING if any(request.writes for request in model.every_request) else INFORMATION
    for kind in model.kinds:
        if kind not in model.obscure and not any(model.requests_of(kind)):
            yield Finding(
                kind,
                "no pattern reads or writes it",
                "Declare the requests that use it as patterns, or remove it",
                severity=severity,
            )
