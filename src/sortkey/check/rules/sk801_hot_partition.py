"""SK801 hot-partition: one partition key of a table takes more than DynamoDB serves."""

from collections import defaultdict
from collections.abc import Iterator

from sortkey.check.load import Load, loads
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Fault, rule
from sortkey.design.keys import EntityKey
from sortkey.wire.limits import KEY_READ_UNITS, KEY_WRITE_UNITS


@rule("SK801", "hot-partition", ERROR)
def hot_partition(model: Model) -> Iterator[Fault]:
    """One partition key takes more than DynamoDB serves.

    A partition serves 1,000 write units and 3,000 read units a second, whatever the table may take
    in all. Beyond that requests are throttled. It is reckoned from the rates of the patterns, the
    size of the records and the share of the hottest key; above half it is a warning. `shards=`
    spreads a key over several. DynamoDB splits a hot partition by its sort key too, but only where
    the table has no local index and new records do not all come at the end.

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
    for load in loads(model):
        if load.index.kind == "primary" or load.reads:
            groups[id(load.index), load.template].append(load)
    for found in groups.values():
        yield from _hot(found, "write", sum(load.writes for load in found), KEY_WRITE_UNITS)
        yield from _hot(found, "read", sum(load.reads for load in found), KEY_READ_UNITS)


def _hot(found: list[Load], what: str, units: float, most: int) -> Iterator[Fault]:
    index = found[0].index
    if units > most / 2:
        hottest = max(found, key=lambda load: load.reads + load.writes)
        yield Fault(
            index,
            f'one "{found[0].template}" takes about {units:,.0f} {what} units a second, most of '
            f"them for {hottest.pattern.name}, and DynamoDB serves {most:,} of one key",
            f"Spread it with shards=, or put more into its partition key{_split(found[0].key)}",
            severity=ERROR if units > most else WARNING,
        )


def _split(key: EntityKey) -> str:
    """Why DynamoDB could not help by splitting the partition, if so."""
    table = key.source
    if any(index.kind == "local" for index in table.indexes.values()) and key.index is None:
        return "; its local index keeps DynamoDB from splitting it"
    slots = [slot for part in key.sort for slot in part.template.slots]
    if not slots:
        return "; it has one record, which cannot be split"
    if slots[0].is_time or slots[0].is_number:
        return "; new records all come at its end, so a split would not help"
    return ", or leave it to DynamoDB, which may split it by its sort key in time"
