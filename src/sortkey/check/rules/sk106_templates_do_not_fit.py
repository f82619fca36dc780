"""SK106 templates-do-not-fit: a key does not have one template for each attribute of its index."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK106", "templates-do-not-fit", ERROR)
def templates_do_not_fit(model: Model) -> Iterator[Finding]:
    """A key does not have one template for each attribute of its index.

    Each key attribute is written by one template. If one is missing, the record is not in the
    index, or DynamoDB rejects it. A local index has the table's partition key, so its key takes the
    template of its sort key alone: `key(sort="{day}")`.

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
