"""SK811 wide-projection: an index holds whole records of which a part is read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule


@rule("SK811", "wide-projection", INFORMATION)
def wide_projection(model: Model) -> Iterator[Fault]:
    """An index holds whole records, and every pattern that reads it reads a part of them.

    Storage is paid for what it holds, and each write that changes a record changes the index. With
    less in it both become cheaper. A projection cannot be changed later: a new index takes its
    place.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            author: str
            text: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            of_author = App.gsi1.key("AUTHOR#{author}", "{note_id}")

        class Listed(BaseModel):
            note_id: str

        @pattern("An author's notes", rate="5/s", page=20)
        def notes(author: str, after: str | None = None) -> Op[Page[Listed]]:
            return Note.query(Note.of_author, author=author).select(Listed).page(20, after)

    Instead:
        class Notes(Table):
            by_author = gsi("GSI1PK", "GSI1SK", project=["note_id", "_type"])

        class Note(Entity, table=Notes):
            note_id: str
            author: str
            text: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
            of_author = Notes.by_author.key("AUTHOR#{author}", "{note_id}")

        class Listed(BaseModel):
            note_id: str

        @pattern("An author's notes", rate="5/s", page=20)
        def notes(author: str, after: str | None = None) -> Op[Page[Listed]]:
            return Note.query(Note.of_author, author=author).select(Listed).page(20, after)
    """
    for table in model.design.tables:
        for index in table.definition.indexes.values():
            reading = [r for r in model.every_request if r.index is index and r.reads]
            parts = [r.step.projection for r in reading if r.step.projection is not None]
            if index.projection == "ALL" and reading and len(parts) == len(reading):
                names = sorted({name for part in parts for name in part.names})
                yield Fault(
                    index,
                    f"it holds whole records, and patterns read only {', '.join(names)}",
                    "Project what is read, when you next replace the index",
                )
