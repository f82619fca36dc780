"""SK116 bad-shards: a key cannot be spread over shards as it is declared."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK116", "bad-shards", ERROR)
def bad_shards(model: Model) -> Iterator[Finding]:
    """A key cannot be spread over shards as it is declared.

    The number of a shard follows the text of the partition, and the record's primary key picks it.
    There must be such a text, and fields to pick by; the count is positive and never lowered.

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
