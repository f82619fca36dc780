"""SK437 unknown-projection: an index projects an attribute that no record has."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.table import TableDefinition


@rule("SK437", "unknown-projection", WARNING)
def unknown_projection(model: Model) -> Iterator[Fault]:
    """An index projects an attribute that no record has.

    DynamoDB takes any name in a projection and does not check it. A misspelt one leaves the
    attribute that was meant out of the index, and a projection cannot be changed later: the index
    has to be made again. What an entity stores, what a raw request writes and what is part of a key
    is known.

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
        # Without entities, or where one could not be built, it is not known what is stored.
        if definition.unbuilt or not any(model.kinds_of(definition)):
            continue
        known = _stored(model, definition)
        for index in definition.indexes.values():
            listed = () if isinstance(index.projection, str) else dict.fromkeys(index.projection)
            unknown = [name for name in listed if name not in known]
            if unknown:
                shown = ", ".join(f'"{name}"' for name in unknown)
                is_one = len(unknown) == 1
                yield Fault(
                    index,
                    f"it projects {shown}, and no entity of {table.__name__} stores "
                    f"{'such an attribute' if is_one else 'such attributes'}",
                    "Write the name as it is stored, or remove it from `project=`",
                )


def _stored(model: Model, table: TableDefinition) -> set[str]:
    """Every attribute that records of a table may have, as far as the design says."""
    found = {a.name for index in table.indexes.values() for a in index.attributes}
    found |= {*table.key_names, table.settings.ttl or ""}
    for kind in model.kinds_of(table):
        found |= {*kind.stored_names.values(), *kind.key_names, kind.type_attribute or ""}
    for request in model.every_request:
        if request.table is table:
            found |= {*(request.step.item or ())}
            found |= {*(request.step.update.targets if request.step.update else ())}
    return found
