"""SK901 changed-key: a table that exists gets another key."""

from collections.abc import Iterator

from sortkey.check.deployed import KeyAttributes
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule


@rule("SK901", "changed-key", ERROR)
def changed_key(model: Model) -> Iterator[Fault]:
    """A table that exists gets another key.

    DynamoDB cannot change the key of a table. A deployment would delete it and make a new, empty
    one, or be refused. A second table has to be filled from the first, and then take its place.

    Flagged:
        # Deployed:
        class Orders(Table, partition="id"):
            pass

        # Now:
        class Orders(Table, partition="customer", sort="id"):
            pass

    Instead:
        # Deployed:
        class Orders(Table, partition="id"):
            pass

        # Now:
        class Orders(Table, partition="id"):
            of_customer = gsi("customer", "id")
    """
    for table, before in model.deployed_tables:
        now = tuple((a.name, a.type) for a in table.definition.primary.attributes)
        if _differ(before.key, now):
            yield Fault(
                table,
                f"its key is {_shown(now)} and was {_shown(before.key)}, which cannot be changed",
                "Create another table and move the records, or keep the key and add an index",
            )


def _differ(before: KeyAttributes, now: tuple[tuple[str, str], ...]) -> bool:
    if not before:
        return False  # no pattern of the plan names it
    names = [name for name, _ in before] != [name for name, _ in now]
    kinds = any(b is not None and b != n for (_, b), (_, n) in zip(before, now, strict=False))
    return names or kinds


def _shown(attributes: KeyAttributes) -> str:
    return " / ".join(f"{name} ({kind})" if kind else name for name, kind in attributes)
