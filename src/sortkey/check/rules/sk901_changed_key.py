"""SK901 changed-key: the key of an existing table changes."""

from collections.abc import Iterator

from sortkey.check.deployed import KeyAttributes
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK901", "changed-key", ERROR)
def changed_key(model: Model) -> Iterator[Finding]:
    """The key of an existing table changes.

    DynamoDB cannot change the key of a table. A deployment would delete it and create a new, empty
    one, or be rejected. Create a second table, copy the records into it, and then use it instead of
    the first.

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
            yield Finding(
                table,
                f"its key is {_shown(now)} and was {_shown(before.key)}, but a key cannot change",
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
