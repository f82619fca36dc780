"""SK613 pattern-without-role: nobody may ask a pattern."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule


@rule("SK613", "pattern-without-role", WARNING)
def pattern_without_role(model: Model) -> Iterator[Fault]:
    """Nobody may ask a pattern, or a role may ask nothing.

    Where a design has roles, what each program is granted follows from its patterns. One that no
    role has is either not needed, or will be denied in production. That is for information.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @pattern("Remove a note", rate="1/min")
        def remove(note_id: str) -> Op[Note | None]:
            return Note.delete(note_id=note_id)

        reader = Role("reader", [note])

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @pattern("Remove a note", rate="1/min")
        def remove(note_id: str) -> Op[Note | None]:
            return Note.delete(note_id=note_id)

        reader = Role("reader", [note])
        editor = Role("editor", [note, remove])
    """
    roles = model.design.roles
    granted = {id(pattern) for role in roles for pattern in role.patterns}
    for role in roles:
        if not role.patterns:
            yield Fault(role, "it has no patterns, so it may do nothing", "Give it some")
    for pattern in model.design.patterns:
        if roles and id(pattern) not in granted:
            yield Fault(
                pattern,
                "no role has it, so nobody is granted what it needs",
                "Give it to a role",
                severity=INFORMATION,
            )
