"""Comparison of the stored items with the oracle's records: their values and their index keys."""

from typing import Any

from sortkey.design.declaring.entity import Entity
from sortkey.design.records.kind import EntityKind
from sortkey.errors import Unreadable
from sortkey.prove.bench import Bench
from sortkey.prove.state import Identity, RecordState, identity_of
from sortkey.prove.wanted import Mismatch
from sortkey.wire.values import Item
from sortkey.wording.prose import listed


def difference(bench: Bench, state: RecordState) -> Mismatch | None:
    """Return the first record that is not stored as it should be, or None."""
    try:
        found = _found(bench)
    except Unreadable as error:
        return Mismatch(f"a stored record cannot be read: {error.reason}", None, error, "write")
    for identity in dict.fromkeys((*state.records, *found)):
        wanted, stored = state.records.get(identity), found.get(identity)
        if stored is None:
            return Mismatch("a record that should be stored is missing", wanted, None, "write")
        record, item = stored
        if wanted is None:
            return Mismatch("a record is stored that should not be", None, record, "write")
        if record != wanted:
            return Mismatch(
                "a stored record differs from what it should be", wanted, record, "write"
            )
        stale = _stale(wanted, item)
        if stale:
            are = "is" if len(stale) == 1 else "are"
            message = f"index keys do not match the stored record: {listed(stale)} {are} stale"
            return Mismatch(message, wanted, item, "write")
    return None


def records_in(bench: Bench) -> list[Entity]:
    """Return every stored record."""
    return [record for record, _ in _found(bench).values()]


def _found(bench: Bench) -> dict[Identity, tuple[Entity, Item]]:
    found: dict[Identity, tuple[Entity, Item]] = {}
    for table in bench.tables:
        for item in bench.items(table):
            kind = next((k for k in table.entities if k.is_mine(item)), None)
            if kind is not None:
                record = _read(kind, item, bench)
                found[identity_of(kind, record.__dict__)] = record, item
    return found


def _read(kind: EntityKind[Any], item: Item, bench: Bench) -> Any:
    if not kind.secrets:
        return kind.read(item)
    record = bench.opened(kind, item)
    return kind.read(record)


def _stale(record: Entity, item: Item) -> list[str]:
    """Return the index key attributes that do not match the record's values."""
    kind = record.__kind__
    written = kind.encode(record)
    return [n for n in sorted(kind.index_names) if item.get(n) != written.get(n)]
