"""Keys that only a delimiter separates: in a raw table, values may contain the delimiter.

sortkey refuses a text with the delimiter, so no generated record has one. The writes of a raw table
may store it: "a#b" and "c" then make the same key as "a" and "b#c". A proof assumes that the
program keeps the delimiter out of the values, and says so.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.formats import TextFormat
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.templates import Template
from sortkey.design.records.keys.unify import ambiguity
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import metadata_of
from sortkey.wording.names import names_a_time


def undelimited(kind: EntityKind[Any], keys: Iterable[EntityKey]) -> Iterator[str]:
    """Yield the assumptions of a proof about these keys of an entity."""
    for part in (part for key in keys if kind.table.raw for part in key.parts):
        if ambiguity(_freed(kind, part.template)) is not None:
            yield (
                f"no value in the key `{part.template}` of {kind.name} contains a delimiter, which "
                "a raw table does not enforce"
            )


def _freed(kind: EntityKind[Any], template: Template) -> Template:
    """Return the template with slots that accept delimiters if their field does."""
    parts = tuple(
        replace(part, format=TextFormat(""))
        if isinstance(part, Slot) and _is_free(kind, part)
        else part
        for part in template.parts
    )
    return replace(template, parts=parts)


def _is_free(kind: EntityKind[Any], slot: Slot) -> bool:
    """Return whether a field accepts any text; a time by its name contains no delimiter."""
    metadata = metadata_of(kind.model.model_fields[slot.field])
    is_time = names_a_time(slot.field)
    return slot.is_text and not is_time and not any(hasattr(one, "pattern") for one in metadata)
