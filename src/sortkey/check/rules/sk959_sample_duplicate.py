"""SK959 sample-duplicate: two sample items have the same primary key."""

from collections.abc import Iterator
from typing import Any

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.check.samples.matching import Matched


@rule("SK959", "sample-duplicate", ERROR)
def sample_duplicate(model: Model) -> Iterator[Finding]:
    """Two sample items have the same primary key.

    A table has one item for each primary key: the second of the two overwrites the first. If they
    are different records, the key lacks a value that distinguishes them.

    Flagged:
        class Reading(Entity, table=App):
            sensor: str
            day: date
            primary = App.primary.key("SENSOR#{sensor}", "DAY#{day}")

        samples = [
            {"PK": "SENSOR#7", "SK": "DAY#2024-01-15", "sensor": "7", "day": "2024-01-15"},
            {"PK": "SENSOR#7", "SK": "DAY#2024-01-15", "sensor": "7", "day": "2024-01-15"},
        ]

    Instead:
        class Reading(Entity, table=App):
            sensor: str
            day: date
            primary = App.primary.key("SENSOR#{sensor}", "DAY#{day}")

        samples = [
            {"PK": "SENSOR#7", "SK": "DAY#2024-01-15", "sensor": "7", "day": "2024-01-15"},
            {"PK": "SENSOR#7", "SK": "DAY#2024-01-16", "sensor": "7", "day": "2024-01-16"},
        ]
    """
    seen: dict[Any, Matched] = {}
    for matched in model.matched:
        key = _key(matched)
        first = matched if None in key else seen.setdefault(key, matched)
        if first is not matched:
            yield Finding(
                matched,
                f"it has the same key as {first.kind.model.__name__}, item {first.sample.number}, "
                "and overwrites it",
                "Give it another key, or remove one of the two",
            )


def _key(matched: Matched) -> tuple[Any, ...]:
    """Return the table and the primary key, with None for each missing attribute."""
    item, table = matched.sample.item, matched.kind.table
    values = (item.get(name) for name in table.key_names)
    return id(table), *(None if value is None else repr(dict(value)) for value in values)
