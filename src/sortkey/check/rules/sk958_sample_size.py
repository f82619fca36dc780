"""SK958 sample-size: a sample item is too large, or far larger than expected."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Fault, rule
from sortkey.check.samples.matching import Matched
from sortkey.wire.limits import (
    ITEM_BYTES,
    KB,
    PARTITION_KEY_BYTES,
    SORT_KEY_BYTES,
    WRITE_UNIT_BYTES,
)
from sortkey.wire.values import value_size

_FAR_ABOVE = 4


@rule("SK958", "sample-size", ERROR)
def sample_size(model: Model) -> Iterator[Fault]:
    """A sample item is too large, or far larger than expected.

    DynamoDB rejects an item of more than 400 KB, a partition key of more than 2,048 bytes and a
    sort key of more than 1,024. Where an entity declares the size of its records, rates and costs
    are judged by it: an item of more than four times the size, in more write units, makes them
    wrong.

    Flagged:
        class Note(Entity, table=App, expected=Expected(size_bytes=200)):
            note_id: str
            text: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        samples = [{"PK": "NOTE#7", "SK": "NOTE", "note_id": "7", "text": "lorem ipsum " * 500}]

    Instead:
        class Note(Entity, table=App, expected=Expected(size_bytes=6_000)):
            note_id: str
            text: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        samples = [{"PK": "NOTE#7", "SK": "NOTE", "note_id": "7", "text": "lorem ipsum " * 500}]
    """
    for matched in model.matched:
        yield from _long_keys(matched)
        size, expected = matched.sample.size, matched.kind.expected
        declared = None if expected is None else expected.size_bytes
        if size > ITEM_BYTES:
            yield Fault(
                matched.kind,
                f"it has {size:,} bytes, and DynamoDB takes {ITEM_BYTES // KB} KB",
                "Keep what is large elsewhere, or divide it into several records",
                sample=matched.sample,
            )
        elif (
            declared is not None
            and size > declared * _FAR_ABOVE
            and _units(size) > _units(declared)
        ):
            yield Fault(
                matched.kind,
                f"it has {size:,} bytes, and {declared:,} are expected of a record",
                "Declare Expected(size_bytes=...) as records are, or shorten the item",
                severity=WARNING,
                sample=matched.sample,
            )


def _units(size: int) -> int:
    return -(-size // WRITE_UNIT_BYTES)


def _long_keys(matched: Matched) -> Iterator[Fault]:
    table = matched.kind.table
    for index in (table.primary, *table.indexes.values()):
        limits = {a.name: PARTITION_KEY_BYTES for a in index.partition}
        limits |= {a.name: SORT_KEY_BYTES for a in index.sort}
        for name, most in limits.items():
            value = matched.sample.item.get(name)
            if value is not None and value_size(value) > most:
                yield Fault(
                    matched.kind,
                    f"{name}, a key of {index}, has {value_size(value):,} bytes, and DynamoDB "
                    f"takes {most:,}",
                    "Shorten it, or store a digest of it",
                    sample=matched.sample,
                )
