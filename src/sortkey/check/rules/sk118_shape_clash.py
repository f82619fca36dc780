"""SK118 shape-clash: a field is stored in the attribute that holds a record's shape or type."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK118", "shape-clash", ERROR)
def shape_clash(model: Model) -> Iterator[Finding]:
    """A field is stored in the attribute that holds a record's shape or type.

    The shape attribute identifies records in an older format; a field in its place would make them
    unreadable. The type attribute identifies the entity of a record; each write sets it to the name
    of the entity, so the value of a field in its place is lost.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            shape: Annotated[int, Stored("_shape")] = 0
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            shape: int = 0
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK118")
