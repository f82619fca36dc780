"""The stream records that reach a function, as Lambda filters them before it calls the function.

A `StreamHandler` finds the entity of a stream record by the type attribute of its image, or by its
keys if there is no such attribute: the record may have been written without it, or the stream may
not contain the image. So a filter lets a record pass if an image has the type of an entity, or if
no image has a type and the partition key begins as that of an entity does. Filters may let more
pass than the handler needs, but never less; where they cannot tell entities apart, there are none.

See "Control which events Lambda sends to your function" in Lambda's developer guide. A record
passes if any of at most five filters matches.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from sortkey.design.declaring.functions import Event, OnChange
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.settings import StreamView

_IMAGES: Mapping[StreamView, tuple[str, ...]] = {
    "NEW_IMAGE": ("NewImage",),
    "OLD_IMAGE": ("OldImage",),
    "NEW_AND_OLD_IMAGES": ("NewImage", "OldImage"),
    "KEYS_ONLY": (),
}
# The events that never have an image.
_NEVER = {"NewImage": "REMOVE", "OldImage": "INSERT"}
_EVENTS: tuple[Event, ...] = get_args(Event)


def filters_of(trigger: OnChange, view: StreamView) -> tuple[str, ...]:
    """Return the patterns of the records that a function gets, or nothing if it gets all."""
    happened: dict[str, Any] = {}
    events = list(dict.fromkeys(trigger.events))
    if 0 < len(events) < len(_EVENTS):
        happened["eventName"] = events
    kinds = [entity.__kind__ for entity in trigger.entities]
    contents = list(_contents(kinds, _IMAGES[view], events) if kinds else ())
    patterns = [happened | {"dynamodb": content} for content in contents] or [happened]
    return tuple(json.dumps(pattern) for pattern in patterns if pattern)


def _contents(
    kinds: Sequence[EntityKind[Any]], images: Sequence[str], events: Sequence[Event]
) -> Iterator[dict[str, Any]]:
    """Yield the alternatives of a record's content; none if they would let any record pass."""
    types = {kind.type_attribute for kind in kinds} - {None}
    # Without a type, a record is told by its keys alone.
    typed = images if len(types) == 1 and all(kind.type_attribute for kind in kinds) else ()
    untyped: dict[str, Any] = {**_keys(kinds)}
    for attribute in types if typed else ():
        missing = {str(attribute): {"S": [{"exists": False}]}}
        untyped |= dict.fromkeys(images, missing)
    if not untyped:
        return
    names = [kind.name for kind in kinds]
    for image in typed:
        if [*events] != [_NEVER[image]]:
            yield {image: {str(attribute): {"S": names} for attribute in types}}
    yield untyped


def _keys(kinds: Sequence[EntityKind[Any]]) -> dict[str, Any]:
    """Return the condition on the partition key, or nothing if any text is possible there."""
    starts: dict[str, None] = {}
    for kind in kinds:
        part = kind.primary.parts[0]
        templates = [part.template, *([] if part.earlier is None else [part.earlier])]
        found = [] if part.is_natural else [template.prefix({})[0] for template in templates]
        if not found or "" in found:
            return {}
        starts |= dict.fromkeys(found)
    name = kinds[0].primary.parts[0].attribute.name
    return {"Keys": {name: {"S": [{"prefix": start} for start in starts]}}}
