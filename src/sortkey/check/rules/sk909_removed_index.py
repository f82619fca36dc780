"""SK909 removed-index: an index is removed that the deployed program may still read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK909", "removed-index", WARNING)
def removed_index(model: Model) -> Iterator[Finding]:
    """An index is removed that the deployed program may still read.

    Until the last instance of the old version has stopped, its queries fail. Deploy the program
    first, then remove the index. Creating it again takes as long as its backfill.

    Flagged:
        # Deployed:
        class Orders(Table):
            by_day = gsi("day")

        # Now:
        class Orders(Table):
            pass

    Instead:
        # Deployed:
        class Orders(Table):
            by_day = gsi("day")

        # Now:
        class Orders(Table):
            by_day = gsi("day")
    """
    for table, before in model.deployed_tables:
        for name, index in before.indexes.items():
            if name not in table.definition.indexes and index.kind != "local":
                yield Finding(
                    table,
                    f"its index {name} is removed, but the deployed program may still read it",
                    "First deploy a program that does not read it; then acknowledge this finding",
                )
