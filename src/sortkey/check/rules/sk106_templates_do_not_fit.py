"""SK106 templates-do-not-fit: a key has not one template for each attribute."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK106", "templates-do-not-fit", ERROR)
def templates_do_not_fit(model: Model) -> Iterator[Finding]:
    """A key has not one template for each attribute.

    Each attribute of an index is written by one template. With one missing the record is not in the
    index, or DynamoDB refuses it.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    return model.collected("SK106")
