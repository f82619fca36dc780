"""SK909 removed-index: an index goes that the deployed program still reads."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK909", "removed-index", WARNING)
def removed_index(model: Model) -> Iterator[Fault]:
    """An index goes that the deployed program may still read.

    Until the last instance of the former version is gone, its queries fail. The program is deployed
    first, then the index is removed. To bring it back takes as long as filling it.

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
                yield Fault(
                    table,
                    f"its index {name} is removed, and the deployed program may still read it",
                    "First deploy a program that does not read it; then acknowledge this finding",
                )
