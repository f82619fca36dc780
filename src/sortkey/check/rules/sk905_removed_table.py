"""SK905 removed-table: a deployed table is no longer in the design."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK905", "removed-table", WARNING)
def removed_table(model: Model) -> Iterator[Finding]:
    """A deployed table is no longer in the design.

    It was removed, or its class was renamed. With `removal="retain"` the table stays with its data,
    and you keep paying for it; with "destroy" the data is deleted.

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
            yield Finding(
                model.design.about,
                f"the table {name} is deployed but no longer in the design",
                f"Keep the class `{name}` until its data is moved or no longer needed",
            )
