"""SK908 fewer-shards: records are in shards that are no longer read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK908", "fewer-shards", ERROR)
def fewer_shards(model: Model) -> Iterator[Finding]:
    """Records are in shards that are no longer read.

    The number of shards may be raised but never lowered: records in a higher shard stay there, and
    a read of fewer shards does not find them.

    Flagged:
        # Deployed:
        class Scan(Entity, table=App):
            number: int
            primary = App.primary.key("SCANS", "{number:012d}", shards=8)

        # Now:
        class Scan(Entity, table=App):
            number: int
            primary = App.primary.key("SCANS", "{number:012d}", shards=4)

    Instead:
        # Deployed:
        class Scan(Entity, table=App):
            number: int
            primary = App.primary.key("SCANS", "{number:012d}", shards=8)

        # Now:
        class Scan(Entity, table=App):
            number: int
            primary = App.primary.key("SCANS", "{number:012d}", shards=16, was=8)
    """
    before = model.before.keys
    for kind in model.kinds:
        for key in kind.keys.values():
            known = before.get((kind.table.title, kind.name, key.index))
            if known is not None and known.shards > key.shard_count:
                yield Finding(
                    key,
                    f"it has shards={key.shard_count} and had {known.shards}: records in the other "
                    "shards are not found",
                    f"Keep `shards={known.shards}` or more",
                )
