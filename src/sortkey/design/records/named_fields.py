"""Fields that the key templates of a raw entity name and that its class lacks.

Each is one finding. The entity is then built as if it had them, so that the rest of it is judged:
as a text in the primary key, and as a text that may be absent in the key of an index.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, create_model

from sortkey.design.findings import Finding
from sortkey.design.records.key_compiler import PRIMARY, field_types
from sortkey.design.records.keys.templates import slot_names, unknown_field
from sortkey.design.tables.table import Key


def with_named_fields(
    model: type[BaseModel], keys: Mapping[str, Key]
) -> tuple[type[BaseModel], tuple[Finding, ...]]:
    """Return the class with the fields that its keys name, and a finding for each that it lacks."""
    types = field_types(model)
    lacking: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(keys, key=lambda name: name != PRIMARY):
        for attribute, text in _templates(keys[name]):
            for field in slot_names(text):
                if field not in types:
                    place = f"{model.__name__}.{name}.{attribute}"
                    lacking.setdefault(field, []).append((place, text))
    if not lacking:
        return model, ()
    primary = {name for _, text in _templates(keys.get(PRIMARY)) for name in slot_names(text)}
    fields: dict[str, Any] = {
        name: (str, ...) if name in primary else (str | None, None) for name in lacking
    }
    made = create_model(model.__name__, __base__=model, __module__=model.__module__, **fields)
    made.__qualname__, made.__doc__ = model.__qualname__, model.__doc__
    found = (_finding(name, places, types) for name, places in lacking.items())
    return made, tuple(found)


def _templates(key: Key | None) -> Iterator[tuple[str, str]]:
    if key is not None:
        index = key.index
        yield from zip((a.name for a in index.partition), key.partition, strict=False)
        yield from zip((a.name for a in index.sort), key.sort, strict=False)


def _finding(name: str, places: list[tuple[str, str]], types: Mapping[str, Any]) -> Finding:
    (where, text), *others = places
    also = f", and so do {len(others)} other templates" if len(others) > 1 else ""
    also = ", and so does another template" if len(others) == 1 else also
    return Finding(
        where,
        f"{unknown_field(text, name, types)}{also}",
        f"Give the entity a field `{name}`, or use another in the template",
        code="SK200",
        name="bad-template",
    )
