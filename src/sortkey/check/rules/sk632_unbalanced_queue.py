"""SK632 unbalanced-queue: two functions receive from a queue, or none does."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.declaring.functions import Function, OnMessage


@rule("SK632", "unbalanced-queue", WARNING)
def unbalanced_queue(model: Model) -> Iterator[Finding]:
    """Two functions receive from a queue, or none does.

    A message goes to one receiver: if two functions receive from one queue, each gets some of the
    messages, and neither gets all. Messages that nobody receives are deleted after the retention
    of the queue, which is reported as information, since a program elsewhere may receive them.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        mails = Queue("mails")
        reader = Role("reader", [note])
        send = Function(
            "send",
            handler="notes.functions:send",
            role=reader,
            triggers=[OnMessage(mails)],
        )
        log = Function(
            "log",
            handler="notes.functions:log",
            role=reader,
            triggers=[OnMessage(mails)],
        )

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        mails = Queue("mails")
        logs = Queue("logs")
        reader = Role("reader", [note])
        send = Function(
            "send",
            handler="notes.functions:send",
            role=reader,
            triggers=[OnMessage(mails)],
            sends_to=[logs],
        )
        log = Function(
            "log",
            handler="notes.functions:log",
            role=reader,
            triggers=[OnMessage(logs)],
        )
    """
    receivers: dict[str, Function] = {}
    for function in model.design.functions:
        for name in {one.queue.name for one in function.triggers if isinstance(one, OnMessage)}:
            first = receivers.setdefault(name, function)
            if first is not function:
                yield Finding(
                    function,
                    f'it receives from the queue "{name}", and so does "{first.name}": each '
                    "message goes to one of them",
                    "Give each of them a queue of its own, and send each message to both",
                )
    for function in model.design.functions:
        for queue in function.sends_to:
            if queue.name not in receivers:
                yield Finding(
                    function,
                    f'it sends to the queue "{queue.name}", from which no function receives',
                    "Give a function the trigger `OnMessage`, unless another program receives",
                    severity=INFORMATION,
                )
