"""Filling: write many new records, each in the cheapest way that keeps its guarantees."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sortkey.access.db import DB
from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.operations.put import Put
from sortkey.wire.limits import BATCH_WRITE_REQUESTS


def fill(db: DB, records: Iterable[Entity]) -> Counter[str]:
    """Write new records; return their number for each entity.

    Records with a version, a unique field or an immutable one are created one by one, and raise
    `AlreadyExists` if they exist. All others are put in batches.
    """
    written: Counter[str] = Counter()
    waiting: list[Put[Any]] = []
    for record in records:
        kind = kind_of(type(record))
        written[kind.name] += 1
        is_frozen = kind.immutable or bool(kind.frozen_fields - kind.key_fields)
        if kind.version is not None or kind.uniques or is_frozen:
            db(record.create())
            continue
        waiting.append(record.put())
        if len(waiting) == BATCH_WRITE_REQUESTS:
            db.write_many(waiting)
            waiting = []
    db.write_many(waiting)
    return written
