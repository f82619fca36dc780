"""Keys that a delimiter alone divides: in a raw table nothing keeps it out of the values.

sortkey refuses a text with the delimiter, so no generated record has one. The writes of a raw table
may store it: "a#b" and "c" then make the same key as "a" and "b#c". A proof takes for granted that
the program keeps the delimiter out, and says so.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sortkey.design.formats import TextFormat
from sortkey.design.keys import EntityKey
from sortkey.design.kind import EntityKind
from sortkey.design.marks import metadata_of
from sortkey.design.named_times import names_a_time
from sortkey.design.slots import Slot
from sortkey.design.templates import Template
from sortkey.design.unify import ambiguity


def undelimited(kind: EntityKind[Any], keys: Iterable[EntityKey]) -> Iterator[str]:
    """Yield what a proof takes for granted of these keys of an entity."""
    for part in (part for key in keys if kind.table.raw for part in key.parts):
        if ambiguity(_freed(kind, part.template)) is not None:
            yield (
                f"no value in the key `{part.template}` of {kind.name} contains a delimiter, which "
                "a raw table does not enforce"
            )


def _freed(kind: EntityKind[Any], template: Template) -> Template:
    """The template with any text, delimiters too, where a field takes any."""
    parts = tuple(
        replace(part, format=TextFormat(""))
        if isinstance(part, Slot) and _is_free(kind, part)
        else part
        for part in template.parts
    )
    return replace(template, parts=parts)


def _is_free(kind: EntityKind[Any], slot: Slot) -> bool:
    """Whether a field is any text; one that is named as a time has no delimiter in it."""
    said = metadata_of(kind.model.model_fields[slot.field])
    is_time = names_a_time(slot.field)
    return slot.is_text and not is_time and not any(hasattr(one, "pattern") for one in said)
