"""Uses of a secret field that a design must avoid, because they need its value."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from sortkey.design.findings import Finding
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.marks import (
    CREATED,
    EXPIRES,
    UPDATED,
    VERSION,
    accepts_plaintext,
    marks_of,
    secret,
    secret_fields,
    unique,
)

_SEEN_BY_DYNAMODB = (unique, VERSION, EXPIRES, CREATED, UPDATED)


def hide_inputs(model: type[BaseModel]) -> None:
    """Make Pydantic's messages omit the input if it may be a secret."""
    if secret_fields(model) and not model.model_config.get("hide_input_in_errors"):
        model.model_config["hide_input_in_errors"] = True
        model.model_rebuild(force=True)


def secret_findings(model: type[BaseModel], keys: Mapping[str, EntityKey]) -> Iterator[Finding]:
    """Yield the faults of a model's secret fields."""
    for name, info in model.model_fields.items():
        marks, place = marks_of(info), f"{model.__name__}.{name}"
        if accepts_plaintext in marks and secret not in marks:
            yield Finding(
                place,
                f'"{name}" is marked accepts_plaintext but not secret, so it is never encrypted',
                "Mark it `secret` too, or remove the mark",
                code="SK128",
                name="plaintext-without-secret",
            )
        if secret in marks:
            yield from _in_keys(place, name, keys)
            for mark in _SEEN_BY_DYNAMODB:
                if mark in marks:
                    yield Finding(
                        place,
                        f'"{name}" is secret but also marked {mark.name}, which needs a readable '
                        "value",
                        "Remove one of the marks",
                        code="SK122",
                        name="secret-and-seen",
                    )
        elif _marks_inside(info.annotation, set()):
            yield Finding(
                place,
                f'"{name}" has a part that is marked secret, but only whole fields are encrypted',
                f"Mark {name} itself, or make the secret part a separate field",
                code="SK123",
                name="secret-inside",
            )


def _in_keys(place: str, name: str, keys: Mapping[str, EntityKey]) -> Iterator[Finding]:
    for key in keys.values():
        if name in key.all_fields:
            yield Finding(
                place,
                f'"{name}" is secret but part of {key.name}, which is stored unencrypted',
                "Remove it from the key, or remove the mark",
                code="SK121",
                name="secret-in-key",
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
