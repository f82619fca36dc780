"""SK613 pattern-without-role: no role may use a pattern."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule


@rule("SK613", "pattern-without-role", WARNING)
def pattern_without_role(model: Model) -> Iterator[Fault]:
    """No role may use a pattern, or a role has none.

    Where a design has roles, what each program is granted follows from its patterns. One that no
    role has is either not needed, or will be denied in production. That is for information.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @pattern("Write a note", rate="1/min")
        def write(note: Note) -> Op[Note]:
            return note.create()

        reader = Role("reader", [note])

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @pattern("Write a note", rate="1/min")
        def write(note: Note) -> Op[Note]:
            return note.create()

        reader = Role("reader", [note])
        editor = Role("editor", [note, write])
    """
    roles = model.design.roles
    granted = {id(pattern) for role in roles for pattern in role.patterns}
    for role in roles:
        if not role.patterns:
            yield Fault(role, "it has no patterns, so it may do nothing", "Give it patterns")
    for pattern in model.design.patterns:
        if roles and id(pattern) not in granted:
            yield Fault(
                pattern,
                "no role has it, so no program is granted what it needs",
                "Give it to a role",
                severity=INFORMATION,
            )
