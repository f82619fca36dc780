"""SK904 several-index-changes: several indexes are added or removed at a time."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK904", "several-index-changes", WARNING)
def several_index_changes(model: Model) -> Iterator[Finding]:
    """More than one index of a table is added or removed in one deployment.

    DynamoDB allows one such change to a table at a time, and backfills a new index before it allows
    the next. A deployment with two is rejected. Deploy them one after the other.

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
            yield Finding(
                table,
                f"{', '.join(changes)}, but DynamoDB allows one such change at a time",
                "Deploy them one after the other",
            )
