"""SK406 unplanned-pattern: a pattern cannot be called with samples."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.errors import Refused, ValueRefused


@rule("SK406", "unplanned-pattern", WARNING)
def unplanned_pattern(model: Model) -> Iterator[Fault]:
    """A pattern cannot be called with samples, so nothing is known of what it sends.

    A pattern only builds an operation, from whatever its arguments are. One that looks an argument
    up in a dictionary, or reads it apart, fails on a sample: no rule judges it, and nobody can
    price it or grant it.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A well-known note", rate="5/s")
        def known(name: str) -> Op[Note | None]:
            return Note.get(note_id={"first": "1", "last": "9"}[name])

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def known(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)
    """
    for asked in model.asked:
        error = asked.trace.error
        if error is None or (isinstance(error, Refused) and not isinstance(error, ValueRefused)):
            continue
        yield Fault(
            asked.pattern,
            f"called with samples it fails, so it is not judged: {asked.trace.plan['error']}",
            "Have it build the operation from any value of its arguments' types",
        )
