"""SK420 never-written: no pattern writes records that other patterns read."""

from collections.abc import Iterator

from sortkey.check.changes import creates
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule


@rule("SK420", "never-written", WARNING)
def never_written(model: Model) -> Iterator[Finding]:
    """No pattern writes records that other patterns read.

    Writes uphold the guarantees and cause most of the cost, and neither can be judged without write
    patterns. A design without any write pattern gets one finding, as information. So does an entity
    that patterns only update: its records must be created elsewhere.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

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

        @pattern("Write a note", rate="5/s")
        def write(note: Note) -> Op[Note]:
            return note.create()
    """
    if model.every_request and not any(request.writes for request in model.every_request):
        if not model.unplanned:
            yield Finding(
                model.design.about,
                "no pattern writes anything, so guarantees and the cost of writes are not judged",
                "Declare the writes as patterns too",
                severity=INFORMATION,
            )
        return
    for kind in model.kinds:
        if kind in model.obscure:
            continue
        requests = [request for request in model.every_request if kind in request.kinds]
        # A write that DynamoDB rejects is reported as such.
        rejected = [request for request in requests if request not in model.requests]
        if not requests or any(creates(request, kind) for request in requests):
            continue
        if any(request.writes for request in rejected):
            continue
        verbs = {request.verb for request in requests}
        if not verbs.isdisjoint({"UpdateItem", "DeleteItem"}):
            does = "update" if "UpdateItem" in verbs else "delete"
            yield Finding(
                kind,
                f"patterns {does} it, but no pattern creates it",
                "Declare the write that creates it as a pattern",
                severity=INFORMATION,
            )
        else:
            yield Finding(
                kind,
                "patterns read it, but no pattern writes it",
                "Declare the write that stores it as a pattern",
            )
