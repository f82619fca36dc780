"""SK116 bad-shards: a key cannot be sharded as declared."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK116", "bad-shards", ERROR)
def bad_shards(model: Model) -> Iterator[Finding]:
    """A key cannot be sharded as declared.

    The shard number follows the text of the partition key, and the record's primary key determines
    it. The key needs such a text and fields to choose the shard by. The number of shards is
    positive and must never be lowered.

    Flagged:
        class Scan(Entity, table=App):
            gate: str
            number: int
            primary = App.primary.key("{gate}", "SCAN#{number:012d}", shards=8)

    Instead:
        class Scan(Entity, table=App):
            gate: str
            number: int
            primary = App.primary.key("GATE#{gate}", "SCAN#{number:012d}", shards=8)
    """
    return model.collected("SK116")
