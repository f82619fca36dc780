"""SK613 pattern-without-role: no role uses a pattern, or a role has no pattern."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule


@rule("SK613", "pattern-without-role", WARNING)
def pattern_without_role(model: Model) -> Iterator[Finding]:
    """No role uses a pattern, or a role has no pattern.

    If a design has roles, the grants of each program follow from its patterns. A pattern without a
    role is either not needed, or will be denied in production. That is reported as information.

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
        if not role.patterns and not role.follows:
            yield Finding(
                role, "it has no patterns, so it has no permissions", "Add patterns to it"
            )
    for pattern in model.design.patterns:
        if roles and id(pattern) not in granted:
            yield Finding(
                pattern,
                "no role has it, so no program gets the permissions that it needs",
                "Add it to a role",
                severity=INFORMATION,
            )
