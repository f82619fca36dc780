"""SK904 several-index-changes: more than one index is added or removed at a time."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK904", "several-index-changes", WARNING)
def several_index_changes(model: Model) -> Iterator[Fault]:
    """More than one index of a table is added or removed at a time.

    DynamoDB takes one such change of a table at a time, and fills a new index before it takes the
    next. A deployment with two is refused. They are deployed one after the other.

    Flagged:
        # Deployed:
        class Orders(Table):
            pass

        # Now:
        class Orders(Table):
            by_day = gsi("day")
            by_shop = gsi("shop")

    Instead:
        # Deployed:
        class Orders(Table):
            pass

        # Now:
        class Orders(Table):
            by_day = gsi("day")
    """
    for table, before in model.deployed_tables:
        if not before.whole:
            continue
        had = {name for name, index in before.indexes.items() if index.kind == "global"}
        indexes = table.definition.indexes.items()
        has = {name for name, index in indexes if index.kind == "global"}
        changes = [f"{n} is added" for n in sorted(has - had)]
        changes += [f"{n} is removed" for n in sorted(had - has)]
        if len(changes) > 1:
            yield Fault(
                table,
                f"{', '.join(changes)}, and DynamoDB takes one such change at a time",
                "Deploy them one after the other",
            )
