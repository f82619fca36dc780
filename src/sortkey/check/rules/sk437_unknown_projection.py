"""SK437 unknown-projection: an index projects an attribute that no record has."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.tables.table import TableDefinition


@rule("SK437", "unknown-projection", WARNING)
def unknown_projection(model: Model) -> Iterator[Finding]:
    """An index projects an attribute that no record has.

    DynamoDB does not check the names in a projection. If one is misspelt, the intended attribute is
    missing from the index, and a projection cannot be changed later: the index has to be created
    again. The attributes that entities store, that raw requests write and that are part of a key
    are known.

    Flagged:
        class Notes(Table):
            by_author = gsi("author", "note_id", project=["titel"])

        class Note(Entity, table=Notes):
            author: str
            note_id: str
            title: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
            listed = Notes.by_author.key()

    Instead:
        class Notes(Table):
            by_author = gsi("author", "note_id", project=["title"])

        class Note(Entity, table=Notes):
            author: str
            note_id: str
            title: str
            primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
            listed = Notes.by_author.key()
    """
    for table in model.design.tables:
        definition = table.definition
        # Without entities, or if one could not be built, the stored attributes are unknown.
        if definition.unbuilt or not any(model.kinds_of(definition)):
            continue
        known = _stored(model, definition)
        for index in definition.indexes.values():
            listed = () if isinstance(index.projection, str) else dict.fromkeys(index.projection)
            unknown = [name for name in listed if name not in known]
            if unknown:
                shown = ", ".join(f'"{name}"' for name in unknown)
                is_one = len(unknown) == 1
                yield Finding(
                    index,
                    f"it projects {shown}, but no entity of {table.__name__} stores "
                    f"{'such an attribute' if is_one else 'such attributes'}",
                    "Write the name as it is stored, or remove it from `project=`",
                )


def _stored(model: Model, table: TableDefinition) -> set[str]:
    """Return every attribute that records of a table may have, as far as declared."""
    found = {a.name for index in table.indexes.values() for a in index.attributes}
    found |= {*table.key_names, table.settings.ttl or ""}
    for kind in model.kinds_of(table):
        found |= {*kind.stored_names.values(), *kind.key_names, kind.type_attribute or ""}
    for request in model.every_request:
        if request.table is table:
            found |= {*(request.step.item or ())}
            found |= {*(request.step.update.targets if request.step.update else ())}
    return found
