"""SK908 fewer-shards: records lie in shards that are no longer read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule


@rule("SK908", "fewer-shards", ERROR)
def fewer_shards(model: Model) -> Iterator[Fault]:
    """Records lie in shards that are no longer read.

    The count of shards may be raised and never lowered: what was written to a higher one stays
    there, and a read of fewer does not find it.

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
                yield Fault(
                    key,
                    f"it has shards={key.shard_count} and had {known.shards}: records in the "
                    "others are not found",
                    f"Keep `shards={known.shards}` or more",
                )
