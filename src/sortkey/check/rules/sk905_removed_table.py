"""SK905 removed-table: a table that is deployed is no longer in the design."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK905", "removed-table", WARNING)
def removed_table(model: Model) -> Iterator[Fault]:
    """A table that is deployed is no longer in the design.

    It was removed or its class renamed. With `removal="retain"` it stays behind with its data,
    unseen and paid for; with "destroy" the data is gone.

    Flagged:
        # Deployed:
        class Orders(Table):
            pass

        # Now:
        class Sales(Table):
            pass

    Instead:
        # Deployed:
        class Orders(Table):
            pass

        # Now:
        class Orders(Table):
            pass
    """
    has = {table.__name__ for table in model.design.tables}
    for name in model.before.tables:
        if name not in has:
            yield Fault(
                model.design.about,
                f"the table {name} is deployed, and no longer in the design",
                f"Keep the class `{name}` until its data is moved or no longer needed",
            )
