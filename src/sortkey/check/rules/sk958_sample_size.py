"""SK958 sample-size: a sample item is too large, or far larger than expected."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
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
def sample_size(model: Model) -> Iterator[Finding]:
    """A sample item is too large, or far larger than expected.

    DynamoDB rejects an item of more than 400 KB, a partition key of more than 2,048 bytes and a
    sort key of more than 1,024. If an entity declares the size of its records, rates and costs are
    computed from it: an item of more than four times that size, in more write units, makes them
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
            yield Finding(
                matched,
                f"it has {size:,} bytes, but DynamoDB allows {ITEM_BYTES // KB} KB",
                "Store large values elsewhere, or split it into several records",
            )
        elif (
            declared is not None
            and size > declared * _FAR_ABOVE
            and _units(size) > _units(declared)
        ):
            yield Finding(
                matched,
                f"it has {size:,} bytes, but the expected size is {declared:,}",
                "Declare the actual size in Expected(size_bytes=...), or shorten the item",
                severity=WARNING,
            )


def _units(size: int) -> int:
    return -(-size // WRITE_UNIT_BYTES)


def _long_keys(matched: Matched) -> Iterator[Finding]:
    table = matched.kind.table
    for index in (table.primary, *table.indexes.values()):
        limits = {a.name: PARTITION_KEY_BYTES for a in index.partition}
        limits |= {a.name: SORT_KEY_BYTES for a in index.sort}
        for name, most in limits.items():
            value = matched.sample.item.get(name)
            if value is not None and value_size(value) > most:
                yield Finding(
                    matched,
                    f"{name}, a key of {index}, has {value_size(value):,} bytes, but DynamoDB "
                    f"allows {most:,}",
                    "Shorten it, or store a digest of it",
                )
