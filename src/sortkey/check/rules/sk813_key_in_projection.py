"""SK813 key-in-projection: an index projects a key attribute by name."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK813", "key-in-projection", INFORMATION)
def key_in_projection(model: Model) -> Iterator[Finding]:
    """An index projects a key attribute by name.

    Every index contains its own key and the key of the table, whatever it projects. Listing a key
    in `project=` changes nothing, and counts towards the 100 attributes that the indexes of a table
    may name.

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
                yield Finding(
                    index,
                    f"it projects {', '.join(listed)}, which every index contains as "
                    f"{'a key' if len(listed) == 1 else 'keys'}",
                    f"Write `project=[{shown}]`" if rest else 'Write `project="KEYS_ONLY"`',
                )
