"""Checking a design's invariants on the records of a database."""

from collections.abc import Sequence
from typing import Any

from sortkey.access.async_db import AsyncDB
from sortkey.access.db import DB
from sortkey.design.declaring.invariant import Invariant
from sortkey.explore.awaiting import finished


def declared_for(db: DB | AsyncDB) -> list[Invariant[...]]:
    """Return the invariants whose tables are all in the database."""
    declared: dict[Invariant[...], None] = {
        each: None for table in db._tables for each in table.invariants
    }
    return [each for each in declared if all(table in db._tables for table in each.tables)]


def broken(db: DB | AsyncDB, invariants: Sequence[Invariant[...]]) -> str:
    """Return the first broken invariant and the records that break it; empty if all hold."""
    entities = dict.fromkeys(entity for each in invariants for entity in each.entities)
    records: dict[Any, list[Any]] = {
        entity: finished(db(entity.scan().with_expired().consistently())) for entity in entities
    }
    for each in invariants:
        breach = each.breach(records)
        if breach is not None:
            return f"{each.title}: {breach.describe()}"
    return ""
