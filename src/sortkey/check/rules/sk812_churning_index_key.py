"""SK812 churning-index-key: each update of a record moves its entry in an index."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK812", "churning-index-key", WARNING)
def churning_index_key(model: Model) -> Iterator[Fault]:
    """Each update of a record moves its entry in an index.

    The index is keyed on the version or the time of the last write. To move an entry is to delete
    one and put another, so every update costs two writes of the index beside its own.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            author: str
            updated: UpdatedAt = auto()
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            latest = App.gsi1.key("AUTHOR#{author}", "{updated}#{note_id}")

    Instead:
        class Note(Entity, table=App):
            note_id: str
            author: str
            created: CreatedAt = auto()
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
            latest = App.gsi1.key("AUTHOR#{author}", "{created}#{note_id}")
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            moved = {kind.version_field, kind.updated_field} & set(key.all_fields)
            for name in sorted(name for name in moved if name and key.index is not None):
                yield Fault(
                    key,
                    f'"{name}" changes with each update, which then moves the entry: two more '
                    "writes",
                    f"Order by a field that does not change, or acknowledge it if `{name}` is "
                    "the order that you need",
                )
