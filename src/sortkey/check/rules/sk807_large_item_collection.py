"""SK807 large-item-collection: a partition of a table with a local index exceeds its size limit."""

from collections import defaultdict
from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.wire.limits import KB, MB

_MOST = 10 * 1024 * MB


@rule("SK807", "large-item-collection", ERROR)
def large_item_collection(model: Model) -> Iterator[Finding]:
    """A partition of a table with a local index exceeds its size limit.

    With a local index, all items of one partition key and their index entries may have 10 GB in
    total. Beyond that, DynamoDB rejects every write that adds to it, and a local index cannot be
    removed. A global index has no such limit. Above half of it is a warning.

    Flagged:
        class Logs(Table, partition="device", sort="line_id"):
            by_level = lsi("level")

        class Line(
            Entity, table=Logs, expected=Expected(per_partition=50_000_000, size_bytes=500)
        ):
            device: str
            line_id: str
            level: str
            levels = Logs.by_level.key()

    Instead:
        class Logs(Table, partition="device", sort="line_id"):
            by_level = gsi("device", "level")

        class Line(
            Entity, table=Logs, expected=Expected(per_partition=50_000_000, size_bytes=500)
        ):
            device: str
            line_id: str
            level: str
            levels = Logs.by_level.key()
    """
    for table in model.design.tables:
        local = [i for i in table.definition.indexes.values() if i.kind == "local"]
        if not local:
            continue
        sizes: dict[str, int] = defaultdict(int)
        for kind in model.kinds_of(table.definition):
            expected = kind.expected_by(kind.primary)
            if expected.per_partition:
                own = [k for k in kind.keys.values() if k.definition in local]
                size = (expected.size_bytes or KB) * (1 + len(own))
                partition = " ".join(part.template.text for part in kind.primary.partition)
                sizes[partition] += expected.per_partition * size
        for partition, size in sizes.items():
            if size > _MOST / 2:
                yield Finding(
                    local[0],
                    f'one "{partition}" has about {size / (1024 * MB):,.0f} GB with its local '
                    "indexes; DynamoDB allows 10",
                    "Use a global index instead, or split the partition",
                    severity=ERROR if size > _MOST else WARNING,
                )
