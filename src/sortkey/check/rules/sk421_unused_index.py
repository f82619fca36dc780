"""SK421 unused-index: no pattern reads an index."""

from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.tables.table import Index
from sortkey.expressions.evaluate import condition_names


@rule("SK421", "unused-index", WARNING)
def unused_index(model: Model) -> Iterator[Finding]:
    """No pattern reads an index.

    Each write of a record in the index is paid for a second time, and so is its storage. An index
    in which no entity has a key is empty, but counts towards the limit of twenty per table. In a
    design without write patterns, reads may be declared elsewhere, so it is information.

    Flagged:
        class Notes(Table):
            by_author = gsi("GSI1PK", "GSI1SK")

        class Note(Entity, table=Notes):
            note_id: str
            author: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
            of_author = Notes.by_author.key("AUTHOR#{author}", "{note_id}")

        @pattern("A note", rate="50/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @pattern("Write a note", rate="5/s")
        def write(note: Note) -> Op[Note]:
            return note.create()

    Instead:
        class Notes(Table):
            pass

        class Note(Entity, table=Notes):
            note_id: str
            author: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="50/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)
    """
    used = {id(request.index) for request in model.every_request if request.reads}
    used |= {id(index) for request in model.every_request for index in _meant(request)}
    if not used:
        return
    is_whole = any(request.writes for request in model.every_request)
    for table in model.design.tables:
        for index in table.definition.indexes.values():
            if id(index) in used or model.is_obscure(index):
                continue
            keys = [k for kind in model.kinds_of(table.definition) for k in kind.keys.values()]
            held = [key for key in keys if key.definition is index]
            why = "" if held else ", and no entity has a key in it"
            severity = WARNING if is_whole or not held else INFORMATION
            fix = (
                "Remove it, or read it; an existing table keeps its local indexes"
                if index.kind == "local"
                else "Remove it, or read it"
            )
            yield Finding(index, f"no pattern reads it{why}", fix, severity=severity)


def _meant(request: PlannedRequest) -> Iterator[Index]:
    """Yield the indexes whose keys a rejected query names, although it reads another index.

    A local index has the partition key of the table, so only its sort key identifies it.
    """
    condition = request.step.sent.key_condition if request.unreadable else None
    names = frozenset[str]() if condition is None else condition_names(condition)
    for index in request.table.indexes.values():
        key = index.partition if index.kind == "global" else index.attributes
        if {attribute.name for attribute in key} <= names:
            yield index
