"""SK104 shared-name: two entities of a table have the same name."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK104", "shared-name", ERROR)
def shared_name(model: Model) -> Iterator[Finding]:
    """Two entities of a table have the same name.

    The name is stored with each record and identifies its entity. If two entities share a name,
    records are read as the wrong entity.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        class Draft(Entity, table=App, name="Note"):
            draft_id: str
            primary = App.primary.key("DRAFT#{draft_id}", "DRAFT")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        class Draft(Entity, table=App):
            draft_id: str
            primary = App.primary.key("DRAFT#{draft_id}", "DRAFT")
    """
    return model.collected("SK104")
