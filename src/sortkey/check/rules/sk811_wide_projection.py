"""SK811 wide-projection: an index contains whole records, but only a part is read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK811", "wide-projection", INFORMATION)
def wide_projection(model: Model) -> Iterator[Finding]:
    """An index contains whole records, but every pattern reads only a part of them.

    You pay for the storage of all projected attributes, and each write that changes one of them
    also writes the index. A smaller projection makes both cheaper. A projection cannot be changed
    later: a new index has to replace the old one.

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
            if model.is_obscure(index):
                continue
            if index.projection == "ALL" and reading and len(parts) == len(reading):
                names = sorted({name for part in parts for name in part.names})
                yield Finding(
                    index,
                    f"it contains whole records, but patterns read only {', '.join(names)}",
                    "Project only these attributes when you next replace the index",
                )
