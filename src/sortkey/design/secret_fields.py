"""What a design may not do with a secret field: everything that would need to see its value."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from sortkey.design.findings import Finding
from sortkey.design.keys import EntityKey
from sortkey.design.marks import (
    CREATED,
    EXPIRES,
    UPDATED,
    VERSION,
    marks_of,
    secret,
    secret_fields,
    unique,
)

_SEEN_BY_DYNAMODB = (unique, VERSION, EXPIRES, CREATED, UPDATED)


def hide_inputs(model: type[BaseModel]) -> None:
    """Have Pydantic's messages leave out what was given, where that may be a secret."""
    if secret_fields(model) and not model.model_config.get("hide_input_in_errors"):
        model.model_config["hide_input_in_errors"] = True
        model.model_rebuild(force=True)


def secret_findings(model: type[BaseModel], keys: Mapping[str, EntityKey]) -> Iterator[Finding]:
    """The faults of a model's secret fields."""
    for name, info in model.model_fields.items():
        marks, place = marks_of(info), f"{model.__name__}.{name}"
        if secret in marks:
            yield from _in_keys(place, name, keys)
            for mark in _SEEN_BY_DYNAMODB:
                if mark in marks:
                    yield Finding(
                        "SK122",
                        "secret-and-seen",
                        place,
                        f'"{name}" is secret and marked {mark.name} too, which needs its value '
                        "readable",
                        "Drop one of the marks",
                    )
        elif _marks_inside(info.annotation, set()):
            yield Finding(
                "SK123",
                "secret-inside",
                place,
                f'"{name}" holds something marked secret, and only whole fields are encrypted',
                f"Mark {name} itself, or make the secret part a field of its own",
            )


def _in_keys(place: str, name: str, keys: Mapping[str, EntityKey]) -> Iterator[Finding]:
    for key in keys.values():
        if name in key.all_fields:
            yield Finding(
                "SK121",
                "secret-in-key",
                place,
                f'"{name}" is secret and is part of {key.name}, where its value could be read',
                "Take it out of the key, or drop the mark",
            )


def _marks_inside(annotation: Any, met: set[Any]) -> bool:
    """Whether a part of the type is marked secret: a member of a list, a field of a model."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation in met:
            return False
        met.add(annotation)
        return any(
            secret in marks_of(info) or _marks_inside(info.annotation, met)
            for info in annotation.model_fields.values()
        )
    if get_origin(annotation) is Annotated and secret in get_args(annotation):
        return True
    return any(_marks_inside(member, met) for member in get_args(annotation))
