"""What is stored, as the oracle has it: plain records by what identifies them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.prove.fields import coarse
from sortkey.prove.values import NOW

# An entity, and the values of the fields that its primary key is made from.
Identity: TypeAlias = tuple[EntityKind[Any], tuple[Any, ...]]


def identity_of(kind: EntityKind[Any], values: Mapping[str, Any]) -> Identity:
    """What tells one record from all others: its key's fields, a time as far as the key has it."""
    slots = [slot for part in kind.primary.parts for slot in part.template.slots]
    return kind, tuple(coarse(values[slot.field], slot.spec) for slot in slots)


def is_living(kind: EntityKind[Any], record: Entity) -> bool:
    """Whether a record's time is not over."""
    if kind.expires_field is None:
        return True
    end = getattr(record, kind.expires_field)
    return end is None or end.replace(microsecond=0) > NOW


@dataclass(slots=True)
class State:
    """Every record that is stored, those whose time is over too."""

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
        """The record, unless its time is over."""
        record = self.records.get(identity)
        return record if record is not None and is_living(identity[0], record) else None

    def of(self, kind: EntityKind[Any], *, expired: bool = False) -> Iterator[Entity]:
        """The records of a kind; those whose time is over only where they are asked for."""
        for (own, _), record in self.records.items():
            if own is kind and (expired or is_living(own, record)):
                yield record

    def copy(self) -> "State":
        """The same, to be changed."""
        return State(dict(self.records))
