"""Reads of an index: which attributes of a record they return."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sortkey.design.plans.plan import PlannedStep
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index, TableDefinition
from sortkey.wording.prose import listed


@dataclass(frozen=True, slots=True)
class Absent:
    """The required fields of an entity without which an index returns its records.

    ``is_legible`` says that the text of the index's key contains their values.
    """

    fields: tuple[str, ...]
    is_legible: bool

    @property
    def shown(self) -> str:
        """The fields as a person lists them."""
        return listed(self.fields)

    @property
    def pronoun(self) -> str:
        """The pronoun for the fields in a sentence."""
        return "it" if len(self.fields) == 1 else "them"


@dataclass(frozen=True, slots=True)
class NarrowRead:
    """A read of an index that returns records of an entity without all that it requires.

    ``is_on_purpose`` says that this seems to be meant: the index holds keys only, the text of its
    key contains what is absent, or the design reads the records again by their primary key.
    """

    step: PlannedStep
    kind: EntityKind[Any]
    absent: Absent
    is_on_purpose: bool


def held_by(index: Index, table: TableDefinition) -> frozenset[str] | None:
    """Return the attributes that an index holds; None where it holds all."""
    if index.projection == "ALL":
        return None
    projected = () if isinstance(index.projection, str) else index.projection
    keys = (*index.attributes, *table.primary.attributes)
    return frozenset({*projected, *(attribute.name for attribute in keys)})


def narrow_read(
    step: PlannedStep, kind: EntityKind[Any], steps: Iterable[PlannedStep]
) -> NarrowRead | None:
    """Return how a read returns less than whole records; None where it returns all of them.

    A request with a projection says itself what is wanted. ``steps`` are those of the whole design.
    """
    absent = _absent_from(step, kind)
    if absent is None:
        return None
    # One that holds keys only is there to find the keys.
    is_on_purpose = absent.is_legible or _has_only_keys(step) or any(_gets(s, kind) for s in steps)
    return NarrowRead(step, kind, absent, is_on_purpose)


def _absent_from(step: PlannedStep, kind: EntityKind[Any]) -> Absent | None:
    index = step.definition
    held = None if index is None else held_by(index, step.table)
    is_chosen = step.projection is not None or step.select in {"COUNT", "ALL_ATTRIBUTES"}
    if held is None or is_chosen or step.verb not in {"Query", "Scan"}:
        return None
    # sortkey reads from a primary key what is stored nowhere else.
    required = {name for name in kind.required() if kind.stored_names[name] not in held}
    absent = required - _legible([kind.primary])
    lost = absent - _legible([key for key in kind.keys.values() if key.definition is index])
    return Absent(tuple(sorted(lost or absent)), is_legible=not lost) if absent else None


def _has_only_keys(step: PlannedStep) -> bool:
    table, index = step.table, step.definition
    indexes = (table.primary, *table.indexes.values())
    keys = {attribute.name for each in indexes for attribute in each.attributes}
    held = None if index is None else held_by(index, table)
    return held is not None and held <= keys | {table.type_attribute}


def _gets(step: PlannedStep, kind: EntityKind[Any]) -> bool:
    """Whether a step reads records of an entity by their primary key, or may do so."""
    is_of_kind = kind.name in step.entities or not step.entities
    return step.verb == "GetItem" and step.table is kind.table and is_of_kind


def _legible(keys: Iterable[EntityKey]) -> set[str]:
    """The fields whose values can be read from the text of keys."""
    slots = (slot for key in keys for part in key.parts for slot in part.template.slots)
    return {slot.field for slot in slots if not slot.lossy}
