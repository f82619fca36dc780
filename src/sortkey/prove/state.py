"""The stored records as the oracle knows them: plain records by their identity."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any, Self, TypeAlias

from sortkey.design.declaring.entity import Entity
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import plain_type
from sortkey.prove.fields import coarse
from sortkey.prove.values import NOW

# An entity, and the values of the fields that its primary key is made from.
Identity: TypeAlias = tuple[EntityKind[Any], tuple[Any, ...]]


def identity_of(kind: EntityKind[Any], values: Mapping[str, Any]) -> Identity:
    """Return the identity of a record: the fields of its key, times at the key's precision."""
    slots = [slot for part in kind.primary.parts for slot in part.template.slots]
    return kind, tuple(coarse(values[slot.field], slot.spec) for slot in slots)


@cache
def expiry_field(kind: EntityKind[Any]) -> str | None:
    """Return the field with a record's expiry time: marked, or stored as the table's TTL."""
    if kind.expires_field is not None:
        return kind.expires_field
    ttl = kind.table.settings.ttl
    fields = [name for name, stored in kind.stored_names.items() if stored == ttl]
    numbers = [name for name in fields if _is_number(kind, name)]
    return numbers[0] if numbers else None


def _is_number(kind: EntityKind[Any], name: str) -> bool:
    held: Any = plain_type(kind.model.model_fields[name].rebuild_annotation())[0]
    return held in {int, float, Decimal}


def end_of(kind: EntityKind[Any], record: Entity) -> datetime | None:
    """Return the time at which a record expires, or None."""
    name = expiry_field(kind)
    end: Any = None if name is None else getattr(record, name)
    if end is None or isinstance(end, datetime):
        return end
    try:
        return datetime.fromtimestamp(float(end), UTC)
    except (OverflowError, ValueError):
        return None  # not a valid time


def is_living(kind: EntityKind[Any], record: Entity) -> bool:
    """Return whether a record has not expired."""
    end = end_of(kind, record)
    return end is None or end.replace(microsecond=0) > NOW


def written_at(record: Entity) -> float:
    """Return the time of a record's last write: its updated field, or the trial's time."""
    name = record.__kind__.updated_field
    return (NOW if name is None else getattr(record, name)).timestamp()


@dataclass(slots=True)
class RecordState:
    """Every stored record, including expired ones."""

    records: dict[Identity, Entity] = field(default_factory=dict[Identity, Entity])

    @classmethod
    def of_first(cls, records: Iterable[Entity]) -> Self:
        """Return a state with these records; of several with one identity, the first."""
        state = cls()
        for record in records:
            state.records.setdefault(identity_of(record.__kind__, record.__dict__), record)
        return state

    def put(self, record: Entity) -> None:
        """Store a record, replacing the one with its identity."""
        kind = record.__kind__
        self.records[identity_of(kind, record.__dict__)] = record

    def remove(self, identity: Identity) -> None:
        """Remove the record with this identity, if there is one."""
        self.records.pop(identity, None)

    def living(self, identity: Identity) -> Entity | None:
        """Return the record with this identity, or None if it is missing or has expired."""
        kind, record = identity[0], self.records.get(identity)
        if record is None or kind.expires_field is None:
            return record  # sortkey's writes consider marked fields only
        return record if is_living(kind, record) else None

    def of(self, kind: EntityKind[Any], *, expired: bool = False) -> Iterator[Entity]:
        """Yield the records of a kind; with ``expired``, including expired ones."""
        for (own, _), record in self.records.items():
            if own is kind and (expired or is_living(own, record)):
                yield record

    def copy(self) -> "RecordState":
        """Return a copy that can be changed independently."""
        return RecordState(dict(self.records))
