"""The stream records that reach a function, as Lambda filters them before it calls the function.

A `StreamHandler` finds the entity of a stream record by the type attribute of its image, the new
one if there is one. It finds it by the keys if the image has no such attribute, because the record
was written without it or the stream does not contain the image. So a filter lets a record pass if
its image has the type of an entity, or if it has no type and the partition key begins as that of an
entity does. Filters may let more pass than the handler needs, but never less; where they cannot
tell entities apart, there are none.

See "Control which events Lambda sends to your function" in Lambda's developer guide. A record
passes if any of at most five filters matches.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, get_args

from sortkey.design.declaring.functions import Event, OnChange
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.settings import StreamView

_EVENTS: tuple[Event, ...] = get_args(Event)
# The image that shows the entity of a record, if any, and the events of which it shows it.
_Shown: TypeAlias = tuple[str | None, tuple[Event, ...]]
_SHOWN: Mapping[StreamView, tuple[_Shown, ...]] = {
    "NEW_AND_OLD_IMAGES": (("NewImage", ("INSERT", "MODIFY")), ("OldImage", ("REMOVE",))),
    "NEW_IMAGE": (("NewImage", _EVENTS),),
    "OLD_IMAGE": (("OldImage", _EVENTS),),
    "KEYS_ONLY": ((None, _EVENTS),),
}


def filters_of(trigger: OnChange, view: StreamView) -> tuple[str, ...]:
    """Return the patterns of the records that a function gets, or nothing if it gets all."""
    wanted: list[Event] = [
        event for event in _EVENTS if not trigger.events or event in trigger.events
    ]
    kinds = [entity.__kind__ for entity in trigger.entities]
    patterns = list(_patterns(kinds, view, wanted)) if kinds and _can_tell(kinds, view) else []
    return tuple(json.dumps(each) for each in patterns or [_happened(wanted)] if each)


def _can_tell(kinds: Sequence[EntityKind[Any]], view: StreamView) -> bool:
    """Whether anything in a record excludes other entities."""
    return bool(_keys(kinds)) or (_type_attribute(kinds) is not None and view != "KEYS_ONLY")


def _patterns(
    kinds: Sequence[EntityKind[Any]], view: StreamView, wanted: Sequence[Event]
) -> Iterator[dict[str, Any]]:
    """Yield the alternatives: records of these types, and records without a type."""
    attribute, names = _type_attribute(kinds), [kind.name for kind in kinds]
    for image, shown in _SHOWN[view]:
        events: list[Event] = [event for event in wanted if event in shown]
        if not events:
            continue
        untyped: dict[str, Any] = {**_keys(kinds)}
        if image is not None and attribute is not None:
            yield _happened(events) | {"dynamodb": {image: {attribute: {"S": names}}}}
            untyped[image] = {attribute: {"S": [{"exists": False}]}}
        yield _happened(events) | {"dynamodb": untyped}


def _happened(events: Sequence[Event]) -> dict[str, Any]:
    """Return the condition on the event, or nothing if it may be any."""
    return {} if len(events) == len(_EVENTS) else {"eventName": list(events)}


def _type_attribute(kinds: Sequence[EntityKind[Any]]) -> str | None:
    """Return the type attribute of these entities of one table, if it has one."""
    return kinds[0].type_attribute


def _keys(kinds: Sequence[EntityKind[Any]]) -> dict[str, Any]:
    """Return the condition on the partition key, or nothing if any text is possible there."""
    starts: dict[str, None] = {}
    for kind in kinds:
        part = kind.primary.parts[0]
        start = "" if part.is_natural else part.template.prefix({})[0]
        if not start:
            return {}
        starts[start] = None
    name = kinds[0].primary.parts[0].attribute.name
    return {"Keys": {name: {"S": [{"prefix": start} for start in starts]}}}
