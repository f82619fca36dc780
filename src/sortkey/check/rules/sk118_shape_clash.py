"""SK118 shape-clash: a field has the name of the attribute that holds a record's shape or type."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK118", "shape-clash", ERROR)
def shape_clash(model: Model) -> Iterator[Finding]:
    """A field has the name of the attribute that holds a record's shape or type.

    Records of an earlier shape are known by the one, and the entity of a record by the other. A
    field of the name of the first would make them unreadable. A field of the name of the second is
    overwritten with the name of the entity at each write, so its value is lost.

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
