"""SK813 key-in-projection: an index lists a key attribute among what it projects."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule


@rule("SK813", "key-in-projection", INFORMATION)
def key_in_projection(model: Model) -> Iterator[Fault]:
    """An index lists a key attribute among what it projects.

    Every index holds its own key and the key of the table, whatever it projects. A key that is
    listed in `project=` as well changes nothing, and counts among the 100 attributes that the
    indexes of a table may name.

    Flagged:
        class Notes(Table):
            by_author = gsi("author", "written", project=["PK", "SK", "author", "title"])

    Instead:
        class Notes(Table):
            by_author = gsi("author", "written", project=["title"])
    """
    for table in model.design.tables:
        definition = table.definition
        for index in definition.indexes.values():
            keys = {a.name for a in (*index.attributes, *definition.primary.attributes)}
            if isinstance(index.projection, str):
                continue
            listed = [name for name in dict.fromkeys(index.projection) if name in keys]
            rest = [name for name in dict.fromkeys(index.projection) if name not in keys]
            if listed:
                shown = ", ".join(f'"{name}"' for name in rest)
                yield Fault(
                    index,
                    f"it projects {', '.join(listed)}, which every index holds as "
                    f"{'a key' if len(listed) == 1 else 'keys'}",
                    f"Write `project=[{shown}]`" if rest else 'Write `project="KEYS_ONLY"`',
                )
