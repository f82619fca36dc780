"""Whether what is stored is what the oracle has: each record, and each key that it is found by."""

from typing import Any

from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.errors import Unreadable
from sortkey.prove.bench import Bench
from sortkey.prove.state import Identity, State, identity_of
from sortkey.prove.wanted import Fault
from sortkey.wire.values import Item


def difference(bench: Bench, state: State) -> Fault | None:
    """The first record that is not stored as it should be, if there is one."""
    try:
        found = _found(bench)
    except Unreadable as error:
        return Fault(f"a stored record cannot be read: {error.reason}", None, error, "write")
    for identity in dict.fromkeys((*state.records, *found)):
        wanted, stored = state.records.get(identity), found.get(identity)
        if stored is None:
            return Fault("a record that should be stored is gone", wanted, None, "write")
        record, item = stored
        if wanted is None:
            return Fault("a record is stored that should not be", None, record, "write")
        if record != wanted:
            return Fault("a stored record differs from what it should be", wanted, record, "write")
        stale = _stale(wanted, item)
        if stale:
            told = f"a record is not found by its own values: {', '.join(stale)} is stale"
            return Fault(told, wanted, item, "write")
    return None


def records_in(bench: Bench) -> list[Entity]:
    """Return every record that is stored."""
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
    """The attributes of indexes that are not what the record's own values make."""
    kind = record.__kind__
    written = kind.encode(record)
    return [n for n in sorted(kind.index_names) if item.get(n) != written.get(n)]
