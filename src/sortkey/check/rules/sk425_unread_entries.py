"""SK425 unread-entries: an entity has a key in an index that no pattern reads it from."""

from collections.abc import Iterator

from sortkey.check.load import writes_of
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.demand import write_units
from sortkey.design.records.keys.entity_key import EntityKey, written_parts


@rule("SK425", "unread-entries", WARNING)
def unread_entries(model: Model) -> Iterator[Finding]:
    """An entity has a key in an index that no pattern reads it from.

    Other entities are read from the index, so the index is needed, but the entries of this entity
    are not. Each write of a record is paid for a second time, in the index, and so is its storage.
    It is information if no pattern writes the entity at a declared rate, or no pattern reads it at
    all: the pattern that reads the entries may still be missing.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            author: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            of_author = App.gsi1.key("AUTHOR#{author}", "NOTE#{note_id}")

        class Draft(Entity, table=App):
            draft_id: str
            author: str
            primary = App.primary.key("DRAFT#{draft_id}", "DRAFT")
            of_author = App.gsi1.key("AUTHOR#{author}", "DRAFT#{draft_id}")

        @pattern("An author's notes", rate="5/s", page=20)
        def notes(author: str, after: str | None = None) -> Op[Page[Note]]:
            return Note.query(Note.of_author, author=author).page(20, after)

        @pattern("Write a note", rate="5/s")
        def write(note: Note) -> Op[Note]:
            return note.create()

        @pattern("A draft", rate="5/s")
        def draft(draft_id: str) -> Op[Draft | None]:
            return Draft.get(draft_id=draft_id)

        @pattern("Save a draft", rate="50/s")
        def save(draft: Draft) -> Op[Draft]:
            return draft.create()

    Instead:
        class Note(Entity, table=App):
            note_id: str
            author: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            of_author = App.gsi1.key("AUTHOR#{author}", "NOTE#{note_id}")

        class Draft(Entity, table=App):
            draft_id: str
            author: str
            primary = App.primary.key("DRAFT#{draft_id}", "DRAFT")

        @pattern("An author's notes", rate="5/s", page=20)
        def notes(author: str, after: str | None = None) -> Op[Page[Note]]:
            return Note.query(Note.of_author, author=author).page(20, after)

        @pattern("Write a note", rate="5/s")
        def write(note: Note) -> Op[Note]:
            return note.create()

        @pattern("A draft", rate="5/s")
        def draft(draft_id: str) -> Op[Draft | None]:
            return Draft.get(draft_id=draft_id)

        @pattern("Save a draft", rate="50/s")
        def save(draft: Draft) -> Op[Draft]:
            return draft.create()
    """
    reading = [request for request in model.every_request if request.reads]
    used = {id(request.index) for request in reading}
    for kind in (kind for kind in model.kinds if kind not in model.obscure):
        own = [request for request in reading if kind in request.kinds]
        read = {id(request.index) for request in own}
        for key in kind.keys.values():
            is_idle = id(key.definition) in used and id(key.definition) not in read
            if key.index is not None and is_idle and _is_avoidable(key):
                yield Finding(
                    key,
                    f"no pattern reads {kind.name} records from {key.definition}, but each write "
                    f"is paid for again there{_cost(model, kind, key)}",
                    "Remove the key, or declare the read that uses it as a pattern",
                    severity=WARNING if own and any(writes_of(model, kind)) else INFORMATION,
                )


def _is_avoidable(key: EntityKey) -> bool:
    """Whether the key writes attributes that put a record into the index only for this key."""
    return any(True for _ in written_parts(key.definition, key.parts))


def _cost(model: Model, kind: AnyKind, key: EntityKey) -> str:
    rate = sum(rate for rate in writes_of(model, kind) if rate is not None)
    units = rate * write_units(kind, key)
    return f": about {units:,.0f} write units a second" if units >= 1 else ""
