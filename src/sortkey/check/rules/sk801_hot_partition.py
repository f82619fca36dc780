"""SK801 hot-partition: one partition key of a table takes more than DynamoDB serves."""

from collections import defaultdict
from collections.abc import Iterator

from sortkey.check.load import Load, loads, spreading, weight
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.keys import EntityKey
from sortkey.wire.limits import KEY_READ_UNITS, KEY_WRITE_UNITS


@rule("SK801", "hot-partition", ERROR)
def hot_partition(model: Model) -> Iterator[Fault]:
    """One partition key takes more than DynamoDB serves.

    A partition serves 1,000 write units and 3,000 read units a second, whatever the table may take
    in all. Beyond that requests are throttled. It is reckoned from the rates of the patterns, the
    size of the records and the share of the hottest key; above half it is a warning. All that is
    written now falls into one day or month; where only the name of a text field says that it holds
    one, it is for information. `shards=` spreads a key over several. DynamoDB splits a hot
    partition by its sort key too, but only where the table has no local index and new records do
    not all come at the end.

    `Expected(hottest_share=...)` says how uneven an entity is. A key may have its own: then a
    popular product makes the orders by product hot, and not those by customer.

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
    groups: dict[tuple[int, str], list[Load]] = defaultdict(list)
    for load in model.once(loads):
        if load.index.kind == "primary" or load.reads:
            groups[id(load.index), load.template].append(load)
    for found in groups.values():
        yield from _hot(found, "write", KEY_WRITE_UNITS)
        yield from _hot(found, "read", KEY_READ_UNITS)


def _hot(found: list[Load], what: str, most: int) -> Iterator[Fault]:
    index = found[0].index
    asked = [(load.writes if what == "write" else load.reads, load.pattern.name) for load in found]
    severity = weight(found, what, most)
    if severity is not None:
        units, hottest = sum(units for units, _ in asked), max(asked)[1]
        yield Fault(
            index,
            f'one "{found[0].template}" takes about {units:,.0f} {what} units a '
            f"second, most of them for {hottest}, and DynamoDB serves {most:,} of one key",
            f"{spreading(found[0].key)}, or put more into its partition key{_split(found[0].key)}",
            severity=severity,
        )


def _split(key: EntityKey | None) -> str:
    """Why DynamoDB could not help by splitting the partition, if so."""
    if key is None:
        return ""
    table = key.source
    if any(index.kind == "local" for index in table.indexes.values()) and key.index is None:
        return "; its local index keeps DynamoDB from splitting it"
    slots = [slot for part in key.sort for slot in part.template.slots]
    if not slots:
        return "; it has one record, which cannot be split"
    if slots[0].is_time or slots[0].is_number:
        return "; new records all come at its end, so a split would not help"
    return ", or leave it to DynamoDB, which may split it by its sort key in time"
