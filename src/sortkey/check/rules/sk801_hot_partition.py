"""SK801 hot-partition: one partition key gets more requests than DynamoDB can serve."""

from collections import defaultdict
from collections.abc import Iterator

from sortkey.check.load import loads, spreading, weight
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, Severity, rule
from sortkey.design.plans.load import MOST_UNITS, KeyLoad, most_demanding
from sortkey.design.records.keys.entity_key import EntityKey


@rule("SK801", "hot-partition", ERROR)
def hot_partition(model: Model) -> Iterator[Finding]:
    """One partition key gets more requests than DynamoDB can serve.

    A partition serves 1,000 write units and 3,000 read units a second, regardless of the capacity
    of the table. Requests beyond that are throttled. The load is computed from the rates of the
    patterns, the size of the records and the share of the hottest key; above half of the limit it
    is a warning. If the key is a day or a month, all current writes go to one partition; if only
    the name of a text field suggests that, it is information. `shards=` spreads a key over several
    partitions. DynamoDB also splits a hot partition by its sort key, but only if the table has no
    local index and new records are not all added at the end.

    `Expected(hottest_share=...)` declares how unevenly an entity is used. A key may have its own:
    then a popular product makes the orders by product hot, but not those by customer.

    Flagged:
        class Scan(Entity, table=App, expected=Expected(size_bytes=900)):
            gate: str
            number: int
            primary = App.primary.key("SCANS", "{gate}#{number:012d}")

        @pattern("A ticket is scanned", rate="4000/s")
        def scanned(scan: Scan) -> Op[Scan]:
            return scan.create()

    Instead:
        class Scan(Entity, table=App, expected=Expected(size_bytes=900)):
            gate: str
            number: int
            primary = App.primary.key("SCANS", "{gate}#{number:012d}", shards=16)

        @pattern("A ticket is scanned", rate="4000/s")
        def scanned(scan: Scan) -> Op[Scan]:
            return scan.create()
    """
    groups: dict[object, list[KeyLoad]] = defaultdict(list)
    for load in model.once(loads):
        if load.index.kind == "primary" or load.limit == "reads":
            groups[load.place, load.limit].append(load)
    for found in groups.values():
        severity = weight(found)
        if severity is not None:
            yield _hot(found, severity)


def _hot(found: list[KeyLoad], severity: Severity) -> Finding:
    first, units = found[0], sum(load.per_second for load in found)
    return Finding(
        first.index,
        f'one "{first.template}" needs about {units:,.0f} {first.limit[:-1]} units a second, most '
        f"of them for {most_demanding(found)}; DynamoDB serves {MOST_UNITS[first.limit]:,} per key",
        f"{spreading(first.key)}, or add a field to its partition key{_split(first.key)}",
        severity=severity,
    )


def _split(key: EntityKey | None) -> str:
    """Return why splitting the partition would not help, or that it might."""
    if key is None:
        return ""
    table = key.table
    if any(index.kind == "local" for index in table.indexes.values()) and key.index is None:
        return "; its local index prevents DynamoDB from splitting it"
    slots = [slot for part in key.sort for slot in part.template.slots]
    if not slots:
        return "; it has one record, which cannot be split"
    if slots[0].is_time or slots[0].is_number:
        return "; new records are all added at its end, so a split would not help"
    return ", or wait for DynamoDB, which may split it by its sort key"
