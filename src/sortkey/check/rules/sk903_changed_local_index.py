"""SK903 changed-local-index: a local index is added to an existing table, removed or changed."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK903", "changed-local-index", ERROR)
def changed_local_index(model: Model) -> Iterator[Finding]:
    """A local index is added to an existing table, removed or changed.

    Local indexes are created with their table and cannot be changed or removed. A deployment would
    create the table again, without its data. A global index can be added at any time.

    Flagged:
        # Deployed:
        class Logs(Table, partition="device", sort="at"):
            pass

        # Now:
        class Logs(Table, partition="device", sort="at"):
            by_level = lsi("level")

    Instead:
        # Deployed:
        class Logs(Table, partition="device", sort="at"):
            pass

        # Now:
        class Logs(Table, partition="device", sort="at"):
            by_level = gsi("device", "level")
    """
    for table, before in model.deployed_tables:
        if not before.whole:
            continue
        had = {n: (i.key, i.projection) for n, i in before.indexes.items() if i.kind == "local"}
        has = {
            name: (
                tuple((a.name, a.type) for a in index.attributes),
                index.projection
                if isinstance(index.projection, str)
                else frozenset(index.projection),
            )
            for name, index in table.definition.indexes.items()
            if index.kind == "local"
        }
        for name in sorted(had.keys() | has.keys()):
            if had.get(name) != has.get(name):
                done = (
                    "is removed"
                    if name not in has
                    else "is added"
                    if name not in had
                    else "changes"
                )
                yield Finding(
                    table,
                    f"the local index {name} {done}, but local indexes are fixed when a table is "
                    "created",
                    "Keep it unchanged; add a global index if you need another order",
                )
