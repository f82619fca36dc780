"""SK103 optional-key: a field of a primary key may be None."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK103", "optional-key", ERROR)
def optional_key(model: Model) -> Iterator[Finding]:
    """A field of a primary key may be None.

    Every item has a complete primary key; DynamoDB rejects an item that lacks a part of it. In an
    index an optional field is fine: a record without the field is not in the index.

    Flagged:
        class Note(Entity, table=App):
            user_id: str
            note_id: str | None = None
            primary = App.primary.key("USER#{user_id}", "NOTE#{note_id}")

    Instead:
        class Note(Entity, table=App):
            user_id: str
            note_id: str
            primary = App.primary.key("USER#{user_id}", "NOTE#{note_id}")
    """
    return model.collected("SK103")
