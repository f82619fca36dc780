"""The fields of an entity by their role, for code that handles any entity."""

from dataclasses import dataclass

from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.records.marks import secret_fields


@dataclass(frozen=True, slots=True)
class EntityFields:
    """The fields of an entity by their role, under their Python names.

    ``key`` are the fields of the primary key, in order. ``kept`` are those that sortkey writes
    itself: the version and the automatic times. ``changeable`` are those that an update may set.
    """

    key: tuple[str, ...]
    kept: frozenset[str]
    changeable: frozenset[str]
    immutable: frozenset[str]
    unique: frozenset[str]
    secret: frozenset[str]
    expires: str | None


def fields_of(entity: type[Entity]) -> EntityFields:
    """Return the fields of an entity by their role."""
    kind = kind_of(entity)
    key = kind.primary.all_fields
    names = frozenset(entity.model_fields)
    kept = frozenset(filter(None, (kind.version_field, kind.created_field, kind.updated_field)))
    immutable = names if kind.immutable else kind.frozen_fields
    return EntityFields(
        key=key,
        kept=kept,
        changeable=names - kept - immutable - {*key},
        immutable=immutable,
        unique=frozenset(unique.field for unique in kind.uniques),
        secret=secret_fields(entity),
        expires=kind.expires_field,
    )
