"""SK206 delimiter-in-text: a free text before the delimiter of a key may contain that delimiter."""

from collections.abc import Iterator
from dataclasses import replace

from sortkey.check.fields import has_pattern
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.key_forms import fixed_fields
from sortkey.design.records.keys.formats import TextFormat
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.templates import Template
from sortkey.design.records.keys.unify import ambiguity
from sortkey.wording.names import words

# Names of text that people write.
_WRITTEN = frozenset(
    {"address", "artist", "author", "body", "brand", "caption", "city", "comment", "content"}
    | {"description", "label", "message", "name", "note", "path", "phrase", "query", "subject"}
    | {"text", "title", "topic", "url"}
)
# `topic_id` is not such a text.
_CODES = frozenset({"code", "hash", "id", "key", "number", "slug", "type", "uuid"})


@rule("SK206", "delimiter-in-text", WARNING)
def delimiter_in_text(model: Model) -> Iterator[Finding]:
    """A free text before the delimiter of a key may contain that delimiter.

    "a#b" and "c" then make the same key as "a" and "b#c", so two records share it, and a user can
    choose a name that reaches the records of another user. If the rest of the key has a fixed
    format, such as a date, the key is still unambiguous, and only a query by its beginning is
    reported. sortkey rejects such a value when it builds a key; in a raw design the application has
    to do so. It is a warning if the field's name is one for text that people write, such as a
    title, and otherwise information: ids and codes seldom contain a delimiter. In the sort key of
    an index it is information too, unless a request reads by that beginning, because entries of an
    index may share a key.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Album(Entity, table=Old):
            user_id: str
            title: str
            song: str
            primary = Old.primary.key("USER#{user_id}", "ALBUM#{title}#{song}")

    Instead:
        class Old(Table, raw=True):
            pass

        class Album(Entity, table=Old):
            user_id: str
            title: Annotated[str, Field(pattern="^[A-Za-z0-9 -]+$")]
            song: str
            primary = Old.primary.key("USER#{user_id}", "ALBUM#{title}#{song}")
    """
    for kind in model.kinds:
        if not kind.table.raw:
            continue
        for key in kind.keys.values():
            requests = [r for r in model.every_request if r.index is key.definition]
            for part in key.parts:
                name, template = part.attribute.name, part.template
                begun = [fixed_fields(r.step, name, template) for r in requests if kind in r.kinds]
                begun = [fields for fields in begun if fields < {*template.fields}]
                for field in _open(kind, template, begun):
                    if field in kind.lacking:
                        continue
                    is_own = key is kind.primary or part in key.partition
                    is_read = is_own or any(field in fields for fields in begun)
                    yield Finding(
                        key,
                        f'"{field}" is free text that may contain the delimiter that ends it in '
                        f'"{template}"',
                        f"Reject or encode the delimiter in `{field}`, or give it a pattern",
                        severity=WARNING if is_read and _is_written(field) else INFORMATION,
                    )


def _is_written(field: str) -> bool:
    said = words(field)
    return bool(_WRITTEN & {*said}) and _CODES.isdisjoint(said[-1:])


def _open(kind: AnyKind, template: Template, begun: list[frozenset[str]]) -> Iterator[str]:
    """Yield the free-text fields whose values can be confused with the part of the key after them.

    ``begun`` has, for each request that fixes only a part of the key, the fields that it fixes:
    such a request also reads longer texts that contain the delimiter.
    """
    slots = [place for place, part in enumerate(template.parts) if isinstance(part, Slot)]
    for place in slots[:-1]:
        slot = template.parts[place]
        if isinstance(slot, Slot) and slot.is_text and not has_pattern(kind, slot.field):
            freed = _freed(kind, template, place)
            if ambiguity(freed) is not None or any(slot.field in fields for fields in begun):
                yield slot.field


def _freed(kind: AnyKind, template: Template, start: int) -> Template:
    """Return the template with its free texts, from a place on, allowed to contain delimiters."""
    parts = tuple(
        replace(part, format=TextFormat(""))
        if place >= start
        and isinstance(part, Slot)
        and part.is_text
        and not has_pattern(kind, part.field)
        else part
        for place, part in enumerate(template.parts)
    )
    return replace(template, parts=parts)
