"""SK902 changed-index: the key or the projection of an existing index changes."""

from collections.abc import Iterator

from sortkey.check.deployed import DeployedIndex
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.tables.table import Index


@rule("SK902", "changed-index", ERROR)
def changed_index(model: Model) -> Iterator[Finding]:
    """The key or the projection of an existing index changes.

    DynamoDB cannot change an index. It would be deleted and created again, and until it is
    backfilled, every pattern that reads it fails or misses records. Create an index with another
    name; once it is backfilled, change the patterns to use it and remove the old one.

    Flagged:
        # Deployed:
        class Orders(Table):
            by_day = gsi("day", project="KEYS_ONLY")

        # Now:
        class Orders(Table):
            by_day = gsi("day")

    Instead:
        # Deployed:
        class Orders(Table):
            by_day = gsi("day", project="KEYS_ONLY")

        # Now:
        class Orders(Table, ignore={"SK810": "until the patterns read the new one"}):
            by_day = gsi("day", project="KEYS_ONLY")
            whole_by_day = gsi("day")
    """
    for table, before in model.deployed_tables:
        for name, index in table.definition.indexes.items():
            known = before.indexes.get(name)
            if known is None or "local" in {known.kind, index.kind}:
                continue
            for what in _changes(known, index):
                yield Finding(
                    index,
                    f"its {what} changes, but an index cannot be changed",
                    "Add one with another name, change the patterns to use it, then remove this "
                    "one",
                )


def _changes(before: DeployedIndex, now: Index) -> Iterator[str]:
    attributes = [(a.name, a.type) for a in now.attributes]
    # A query in a plan may name only the first attributes of the key.
    pairs = list(zip(before.key, attributes, strict=False))
    names = any(b[0] != n[0] or (b[1] is not None and b[1] != n[1]) for b, n in pairs)
    fewer = len(before.key) > len(attributes)
    more = before.projection is not None and len(before.key) < len(attributes)
    if names or fewer or more:
        yield "key"
    held = now.projection if isinstance(now.projection, str) else frozenset(now.projection)
    if before.projection is not None and before.projection != held:
        yield "projection"
