"""An application with one function, whose code a test writes."""

from pathlib import Path
from textwrap import dedent

from sortkey import load_design
from sortkey.programs.program import WalkedProgram
from sortkey.programs.walking import programs_of

DESIGN = """
from sortkey import Entity, Function, Op, Role, Table, gsi, pattern

class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=App):
    note_id: str
    owner: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    of_owner = App.gsi1.key("OWNER#{owner}", "NOTE#{note_id}")

@pattern("A note")
def read(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)

@pattern("Notes of an owner")
def browse(owner: str) -> Op[list[Note]]:
    return Note.query(Note.of_owner, owner=owner)

@pattern("Add a note")
def add(note: Note) -> Op[Note]:
    return note.create()

@pattern("Drop a note")
def drop(note_id: str) -> Op[None]:
    return Note.delete(note_id=note_id)

run = Function("run", handler="app:handler", role=Role("runner", [read, browse, add, drop]))
"""


def program(folder: Path, code: str, imports: str = "") -> WalkedProgram:
    """Return the program whose handler is in ``code``."""
    (folder / "design.py").write_text(DESIGN)
    (folder / "app.py").write_text(imports + dedent(code))
    (found,) = programs_of(load_design(folder / "design.py"))
    return found


def names(found: WalkedProgram) -> set[str]:
    """Return the names of the patterns that a program can use."""
    return {pattern.name for pattern in found.patterns}
