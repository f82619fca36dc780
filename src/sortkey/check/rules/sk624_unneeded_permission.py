"""SK624 unneeded-permission: a role has a pattern that none of its functions can use."""

from collections.abc import Iterator
from typing import Any

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.declaring.pattern import Pattern
from sortkey.programs.program import WalkedProgram
from sortkey.wording.prose import listed


@rule("SK624", "unneeded-permission", WARNING)
def unneeded_permission(model: Model) -> Iterator[Finding]:
    """A role has a pattern that none of its functions can use.

    The permission serves nobody but an attacker who takes over a function. Only roles that
    functions alone use are judged, and only if all code of these functions was judged: roles that
    act for a subject or are attached to an existing role have other users. A function of the role
    can acknowledge the finding with its `ignore`.

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
            return db(note(event["note_id"]))

        reader = Function("read", handler="notes:read", role=Role("reader", [note, drop]))

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
            return db(note(event["note_id"]))

        reader = Function("read", handler="notes:read", role=Role("reader", [note]))
        editor = Role("editor", [note, drop])
    """
    for role in model.design.roles:
        programs = [one for one in model.programs or () if one.function.role is role]
        is_shared = role.acts_for is not None or role.attached_to is not None
        if is_shared or not programs or not all(_is_known(one) for one in programs):
            continue
        used = {id(pattern) for one in programs for pattern in _used(one)}
        unneeded = [pattern.name for pattern in role.patterns if id(pattern) not in used]
        if unneeded:
            functions = listed(one.function.name for one in programs)
            yield Finding(
                role,
                f"it has {listed(unneeded)}, which {functions} cannot use",
                f"Remove {listed(f'`{name}`' for name in unneeded)} from the role",
            )


def _is_known(program: WalkedProgram) -> bool:
    """Whether its code uses no other patterns than those that are named."""
    return program.fault is None and all(one.use is not None for one in program.unjudged)


def _used(program: WalkedProgram) -> Iterator[Pattern[..., Any]]:
    """Yield the patterns that it can use, and those that it may use."""
    yield from program.patterns
    yield from (one.use.pattern for one in program.unjudged if one.use is not None)
