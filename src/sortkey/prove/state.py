"""What is stored, as the oracle has it: plain records by what identifies them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any, Self, TypeAlias

from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.marks import plain_type
from sortkey.prove.fields import coarse
from sortkey.prove.values import NOW

# An entity, and the values of the fields that its primary key is made from.
Identity: TypeAlias = tuple[EntityKind[Any], tuple[Any, ...]]


def identity_of(kind: EntityKind[Any], values: Mapping[str, Any]) -> Identity:
    """What tells one record from all others: its key's fields, a time as far as the key has it."""
    slots = [slot for part in kind.primary.parts for slot in part.template.slots]
    return kind, tuple(coarse(values[slot.field], slot.spec) for slot in slots)


@cache
def expiry_field(kind: EntityKind[Any]) -> str | None:
    """The field with the time at which a record expires: marked, or stored as the table's TTL."""
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
    """The time at which a record expires, if it does."""
    name = expiry_field(kind)
    end: Any = None if name is None else getattr(record, name)
    if end is None or isinstance(end, datetime):
        return end
    try:
        return datetime.fromtimestamp(float(end), UTC)
    except (OverflowError, ValueError):
        return None  # no time at all


def is_living(kind: EntityKind[Any], record: Entity) -> bool:
    """Whether a record has not expired."""
    end = end_of(kind, record)
    return end is None or end.replace(microsecond=0) > NOW


def written_at(record: Entity) -> float:
    """When a record was last written, as far as it says so."""
    name = record.__kind__.updated_field
    return (NOW if name is None else getattr(record, name)).timestamp()


@dataclass(slots=True)
class State:
    """Every record that is stored, expired ones too."""

    records: dict[Identity, Entity] = field(default_factory=dict[Identity, Entity])

    @classmethod
    def of_first(cls, records: Iterable[Entity]) -> Self:
        """These records; of those with one identity the first."""
        state = cls()
        for record in records:
            state.records.setdefault(identity_of(record.__kind__, record.__dict__), record)
        return state

    def put(self, record: Entity) -> None:
        """Store a record over the one with its identity."""
        kind = record.__kind__
        self.records[identity_of(kind, record.__dict__)] = record

    def remove(self, identity: Identity) -> None:
        """Store it no longer."""
        self.records.pop(identity, None)

    def living(self, identity: Identity) -> Entity | None:
        """The record, unless it has expired."""
        kind, record = identity[0], self.records.get(identity)
        if record is None or kind.expires_field is None:
            return record  # sortkey's writes know of marked fields only
        return record if is_living(kind, record) else None

    def of(self, kind: EntityKind[Any], *, expired: bool = False) -> Iterator[Entity]:
        """The records of a kind; with ``expired``, those that have expired too."""
        for (own, _), record in self.records.items():
            if own is kind and (expired or is_living(own, record)):
                yield record

    def copy(self) -> "State":
        """The same, to be changed."""
        return State(dict(self.records))
