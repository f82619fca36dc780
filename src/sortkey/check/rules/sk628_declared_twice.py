"""SK628 declared-twice: a queue, a setting or the like is declared twice, with different values."""

from collections.abc import Iterator
from dataclasses import fields

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.check.services import Service, used_by
from sortkey.design.declaring.functions import Function
from sortkey.wording.prose import listed


@rule("SK628", "declared-twice", ERROR)
def declared_twice(model: Model) -> Iterator[Finding]:
    """A queue, a bucket, an API, a service or a setting is declared twice, with other values.

    What has one name is one resource, or one variable, so only one of the two declarations can take
    effect. Two declarations with the same values are one.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        reader = Role("reader", [note])
        send = Function(
            "send",
            handler="notes.functions:send",
            role=reader,
            triggers=[Schedule("rate(1 day)")],
            sends_to=[Queue("mails")],
        )
        deliver = Function(
            "deliver",
            handler="notes.functions:deliver",
            role=reader,
            triggers=[OnMessage(Queue("mails", deliveries=9))],
        )

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        mails = Queue("mails", deliveries=9)
        reader = Role("reader", [note])
        send = Function(
            "send",
            handler="notes.functions:send",
            role=reader,
            triggers=[Schedule("rate(1 day)")],
            sends_to=[mails],
        )
        deliver = Function(
            "deliver",
            handler="notes.functions:deliver",
            role=reader,
            triggers=[OnMessage(mails)],
        )
    """
    seen: dict[str, tuple[Service, Function]] = {}
    for function in model.design.functions:
        for service in used_by(function):
            # A queue may have the name of a bucket: they are named with their kinds.
            other, owner = seen.setdefault(str(service), (service, function))
            if other != service:
                yield Finding(
                    function,
                    f'its {service} differs from that of the function "{owner.name}" in '
                    f"{listed(_differing(other, service))}",
                    "Declare it once, and use it in both",
                )


def _differing(one: Service, other: Service) -> Iterator[str]:
    return (
        each.name
        for each in fields(one)
        if getattr(one, each.name) != getattr(other, each.name, None)
    )
